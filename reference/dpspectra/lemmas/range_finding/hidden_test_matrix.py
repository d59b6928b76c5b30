"""Keeping ``Omega`` secret, or releasing only the range of ``Y``, does not make the range finder more private.

Both can be computed from ``(Omega, Y)``, so no data set does worse than the exact ``delta`` of that pair, and some come
as close as one likes: a second row ``t e`` with large ``t`` reveals ``e' Omega`` through ``Y``, and many zero rows
reveal the scale of ``Y`` through its range. Two rows are needed; with a single row hiding does help.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp

from dpspectra.fast import sketch
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.oracle import linalg
from dpspectra.oracle import sketch as exact_sketch
from dpspectra.relations import Relation
from dpspectra.strategies import ball_vectors, epsilons, rectangular

TAIL = 1e-20
"""Scale of a probability in float64: the quadratures leave out tails of ``1e-32``."""


@st.composite
def _changes(draw: DrawFn) -> tuple[Any, ...]:
    """A matrix, its neighbour, and the noise, width and ``epsilon`` of a sketch."""
    m, n = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    a, place = draw(rectangular(m, n)) * draw(st.sampled_from([1.0, 2.0**-3, 8.0])), draw(st.integers(0, m - 1))
    other = a.copy()
    other[place] += draw(ball_vectors(n))
    noise, width = draw(st.sampled_from([2.0, 0.5, 1.0, 8.0])), draw(st.sampled_from([1, 2, 3, 5]))
    return a, other, noise, width, draw(epsilons(2.0**-4, 4.0))


hidden = Statement(
    labels=("HR-L4.1RR",),
    claim=r"\sup_A\delta\big(Y\mid A,A'\big)=\delta_{RF}(\varepsilon;s,k')\quad(m\ge2)",
    verdict=Verdict.NEW,
    relation=(Relation.ROW,),
    cases=_changes(),
    uses=("HR-L4.1R", "HR-F2.3"),
    note="range_finding.md#hiding-the-test-matrix",
    digits=30,  # double integrals
    examples=20,
)

only_range = Statement(
    labels=("HR-L4.1J",),
    claim=r"\sup_{A,m}\delta\big(\mathrm{range}\,Y\mid A,A'\big)=\delta_{RF}(\varepsilon;s,k')",
    verdict=Verdict.NEW,
    relation=(Relation.ROW,),
    cases=st.tuples(_changes(), st.sampled_from([3, 4, 10, 1000, 10**6])),
    uses=("HR-L4.1RR", "HR-L4.1R", "HR-F2.3"),
    note="range_finding.md#releasing-only-the-range",
    digits=30,  # integrals
    examples=20,
)


@hidden.fast
def hidden_losses(a: Any, other: Any, noise: float, width: int, epsilon: float) -> tuple[AtMost, ...]:
    released, parts = sketch.profile(epsilon, noise, width), []
    for first, second in ((a, other), (other, a)):
        delta, size = sketch.hidden_profile(epsilon, width, sketch.relative_moves(first, second, noise))
        parts.append(AtMost(delta, released, scale=max(size, TAIL)))
    return tuple(parts)


@hidden.oracle
def exact_hidden_losses(a: Any, other: Any, noise: float, width: int, epsilon: float) -> tuple[AtMost, ...]:
    a, other, noise, epsilon = linalg.exact(a), linalg.exact(other), mp.mpf(noise), mp.mpf(epsilon)
    released, parts = exact_sketch.profile(epsilon, noise, width), []
    for first, second in ((a, other), (other, a)):
        moves = exact_sketch.relative_moves(first, second, noise)
        parts.append(AtMost(exact_sketch.hidden_profile(epsilon, width, moves), released, scale=TAIL))
    return tuple(parts)


def _revealing(size: float) -> tuple[Any, ...]:
    """A row of zeros that gains a unit vector, above a long multiple of that vector."""
    a, other = np.array([[0.0], [size]]), np.array([[1.0], [size]])
    return a, other


@hidden.tight
def long_second_row() -> list[Any]:
    return [(*_revealing(1024.0), 2.0, 3, 1.0)]


@only_range.fast
def range_losses(change: Any, rows: int) -> tuple[AtMost, ...]:
    """The first column of the sketch only, in ``rows`` rows, all but the given ones zero."""
    a, other, noise, _, epsilon = change
    parts = []
    for first, second in ((a, other), (other, a)):
        moves = sketch.relative_moves(first, second, noise)
        (delta, _), (whole, size) = sketch.range_profile(epsilon, rows, moves), sketch.hidden_profile(epsilon, 1, moves)
        parts += [AtMost(delta, right, scale=max(size, TAIL)) for right in (whole, sketch.profile(epsilon, noise, 1))]
    return tuple(parts)


@only_range.oracle
def exact_range_losses(change: Any, rows: int) -> tuple[AtMost, ...]:
    a, other, noise, epsilon = *map(linalg.exact, change[:2]), mp.mpf(change[2]), mp.mpf(change[4])
    released, parts = exact_sketch.profile(epsilon, noise, 1), []
    for first, second in ((a, other), (other, a)):
        moves = exact_sketch.relative_moves(first, second, noise)
        delta = exact_sketch.range_profile(epsilon, rows, moves)
        whole = exact_sketch.hidden_profile(epsilon, 1, moves)
        parts += [AtMost(delta, right, scale=TAIL) for right in (whole, released)]
    return tuple(parts)


@only_range.tight
def many_zero_rows() -> list[Any]:
    return [((*_revealing(1024.0), 2.0, 1, 1.0), 10**6)]
