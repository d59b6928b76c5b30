"""The algorithms take at most ``24 k m n`` operations: two products with the data, an orthonormal basis, and noise.

With ``k' = 2 k + 1`` columns each product takes ``2 k' m n``, the basis ``2 m k'^2``, and noise is added to
``(m + n) k'`` numbers. Draws of random numbers are not counted, of which there are ``k'(m + 2 n)``.
"""

from typing import Any

from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Slack, Verdict, statement
from dpspectra.strategies import st


@statement
class OperationsOfBothAlgorithms:
    labels = ("HR-TIME",)
    given = r"k'=2k+1\le n"
    claim = {"number of operations": r"4k'mn+2mk'^2+(m+n)k'\le24kmn"}
    printed = r"Not at hand; read as: the running time of both algorithms is $`O(kmn)`$."
    where = {"k": "rank of the approximation"}
    verdict = Verdict.VERIFIED
    uses = ("HR-Fig1", "HR-Fig2")
    note = "incoherence.md#operations-of-both-algorithms"
    slack = {"number of operations": Slack(0.916667, "the smallest matrix has more columns than rank")}

    def cases(self) -> Any:
        return st.tuples(st.integers(1, 8), st.integers(1, 500), st.integers(0, 500))

    def fast(self, k: int, m: int, more: int) -> Parts:
        width, n = 2 * k + 1, 2 * k + 1 + more
        count = 4 * width * m * n + 2 * m * width**2 + (m + n) * width
        yield AtMost(float(count), 24.0 * k * m * n, part="number of operations")

    def oracle(self, k: int, m: int, more: int) -> Parts:
        """Add up what each column takes: products and sums with each row, projections on those before it, and noise."""
        width, n = 2 * k + 1, 2 * k + 1 + more
        columns = [2 * m * n + 2 * n * m + (4 * j + 2) * m + m + n for j in range(width)]
        yield AtMost(mp.mpf(sum(columns)), mp.mpf(24 * k * m * n), part="number of operations")

    def tight(self) -> list[Any]:
        """One row and one direction, and two directions, in the fewest columns."""
        return [(1, 1, 0), (2, 7, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """Eleven columns of the basis, for data of one column."""
        count = 4 * 11 * 5 + 2 * 5 * 121 + 6 * 11
        return {"no more columns than the data have": AtMost(mp.mpf(count), mp.mpf(24 * 5 * 5))}
