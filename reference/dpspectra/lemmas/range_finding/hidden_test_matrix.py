"""Keeping ``Omega`` secret, or releasing only the range of ``Y``, does not make the range finder more private.

Both can be computed from ``(Omega, Y)``, so for no data set is ``delta`` larger than the exact one for that pair, and
for some it comes arbitrarily close: a second row ``t e`` with large ``t`` reveals ``e' Omega`` through ``Y``, and many
zero rows reveal the scale of ``Y`` through its range. At least two rows are needed; with a single row, hiding ``Omega``
does help.
"""

from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.fast import noisy_sketch_profile
from dpspectra.ledger import AtMost, Matrix, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import linalg
from dpspectra.oracle import noisy_sketch_profile as exact_sketch
from dpspectra.oracle.noisy_sketch_profile import TAIL
from dpspectra.strategies import ball_vectors, epsilons, rectangular, st


class Change(NamedTuple):
    """A matrix, its neighbour, and the noise, width and ``epsilon`` of a sketch."""

    a: Any
    other: Any
    noise: float
    width: int
    epsilon: float


@st.composite
def _changes(draw: st.DrawFn) -> Change:
    """Integer matrices at three scales; one row changes by a vector of the unit ball."""
    m, n = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    a, place = draw(rectangular(m, n)) * draw(st.sampled_from([1.0, 2.0**-3, 8.0])), draw(st.integers(0, m - 1))
    other = a.copy()
    other[place] += draw(ball_vectors(n))
    noise, width = draw(st.sampled_from([2.0, 0.5, 1.0, 8.0])), draw(st.sampled_from([1, 2, 3, 5]))
    return Change(a, other, noise, width, draw(epsilons(2.0**-4, 4.0)))


def _revealing(size: float) -> tuple[Any, Any]:
    """A zero row that becomes a unit vector; the second row is that vector times ``size``."""
    return np.array([[0.0], [size]]), np.array([[1.0], [size]])


WIDE = np.array([[0.5, -0.625, 0.5], [0.25, 0.25, 1.0]]), np.array([[0.5, -0.625, 0.5], [0.25, -0.75, 1.0]])
"""Two matrices of several columns, one row of which differs by a vector of length 1."""


@statement
class HiddenTestMatrix:
    labels = ("HR-L4.1RR",)
    claim = {
        "delta with a hidden test matrix": r"\delta\big(Y\mid A,A'\big)\le\delta_{RF}(\varepsilon;s,k')",
    }
    where = {
        "A'": "neighbouring matrix",
        r"\delta\big(": (r"\delta(Y\mid A,A^\prime)", "exact delta, at epsilon, of releasing this for the pair"),
    }
    verdict = Verdict.NEW
    relation = (Relation.ROW,)
    uses = ("HR-L4.1R", "HR-F2.3")
    note = "range_finding.md#hiding-the-test-matrix"
    digits = 30
    examples = 15
    cases = staticmethod(_changes)

    def fast(self, a: Any, other: Any, noise: float, width: int, epsilon: float) -> Parts:
        released = noisy_sketch_profile.profile(epsilon, noise, width)
        for first, second in ((a, other), (other, a)):
            delta, size = noisy_sketch_profile.hidden_profile(
                epsilon, width, noisy_sketch_profile.relative_moves(first, second, noise)
            )
            yield AtMost(delta, released, scale=max(size, TAIL), part="delta with a hidden test matrix")

    def oracle(self, a: Matrix, other: Matrix, noise: Real, width: int, epsilon: Real) -> Parts:
        released = exact_sketch.profile(epsilon, noise, width)
        for first, second in ((a, other), (other, a)):
            delta = exact_sketch.hidden_profile(epsilon, width, exact_sketch.relative_moves(first, second, noise))
            yield AtMost(delta, released, scale=TAIL, part="delta with a hidden test matrix")

    def tight(self) -> list[Any]:
        """A long second row; and matrices of three columns."""
        return [Change(*_revealing(2.0**13), 2.0, 3, 1.0), Change(*WIDE, 2.0, 2, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """A row changes by a vector of length 2, with noise 2 and width 3."""
        before, after = mp.matrix([[0], [2]]), mp.matrix([[2], [2]])
        delta = exact_sketch.hidden_profile(mp.mpf(1), 3, exact_sketch.relative_moves(before, after, mp.mpf(2)))
        released = exact_sketch.profile(mp.mpf(1), mp.mpf(2), 3)
        return {"a change of length 1": AtMost(delta, released, part="delta with a hidden test matrix")}


@statement
class OnlyRange:
    labels = ("HR-L4.1J",)
    given = "k'=1"
    claim = {
        "range against the sketch": r"\delta\big(\mathrm{range}\,Y\mid A,A'\big)\le\delta\big(Y\mid A,A'\big)",
        "range against the exact delta": r"\delta\big(\mathrm{range}\,Y\mid A,A'\big)\le\delta_{RF}(\varepsilon;s,1)",
    }
    where = {
        "A'": "neighbouring matrix",
        r"\delta\big(": (r"\delta(\cdot\mid A,A^\prime)", "exact delta, at epsilon, of releasing this for the pair"),
    }
    verdict = Verdict.NEW
    relation = (Relation.ROW,)
    uses = ("HR-L4.1RR", "HR-L4.1R", "HR-F2.3")
    note = "range_finding.md#releasing-only-the-range"
    unchecked = "sketches of two columns or more."
    digits = 30
    examples = 7

    def cases(self) -> Any:
        return st.tuples(_changes(), st.sampled_from([3, 4, 10, 1000, 10**6]))

    def fast(self, change: Any, rows: int) -> Parts:
        """Only the first column of the sketch; the matrix is padded with zeros to ``rows`` rows."""
        a, other, noise, _, epsilon = change
        released = noisy_sketch_profile.profile(epsilon, noise, 1)
        for first, second in ((a, other), (other, a)):
            moves = noisy_sketch_profile.relative_moves(first, second, noise)
            delta, _ = noisy_sketch_profile.range_profile(epsilon, rows, moves)
            whole, size = noisy_sketch_profile.hidden_profile(epsilon, 1, moves)
            yield AtMost(delta, whole, scale=max(size, TAIL), part="range against the sketch")
            yield AtMost(delta, released, scale=max(size, TAIL), part="range against the exact delta")

    def oracle(self, change: Any, rows: int) -> Parts:
        a, other = linalg.exact(change.a), linalg.exact(change.other)
        noise, epsilon = mp.mpf(change.noise), mp.mpf(change.epsilon)
        released = exact_sketch.profile(epsilon, noise, 1)
        for first, second in ((a, other), (other, a)):
            moves = exact_sketch.relative_moves(first, second, noise)
            delta = exact_sketch.range_profile(epsilon, rows, moves)
            whole = exact_sketch.hidden_profile(epsilon, 1, moves)
            yield AtMost(delta, whole, scale=TAIL, part="range against the sketch")
            yield AtMost(delta, released, scale=TAIL, part="range against the exact delta")

    def tight(self) -> list[Any]:
        """Many zero rows, below a long one; and below rows of three columns."""
        return [(Change(*_revealing(2.0**13), 2.0, 1, 1.0), 2**26), (Change(*WIDE, 2.0, 2, 0.5), 2**10)]

    def beyond(self) -> dict[str, AtMost]:
        """A row changes by a vector of length 4, with noise 2 and 64 rows."""
        before, after = mp.matrix([[0], [4]]), mp.matrix([[4], [4]])
        delta = exact_sketch.range_profile(mp.mpf(1), 64, exact_sketch.relative_moves(before, after, mp.mpf(2)))
        released = exact_sketch.profile(mp.mpf(1), mp.mpf(2), 1)
        return {"a change of length 1": AtMost(delta, released, part="range against the exact delta")}
