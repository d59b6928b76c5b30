"""DPS-ROWSTEP: how far ``sum q t(q)'`` moves with one row, ``t(q) = floor(q V + 1/2)``, for a public block ``V``.

Rows ``q`` are of integers, of norm at most ``R``; entries of ``t(q)`` are those of ``q V`` to the nearest integer. So
``q t(q)'`` is ``q q' V`` and an error ``q e'`` with ``|e| <= sqrt(p) / 2``. One row for another moves ``q q'`` by at
most ``R^2`` in the spectral norm and ``sqrt 2 R^2`` in the Frobenius norm, and ``N``, the largest row sum of
``|V'V|``, bounds ``|V|_2^2``: the sum moves by at most ``R^2 min(|V|_F, sqrt(2 N)) + R sqrt p``; if a row is added, by
at most ``R^2 sqrt N + R sqrt(p) / 2``; in l1 by ``sqrt(d p)`` times as much. ``V`` need not be orthonormal. That its
columns have norm 1 would not do in the place of ``N``: digits cut off from orthonormal columns can raise the spectral
norm.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp
from numpy.typing import NDArray

from dpspectra.certified.row_step import BITS, of_integers
from dpspectra.formulas.row_step import squared
from dpspectra.ledger import AtMost, Equal, Parts, Relation, Verdict, statement
from dpspectra.lemmas.arithmetic.quantised_step import NORMS, size_of
from dpspectra.strategies import st

ONE, LONGEST = 2**BITS, 2**20
"""The number 1 in units of a block, and the largest norm of a row."""

RELATIONS = ("replace", "add_remove")


def _moved(rows: Any, block: Any) -> NDArray[np.int64]:
    """The sum of the program over some rows."""
    return np.asarray(of_integers(np.array(rows, dtype=np.float64), block))


def _by_rows(rows: Any, block: Any) -> int:
    """Weighted sum of the entries of `_moved`, row by row in integers of numpy."""
    images = [(x @ block + ONE // 2) // ONE for x in rows]
    return sum(int(np.arange(1, len(x) + 1) @ x) * int(np.sum(t)) for x, t in zip(rows, images, strict=True))


@statement
class RowStep:
    labels = ("DPS-ROWSTEP",)
    given = r"t(q)=\lfloor V^\top q+\tfrac12\rfloor,\ D=q\,t(q)^\top-r\,t(r)^\top,\ N=\max_i\sum_j|V^\top V|_{ij}"
    claim = {
        "sum of the product": (
            r"w=(1,\dots,d)^\top:\ \sum_j(w^\top(q\,t(q)^\top+r\,t(r)^\top))_j"
            r"=\sum_{x\in\{q,r\}}\langle w,x\rangle\sum_jt(x)_j"
        ),
        "replace in l2": r"\|D\|_F\le R^2\min(\|V\|_F,\sqrt{2N})+R\sqrt p",
        "replace in l1": r"\|D\|_1\le\sqrt{dp}\,\big(R^2\min(\|V\|_F,\sqrt{2N})+R\sqrt p\big)",
        "add_remove in l2": r"\|q\,t(q)^\top\|_F\le R^2\sqrt N+\tfrac12R\sqrt p",
        "add_remove in l1": r"\|q\,t(q)^\top\|_1\le\sqrt{dp}\,\big(R^2\sqrt N+\tfrac12R\sqrt p\big)",
        "rounding in l2": r"\|D-(qq^\top-rr^\top)V\|_F\le R\sqrt p",
    }
    where = {
        "q": "row of integers, of norm at most $`R`$",
        "r": "the row of integers that replaces $`q`$, of norm at most $`R`$",
        "x": "one of the two rows",
        "w": "weights of the rows of a product",
        "t": "image of a row under the block, rounded to integers",
        "D": "how far the sum over rows moves if one row is replaced",
        "R": "largest norm of a row of integers",
        "V": "public block of columns",
        "N": r"largest row sum of $`|V^\top V|`$",
        "p": "number of columns of the block",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("DPS-QUANTISER", "DPS-EXACTSUM")
    exact = ("sum of the product",)
    note = "arithmetic.md#a-step-of-the-power-method-by-rows"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, int]:
        """Two rows of integers, a block in units of ``2**-20``, and the largest squared norm of a row.

        Small rows, for which rounding is all there is, and long ones; images on both sides of half units.
        """
        d = draw(st.integers(1, 4))
        p, size = draw(st.integers(1, d)), draw(st.sampled_from([1, 2, 9, LONGEST // 2]))
        rows = st.lists(st.integers(-size, size), min_size=d, max_size=d)
        q, r = np.array(draw(rows)), np.array(draw(rows))
        entries = st.one_of(st.integers(-ONE // 2, ONE // 2), st.sampled_from([ONE // 2, -ONE // 2, ONE // 4 + 1, 0]))
        block = np.array(draw(st.lists(entries, min_size=d * p, max_size=d * p))).reshape(d, p)
        return q, r, block, max(1, int(q @ q), int(r @ r)) + draw(st.sampled_from([0, 3]))

    def fast(self, q: Any, r: Any, block: Any, square: int) -> Parts:
        """The exact sums and the sensitivity of the program."""
        d, p = block.shape
        v, weights = np.ldexp(block, -BITS), np.arange(1, d + 1)
        steps = {"replace": _moved([q], block) - _moved([r], block), "add_remove": _moved([q], block)}
        yield Equal(int(np.sum(weights @ _moved([q, r], block))), _by_rows([q, r], block), part="sum of the product")
        for relation in RELATIONS:
            step = steps[relation].astype(float)
            for l1, norm in NORMS.items():
                bound = math.sqrt(squared(v, Fraction(square), relation, l1=l1))
                yield AtMost(size_of(step, l1), bound, part=f"{relation} in {norm}")
        rest = [_moved([x], block) - np.outer(x, x @ v) for x in (q, r)]
        yield AtMost(float(np.linalg.norm(rest[0] - rest[1])), math.sqrt(square * p), square, part="rounding in l2")

    def oracle(self, q: Any, r: Any, block: Any, square: int) -> Parts:
        """All entries as rational numbers, one by one."""
        d, p = block.shape
        v = [[Fraction(int(x), ONE) for x in row] for row in block]

        def image(row: Any) -> list[Fraction]:
            return [sum((int(row[i]) * v[i][j] for i in range(d)), Fraction()) for j in range(p)]

        def outer(row: Any, factors: Any) -> list[list[Fraction]]:
            return [[Fraction(int(row[i])) * factors[j] for j in range(p)] for i in range(d)]

        def apart(left: Any, right: Any) -> list[list[Fraction]]:
            return [[a - b for a, b in zip(x, y, strict=True)] for x, y in zip(left, right, strict=True)]

        def length(rows: Any, l1: bool = False) -> Any:
            flat = [x for row in rows for x in row]
            return mp.norm(flat, 1 if l1 else 2)

        ideal = [image(row) for row in (q, r)]
        whole = [[Fraction(math.floor(t + Fraction(1, 2))) for t in row] for row in ideal]
        first, second = outer(q, whole[0]), outer(r, whole[1])
        total = sum(((i + 1) * (first[i][j] + second[i][j]) for i in range(d) for j in range(p)), Fraction())
        weighted = [sum((i + 1) * int(row[i]) for i in range(d)) for row in (q, r)]
        other = sum((w * sum(images) for w, images in zip(weighted, whole, strict=True)), Fraction())
        yield Equal(int(total), int(other), part="sum of the product")
        inner = [[sum((v[k][i] * v[k][j] for k in range(d)), Fraction()) for j in range(p)] for i in range(p)]
        largest = mp.sqrt(max(sum(map(abs, row)) for row in inner))
        reach, errors = mp.mpf(square), mp.sqrt(square * p)
        bounds = {
            "replace": reach * min(length(v), mp.sqrt(2) * largest) + errors,
            "add_remove": reach * largest + errors / 2,
        }
        steps = {"replace": apart(first, second), "add_remove": first}
        for relation in RELATIONS:
            for l1, norm in NORMS.items():
                bound = bounds[relation] * (mp.sqrt(d * p) if l1 else 1)
                yield AtMost(length(steps[relation], l1), bound, part=f"{relation} in {norm}")
        rest = [apart(x, outer(row, t)) for x, row, t in ((first, q, ideal[0]), (second, r, ideal[1]))]
        yield AtMost(length(apart(*rest)), errors, reach, part="rounding in l2")

    def tight(self) -> list[Any]:
        """Long rows along columns of the block, axes or flat; and rows of one unit, whose images are halves."""
        axes, zero, flat = np.eye(3, dtype=np.int64), np.zeros(4, dtype=np.int64), np.ones(4, dtype=np.int64)
        signs = np.array([1, 1, -1, -1])
        square = LONGEST**2
        both = np.stack([flat, signs], axis=1) * (ONE // 2)
        return [
            (LONGEST * axes[0], LONGEST * axes[1], ONE * axes, square),
            (LONGEST * axes[0], LONGEST * axes[1], ONE * axes[:, :1], square),
            (LONGEST // 2 * flat, zero, flat[:, None] * (ONE // 2), square),
            (LONGEST // 2 * flat, LONGEST // 2 * signs, both, square),
            (np.array([1]), np.array([-1]), np.array([[ONE // 2]]), 1),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Two rows of one unit whose images are halves; and columns of norm 1 before digits were cut off."""
        half = np.array([[ONE // 2]])
        moved = _moved([[1]], half) - _moved([[-1]], half)
        q, r, block = _lengthened()
        step = (_moved([q], block) - _moved([r], block)).astype(float)
        return {
            "the error of rounding is counted": AtMost(float(abs(moved[0, 0])), 0.5),
            "N is computed after digits were cut off": AtMost(
                float(np.linalg.norm(step)) / LONGEST**2, math.sqrt(2) + math.sqrt(block.shape[1]) / LONGEST
            ),
        }


def _lengthened() -> tuple[Any, Any, Any]:
    """Four orthonormal columns that are longer in some directions once they are cut off, and rows in two of these.

    In each pair one column is flat, on the grid; entries of the other have its modulus and signs in turn, the negative
    ones nearly a unit more, which is cut off. Two more entries make them orthonormal.
    """
    flat, length = 33_000.0, 1000
    other = np.where(np.arange(length) % 2, -(flat + 1 - 1e-6), flat)
    rest = math.sqrt(ONE**2 - length * flat**2)
    slack = -float(np.sum(other)) * flat / rest
    last = math.sqrt(ONE**2 - float(other @ other) - slack**2)
    pair = np.stack([np.r_[np.full(length, flat), rest, 0.0], np.r_[other, slack, last]], axis=1)
    cut = np.trunc(pair)
    row = np.rint(LONGEST * np.linalg.svd(cut, full_matrices=False)[0][:, 0])
    for place in range(length):  # until it is no longer than a row may be
        row[place] -= np.sign(row[place]) * (row @ row > LONGEST**2)
    zero, none = np.zeros_like(row), np.zeros_like(cut)
    return np.r_[row, zero], np.r_[zero, row], np.block([[cut, none], [none, cut]]).astype(np.int64)
