"""A random start has a tangent to the target above ``tau sqrt d / (sqrt p - sqrt(k - 1))`` with small probability.

The probability is at most ``(4 / tau)^(p - k + 1) + exp(-d / 2)``. The start spans a Gaussian matrix, whose part in the
target, ``k`` by ``p``, is independent of the rest. With probability at least ``1 - exp(-d / 2)`` the rest has norm at
most ``(1 + sqrt 2) sqrt d`` in ``k`` directions. The density of the smallest squared singular value of the part in the
target is at most a power (Chen and Dongarra, cited), and the resulting constant ``K(k, p)`` is below ``sqrt e`` for all
``k <= p``. The published lemma has unnamed constants and rests on a theorem whose error term ``c^p`` is not
``exp(-Omega(d))``. The plane must not depend on the target.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import power
from dpspectra.ledger import OPEN, AtMost, Frequency, Slack, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.oracle import power as exact
from dpspectra.strategies import dyadics, seeds
from dpspectra.strategies.lazy import st

TRIALS = 4000
"""Number of random starts drawn for a frequency."""
SHAPES = [(2, 1, 1), (3, 1, 1), (3, 1, 2), (8, 1, 1), (8, 1, 3), (6, 1, 6), (4, 2, 2), (6, 2, 2), (6, 2, 3), (7, 2, 4)]
"""Dimension ``d``, target rank ``k``, width ``p``."""
LARGE = 16.0
"""Smallest ``tau`` for which ``(4 / tau)^m <= tau^(-m / 2)``: the printed form with constants."""


def _widths() -> st.SearchStrategy[Any]:
    return st.tuples(st.integers(1, 400), st.integers(0, 2000)).map(lambda kw: (kw[0], kw[0] + kw[1]))


explicit = Statement(
    labels=("HP-L2.5P",),
    claim=r"\Pr\Big[\tan\theta_k(U,X)>\frac{\tau\sqrt d}{\sqrt p-\sqrt{k-1}}\Big]\le\Big(\frac4\tau\Big)^{p-k+1}"
    r"+e^{-d/2},\qquad K(k,p)\le\sqrt e",
    verdict=Verdict.NEW,
    cases=lambda: st.tuples(st.sampled_from(SHAPES), dyadics(1, 12, 2), _widths(), seeds()),
    uses=("HP-K2.2", "JXZ-L1-R"),
    note="power.md#angle-of-a-random-start-with-constants",
    digits=20,  # double integrals
    examples=40,
    slack={"tail of the tangent": Slack(0.116796, OPEN), "constant of the tail": Slack(0.999937, OPEN)},
)
printed_form = Statement(
    labels=("HP-L2.5",),
    claim=r"\tau\ge16:\quad\Pr\Big[\tan\theta_k(U,X)>\frac{\tau\sqrt d}{\sqrt p-\sqrt{k-1}}\Big]"
    r"\le\tau^{-(p-k+1)/2}+e^{-d/2}",
    verdict=Verdict.PROOF_GAP,
    cases=lambda: st.tuples(st.sampled_from(SHAPES), dyadics(LARGE, 64, 0), seeds()),
    uses=("HP-L2.5P",),
    note="power.md#angle-of-a-random-start",
    digits=20,
    examples=40,
)


def radius(tau: Any, k: int, p: int, d: int) -> Any:
    """Tangent ``tau sqrt d / (sqrt p - sqrt(k - 1))``."""
    return tau * np.sqrt(d) / (np.sqrt(p) - np.sqrt(k - 1))


def bound(tau: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that a uniform ``p``-plane has a larger tangent than `radius`."""
    return (4 / tau) ** (p - k + 1) + np.exp(-d / 2)


def exact_radius(tau: Any, k: int, p: int, d: int) -> Any:
    """`radius` in mpmath."""
    return mp.mpf(tau) * mp.sqrt(d) / (mp.sqrt(p) - mp.sqrt(k - 1))


def tangents(shape: tuple[int, int, int], trials: int, seed: int) -> Any:
    """``tan theta_k`` of the first ``k`` axes to spans of ``trials`` Gaussian matrices."""
    d, k, p = shape
    x = np.linalg.qr(np.random.default_rng(seed).standard_normal((trials, d, p)))[0]
    cosines = np.minimum(np.linalg.svd(x[:, :k], compute_uv=False)[:, -1], 1)
    return np.sqrt((1 - cosines) * (1 + cosines)) / cosines


@explicit.fast
def start(shape: tuple[int, int, int], tau: float, widths: tuple[int, int], seed: int) -> tuple[Outcome, ...]:
    d, k, p = shape
    above = int(np.sum(tangents(shape, TRIALS, seed) > radius(tau, k, p, d)))
    return (
        Frequency(above, TRIALS, bound(tau, k, p, d), part="tail of the tangent"),
        AtMost(power.start_constant(*widths), float(np.exp(0.5)), part="constant of the tail"),
    )


@explicit.oracle
def exact_start(shape: tuple[int, int, int], tau: float, widths: tuple[int, int], _seed: int) -> tuple[Outcome, ...]:
    d, k, p = shape
    limit = (4 / mp.mpf(tau)) ** (p - k + 1) + mp.exp(-mp.mpf(d) / 2)
    above = exact.start_tail(exact_radius(tau, k, p, d), k, p, d)
    return (
        AtMost(above, limit, scale=1, part="tail of the tangent"),
        AtMost(exact.start_constant(*widths), mp.exp(mp.mpf(1) / 2), part="constant of the tail"),
    )


@printed_form.fast
def printed_start(shape: tuple[int, int, int], tau: float, seed: int) -> Frequency:
    d, k, p = shape
    above = int(np.sum(tangents(shape, TRIALS, seed) > radius(tau, k, p, d)))
    limit = float(tau ** (-(p - k + 1) / 2) + np.exp(-d / 2))
    return Frequency(above, TRIALS, limit, part="tail of the tangent")


@printed_form.oracle
def exact_printed_start(shape: tuple[int, int, int], tau: float, _seed: int) -> AtMost:
    d, k, p = shape
    limit = mp.mpf(tau) ** (-mp.mpf(p - k + 1) / 2) + mp.exp(-mp.mpf(d) / 2)
    above = exact.start_tail(exact_radius(tau, k, p, d), k, p, d)
    return AtMost(above, limit, scale=1, part="tail of the tangent")


@explicit.tight
def one_direction() -> list[Any]:
    """Target rank 1 and a large width: ``K(1, p)`` tends to ``sqrt e``."""
    return [((3, 1, 1), 4.0, (1, 100_000), 0)]
