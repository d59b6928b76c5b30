"""Private noise scales under which the entries of the iterates are still small: fixed, or doubling with the entries.

Two remedies where the printed noise depends on the iterates: noise for a public bound ``B`` on entries, with a stop as
soon as an entry exceeds it; or noise for the smallest power of two above all entries so far. The latter follows one of
``C(L + J - 1, L)`` schedules fixed in advance, ``J = floor(log2 sqrt d) + 1``, so a union bound over schedules costs
little.
"""

import itertools
import math
from typing import Any

import numpy as np
from mpmath import mp
from scipy.linalg import hadamard

from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.incoherence.iterate_entries import Run, failure, iterated, radius, runs
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import power
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies import deltas, st

UP = 1e-12
"""Relative distance by which float64 may round an entry up, beyond a level that it is at."""

ROUNDING = 1e-20
"""Distance below an entry up to which half a level may be that entry."""


def doubling_level(largest: float) -> float:
    """Smallest power of two that is at least ``largest``, the largest entry so far."""
    return 2.0 ** math.ceil(math.log2(largest))


def schedules(rounds: int, d: int) -> int:
    """Number of nondecreasing schedules of doubling levels; entries of orthonormal columns reach ``1 / sqrt d``."""
    levels = math.floor(math.log2(d) / 2) + 1
    return math.comb(rounds + levels - 1, rounds)


def _multisets(length: int, size: int) -> Any:
    """The formula for the number of nondecreasing schedules of levels ``2^-j``, ``4^j <= size``."""
    family = mp.floor(mp.log(size, 4) + ROUNDING) + 1
    return mp.binomial(length + family - 1, length)


@statement
class PrivateSchedules:
    labels = ("HP-T4.9P",)
    given = (
        r"X_0=\mathrm{GS}(G_0),\ X_l=\mathrm{GS}(AX_{l-1}+s_lG_l),\ s_l=\sigma h_l,\quad "
        r"h_l=2^{\lceil\log_2\max_{j<l}\|X_j\|_{\max}\rceil},\ J=\lfloor\log_2\sqrt d\rfloor+1,\quad"
        r"2dp(L+1)\binom{L+J-1}Le^{-t^2/2}=\eta"
    )
    claim = {
        "run of a fixed schedule": r"X_l=X_l(s_1,\dots,s_L)\text{ with these scales fixed}",
        "schedule in the family": r"h_1\le\dots\le h_L,\ h_l\in\{2^{-j}:0\le j<J\}",
        "number of schedules": r"|\{h_1\le\dots\le h_L:h_l\in\{2^{-j}:0\le j<J\}\}|=\binom{L+J-1}L",
        "level at least the entries": r"\max_{j<L}\|X_j\|_{\max}\le h_L",
        "level at most twice the entries": r"h_L\le2\max_{j<L}\|X_j\|_{\max}",
        "radius of the failure probability": r"t=\sqrt{2\log\big(2dp(L+1)\binom{L+J-1}L/\eta\big)}\quad(p=2)",
    }
    where = {
        "s_i": "the scales of the noise of the rounds",
        r"\sigma": "standard deviation of the noise for iterates with entries of at most 1",
        "X_i": "the iterates, with orthonormal columns",
        "L": "number of rounds",
        "p": "number of columns of an iterate",
        "J": "number of powers of 2 that a scale can be",
        "t": "threshold for the entries of the iterates",
        "A": "real symmetric matrix of order $`d`$, the data",
        "h_i": r"the scales in units of $`\sigma`$, powers of 2 that double with the entries",
        r"\eta": (
            r"bound on the probability that an iterate has an entry above $`t\sqrt{\mu/d}`$, by HP-T4.9 for every "
            r"schedule; $`\mu`$ is the coherence of $`A`$"
        ),
    }
    verdict = Verdict.NEW
    relation = (Relation.ENTRY, Relation.PAIR)
    uses = ("HP-T4.9", "HP-SENS")
    exact = ("run of a fixed schedule", "schedule in the family", "number of schedules")
    note = "incoherence.md#private-schedules"
    unchecked = "the probability of a large entry, and its radius for other numbers of columns than two."
    digits = 30
    examples = 30

    def cases(self) -> Any:
        return st.tuples(runs(4), st.integers(1, 5), st.integers(1, 600), deltas(2.0**-20, 0.5))

    def fast(self, run: Any, rounds: int, d: int, eta: float) -> Parts:
        """A run with doubling noise is the run of a schedule fixed in advance; the number of schedules; the radius."""
        (frame, square), values, noises, _, _ = run
        u = frame / np.sqrt(square)
        a, iterates, scales = (u * values) @ u.T, [orthonormal(noises[0])], []
        for g in noises[1:]:
            scales.append(doubling_level(float(np.max(np.abs(iterates))) * (1 - UP)))
            iterates.append(orthonormal(a @ iterates[-1] + scales[-1] * g))
        worst, again = np.max(np.abs(iterates[:-1])), iterated(a, noises, scales)
        levels = [2.0**-j for j in range(math.floor(math.log2(len(a)) / 2) + 1)]
        exponents = [j for j in range(d) if 4**j <= d]
        listed = sum(1 for _ in itertools.combinations_with_replacement(exponents, rounds))
        t = radius(eta, d, 2, rounds + 1, schedules(rounds, d))
        yield Equal(float(np.linalg.norm(np.subtract(iterates, again))), 0.0, scale=1.0, part="run of a fixed schedule")
        for s in scales:
            yield Equal(float(s in levels), 1.0, part="schedule in the family")
        yield Equal(float(scales == sorted(scales)), 1.0, part="schedule in the family")
        yield Equal(float(schedules(rounds, d)), float(listed), part="number of schedules")
        yield AtMost(worst, scales[-1], part="level at least the entries")
        yield AtMost(scales[-1], 2 * worst, part="level at most twice the entries")
        always = failure(0.0, d, 2, rounds + 1, schedules(rounds, d))
        yield Equal(t, math.sqrt(2 * math.log(always / eta)), part="radius of the failure probability")

    def oracle(self, run: Any, rounds: int, d: int, eta: Real) -> Parts:
        """Schedules are counted by dynamic programming; levels are computed by halving."""
        (frame, square), values, noises, _, _ = run
        u = oracle.exact(frame) / mp.sqrt(square)
        a, iterates = u * mp.diag([mp.mpf(x) for x in values]) * u.T, [exactly_orthonormal(oracle.exact(noises[0]))]
        scales = []
        for g in noises[1:]:
            level = mp.mpf(1)
            while level / 2 >= max(abs(x) for iterate in iterates for x in iterate) - ROUNDING:
                level /= 2
            scales.append(level)
            iterates.append(exactly_orthonormal(a * iterates[-1] + level * oracle.exact(g)))

        def count(length: int, size: int) -> Any:
            family = sum(1 for j in range(size) if 4**j <= size)  # levels 2^-j at or above 1 / sqrt(size)
            ways = [1] * family
            for _ in range(length - 1):
                ways = [sum(ways[: j + 1]) for j in range(family)]
            return mp.mpf(sum(ways))

        worst = max(abs(x) for iterate in iterates[:-1] for x in iterate)
        events = 2 * (rounds + 1) * d * count(rounds, d)  # an entry of two columns is large in an iterate of a schedule
        t = mp.findroot(lambda x: mp.log(2 * events) - x**2 / 2 - mp.log(eta), mp.mpf(8))
        blocks = [level * oracle.exact(g) for level, g in zip(scales, noises[1:], strict=True)]
        again = power.iterates(a, oracle.exact(noises[0]), blocks)
        moved = mp.fsum(oracle.frobenius_norm(x - y) for x, y in zip(iterates, again, strict=True))
        yield Equal(moved, mp.mpf(0), scale=1, part="run of a fixed schedule")
        for s in scales:
            yield Equal(mp.mpf(4 ** -mp.log(s, 2) <= len(values)), mp.mpf(1), part="schedule in the family")
        yield Equal(mp.mpf(scales == sorted(scales)), mp.mpf(1), part="schedule in the family")
        yield Equal(_multisets(rounds, d), count(rounds, d), part="number of schedules")
        yield AtMost(worst, scales[-1], part="level at least the entries")
        yield AtMost(scales[-1], 2 * worst, part="level at most twice the entries")
        yield Equal(t, mp.sqrt(2 * mp.log(2 * events / eta)), part="radius of the failure probability")

    def tight(self) -> list[Any]:
        """A start with all entries 1/2, a level of the family, one with an entry below 0, one just above (a limit)."""
        frame = hadamard(4).astype(float), 4

        def run(first: float) -> Run:
            start = np.array([[first], [1.0], [1.0], [1.0]])
            return Run(frame, np.array([2.0, 1.0, 0.0, -1.0]), [start, np.zeros((4, 1))], [1.0], np.ones(4))

        return [(run(first), 2, 16, 0.25) for first in (1.0, -4.0, 1 + 2.0**-21)]

    def beyond(self) -> dict[str, Equal]:
        """A column of four entries 1/4, whose level is 1/4; all four schedules of two rounds with two levels."""
        level, d = mp.mpf(1) / 4, 4
        return {
            "the columns have length 1": Equal(mp.mpf(level**2 * d >= 1), mp.mpf(1), part="schedule in the family"),
            "the level covers all entries so far": Equal(mp.mpf(2) ** 2, _multisets(2, d), part="number of schedules"),
        }
