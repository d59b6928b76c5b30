"""DPS-EXACTSUM: products of integer rows of norm at most ``2**20`` are exact in float64, up to ``2**13`` rows.

Any partial sum of ``sum_r q_ri q_rj`` is at most ``sum_r |q_ri| |q_rj|``, which is at most ``sum_r |q_r|**2`` on the
diagonal and half of it elsewhere: at most ``2**53`` for ``2**13`` rows. Integers up to there are floats, so that no
addition rounds, with or without a fused product; order of rows, threads and cut into blocks do not matter. Blocks are
added in int64, where ``2**22`` rows come to ``2**62``, then in Python integers. With more rows, longer rows, or
products of sums of columns, as in Strassen's method, bits are lost.
"""

import functools
import operator
from typing import Any

import numpy as np
from scipy import sparse

from dpspectra.certified.gram import EXACT_ROWS, INT64_ROWS, exact_moments
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Verdict, statement
from dpspectra.strategies import seeds, st

LENGTH = 2**20
"""Largest norm of a row."""


DIAGONAL = 741455
"""Entry that a row has twice, for almost the largest norm."""


@statement
class ExactSums:
    labels = ("DPS-EXACTSUM",)
    given = r"\|q_r\|\le2^{20},\ r\le n\le2^{13},\ S=2^m\operatorname{fl}(Q^\top Q),\ u=(1,\dots,d)"
    claim = {
        "sums on the diagonal": r"\max_i\sum_rq_{ri}^2\le2^{53}",
        "sums off the diagonal": r"d>1:\ \max_{i\ne j}\sum_r|q_{ri}q_{rj}|\le2^{52}",
        "quadratic form of the sum": r"u^\top Su=2^m\sum_r\langle q_r,u\rangle^2",
        "sums in int64": r"2^mn\le2^{22}:\ \max_{i,j}|S_{ij}|\le2^{62}",
    }
    where = {
        "r": "number of a row",
        "n": "number of rows in a block",
        "q_i": "the integers of the rows",
        "Q": "matrix of the integer rows",
        "m": "how often the sum of a block is added to itself",
        "S": "sum over all blocks, as the program adds it",
        r"S_{ij}": "its entries",
        "u": "weights of the columns",
        r"\mathrm{fl}": "as computed in float64, rows in any order and in any chunks",
    }
    verdict = Verdict.NEW
    uses = ("DPS-QUANTISER",)
    rounding = 0.0
    exact = ("quadratic form of the sum",)
    note = "arithmetic.md#exact-sums"
    examples = 60

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[list[list[int]], int, int, int]:
        """Integer rows, how often each stands in a block, how often the sum is doubled, and a seed of the order.

        Rows of all sizes and full ones; up to full blocks, and sums beyond int64.
        """
        d, m = draw(st.integers(1, 3)), draw(st.integers(1, 3))
        full = st.builds(
            lambda i, sign: [sign * LENGTH * (i == j) for j in range(d)], st.integers(0, d - 1), st.just(-1)
        )
        size = draw(st.sampled_from([3, 2**10, LENGTH * 577 // 1000]))
        rows = draw(st.lists(st.lists(st.integers(-size, size), min_size=d, max_size=d) | full, min_size=m, max_size=m))
        repeats = draw(st.sampled_from([1, 5, 8192 // m]))
        return rows, repeats, draw(st.sampled_from([0, 1, 9, 10, 14])), draw(seeds())

    def fast(self, rows: list[list[int]], repeats: int, doublings: int, seed: int) -> Parts:
        """Chunks of permuted rows, dense and sparse, through the program, doubled by adding the sum to itself."""
        q = np.random.default_rng(seed).permutation(np.repeat(np.array(rows), repeats, axis=0))
        x, sizes = np.ldexp(q.astype(float), -20), np.abs(q).astype(float)
        largest, weights = sizes.T @ sizes, np.arange(1, q.shape[1] + 1)
        yield AtMost(float(np.max(np.diag(largest))), 2.0**53, part="sums on the diagonal")
        if q.shape[1] > 1:
            off = float(np.max(largest - np.diag(np.diag(largest))))
            yield AtMost(off, 2.0**52, part="sums off the diagonal")
        for form in (np.asarray, sparse.csr_array):
            total = exact_moments(iter([form(part) for part in (x[:1], x[1:]) if len(part)]), 1.0)
            for _ in range(doublings):
                total += total
            found = int(weights @ total.total.astype(object) @ weights)
            expected = sum(int(v) ** 2 for v in q @ weights) << doublings
            yield Equal(found, expected, part="quadratic form of the sum")
            if total.count <= INT64_ROWS:
                yield AtMost(int(np.max(np.abs(total.total))), 2**62, part="sums in int64")

    def oracle(self, rows: list[list[int]], repeats: int, doublings: int, _: int) -> Parts:
        """Python integers: the matrix entry by entry against the rows one by one."""
        places = range(len(rows[0]))
        bound = {(i, j): repeats * sum(abs(q[i] * q[j]) for q in rows) for i in places for j in places}
        gram = {(i, j): repeats * sum(q[i] * q[j] for q in rows) << doublings for i in places for j in places}
        form = sum((i + 1) * (j + 1) * value for (i, j), value in gram.items())
        squares = sum(sum((i + 1) * q[i] for i in places) ** 2 for q in rows)
        yield AtMost(max(bound[i, i] for i in places), 2**53, part="sums on the diagonal")
        if len(places) > 1:
            off = max(value for (i, j), value in bound.items() if i != j)
            yield AtMost(off, 2**52, part="sums off the diagonal")
        for _ in range(2):
            yield Equal(form, repeats * squares << doublings, part="quadratic form of the sum")
            if len(rows) * repeats << doublings <= 2**22:
                yield AtMost(max(abs(value) for value in gram.values()), 2**62, part="sums in int64")

    def tight(self) -> list[Any]:
        """A full block of rows along an axis, added up to the last row that int64 holds; rows along the diagonal."""
        return [([[LENGTH, 0]], EXACT_ROWS, 9, 0), ([[DIAGONAL, DIAGONAL]], EXACT_ROWS, 0, 0)]

    def beyond(self) -> dict[str, Outcome]:
        """Odd rows of almost full length, added in float64; longer rows; the first product of Strassen's method."""
        square = (LENGTH - 1) ** 2
        added = functools.reduce(operator.add, [float(square)] * 2**14)
        return {
            "at most 2^13 rows": Equal(int(added), 2**14 * square),
            "norms at most 2^20": AtMost(2**13 * (LENGTH + 1) ** 2, 2**53),
            "a classical product": AtMost(2**12 * (LENGTH + LENGTH) ** 2, 2**53),
        }
