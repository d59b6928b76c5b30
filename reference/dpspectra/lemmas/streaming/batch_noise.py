"""The second moment of ``n`` samples of a round distribution, times ``X``, is ``sqrt(B p log^5 n / (d n))`` off.

Cut samples at ``t = log(3 n^3)``: none of them is cut, but for ``1 / n^2``. What is cut moves the mean by
``O(t^2 / n^3)``, because all moments beyond ``t`` are small; what is left has norm ``t^2 sqrt(B p / d)`` at most, ``t^2
B p / d`` inside the target, and a matrix Bernstein bound for the average does the rest. Printed with a factor
``log d``, which is 0 in one dimension, where the average of coin tosses is off all the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp

from dpspectra.fast import linalg, streaming
from dpspectra.ledger import AtMost, Statement, Verdict, inequality
from dpspectra.oracle import linalg as exact
from dpspectra.oracle import streaming as oracle
from dpspectra.strategies import distributions, rectangular, seeds, unitaries

FEWEST = 512
"""Fewest samples for which the Bernstein bound is in its range, for ``d`` up to 10^9."""


@st.composite
def laws(draw: DrawFn, shapes: Any) -> tuple[Any, ...]:
    """Integer values, their probabilities, an orthonormal frame (the first ``k`` span ``U``), ``k``, ``p``."""
    d, k, p = draw(st.sampled_from(shapes))
    atoms = draw(st.integers(2, 5))
    values = draw(rectangular(atoms, d, entries=4).filter(np.any))
    return values, draw(distributions(atoms)), draw(unitaries(d)), k, p


lemma = Statement(
    labels=("HP-L3.5",),
    claim=r"(B,p)\text{-round},\ t=\ln3n^3,\ u=\sqrt{\tfrac{10}{3n}\ln2dn^2}\le1:\quad\|(\hat A-A)X\|\le t^2"
    r"\sqrt{\tfrac{Bp}d}\,u+\tfrac{3t^2+2t+2}{3n^3},\ \ \|U^\top(\hat A-A)X\|\le t^2\tfrac{Bp}d\,u+"
    r"\tfrac{3t^2+2t+2}{3n^3}\quad\text{but for }\tfrac3{n^2}",
    verdict=Verdict.REPAIRED,
    cases=st.tuples(
        laws([(2, 1, 1), (3, 1, 2), (1, 1, 1), (4, 2, 2), (4, 1, 3)]), st.sampled_from([FEWEST, 4096, 65536]), seeds()
    ),
    uses=("HP-D3.1", "HP-LA.4P"),
    note="streaming.md#noise-of-a-block",
    digits=30,
    examples=60,
)


def bound(n: Any, d: Any, p: Any, roundness: Any) -> tuple[Any, Any]:
    """Bounds on ``|G|`` and ``|U'G|`` for ``n >= FEWEST`` samples, which hold but for ``3 / n^2``."""
    t, share = np.log(3 * n**3), roundness * p / d
    average = t**2 * np.sqrt(np.log(2 * d * n**2) / (0.3 * n))
    cut = (3 * t**2 + 2 * t + 2) / (3 * n**3)
    return np.sqrt(share) * average + cut, share * average + cut


def exact_bound(n: int, d: int, p: int, roundness: Any) -> tuple[Any, Any]:
    """`bound` in mpmath."""
    t, share = mp.log(3 * mp.mpf(n) ** 3), roundness * p / d
    average = t**2 * mp.sqrt(10 * mp.log(2 * d * mp.mpf(n) ** 2) / (3 * mp.mpf(n)))
    cut = (3 * t**2 + 2 * t + 2) / (3 * mp.mpf(n) ** 3)
    return mp.sqrt(share) * average + cut, share * average + cut


def scaled(law: Any) -> tuple[Any, Any]:
    """Values divided by the spread of their lengths, and the roundness that the two projections ask for."""
    values, weights, frame, k, p = law
    whole, *projected = (
        streaming.spread(np.linalg.norm(values @ frame[:, :m], axis=1), weights) for m in (len(frame), k, p)
    )
    return values / (whole or 1.0), len(frame) / p * (max(projected) / (whole or 1.0)) ** 2


def exactly_scaled(law: Any) -> tuple[Any, Any]:
    """The same in mpmath."""
    values, weights, frame, k, p = law
    rows, masses = exact.exact(values) * exact.exact(frame), [mp.mpf(w) for w in weights]
    whole, *projected = (
        oracle.spread([mp.norm([rows[i, j] for j in range(m)]) for i in range(rows.rows)], masses)
        for m in (rows.cols, k, p)
    )
    whole = whole or mp.mpf(1)
    return exact.exact(values) / whole, mp.mpf(rows.cols) / p * (max(projected) / whole) ** 2


def moment(values: Any, weights: Any) -> Any:
    """Second moment of a discrete law."""
    return (values.T * weights) @ values


def exact_moment(values: Any, weights: Any) -> Any:
    """The same in mpmath."""
    return values.T * mp.diag(list(weights)) * values


@lemma.fast
def deviations(law: Any, n: int, seed: int) -> tuple[AtMost, ...]:
    """One draw of ``n`` samples, by counts; and the moment beyond ``t`` of a law with exactly exponential lengths."""
    _, weights, frame, k, p = law
    values, roundness = scaled(law)
    counts = np.random.default_rng(seed).multinomial(n, weights)
    g = moment(values, counts / n - weights) @ frame[:, :p]
    whole, inside = bound(float(n), len(frame), p, roundness)
    t = np.log(3 * float(n) ** 3)
    return (
        AtMost(linalg.spectral_norm(g), whole, scale=1),
        AtMost(linalg.spectral_norm(frame[:, :k].T @ g), inside, scale=1),
        AtMost((t**2 + 2 * t + 2) * np.exp(-t), (3 * t**2 + 2 * t + 2) / (3 * float(n) ** 3)),
    )


@lemma.oracle
def exact_deviations(law: Any, n: int, seed: int) -> tuple[AtMost, ...]:
    _, weights, frame, k, p = law
    values, roundness = exactly_scaled(law)
    counts = np.random.default_rng(seed).multinomial(n, weights)
    off = [mp.mpf(int(c)) / n - mp.mpf(w) for c, w in zip(counts, weights, strict=True)]
    g = exact_moment(values, off) * exact.exact(frame[:, :p])
    whole, inside = exact_bound(n, len(frame), p, roundness)
    t = mp.log(3 * mp.mpf(n) ** 3)
    beyond = mp.quad(lambda x: x**2 * mp.exp(-x), [t, t + 20, mp.inf])
    return (
        AtMost(exact.spectral_norm(g), whole, scale=1),
        AtMost(exact.spectral_norm(exact.exact(frame[:, :k]).T * g), inside, scale=1),
        AtMost(beyond, (3 * t**2 + 2 * t + 2) / (3 * mp.mpf(n) ** 3)),
    )


@lemma.as_printed
def coin_tosses(n: int, constant: int) -> AtMost:
    """Least distance of the mean of an odd number of fair bits from one half, against ``constant / n^2``."""
    return AtMost(1 / (2 * mp.mpf(n)), constant / mp.mpf(n) ** 2)


@lemma.counterexample
def nine_bits() -> Any:
    return 9, 4


@lemma.certificate
def nine_bits_certificate() -> dict[str, Any]:
    return inequality(
        "HP-L3.5",
        "d = p = k = 1, z = 0 or 1: log d = 0 leaves 4 / n^2 with the constant 4, but the mean of nine bits is at least"
        " 1/18 from 1/2; with another constant take more bits",
        ["div", "1", ["mul", "2", "9"]],
        ["div", "4", ["mul", "9", "9"]],
    )
