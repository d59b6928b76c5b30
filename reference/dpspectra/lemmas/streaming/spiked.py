"""The spiked covariance model is round: in every subspace a Gaussian is about as long as the root of its trace.

``z ~ N(0, (U diag(spikes^2) U' + s^2) / D)``. With probability at most ``exp(-t)`` the length of a Gaussian vector
exceeds its root mean square by more than ``sqrt(2 t)`` times its largest standard deviation; ``D`` is chosen so that
this gives the first condition for all ``t >= 1``. The published lemma has unnamed constants; if the mean square is
normalised to 1 instead, the first condition fails at ``t = 1`` for the standard normal law in three dimensions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import streaming
from dpspectra.ledger import AtMost, Frequency, Statement, Verdict, inequality
from dpspectra.ledger.outcomes import Outcome
from dpspectra.oracle import streaming as oracle
from dpspectra.strategies import dyadics, seeds
from dpspectra.strategies.lazy import st

TRIALS = 4000
"""Number of samples drawn for a frequency."""
FACTOR = (1 + math.sqrt(2)) ** 2
"""Factor in ``B`` due to the exact tails: 5.83."""


class Case(NamedTuple):
    """Dimension, number and size of equal spikes, noise, rank of a projection, ``t``, and a seed."""

    d: int
    k: int
    spike: float
    noise: float
    p: int
    t: float
    seed: int


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    """A model in up to eight dimensions, from pure noise to spikes of 16 standard deviations."""
    d = draw(st.integers(1, 8))
    k, p = draw(st.integers(1, d)), draw(st.integers(1, d))
    spike, noise = draw(dyadics(0, 4, 2)), draw(st.sampled_from([1.0, 0.5, 0.25]))
    return Case(d, k, spike, noise, p, draw(st.sampled_from([1.0, 2.0, 1.25, 4.0])), draw(seeds()))


lemma = Statement(
    labels=("HP-L3.6",),
    claim=r"z\sim N\big(0,\tfrac1D(U\Lambda^2U^\top+\sigma^2I)\big),\ D=\big(\sqrt{\operatorname{tr}\Lambda^2"
    r"+d\sigma^2}+\sqrt{2(\lambda_1^2+\sigma^2)}\big)^2\text{ is }(B,p)\text{-round for all }p,"
    r"\ B=(1+\sqrt2)^2\frac{\lambda_1^2+\sigma^2}{\operatorname{tr}\Lambda^2/d+\sigma^2}",
    verdict=Verdict.REPAIRED,
    cases=_cases,
    uses=("HP-D3.1",),
    note="streaming.md#the-spiked-model-is-round",
    digits=25,
    examples=40,
)


def normaliser(trace: Any, top: Any) -> Any:
    """``D``, from the trace ``tr spikes^2 + d s^2`` and the largest variance ``spikes_1^2 + s^2``."""
    return (np.sqrt(trace) + np.sqrt(2 * top)) ** 2


def roundness(trace: Any, top: Any, d: int) -> Any:
    """``B`` for every ``p``."""
    return FACTOR * top * d / trace


@lemma.fast
def lengths(d: int, k: int, spike: float, noise: float, p: int, t: float, seed: int) -> tuple[Outcome, ...]:
    """Samples and their projections on the first ``p`` axes, spikes first."""
    top, trace = spike**2 + noise**2, k * spike**2 + d * noise**2
    scale, rng = normaliser(trace, top), np.random.default_rng(seed)
    z = streaming.spiked(np.eye(d)[:, :k], np.full(k, spike), noise, scale, TRIALS, rng)
    limit = t * np.sqrt(roundness(trace, top, d) * p / d)
    above, above_inside = (int(np.sum(np.linalg.norm(x, axis=1) > y)) for x, y in ((z, t), (z[:, :p], limit)))
    return (
        Frequency(above, TRIALS, float(np.exp(-t)), part="tail of the length"),
        Frequency(above_inside, TRIALS, float(np.exp(-t)), part="tail of projected length"),
    )


@lemma.oracle
def exact_lengths(d: int, k: int, spike: float, noise: float, p: int, t: float, _seed: int) -> tuple[Outcome, ...]:
    rest, spike = mp.mpf(noise) ** 2, mp.mpf(spike) ** 2
    top, trace = spike + rest, k * spike + d * rest
    scale = (mp.sqrt(trace) + mp.sqrt(2 * top)) ** 2
    square = (1 + mp.sqrt(2)) ** 2 * top / trace * p  # B p / d
    whole = oracle.weighted_tail(scale * t**2, top, k, rest, d - k)
    projected = oracle.weighted_tail(scale * t**2 * square, top, min(k, p), rest, max(p - k, 0))
    limit = mp.exp(-mp.mpf(t))
    return (
        AtMost(whole, limit, scale=1, part="tail of the length"),
        AtMost(projected, limit, scale=1, part="tail of projected length"),
    )


@lemma.as_printed
def longer_than_its_root_mean_square(d: int) -> AtMost:
    """Tail of a standard normal vector in ``d`` dimensions, divided by ``sqrt d``, at ``t = 1``."""
    tail = oracle.weighted_tail(mp.mpf(d), mp.mpf(1), d, mp.mpf(0), 0)
    return AtMost(tail, mp.exp(-1), part="printed form")


@lemma.counterexample
def three_dimensions() -> Any:
    return (3,)


@lemma.certificate
def three_dimensions_certificate() -> dict[str, Any]:
    return inequality(
        "HP-L3.6",
        "no spikes, d = 3, D = 3: P(|z| > 1) is the chance that a chi-square variable of 3 degrees of freedom is above"
        " 3, which is 0.3916, more than exp(-1) = 0.3679",
        [
            "add",
            ["mul", "2", ["sub", "1", ["normal_cdf", ["sqrt", "3"]]]],
            ["mul", ["sqrt", ["div", "6", ["pi"]]], ["exp", "-3/2"]],
        ],
        ["exp", "-1"],
    )
