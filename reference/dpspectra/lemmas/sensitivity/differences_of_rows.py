"""DPS-PAIRS: normalised differences of consecutive rows. Their second moments need neither a centre nor a norm bound.

Let the rows stand in a ring whose order does not depend on them. Each difference ``x_i - x_(i+1)`` is divided by its
norm (zero stays zero), and ``u u'`` is summed over these vectors ``u``. If a row is replaced, the two summands with its
differences change. The sum then moves by twice a point of the convex hull of ``v v' - w w'``: the norm ``K`` of the
change (DPS-KNORM) is at most 2, and the Frobenius norm at most ``2 sqrt(2)``, which is the noise of two rows. Both are
attained where all other rows are equal. If the order depends on the rows (sorted ones, say), a third difference
changes.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Outcome, Parts, Relation, Verdict, statement
from dpspectra.matrices.centring import differences
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, rectangular, st

ROUNDING = 1e-9
"""Distance far above the rounding of unit rows, and far below that of different ones of small integers."""


def _same_direction(x: Any, y: Any) -> bool:
    """Say whether two vectors have the same unit vector, or are both zero, without rounding of their lengths."""
    parallel = all(x[i] * y[j] == x[j] * y[i] for i, j in itertools.combinations(range(x.rows), 2))
    return parallel and (mp.fdot(x, y) > 0 or mp.norm(x) == mp.norm(y) == 0)


def _unit(x: Any) -> Any:
    length = mp.norm(x)
    return x / length if length else x


@statement
class Pairs:
    labels = ("DPS-PAIRS",)
    given = (
        r"S=\sum_iu_iu_i^\top,\ u_i=\frac{x_i-x_{i+1}}{\|x_i-x_{i+1}\|}\text{ (0 for equal rows)},\ "
        r"\#\{i:x_i\ne x_i'\}\le1"
    )
    claim = {
        "differences that change": r"\#\{i:u_i\ne u_i'\}\le2",
        "norm of the change": r"K(S-S')\le2",
        "Frobenius norm of the change": r"\|S-S'\|_F\le2\sqrt2",
    }
    where = {
        "S": "second moments of the normalised differences",
        "S'": "the same for a neighbouring data set",
        "u_i": "the normalised differences of a row and the next one",
        "u_i'": "the same for a neighbouring data set",
        "x_i": "the rows of the data, in a ring",
        "x_i'": "the same for a neighbouring data set",
        "i": "number of a row",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("DPS-KNORM", "DPS-UNITROWS")
    note = "sensitivity.md#differences-of-rows"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any]:
        """Rows ``(n, d)``, one that replaces the first of them, and their order in the ring."""
        n, d = draw(st.integers(2, 5)), draw(dimensions(1, 4))
        order = draw(st.permutations(range(n)))
        return draw(rectangular(n, d)), draw(rectangular(1, d))[0], np.array(order)

    def fast(self, rows: Any, new: Any, order: Any) -> Parts:
        """Both data sets through the program; rows of length 1 up to rounding."""
        before, after = (
            np.vstack(list(differences(np.vstack([first, rows[1:]]), np.asarray(order)))) for first in (rows[0], new)
        )
        change = before.T @ before - after.T @ after
        values = np.linalg.eigvalsh(change)
        yield AtMost(int(np.sum(np.any(abs(before - after) > ROUNDING, axis=1))), 2, part="differences that change")
        yield AtMost(fast.larger_sum(values), 2.0, part="norm of the change")
        yield AtMost(float(np.linalg.norm(change)), 8**0.5, part="Frobenius norm of the change")

    def oracle(self, rows: list[Column], new: Column, order: list[int]) -> Parts:
        """One difference at a time, in the plane of the two rows and their neighbours."""
        after, changed, change = [new, *rows[1:]], 0, mp.zeros(new.rows)
        for i, j in zip(order, [*order[1:], order[0]], strict=True):
            before, moved = rows[i] - rows[j], after[i] - after[j]
            one, other = _unit(before), _unit(moved)
            changed += not _same_direction(before, moved)
            change += one * one.T - other * other.T
        values = oracle.eigenvalues(change)
        yield AtMost(changed, 2, part="differences that change")
        yield AtMost(oracle.larger_sum(values), 2, part="norm of the change")
        yield AtMost(mp.sqrt(mp.fsum(x * x for x in values)), 2 * mp.sqrt(2), part="Frobenius norm of the change")

    def tight(self) -> list[Any]:
        """A row turns by a right angle about all the others; and in one dimension it joins them."""
        far = np.array([[3.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
        return [
            (far, np.array([1.0, -1.0]), np.array([2, 0, 3, 1])),
            (np.array([[5.0], [2.0], [2.0]]), np.array([2.0]), np.arange(3)),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """The smallest of six rows becomes the largest but one, and the ring of sorted rows changes in two places."""
        before, after = (
            {frozenset(pair) for pair in zip(x, (*x[1:], x[0]), strict=True)}
            for x in ((0, 1, 2, 3, 4, 9), (1, 2, 3, 4, 5, 9))
        )
        return {"the order does not depend on the rows": AtMost(len(before - after), 2, part="differences that change")}
