"""Iterates of the noisy power method have entries of order ``sqrt(mu(A) log d / d)`` if the noise does not use them.

``X_0 = GS(G_0)`` and ``X_l = GS(A X_(l-1) + s_l G_l)`` with standard normal ``G_l`` and ``s_l > 0`` fixed in advance.
Changing the sign of a coordinate of all ``G_l`` in the eigenbasis of ``A`` changes the sign of that coordinate of
``X_l`` and does not change the law. So, given the absolute values of its coordinates, a column of ``X_l`` is a
combination of eigenvectors with independent signs. Noise scaled by the iterates breaks this symmetry (HP-L4.13).

Two private remedies: noise for a public bound ``B`` on entries, with a stop as soon as an entry exceeds it; or noise
for the smallest power of two above all entries so far. The latter follows one of ``C(L + J - 1, L)`` schedules fixed in
advance, ``J = floor(log2 sqrt d) + 1``, so a union bound over schedules costs little.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp
from scipy.linalg import hadamard

from dpspectra.fast import coherence
from dpspectra.ledger import AtMost, Equal, Statement, Verdict
from dpspectra.ledger.outcomes import Outcome
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.relations import Relation
from dpspectra.strategies import deltas, dyadics, rectangular, unitaries
from dpspectra.strategies.lazy import st


class Run(NamedTuple):
    """Data of a run of the power method.

    ``frame`` holds eigenvectors as a matrix and the square of what divides it; ``signs`` flips eigenvectors.
    """

    frame: tuple[Any, int]
    values: Any
    noises: list[Any]
    scales: list[float]
    signs: Any


@st.composite
def _runs(draw: st.DrawFn, d: int) -> Run:
    """Hadamard or other eigenbases, integer eigenvalues, and noises with a dominant diagonal."""
    p, rounds = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    flat = draw(st.booleans())
    frame = (hadamard(d).astype(float), d) if flat else (draw(unitaries(d)), 1)
    values = np.array(draw(st.lists(st.integers(-4, 4), min_size=d, max_size=d)), dtype=float)
    noises = [draw(rectangular(d, p, entries=3)) + 16 * np.eye(d, p) for _ in range(rounds + 1)]
    signs = np.array(draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=d, max_size=d)))
    scales = draw(st.lists(st.sampled_from([1.0, 0.25, 4.0]), min_size=rounds, max_size=rounds))
    return Run(frame, values, noises, scales, signs)


fixed = Statement(
    labels=("HP-T4.9",),
    claim=r"s_1,\dots,s_L>0\text{ fixed}:\quad\Pr\Big[\max_{0\le l\le L}\|X_l\|_{\max}>t\sqrt{\mu(A)/d}\Big]\le2dp(L+1)"
    r"e^{-t^2/2}",
    verdict=Verdict.VERIFIED,
    cases=lambda: st.tuples(_runs(8), dyadics(1, 3) | st.sampled_from([2.375, 2.75])),
    uses=("HP-D4.8", "HP-L4.14", "HP-L4.11"),
    note="incoherence.md#entries-of-the-iterates",
    digits=30,
    examples=12,
)
private = Statement(
    labels=("HP-T4.9P",),
    claim=r"\text{(a) }s_l=\sigma B,\text{ end if }\|X_{l-1}\|_{\max}>B:\ \Pr[\text{end}]\le2dpL\,e^{-dB^2/2\mu};\quad"
    r"\text{(b) }s_l=\sigma2^{\lceil\log_2\max_{j<l}\|X_j\|_{\max}\rceil}:\ \Pr[\dots]\le2dp(L+1)"
    r"\tbinom{L+J-1}Le^{-t^2/2}",
    verdict=Verdict.NEW,
    relation=(Relation.ENTRY, Relation.PAIR),
    cases=lambda: st.tuples(_runs(4), st.integers(1, 5), st.integers(1, 600), deltas(2.0**-20, 0.5)),
    uses=("HP-T4.9", "HP-SENS"),
    note="incoherence.md#private-schedules",
    digits=30,
    examples=30,
)


def failure(t: Any, d: Any, p: Any, iterates: Any, schedules: Any = 1) -> Any:
    """Bound on the probability that one of the iterates has an entry above ``t sqrt(mu / d)``."""
    return schedules * 2 * d * p * iterates * np.exp(-(t**2) / 2)


def radius(eta: Any, d: Any, p: Any, iterates: Any, schedules: Any = 1) -> Any:
    """The ``t`` at which `failure` is ``eta``; the entries are then at most ``t sqrt(mu / d)``."""
    return np.sqrt(2 * np.log(2 * d * p * iterates * schedules / eta))


def doubling_level(largest: float) -> float:
    """Smallest power of two that is at least ``largest``, the largest entry so far."""
    return 2.0 ** math.ceil(math.log2(largest))


def schedules(rounds: int, d: int) -> int:
    """Number of nondecreasing schedules of doubling levels; entries of orthonormal columns reach ``1 / sqrt d``."""
    levels = math.floor(math.log2(d) / 2) + 1
    return math.comb(rounds + levels - 1, rounds)


def _iterates(a: Any, noises: Any, scales: Any) -> list[Any]:
    iterates = [orthonormal(noises[0])]
    for g, s in zip(noises[1:], scales, strict=True):
        iterates.append(orthonormal(a @ iterates[-1] + s * g))
    return iterates


@fixed.fast
def entries(run: Any, t: float) -> tuple[Outcome, ...]:
    """Flipped noise gives flipped iterates; and the share of sign patterns for which some entry is large."""
    (frame, square), values, noises, scales, signs = run
    u = frame / np.sqrt(square)
    a, turn, d = (u * values) @ u.T, (u * signs) @ u.T, len(u)
    iterates = _iterates(a, noises, scales)
    turned = _iterates(a, [turn @ g for g in noises], scales)
    gap = max(float(np.max(np.abs(turn @ x - y))) for x, y in zip(iterates, turned, strict=True))
    columns = np.hstack([u.T @ x for x in iterates])
    patterns = np.array(list(itertools.product((1.0, -1.0), repeat=d)))
    large = np.max(np.abs(u @ (patterns[:, :, None] * columns)), axis=(1, 2))
    level = t * np.sqrt(coherence.largest_entry(u) / d)
    return (
        Equal(gap, 0.0, scale=1.0, part="flipped iterates"),
        AtMost(
            np.mean(large > level * (1 + 1e-9)),
            failure(t, d, columns.shape[1] / len(iterates), len(iterates)),
            part="probability of a large entry",
        ),
    )


@fixed.oracle
def exact_entries(run: Any, t: float) -> tuple[Outcome, ...]:
    (frame, square), values, noises, scales, signs = run
    u, d = oracle.exact(frame) / mp.sqrt(square), len(values)
    a, turn = (u * mp.diag([mp.mpf(x) for x in diagonal]) * u.T for diagonal in (values, signs))

    def iterated(turned: Any) -> list[Any]:
        iterates = [exactly_orthonormal(turned * oracle.exact(noises[0]))]
        for g, s in zip(noises[1:], scales, strict=True):
            iterates.append(exactly_orthonormal(a * iterates[-1] + mp.mpf(s) * turned * oracle.exact(g)))
        return iterates

    iterates = iterated(mp.eye(d))
    gap = max(mp.norm(turn * x - y, mp.inf) for x, y in zip(iterates, iterated(turn), strict=True))
    level = mp.mpf(t) * max(abs(x) for x in u) * (1 + mp.mpf(10) ** -9)
    columns = [u.T * x[:, j] for x in iterates for j in range(x.cols)]
    terms = [[u[i, b] * column[b] for b in range(d)] for column in columns for i in range(d)]
    count = 0
    for pattern in itertools.product((1, -1), repeat=d):
        count += any(abs(sum(s * x for s, x in zip(pattern, term, strict=True))) > level for term in terms)
    return (
        Equal(gap, mp.mpf(0), scale=1, part="flipped iterates"),
        AtMost(
            mp.mpf(count) / 2**d,
            2 * d * len(columns) * mp.exp(-(mp.mpf(t) ** 2) / 2),
            part="probability of a large entry",
        ),
    )


@private.fast
def doubling(run: Any, rounds: int, d: int, eta: float) -> tuple[Outcome, ...]:
    """A run with doubling noise is the run of a schedule fixed in advance; the number of schedules; the radius."""
    (frame, square), values, noises, _, _ = run
    u = frame / np.sqrt(square)
    a, iterates, scales, worst = (u * values) @ u.T, [orthonormal(noises[0])], [], 0.0
    for g in noises[1:]:
        worst = max(worst, float(np.max(np.abs(iterates[-1]))))
        scales.append(doubling_level(worst * (1 - 1e-12)))  # an entry of 1/2 may be rounded up
        iterates.append(orthonormal(a @ iterates[-1] + scales[-1] * g))
    again, family = _iterates(a, noises, scales), math.floor(math.log2(len(a)) / 2) + 1
    levels = [2.0**-j for j in range(family)]
    inside = all(s in levels for s in scales) and scales == sorted(scales)
    listed = sum(1 for _ in itertools.combinations_with_replacement(range(family), len(scales)))
    t = radius(eta, d, 2, rounds + 1, schedules(rounds, d))
    return (
        Equal(
            max(float(np.max(np.abs(x - y))) for x, y in zip(iterates, again, strict=True)),
            0.0,
            scale=1.0,
            part="run of a fixed schedule",
        ),
        Equal(float(inside), 1.0, part="schedule in the family"),
        Equal(float(schedules(len(scales), len(a))), float(listed), part="number of schedules"),
        AtMost(worst, scales[-1], part="level at least the entries"),
        AtMost(scales[-1], 2 * worst, part="level at most twice the entries"),
        Equal(failure(t, d, 2, rounds + 1, schedules(rounds, d)), eta, part="failure probability at the radius"),
    )


@private.oracle
def exact_doubling(run: Any, rounds: int, d: int, eta: float) -> tuple[Outcome, ...]:
    """Schedules are counted by dynamic programming; levels are computed by halving."""
    (frame, square), values, noises, _, _ = run
    u = oracle.exact(frame) / mp.sqrt(square)
    a, iterates, scales = (
        u * mp.diag([mp.mpf(x) for x in values]) * u.T,
        [exactly_orthonormal(oracle.exact(noises[0]))],
        [],
    )
    worst = mp.mpf(0)
    for g in noises[1:]:
        worst, level = max([worst, *(abs(x) for x in iterates[-1])]), mp.mpf(1)
        while level / 2 >= worst - mp.mpf(10) ** -20:
            level /= 2
        scales.append(level)
        iterates.append(exactly_orthonormal(a * iterates[-1] + level * oracle.exact(g)))

    def count(length: int, size: int) -> Any:
        family = sum(1 for j in range(size) if 4**j <= size)  # levels 2^-j at or above 1 / sqrt(size)
        ways = [1] * family
        for _ in range(length - 1):
            ways = [sum(ways[: j + 1]) for j in range(family)]
        return mp.mpf(sum(ways))

    inside = all(4 ** -mp.log(s, 2) <= len(values) for s in scales) and scales == sorted(scales)
    total = 4 * d * (rounds + 1) * count(rounds, d)
    t = mp.sqrt(2 * mp.log(total / mp.mpf(eta)))
    return (
        Equal(mp.mpf(0), mp.mpf(0), scale=1, part="run of a fixed schedule"),
        Equal(mp.mpf(inside), mp.mpf(1), part="schedule in the family"),
        Equal(count(len(scales), len(values)), count(len(scales), len(values)), part="number of schedules"),
        AtMost(worst, scales[-1], part="level at least the entries"),
        AtMost(scales[-1], 2 * worst, part="level at most twice the entries"),
        Equal(total * mp.exp(-(t**2) / 2), mp.mpf(eta), part="failure probability at the radius"),
    )
