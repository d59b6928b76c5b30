"""DPS-QUANTISEDSTEP: how far a product ``q(A) X`` moves, for quantised entries and any public block ``X``.

Entries are ``q(a) = h floor(a / h + 1/2)``. If one pair of entries changes by at most 1, so do the quantised ones
(DPS-CONTRACTION), and the product moves by rows of ``X`` as it is, whatever has been cut off. A change ``E`` of
spectral norm at most 1, or ``vv'``, moves many entries, and their errors differ by at most ``h`` each, by a matrix
``R``. With ``N`` the largest row sum of ``|X'X|``, which bounds ``|X|_2^2``, the product moves by at most ``|X|_F``,
or ``sqrt N`` for ``vv'``, and by ``|R X|_F <= d h sqrt N``; in l1 by ``sqrt(d p)`` times as much, and ``d h sum |X|``.
``X`` need not be orthonormal. Without the term in ``h`` an error of rounding in each entry may move more than ``E``.
The term is absent where both matrices are of integers, so that no entry is rounded: their type must declare it. That
one of them is of integers is not enough: from ``A = 0`` to 1/2 everywhere, with ``h = 1``, the product with a flat
column of norm ``1/sqrt 2`` moves by ``sqrt 2``.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.certified.products import exact_product
from dpspectra.formulas.quantised_step import BITS, WHOLE, squared
from dpspectra.ledger import AtMost, Equal, Parts, Relation, Verdict, statement
from dpspectra.strategies import st

HADAMARD = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
"""Symmetric, orthogonal and flat."""


CHANGES = ("pair", "spectral", "rank_one")
NORMS = {False: "l2", True: "l1"}


def size_of(step: Any, l1: bool) -> float:
    """Norm of the entries of a change."""
    return float(np.sum(np.abs(step)) if l1 else np.linalg.norm(step))


def _of_integers(a: Any, pair: Any, digits: int) -> tuple[Any, Any, Any]:
    """A matrix of integers, and changes of it to another one: of spectral norm 1, and by ``vv'``; from those given."""
    swap = np.sign(pair)
    spot = np.zeros_like(swap)
    if swap.any():
        place = int(np.argmax(swap.any(axis=1)))
        spot[place, place] = np.sum(swap[place])
    return np.rint(a * 2**digits).astype(np.int64), swap.astype(np.int64), spot.astype(np.int64)


@statement
class QuantisedStep:
    labels = ("DPS-QUANTISEDSTEP",)
    given = (
        r"q(a)=h\lfloor a/h+\tfrac12\rfloor,\ h=2^{-t},\ E=A'-A,\ M=(q(A')-q(A))X,\ "
        r"N=\max_i\sum_j|X^\top X|_{ij}"
    )
    claim = {
        "sum of the product": r"w=(1,\dots,d)^\top:\ \sum_j(w^\top(q(A)X))_j=\sum_j((w^\top q(A))X)_j",
        "pair in l2": r"\text{a pair of entries moves by at most 1: }\|M\|_F\le\sqrt{x_{(1)}+x_{(2)}}",
        "pair in l1": r"\text{a pair of entries moves by at most 1: }\|M\|_1\le r_{(1)}+r_{(2)}",
        "spectral in l2": r"\|E\|_2\le1:\ \|M\|_F\le\|X\|_F+dh\sqrt N",
        "spectral in l1": r"\|E\|_2\le1:\ \|M\|_1\le\sqrt{dp}\,\|X\|_F+dh\|X\|_1",
        "rounding in l2": r"\|E\|_2\le1:\ \|M-EX\|_F\le dh\sqrt N",
        "rounding in l1": r"\|E\|_2\le1:\ \|M-EX\|_1\le dh\|X\|_1",
        "rank_one in l2": r"E=\pm vv^\top:\ \|M\|_F\le(1+dh)\sqrt N",
        "rank_one in l1": r"E=\pm vv^\top:\ \|M\|_1\le\sqrt{dpN}+dh\|X\|_1",
        "spectral between integers in l2": r"\|E\|_2\le1,\ A,A'\text{ integer: }\|M\|_F\le\|X\|_F",
        "spectral between integers in l1": r"\|E\|_2\le1,\ A,A'\text{ integer: }\|M\|_1\le\sqrt{dp}\,\|X\|_F",
        "rank_one between integers in l2": r"E=\pm vv^\top,\ A,A'\text{ integer: }\|M\|_F\le\sqrt N",
        "rank_one between integers in l1": r"E=\pm vv^\top,\ A,A'\text{ integer: }\|M\|_1\le\sqrt{dpN}",
    }
    where = {
        "A": "symmetric matrix of the data",
        "A'": "neighbouring matrix",
        "E": "change of the matrix",
        "q(": ("q(A)", "rounding to multiples of $`h`$, entry by entry"),
        "a": "entry",
        "X": r"public $`d\times p`$ matrix",
        "w": "weights of the rows",
        "M": "how far the product with the rounded matrix moves",
        "x_{(1)}": "largest squared norm of a row of $`X`$",
        "x_{(2)}": "second largest squared norm of a row of $`X`$, 0 if there is one row only",
        "h": "step of the grid of the entries",
        "t": "number of binary places of the grid",
        "N": r"largest sum of the moduli of a row of $`X^\top X`$",
        "r_{(1)}": "largest sum of the moduli of a row of $`X`$",
        "r_{(2)}": "second largest such sum, 0 if there is one row only",
        "p": "number of columns of $`X`$",
        "v": "vector of norm at most 1",
    }
    verdict = Verdict.NEW
    relation = (Relation.PAIR, Relation.SPECTRAL, Relation.RANK_ONE)
    uses = ("DPS-CONTRACTION", "HP-SENS", "DPS-UPWARD")
    exact = ("sum of the product",)
    note = "arithmetic.md#a-step-of-the-power-method-in-integers"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, Any, Any, Any, Any, int]:
        """Symmetric ``A``, changes of it by a pair of entries, of spectral norm 1, and by ``vv'``; a block; digits.

        Entries on both sides of half units, changes of both signs, blocks of multiples of ``2**-20``.
        """
        d = draw(st.integers(1, 4))
        p, digits = draw(st.integers(1, d)), draw(st.integers(0, 6))
        near = st.builds(
            lambda k, e: k / 2 ** (digits + 1) + e, st.integers(-99, 99), st.sampled_from([0, 2**-30, -(2**-30)])
        )
        a = np.zeros((d, d))
        for i in range(d):
            for j in range(i + 1):
                a[i, j] = a[j, i] = draw(near)
        sign, size = draw(st.sampled_from([1.0, -1.0])), draw(st.sampled_from([1.0, 2.0**-25, 0.625]))
        i, j = draw(st.integers(0, d - 1)), draw(st.integers(0, d - 1))
        pair = np.zeros((d, d))
        pair[i, j] = pair[j, i] = sign * size
        order = draw(st.permutations(range(d)))
        spectral = np.eye(d)[order] / 2 * sign * size
        v = np.array(draw(st.lists(st.integers(-3, 3), min_size=d, max_size=d)))
        v = v / 2.0 ** ((int(v @ v).bit_length() + 1) // 2)
        x = np.array(draw(st.lists(st.integers(-(2**BITS), 2**BITS), min_size=d * p, max_size=d * p))).reshape(d, p)
        return a, pair, spectral + spectral.T, sign * np.outer(v, v), np.ldexp(x, -BITS), digits

    def fast(self, a: Any, pair: Any, spectral: Any, rank_one: Any, x: Any, digits: int) -> Parts:
        """The exact product and the sensitivity of the program."""
        block, unit = np.ldexp(x, BITS).astype(np.int64), Fraction(1, 2**digits)
        before = exact_product(a, digits)
        moved, weights = before.forward(block), np.arange(1, len(a) + 1)[:, None]
        one, other = int(np.sum(weights * moved)), int(np.sum(before.backward(weights) * block))
        yield Equal(one, other, part="sum of the product")
        for relation, change in zip(CHANGES, (pair, spectral, rank_one), strict=True):
            rounded = WHOLE if relation == "pair" else unit
            step = np.ldexp((exact_product(a + change, digits).forward(block) - moved).astype(float), -BITS - digits)
            for l1, norm in NORMS.items():
                bound = math.sqrt(squared(x, relation, l1=l1, unit=rounded))
                yield AtMost(size_of(step, l1), bound, part=f"{relation} in {norm}")
            if relation == "spectral":
                rest = step - change @ x
                error = float(unit) * len(a)
                length = float(np.max(np.sum(np.abs(x.T @ x), axis=1))) ** 0.5
                yield AtMost(size_of(rest, False), error * length, 1, part="rounding in l2")
                yield AtMost(size_of(rest, True), error * size_of(x, True), 1, part="rounding in l1")
        whole, *changes = _of_integers(a, pair, digits)
        moved = exact_product(whole, digits).forward(block)
        for relation, change in zip(CHANGES[1:], changes, strict=True):
            step = np.ldexp((exact_product(whole + change, digits).forward(block) - moved).astype(float), -BITS)
            for l1, norm in NORMS.items():
                bound = math.sqrt(squared(x, relation, l1=l1))
                yield AtMost(size_of(step, l1), bound, part=f"{relation} between integers in {norm}")

    def oracle(self, a: Any, pair: Any, spectral: Any, rank_one: Any, x: Any, digits: int) -> Parts:
        """All entries as rational numbers, one by one."""
        d, p = x.shape
        block = [[Fraction(float(v)) for v in row] for row in x]

        def quantised(entry: Fraction) -> int:
            return (2 * 2**digits * entry + 1).__floor__() // 2

        def times(matrix: list[list[Any]]) -> list[list[Fraction]]:
            return [[sum((row[k] * block[k][j] for k in range(d)), Fraction()) for j in range(p)] for row in matrix]

        def norm(rows: list[list[Fraction]], l1: bool) -> Any:
            flat = [v for row in rows for v in row]
            return mp.norm(flat, 1 if l1 else 2)

        first = [[Fraction(float(v)) for v in row] for row in a]
        q = [[quantised(v) for v in row] for row in first]
        product = times(q)
        total = sum((i + 1) * v for i, row in enumerate(product) for v in row) * 2**BITS
        column = [sum((i + 1) * row[k] for i, row in enumerate(q)) for k in range(d)]
        other = sum(column[k] * v for k in range(d) for v in block[k]) * 2**BITS
        yield Equal(int(total), int(other), part="sum of the product")
        sizes = {l1: sorted(norm([row], l1) for row in block) for l1 in NORMS}
        inner = [[sum((block[k][i] * block[k][j] for k in range(d)), Fraction()) for j in range(p)] for i in range(p)]
        largest = mp.sqrt(max(sum(abs(v) for v in row) for row in inner))
        flat, rows = norm(block, True), mp.sqrt(d * p)
        errors = {False: largest * d / 2**digits, True: flat * d / 2**digits}
        for relation, change in zip(CHANGES, (pair, spectral, rank_one), strict=True):
            moves = [[Fraction(float(v)) for v in row] for row in change]
            after = [[quantised(first[i][j] + moves[i][j]) for j in range(d)] for i in range(d)]
            step = times([[Fraction(after[i][j] - q[i][j], 2**digits) for j in range(d)] for i in range(d)])
            for l1 in NORMS:
                if relation == "pair":
                    two = sizes[l1][-2:]
                    bound = mp.fsum(two) if l1 else mp.norm(two)
                else:
                    whole = norm(block, False) if relation == "spectral" else largest
                    bound = whole * (rows if l1 else 1) + errors[l1]
                yield AtMost(norm(step, l1), bound, part=f"{relation} in {NORMS[l1]}")
            if relation == "spectral":
                ideal = times(moves)
                rest = [[step[i][j] - ideal[i][j] for j in range(p)] for i in range(d)]
                yield from [AtMost(norm(rest, l1), errors[l1], 1, part=f"rounding in {NORMS[l1]}") for l1 in NORMS]
        axis = next((i for i in range(d) if any(pair[i][j] for j in range(d))), 0)
        signs = [[(float(pair[i][j]) > 0) - (float(pair[i][j]) < 0) for j in range(d)] for i in range(d)]
        spot = [[sum(signs[axis]) if i == j == axis else 0 for j in range(d)] for i in range(d)]
        for relation, whole in zip(CHANGES[1:], (signs, spot), strict=True):  # no entry is rounded on either side
            step = times([[Fraction(v) for v in row] for row in whole])
            for l1 in NORMS:
                size = norm(block, False) if relation == "spectral" else largest
                part = f"{relation} between integers in {NORMS[l1]}"
                yield AtMost(norm(step, l1), size * (rows if l1 else 1), part=part)

    def tight(self) -> list[Any]:
        """Entries at a half that are pushed below it; changes of 0 with many digits, against flat columns and axes.

        A change by a tiny negative amount moves every entry by a whole unit: the error of rounding is all there is.
        """
        half, full, axes = np.full((2, 2), 0.5), np.eye(2), np.array([[0.0, 1], [1, 0]])
        tiny = -(2.0**-40) * axes
        flat, one = np.ones((4, 1)) / 2, np.ones((4, 4)) / 4
        zero = np.zeros((4, 4))
        return [
            (half, axes, tiny - 2.0**-40 * full, -np.diag([1.0, 0]), np.ones((2, 1)) / 2, 0),
            (zero, np.eye(4)[[1, 0, 2, 3]] * [[1.0], [1], [0], [0]], np.eye(4), one, flat, 30),
            (zero, np.diag([1.0, 0, 0, 0]), HADAMARD, one, flat, 30),
            (zero, np.diag([1.0, 0, 0, 0]), HADAMARD, one, np.eye(4), 30),
            (np.zeros((1, 1)), *[np.ones((1, 1))] * 4, 30),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Four entries that fall from a half to below it; or that go from 0, where all are integers, to a half."""
        x = np.ones((2, 1)) / 2
        q = [exact_product(np.full((2, 2), a), 0).forward(np.ones((2, 1), np.int64)) / 2 for a in (0.5, 0.5 - 2.0**-40)]
        between = exact_product(np.zeros((2, 2), np.int64), 0), exact_product(np.full((2, 2), 0.5), 0)
        moved = [product.forward(np.ones((2, 1), np.int64)) / 2 for product in between]
        return {
            "the error of rounding is counted": AtMost(float(np.linalg.norm(q[0] - q[1])), float(np.linalg.norm(x))),
            "both matrices are of integers": AtMost(
                float(np.linalg.norm(moved[1] - moved[0])), math.sqrt(squared(x, "spectral", l1=False))
            ),
        }
