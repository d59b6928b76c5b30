"""``A`` with ``m`` rows is C-coherent when no row is longer than ``sqrt(C / m) |A|_F``.

The smallest such ``C`` is ``m`` times the largest share of a row in ``|A|_F^2``. It is 1 if and only if all rows are
equally long, ``m`` if and only if exactly one row is not zero, and does not change when ``A`` is scaled. So
``C |A|_F^2 / m`` is the largest squared row norm. The zero matrix is C-coherent for every ``C``; by convention its
value is 1.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import leverages as fast
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Verdict, statement
from dpspectra.oracle import leverages as oracle
from dpspectra.oracle.linalg import exact
from dpspectra.strategies import rectangular, st


@st.composite
def row_scaled(draw: st.DrawFn, m: int, n: int) -> Any:
    """Integer rows: free, scaled by powers of two, all equal, all but one zero, or all zero."""
    a = draw(rectangular(m, n))
    kind = draw(st.sampled_from(["free", "scaled", "same", "one", "zero"]))
    if kind == "scaled":
        return a * 2.0 ** np.array(draw(st.lists(st.integers(-8, 8), min_size=m, max_size=m)))[:, None]
    if kind == "same":
        return np.tile(a[0], (m, 1))
    kept = {"free": m, "one": 1, "zero": 0}[kind]
    return a * (np.arange(m) < kept)[:, None]


@statement
class RowCoherence:
    labels = ("HR-D5.1",)
    given = (
        r"C(A)=\min\Big\{C:\max_i\|A_i\|\le\sqrt{C/m}\,\|A\|_F\Big\}=\frac{m\max_i\|A_i\|^2}{\|A\|_F^2},\quad C(0)=1"
    )
    claim = {
        "length of a row": r"\|A_i\|^2\le\tfrac1mC(A)\|A\|_F^2",
        "coherence at least one": r"1\le C(A)",
        "coherence at most the rows": r"C(A)\le m",
        "invariance under scaling": r"C(cA)=C(A)\quad(c=-3)",
        "equal rows": r"C(A)=1\iff\|A_1\|=\dots=\|A_m\|",
        "single nonzero row": r"C(A)=m\iff|\{i:A_i\ne0\}|=1\text{ or }m=1",
    }
    printed = r"$`A`$ is $`C`$-coherent if $`\max_i\lVert A_i\rVert_2\le\sqrt{\frac Cm}\lVert A\rVert_F`$."
    where = {
        "C": "coherence: the smallest number for which no row is larger than this",
        "c": "factor of the matrix",
    }
    verdict = Verdict.DEFINITION
    exact = ("invariance under scaling", "equal rows", "single nonzero row")
    note = "incoherence.md#coherence-of-rows"

    def cases(self) -> Any:
        shapes = st.tuples(st.integers(1, 6), st.integers(1, 4))
        return st.tuples(shapes.flatmap(lambda shape: row_scaled(*shape)))

    def fast(self, a: Any) -> Parts:
        c, m, squares = fast.row_coherence(a), len(a), np.sum(a**2, axis=1)
        equal = bool(np.all(squares == squares[0]))
        single = np.count_nonzero(squares) == 1
        for square in squares:
            yield AtMost(square, c / m * np.sum(squares), part="length of a row")
        yield AtMost(1.0, c, part="coherence at least one")
        yield AtMost(c, float(m), part="coherence at most the rows")
        yield Equal(fast.row_coherence(-3 * a), c, part="invariance under scaling")
        yield Equal(float(c <= 1 + 1e-12), float(equal), part="equal rows")
        yield Equal(float(c >= m - 1e-12), float(single or m == 1), part="single nonzero row")

    def oracle(self, a: Matrix) -> Parts:
        """Squares are exact here, so the two extreme cases are decided by comparing sums of squares."""
        m = a.rows
        c = oracle.row_coherence(a)
        squares = [mp.fsum(a[i, j] ** 2 for j in range(a.cols)) for i in range(m)]
        total = mp.fsum(squares)
        for square in squares:
            yield AtMost(square, c * total / m, part="length of a row")
        yield AtMost(1, c, part="coherence at least one")
        yield AtMost(c, mp.mpf(m), part="coherence at most the rows")
        yield Equal(oracle.row_coherence(-3 * a), c, part="invariance under scaling")
        yield Equal(mp.mpf(m * max(squares) == total), mp.mpf(all(s == squares[0] for s in squares)), part="equal rows")
        whole, single = max(squares) == total > 0 or m == 1, sum(s > 0 for s in squares) == 1 or m == 1
        yield Equal(mp.mpf(whole), mp.mpf(single), part="single nonzero row")

    def tight(self) -> list[Any]:
        """Two rows of one length, and one row beside a zero row."""
        return [(np.array([[3.0, 4.0], [5.0, 0.0]]),), (np.array([[0.5, 0.25], [0.0, 0.0]]),)]

    def beyond(self) -> dict[str, Equal]:
        """One row times 0; and two equal rows, one of which is doubled."""
        a = exact(np.diag([1.0, 0.0]))
        doubled, same = (oracle.row_coherence(mp.matrix([[x], [1]])) for x in (2, 1))
        none, one = oracle.row_coherence(0 * a), oracle.row_coherence(a)
        return {
            "the factor is not 0": Equal(none, one, part="invariance under scaling"),
            "the same factor for all rows": Equal(doubled, same, part="invariance under scaling"),
        }
