"""The coherence of a table of ratings, from counts: a row with few of the ratings has a small share of ``|A|_F^2``.

If all ratings lie in ``[low, high]`` and the row with the most ratings has ``c`` of all ``N``, then
``C(A) <= m h c / (h c + l (N - c))`` for ``m`` rows, ``h = high^2`` and ``l = low^2``: at worst that row has only the
largest rating, the others only the smallest. With the mean square ``q`` of all ratings, ``C(A) <= m h c / (N q)``. For
the Netflix prize data (17770 titles as rows, 100480507 ratings from 1 to 5, at most 232944 for one title) the first
bound is 976, ``C / m <= 0.055``; if the title with the most ratings has an average mean square, ``C = m c / N = 41.2``.
Neighbours differ by a change of norm 1, but a rating can change by 4, or by 5 if it disappears.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.leverages import row_coherence
from dpspectra.ledger import AtMost, Parts, Slack, Verdict, statement
from dpspectra.oracle import leverages as exact
from dpspectra.oracle.linalg import exact as exactly
from dpspectra.strategies import st

TITLES, RATINGS, FULLEST = 17770, 100480507, 232944
"""Public counts of the Netflix prize data: titles, ratings, and ratings of the title with the most."""

NETFLIX = 976
"""Bound on the coherence of the Netflix prize data from these counts alone."""


def bound(rows: Any, ratings: Any, fullest: Any, low: Any, high: Any) -> Any:
    """Bound on the coherence of a table from counts and the range ``[low, high]`` of the ratings alone."""
    return rows * high**2 * fullest / (high**2 * fullest + low**2 * (ratings - fullest))


@statement
class Ratings:
    labels = ("HR-AC",)
    given = (
        r"l\le A_{ij}^2\le h\text{ on }N\text{ entries, at most }c\text{ in a row, mean square }q;\quad"
        r"\text{else }A_{ij}=0"
    )
    claim = {
        "bound from counts": r"C(A)\le\frac{mhc}{hc+l(N-c)}",
        "bound from the mean square": r"C(A)\le\frac{mhc}{Nq}",
        "Netflix prize data": r"\frac{17770\cdot25\cdot232944}{25\cdot232944+100480507-232944}\le976",
    }
    printed = "The Netflix data, 17770 movies by 480189 users, have a small coherence $`C`$."
    where = {
        "C": "coherence of the data (HR-D5.1)",
        "h": "largest square of an entry that is not 0",
        "c": "largest number of entries of one row that are not 0",
        "l": "smallest square of an entry that is not 0",
        "N": "number of entries that are not 0",
        "q": "mean square of the entries that are not 0",
        "A_i": "the entries of $`A`$",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-D5.1",)
    note = "incoherence.md#coherence-of-ratings"
    slack = {"Netflix prize data": Slack(0.9996, "rounded up to an integer")}

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any]:
        """Integer ratings from 1 to 5, 0 where there is none; at least one rating."""
        m, n = draw(st.integers(1, 6)), draw(st.integers(1, 5))
        table = np.array(draw(st.lists(st.integers(0, 5), min_size=m * n, max_size=m * n)), dtype=float).reshape(m, n)
        table[0, 0] = max(table[0, 0], 1.0)
        return (table,)

    def fast(self, table: Any) -> Parts:
        m, count = len(table), np.count_nonzero(table, axis=1)
        total, fullest, given = int(np.sum(count)), int(np.max(count)), table[table > 0]
        low, high = float(np.min(given)), float(np.max(given))
        coherence, mean = row_coherence(table), np.mean(given**2)
        yield AtMost(coherence, bound(m, total, fullest, low, high), part="bound from counts")
        yield AtMost(coherence, m * high**2 * fullest / (total * mean), part="bound from the mean square")
        yield AtMost(bound(TITLES, RATINGS, FULLEST, 1, 5), NETFLIX, part="Netflix prize data")

    def oracle(self, table: Any) -> Parts:
        rows = [[mp.mpf(x) for x in row if x] for row in table]
        total, fullest = sum(map(len, rows)), max(map(len, rows))
        squares = [x**2 for row in rows for x in row]
        m, coherence = len(rows), exact.row_coherence(exactly(table))
        worst = [max(squares)] * fullest + [min(squares)] * (total - fullest)
        fullest_title, others = 25 * mp.mpf(FULLEST), mp.mpf(RATINGS - FULLEST)  # sums of squares
        yield AtMost(coherence, m * mp.fsum(worst[:fullest]) / mp.fsum(worst), part="bound from counts")
        yield AtMost(coherence, m * max(squares) * fullest / mp.fsum(squares), part="bound from the mean square")
        yield AtMost(TITLES * fullest_title / (fullest_title + others), mp.mpf(NETFLIX), part="Netflix prize data")

    def tight(self) -> list[Any]:
        """One title with the largest ratings only, all others with the smallest."""
        return [(np.array([[5.0, 5.0, 5.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]),)]

    def beyond(self) -> dict[str, AtMost]:
        """Ratings 5 and 1 for ``h = 1`` or ``q = 25``; 4 and 1 for ``l = 4``; three of one title for ``c = 2``."""
        high, low, full = (
            exact.row_coherence(mp.matrix(table)) for table in ([[5], [1]], [[4], [1]], [[1] * 3, [1, 0, 0]])
        )
        return {
            "no rating is above the largest": AtMost(high, mp.mpf(2) / (1 + 1), part="bound from counts"),
            "no rating is below the smallest": AtMost(low, mp.mpf(2 * 16) / (16 + 4), part="bound from counts"),
            "no row has more than c ratings": AtMost(full, mp.mpf(2 * 2) / 4, part="bound from counts"),
            "q is the mean square": AtMost(high, mp.mpf(2 * 25) / (2 * 25), part="bound from the mean square"),
        }
