"""DPS-PAIRS and DPS-SHORTPAIRS: differences of consecutive rows, whose second moments need no centre.

Let the rows stand in a ring whose order does not depend on them. Each difference ``x_i - x_(i+1)`` is divided by its
norm (zero stays zero), and ``u u'`` is summed over these vectors ``u``. If a row is replaced, the two summands with its
differences change. The sum then moves by twice a point of the convex hull of ``v v' - w w'``: the norm ``K`` of the
change (DPS-KNORM) is at most 2, and the Frobenius norm at most ``2 sqrt(2)``, which is the noise of two rows. Both are
attained where all other rows are equal. If the order depends on the rows (sorted ones, say), a third difference
changes.

Where differences above ``b`` are shortened to ``b`` instead, half of the sum moves by ``b**2`` and ``sqrt(2) b**2`` at
most: as much as the sum of ``x x'`` over rows of norm ``b`` does. If none is longer, its mean over all orders is
``n / (n - 1)`` times the sum of ``x x'`` over the rows about their mean.
"""

import itertools
import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Column, Equal, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.matrices.centring import differences
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import dimensions, dyadics, rectangular, st

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


def _half(rows: list[Column], longest: Any) -> Any:
    """Half the second moments of the shortened differences in a ring, by the definition."""
    found = mp.zeros(rows[0].rows)
    for x, y in zip(rows, [*rows[1:], rows[0]], strict=True):
        length = mp.norm(x - y)
        short = (x - y) * (longest / length) if length > longest else x - y
        found += short * short.T / 2
    return found


@statement
class ShortPairs:
    labels = ("DPS-SHORTPAIRS",)
    given = (
        r"S_\pi=\tfrac12\sum_iu_iu_i^\top,\ u_i=c_b(x_{\pi(i)}-x_{\pi(i+1)}),\ c_b(x)=x\min(1,b/\|x\|),\ b>0,\ "
        r"\#\{i:x_i\ne x_i'\}\le1"
    )
    claim = {
        "norm of the change": r"K(S_\pi-S_\pi')\le b^2",
        "Frobenius norm of the change": r"\|S_\pi-S_\pi'\|_F\le\sqrt2\,b^2",
        "mean over all orders": (
            r"\frac1{n!}\sum_\pi S_\pi=\frac n{n-1}\sum_i(x_i-\bar x)(x_i-\bar x)^\top"
            r"\text{ where }\|x_i-x_j\|\le b\text{ for all }i,j"
        ),
    }
    where = {
        r"S_\pi": "half the second moments of the shortened differences, for one order",
        r"S_\pi'": "the same for a neighbouring data set",
        "u_i": "the shortened difference of a row and the next one",
        "c_b": "shortening to the norm b",
        "b": "public bound on the norm of a difference",
        r"\pi": "order of the rows in a ring, which does not depend on them",
        "x_i": "the rows of the data",
        "x_i'": "the same for a neighbouring data set",
        r"\bar x": "the mean of the rows",
        "i": "number of a row",
        "j": "number of another row",
        "n": "number of rows, at least 2",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("DPS-KNORM", "DPS-PAIRS")
    note = "sensitivity.md#shortened-differences-of-rows"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, float]:
        """Rows ``(n, d)``, one that replaces the first of them, their order in the ring, and the bound."""
        n, d = draw(st.integers(2, 4)), draw(dimensions(1, 4))
        order = draw(st.permutations(range(n)))
        return draw(rectangular(n, d)), draw(rectangular(1, d))[0], np.array(order), draw(dyadics(2.0**-3, 64.0))

    def fast(self, rows: Any, new: Any, order: Any, longest: float) -> Parts:
        """Both data sets through the program."""

        def half(data: Any, way: Any) -> Any:
            found = np.vstack(list(differences(data, np.asarray(way), longest)))
            return found.T @ found / 2

        change = half(rows, order) - half(np.vstack([new, rows[1:]]), order)
        square = longest**2
        yield AtMost(fast.larger_sum(np.linalg.eigvalsh(change)), square, part="norm of the change")
        yield AtMost(float(np.linalg.norm(change)), 2**0.5 * square, part="Frobenius norm of the change")
        n, about = len(rows), rows - rows.mean(axis=0)
        if max(np.linalg.norm(x - y) for x in rows for y in rows) <= longest:
            mean = sum(half(rows, way) for way in itertools.permutations(range(n))) / math.factorial(n)
            for left, right in zip(mean.flat, (n / (n - 1) * about.T @ about).flat, strict=True):
                yield Equal(left, right, scale=float(np.sum(rows**2)), part="mean over all orders")

    def oracle(self, rows: list[Column], new: Column, order: list[int], longest: Real) -> Parts:
        """One difference at a time; each pair of rows is next to each other in as many orders."""
        n, after = len(rows), [new, *rows[1:]]
        change = _half([rows[i] for i in order], longest) - _half([after[i] for i in order], longest)
        values = oracle.eigenvalues(change)
        yield AtMost(oracle.larger_sum(values), longest**2, part="norm of the change")
        norm = mp.sqrt(mp.fsum(x * x for x in values))
        yield AtMost(norm, mp.sqrt(2) * longest**2, part="Frobenius norm of the change")
        pairs = [x - y for x, y in itertools.combinations(rows, 2)]
        if all(mp.norm(x) <= longest for x in pairs):
            center = [mp.fsum(x[k] for x in rows) / n for k in range(new.rows)]
            size = mp.fsum(mp.norm(x) ** 2 for x in rows)
            for k, m in itertools.product(range(new.rows), repeat=2):
                mean = mp.fsum(x[k] * x[m] for x in pairs) / (n - 1)
                about = mp.fsum((x[k] - center[k]) * (x[m] - center[m]) for x in rows)
                yield Equal(mean, n * about / (n - 1), scale=size, part="mean over all orders")

    def tight(self) -> list[Any]:
        """A long difference turns by a right angle about all the others; and in one dimension it joins them.

        In the last instance two rows are just as far apart as they may be.
        """
        far = np.array([[3.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
        return [
            (far, np.array([1.0, -1.0]), np.array([2, 0, 3, 1]), 1.0),
            (np.array([[5.0], [2.0], [2.0]]), np.array([2.0]), np.arange(3), 0.5),
            (np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]]), np.zeros(2), np.arange(3), 8.0),
            (np.array([[5.0], [2.0], [2.0]]), np.array([2.0]), np.arange(3), 3.0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """Rows in the order of their first entries, one of which gets another place; and two rows 3 apart."""
        first, second = (1, 10**6, 0), (7, 500, 10**6)
        others = [(0, 0, 0), (2, 0, 1000), (6, 0, 0), (8, 1000, 0)]
        before, after = (_half(list(map(mp.matrix, sorted([*others, row]))), 1) for row in (first, second))
        change = oracle.larger_sum(oracle.eigenvalues(before - after))
        apart = _half([mp.matrix([0]), mp.matrix([3])], 1)[0]
        return {
            "the order does not depend on the rows": AtMost(change, 1, part="norm of the change"),
            "no two rows are farther apart": Equal(apart, 9, part="mean over all orders"),
        }
