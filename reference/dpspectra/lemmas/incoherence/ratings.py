"""The coherence of a table of ratings, from counts: a title with few of all ratings cannot have much of the mass.

If all ratings lie in ``[low, high]`` and the fullest of ``m`` rows has ``c`` of ``N``, then ``C(A) <= m h c / (h c +
l (N - c))`` with the squares ``h`` and ``l`` of the ends: the fullest row has the largest, the others the least. With
the mean square ``q`` of all ratings, ``C(A) <= m h c / (N q)``. For the Netflix prize data (17770 titles, 100480507
ratings from 1 to 5, at most 232944 for one title) the first is 976, ``C / m <= 0.055``; if the fullest title is an
average one, ``C = m c / N = 41.2``. Adjacency is a change of norm 1: a rating can change by 4, or 5 if it disappears.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from mpmath import mp

from dpspectra.fast.coherence import row_coherence
from dpspectra.ledger import AtMost, Statement, Verdict
from dpspectra.oracle import coherence as exact
from dpspectra.oracle.linalg import exact as exactly

TITLES, RATINGS, FULLEST = 17770, 100480507, 232944
"""Public counts of the Netflix prize data."""


@st.composite
def _tables(draw: DrawFn) -> tuple[Any]:
    """Ratings from 1 to 5 with gaps; at least one rating."""
    m, n = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    table = np.array(draw(st.lists(st.integers(0, 5), min_size=m * n, max_size=m * n)), dtype=float).reshape(m, n)
    table[0, 0] = max(table[0, 0], 1.0)
    return (table,)


lemma = Statement(
    labels=("HR-AC",),
    claim=r"C(A)\le\frac{m\,h\,c}{h\,c+l(N-c)},\quad C(A)\le\frac{m\,h\,c}{Nq}\qquad(l\le A_{ij}^2\le h\text{ on }N"
    r"\text{ entries, at most }c\text{ in a row, mean square }q)",
    verdict=Verdict.VERIFIED,
    cases=_tables(),
    uses=("HR-D5.1",),
    note="incoherence.md#coherence-of-ratings",
)


def bound(rows: Any, ratings: Any, fullest: Any, low: Any, high: Any) -> Any:
    """Largest coherence of a table with that many ``ratings`` between ``low`` and ``high``, from counts alone."""
    return rows * high**2 * fullest / (high**2 * fullest + low**2 * (ratings - fullest))


@lemma.fast
def coherences(table: Any) -> tuple[AtMost, ...]:
    m, count = len(table), np.count_nonzero(table, axis=1)
    total, fullest, given = int(np.sum(count)), int(np.max(count)), table[table > 0]
    low, high = float(np.min(given)), float(np.max(given))
    found, mean = row_coherence(table), np.mean(given**2)
    return (
        AtMost(found, bound(m, total, fullest, low, high)),
        AtMost(found, m * high**2 * fullest / (total * mean)),
        AtMost(TITLES * FULLEST / RATINGS, bound(TITLES, RATINGS, FULLEST, 1, 5)),
    )


@lemma.oracle
def exact_coherences(table: Any) -> tuple[AtMost, ...]:
    rows = [[mp.mpf(x) for x in row if x] for row in table]
    total, fullest = sum(map(len, rows)), max(map(len, rows))
    squares = [x**2 for row in rows for x in row]
    m, found = len(rows), exact.row_coherence(exactly(table))
    worst = [max(squares)] * fullest + [min(squares)] * (total - fullest)
    netflix = mp.mpf(TITLES) * 25 * FULLEST / (25 * FULLEST + RATINGS - FULLEST)
    return (
        AtMost(found, m * mp.fsum(worst[:fullest]) / mp.fsum(worst)),
        AtMost(found, m * max(squares) * fullest / mp.fsum(squares)),
        AtMost(mp.mpf(TITLES) * FULLEST / RATINGS, netflix),
    )


@lemma.tight
def one_title_loved() -> list[Any]:
    return [(np.array([[5.0, 5.0, 5.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]),)]
