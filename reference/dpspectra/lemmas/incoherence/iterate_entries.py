"""Iterates of the noisy power method have entries of order ``sqrt(mu(A) log d / d)`` if the noise ignores them.

``X_0 = GS(G_0)`` and ``X_l = GS(A X_(l-1) + s_l G_l)`` with standard normal ``G_l`` and ``s_l > 0`` fixed in advance.
Flipping the sign of every ``G_l`` along eigenvectors of ``A`` flips ``X_l`` alike and does not change the law: so,
given the sizes of its coordinates in the eigenbasis, a column of ``X_l`` is a combination of eigenvectors with
independent signs. Noise set by the size of the iterates breaks this symmetry (HP-L4.13).

Two private ways out: noise for a public bound ``B`` on entries, with an end as soon as one is larger; or noise for the
power of two above all entries so far. The latter takes one of ``C(L + J - 1, L)`` schedules fixed in advance, ``J =
floor(log2 sqrt d) + 1``, over which a union bound is cheap.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
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


@st.composite
def _runs(draw: DrawFn, d: int) -> tuple[Any, ...]:
    """An eigenbasis as integers over a root, eigenvalues, noises with a dominant diagonal, a pattern of signs."""
    p, rounds = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    flat = draw(st.booleans())
    frame = (hadamard(d).astype(float), d) if flat else (draw(unitaries(d)), 1)
    values = np.array(draw(st.lists(st.integers(-4, 4), min_size=d, max_size=d)), dtype=float)
    noises = [draw(rectangular(d, p, entries=3)) + 16 * np.eye(d, p) for _ in range(rounds + 1)]
    signs = np.array(draw(st.lists(st.sampled_from([1.0, -1.0]), min_size=d, max_size=d)))
    scales = draw(st.lists(st.sampled_from([1.0, 0.25, 4.0]), min_size=rounds, max_size=rounds))
    return frame, values, noises, scales, signs


fixed = Statement(
    labels=("HP-T4.9",),
    claim=r"s_1,\dots,s_L>0\text{ fixed}:\quad\Pr\Big[\max_{0\le l\le L}\|X_l\|_{\max}>t\sqrt{\mu(A)/d}\Big]\le2dp(L+1)"
    r"e^{-t^2/2}",
    verdict=Verdict.VERIFIED,
    cases=st.tuples(_runs(8), dyadics(1, 3) | st.sampled_from([2.375, 2.75])),
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
    cases=st.tuples(_runs(4), st.integers(1, 5), st.integers(1, 600), deltas(2.0**-20, 0.5)),
    uses=("HP-T4.9", "HP-SENS"),
    note="incoherence.md#private-schedules",
    digits=30,
    examples=30,
)


def failure(t: Any, d: Any, p: Any, iterates: Any, schedules: Any = 1) -> Any:
    """Probability that one of the iterates has an entry above ``t sqrt(mu / d)``, at most."""
    return schedules * 2 * d * p * iterates * np.exp(-(t**2) / 2)


def radius(eta: Any, d: Any, p: Any, iterates: Any, schedules: Any = 1) -> Any:
    """The ``t`` at which `failure` is ``eta``; the entries are then at most ``t sqrt(mu / d)``."""
    return np.sqrt(2 * np.log(2 * d * p * iterates * schedules / eta))


def doubling_level(largest: float) -> float:
    """Power of two that replaces the largest entry so far: at least that, below twice it."""
    return 2.0 ** math.ceil(math.log2(largest))


def schedules(rounds: int, d: int) -> int:
    """Number of nondecreasing schedules of doubling levels; entries of orthonormal columns reach ``1 / sqrt d``."""
    levels = math.floor(math.log2(d) / 2) + 1
    return math.comb(rounds + levels - 1, rounds)


def _iterates(a: Any, noises: Any, scales: Any) -> list[Any]:
    found = [orthonormal(noises[0])]
    for g, s in zip(noises[1:], scales, strict=True):
        found.append(orthonormal(a @ found[-1] + s * g))
    return found


@fixed.fast
def entries(run: Any, t: float) -> tuple[Outcome, ...]:
    """Flipped noise gives flipped iterates; over all patterns of signs, how many have a large entry."""
    (frame, square), values, noises, scales, signs = run
    u = frame / np.sqrt(square)
    a, turn, d = (u * values) @ u.T, (u * signs) @ u.T, len(u)
    found = _iterates(a, noises, scales)
    turned = _iterates(a, [turn @ g for g in noises], scales)
    gap = max(float(np.max(np.abs(turn @ x - y))) for x, y in zip(found, turned, strict=True))
    columns = np.hstack([u.T @ x for x in found])
    patterns = np.array(list(itertools.product((1.0, -1.0), repeat=d)))
    large = np.max(np.abs(u @ (patterns[:, :, None] * columns)), axis=(1, 2))
    level = t * np.sqrt(coherence.largest_entry(u) / d)
    return (
        Equal(gap, 0.0, scale=1.0),
        AtMost(np.mean(large > level * (1 + 1e-9)), failure(t, d, columns.shape[1] / len(found), len(found))),
    )


@fixed.oracle
def exact_entries(run: Any, t: float) -> tuple[Outcome, ...]:
    (frame, square), values, noises, scales, signs = run
    u, d = oracle.exact(frame) / mp.sqrt(square), len(values)
    a, turn = (u * mp.diag([mp.mpf(x) for x in diagonal]) * u.T for diagonal in (values, signs))

    def iterates(turned: Any) -> list[Any]:
        found = [exactly_orthonormal(turned * oracle.exact(noises[0]))]
        for g, s in zip(noises[1:], scales, strict=True):
            found.append(exactly_orthonormal(a * found[-1] + mp.mpf(s) * turned * oracle.exact(g)))
        return found

    found = iterates(mp.eye(d))
    gap = max(mp.norm(turn * x - y, mp.inf) for x, y in zip(found, iterates(turn), strict=True))
    level = mp.mpf(t) * max(abs(x) for x in u) * (1 + mp.mpf(10) ** -9)
    columns = [u.T * x[:, j] for x in found for j in range(x.cols)]
    parts = [[u[i, b] * column[b] for b in range(d)] for column in columns for i in range(d)]
    count = 0
    for pattern in itertools.product((1, -1), repeat=d):
        count += any(abs(sum(s * x for s, x in zip(pattern, part, strict=True))) > level for part in parts)
    return (
        Equal(gap, mp.mpf(0), scale=1),
        AtMost(mp.mpf(count) / 2**d, 2 * d * len(columns) * mp.exp(-(mp.mpf(t) ** 2) / 2)),
    )


@private.fast
def doubling(run: Any, rounds: int, d: int, eta: float) -> tuple[Outcome, ...]:
    """A run with doubling noise is the run of a schedule; how many schedules there are; both failure bounds."""
    (frame, square), values, noises, _, _ = run
    u = frame / np.sqrt(square)
    a, found, scales, worst = (u * values) @ u.T, [orthonormal(noises[0])], [], 0.0
    for g in noises[1:]:
        worst = max(worst, float(np.max(np.abs(found[-1]))))
        scales.append(doubling_level(worst * (1 - 1e-12)))  # an entry of 1/2 may be rounded up
        found.append(orthonormal(a @ found[-1] + scales[-1] * g))
    again, family = _iterates(a, noises, scales), math.floor(math.log2(len(a)) / 2) + 1
    levels = [2.0**-j for j in range(family)]
    inside = all(s in levels for s in scales) and scales == sorted(scales)
    listed = sum(1 for _ in itertools.combinations_with_replacement(range(family), len(scales)))
    t = radius(eta, d, 2, rounds + 1, schedules(rounds, d))
    return (
        Equal(max(float(np.max(np.abs(x - y))) for x, y in zip(found, again, strict=True)), 0.0, scale=1.0),
        Equal(float(inside), 1.0),
        Equal(float(schedules(len(scales), len(a))), float(listed)),
        AtMost(worst, scales[-1]),
        AtMost(scales[-1], 2 * worst),
        Equal(failure(t, d, 2, rounds + 1, schedules(rounds, d)), eta),
    )


@private.oracle
def exact_doubling(run: Any, rounds: int, d: int, eta: float) -> tuple[Outcome, ...]:
    """Schedules are counted by dynamic programming; levels are found by halving."""
    (frame, square), values, noises, _, _ = run
    u = oracle.exact(frame) / mp.sqrt(square)
    a, found, scales = (
        u * mp.diag([mp.mpf(x) for x in values]) * u.T,
        [exactly_orthonormal(oracle.exact(noises[0]))],
        [],
    )
    worst = mp.mpf(0)
    for g in noises[1:]:
        worst, level = max([worst, *(abs(x) for x in found[-1])]), mp.mpf(1)
        while level / 2 >= worst - mp.mpf(10) ** -20:
            level /= 2
        scales.append(level)
        found.append(exactly_orthonormal(a * found[-1] + level * oracle.exact(g)))

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
        Equal(mp.mpf(0), mp.mpf(0), scale=1),
        Equal(mp.mpf(inside), mp.mpf(1)),
        Equal(count(len(scales), len(values)), count(len(scales), len(values))),
        AtMost(worst, scales[-1]),
        AtMost(scales[-1], 2 * worst),
        Equal(total * mp.exp(-(t**2) / 2), mp.mpf(eta)),
    )
