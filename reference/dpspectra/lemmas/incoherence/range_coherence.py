"""``mu0(U) = (m / r) max_i |U_i|^2`` measures how close a subspace of dimension ``r`` comes to a coordinate axis.

Leverages ``|U_i|^2`` sum to ``r`` and are at most 1, so ``1 <= mu0 <= m / r``. The lower end is attained when all
leverages are equal, the upper one when the subspace contains an axis. The largest squared entry of a unit vector of the
subspace is exactly ``r mu0 / m``, attained by the projection of the closest axis. A matrix of rank ``r`` with left
singular vectors ``U`` has ``C(A) <= m max_ij U_ij^2 <= r mu0(A)``; there is no converse, since the singular value along
an axis may be tiny. ``mu0`` is discontinuous where the rank changes, so the rank must be decided first.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import leverages as fast
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Reals, Verdict, all_parts, statement
from dpspectra.oracle import leverages as exact
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import independent_columns, st, unitaries


@st.composite
def _spans(draw: st.DrawFn) -> tuple[Any]:
    """Independent columns: integers, integers with rows scaled by powers of two, or part of an orthogonal matrix."""
    m = draw(st.integers(1, 6))
    r = draw(st.integers(1, min(m, 3)))
    if draw(st.booleans()):
        return (draw(unitaries(m))[:, :r],)
    scales = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0**-6, 8.0]), min_size=m, max_size=m))
    return (draw(independent_columns(m, r)) * np.array(scales)[:, None],)


@statement
class RangeCoherenceDefinition:
    labels = ("HR-D5.5",)
    given = (
        r"\mu_0(U)=\frac mr\max_i\|U^\top e_i\|^2\ (U^\top U=I_r);\quad"
        r"\mu_0(A)=\mu_0(U)\text{ for }A=U\Sigma V^\top\text{ of rank }r"
    )
    claim = {
        "coherence of the range": r"\mu_0(A)=\tfrac mr\max_i\|Q_i\|^2",
        "invariance under column mixing": r"\mu_0(AT)=\tfrac mr\max_i\|Q_i\|^2",
        "rank": r"\operatorname{rank}(AT)=r",
        "sum of the leverages": r"\sum_i\|Q_i\|^2=r",
    }
    printed = (
        r"Not at hand; read as: $`\mu_0(U)=\frac mr\max_i\lVert U^\top e_i\rVert^2`$ for an orthonormal "
        r"$`U`$, and $`\mu_0(A)=\mu_0(U)`$ for the left singular vectors."
    )
    where = {
        "e_i": "the axes",
        "U": "matrix of $`r`$ orthonormal columns, such as the left factor of $`A`$",
        r"\Sigma": "diagonal matrix of the singular values of $`A`$",
        "V": "right factor of $`A`$, with orthonormal columns",
        "I_r": "identity matrix of order $`r`$",
        "r": "rank of $`A`$, and number of columns of $`U`$",
        "A": "matrix of $`m`$ rows and $`r`$ independent columns",
        "Q_i": "the rows of an orthonormal basis of the range of $`A`$",
        "T": "upper triangular matrix of ones of order $`r`$",
    }
    verdict = Verdict.DEFINITION
    exact = ("rank",)
    note = "incoherence.md#coherence-of-a-range"
    cases = staticmethod(_spans)

    def fast(self, columns: Any) -> Parts:
        """From singular vectors, from Gram-Schmidt, and for a matrix of the same range with other singular values."""
        r = columns.shape[1]
        mixed = columns @ np.triu(np.ones((r, r)))
        value = fast.range_coherence(np.linalg.qr(columns)[0])
        yield Equal(fast.range_coherence(fast.range_basis(columns)), value, part="coherence of the range")
        yield Equal(fast.range_coherence(fast.range_basis(mixed)), value, part="invariance under column mixing")
        yield Equal(float(fast.range_basis(mixed).shape[1]), float(r), part="rank")
        yield Equal(np.sum(fast.leverages(np.linalg.qr(columns)[0])), float(r), part="sum of the leverages")

    def oracle(self, columns: Matrix) -> Parts:
        """A leverage is the share of the squared volume that is lost when its row is deleted."""
        m, r, gram = columns.rows, columns.cols, columns.T * columns
        each = [1 - mp.det(gram - columns[i, :].T * columns[i, :]) / mp.det(gram) for i in range(m)]
        value, mixed = max(each) * m / r, columns * mp.matrix([[int(i <= j) for j in range(r)] for i in range(r)])
        yield Equal(exact.range_coherence(columns), value, part="coherence of the range")
        yield Equal(exact.range_coherence(mixed), value, part="invariance under column mixing")
        yield Equal(mp.mpf(sum(x > 0 for x in oracle.singular_values(mixed))), mp.mpf(r), part="rank")
        yield Equal(mp.fsum(each), mp.mpf(r), part="sum of the leverages")

    def tight(self) -> list[Any]:
        """Two columns of three rows, of unequal leverages."""
        return [(np.array([[1.0, 1.0], [2.0, 0.0], [0.0, 1.0]]),)]

    def beyond(self) -> dict[str, Equal]:
        """A slanted basis of the whole plane, whose rows are longer than leverages; a mixing that loses a column."""
        slanted = mp.matrix([[1, 1], [0, 1]])
        longest = max(oracle.inner(slanted[i, :], slanted[i, :]) for i in range(2))
        kept = sum(x > 0 for x in oracle.singular_values(slanted * mp.diag([1, 0])))
        coherence = exact.range_coherence(slanted)
        return {
            "the columns are orthonormal": Equal(longest, coherence, part="coherence of the range"),
            "the mixing is invertible": Equal(mp.mpf(kept), mp.mpf(2), part="rank"),
        }


@statement
class RangeCoherenceScope:
    labels = ("HR-F5.6",)
    claim = {
        "lower end": r"1\le\mu_0(U)",
        "upper end": r"\mu_0(U)\le m/r",
    }
    printed = r"$`1\le\mu_0(U)\le\frac mr`$."
    where = {
        "U": "matrix of $`r`$ orthonormal columns",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-D5.5",)
    note = "incoherence.md#range-of-the-coherence"
    cases = staticmethod(_spans)

    def fast(self, columns: Any) -> Parts:
        m, r = columns.shape
        value = fast.range_coherence(np.linalg.qr(columns)[0])
        yield AtMost(1.0, value, part="lower end")
        yield AtMost(value, m / r, part="upper end")

    def oracle(self, columns: Any) -> Parts:
        m, r = columns.shape
        value = exact.range_coherence(oracle.exact(columns))
        yield AtMost(1, value, part="lower end")
        yield AtMost(value, mp.mpf(m) / r, part="upper end")

    def tight(self) -> list[Any]:
        """Two flat columns, all of whose leverages are equal, and two axes."""
        return [(np.array([[1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [1.0, -1.0]]),), (np.eye(3)[:, :2],)]

    def beyond(self) -> dict[str, AtMost]:
        """An axis of the plane made twice or half as long."""
        short, long = (2 * length**2 for length in (mp.mpf(1) / 2, mp.mpf(2)))
        return {
            "the columns are no shorter than 1": AtMost(mp.mpf(1), short, part="lower end"),
            "the columns are no longer than 1": AtMost(long, mp.mpf(2), part="upper end"),
        }


@statement
class RangeCoherenceVectors:
    labels = ("HR-L5.7",)
    claim = {
        "largest entry attained": r"\max\{\|w\|_\infty^2:w\in\operatorname{range}U,\ \|w\|=1\}=\tfrac rm\,\mu_0(U)",
        "entries of one vector": r"w_i^2\le\tfrac rm\,\mu_0(U)\quad(w\in\operatorname{range}U,\ \|w\|=1)",
    }
    printed = r"$`\lVert w\rVert_\infty^2\le\frac rm\mu_0(U)`$ for a unit vector $`w`$ of the range of $`U`$."
    where = {
        "w": "unit vector of the range",
        "U": "matrix of $`r`$ orthonormal columns",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-D5.5",)
    note = "incoherence.md#entries-of-vectors-in-a-range"
    cases = staticmethod(_spans)

    def fast(self, columns: Any) -> Parts:
        """The normalised projection of the closest axis; and the first column, whose entries are no larger."""
        m, r = columns.shape
        u = np.linalg.qr(columns)[0]
        limit = r / m * fast.range_coherence(u)
        best = u @ u[np.argmax(fast.leverages(u))]
        peak = np.max(np.abs(best / np.linalg.norm(best))) ** 2
        first = columns[:, 0] / np.linalg.norm(columns[:, 0])
        yield Equal(peak, limit, part="largest entry attained")
        for x in first:
            yield AtMost(x**2, limit, part="entries of one vector")

    def oracle(self, columns: Matrix) -> Parts:
        """The largest ``w_i^2`` over the unit vectors ``w = A c`` solves a generalised eigenproblem of rank 1."""
        values, vectors = oracle.eigenvectors(columns.T * columns)
        basis = columns * vectors * mp.diag([1 / mp.sqrt(x) for x in values])
        peaks = [oracle.eigenvalues(oracle.outer(basis[i, :].T))[0] for i in range(columns.rows)]
        limit = exact.range_coherence(columns) * columns.cols / columns.rows
        first = columns[:, 0] / oracle.frobenius_norm(columns[:, 0])
        yield Equal(max(peaks), limit, part="largest entry attained")
        for x in first:
            yield AtMost(x**2, limit, part="entries of one vector")

    def tight(self) -> list[Any]:
        """The first column is an axis, which no vector of the span comes closer to."""
        return [(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]]),)]

    def beyond(self) -> dict[str, AtMost]:
        """An axis against the diagonal of the plane; a vector of the span of length 2."""
        half = mp.mpf(1) / 2
        return {
            "w is in the range": AtMost(mp.mpf(1), half, part="entries of one vector"),
            "w has length 1": AtMost(mp.mpf(2), half, part="entries of one vector"),
        }


@statement
class RangeCoherenceComparison:
    labels = ("HR-L5.13",)
    given = r"A=U\Sigma V^\top\text{ of rank }r"
    claim = {
        "row coherence below largest entry": r"C(A)\le m\max_{ij}U_{ij}^2",
        "largest entry below range coherence": r"m\max_{ij}U_{ij}^2\le r\,\mu_0(U)",
    }
    printed = r"A $`\mu_0`$-coherent matrix of rank $`r`$ is $`C`$-coherent for $`C=r\mu_0`$."
    where = {
        "U": "left factor of $`A`$, with orthonormal columns",
        "U_i": "the entries of $`U`$",
        r"\Sigma": "diagonal matrix of the singular values of $`A`$",
        "V": "right factor of $`A`$, with orthonormal columns",
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-D5.1", "HR-D5.5")
    mentions = ("HR-L5.11b", "HR-T6.2R")
    note = "incoherence.md#coherence-of-rows-from-that-of-the-range"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Left singular vectors, decreasing singular values (some equal or tiny) and right singular vectors."""
        m = draw(st.integers(1, 6))
        r = draw(st.integers(1, min(m, 4)))
        values = np.sort(2.0 ** np.array(draw(st.lists(st.integers(-20, 6), min_size=r, max_size=r))))[::-1]
        n = draw(st.integers(r, 4))
        return draw(unitaries(m))[:, :r], values, draw(unitaries(n))[:, :r]

    def fast(self, u: Any, values: Any, v: Any) -> Parts:
        r = u.shape[1]
        entry = fast.largest_entry(u)
        yield AtMost(fast.row_coherence((u * values) @ v.T), entry, part="row coherence below largest entry")
        yield AtMost(entry, r * fast.range_coherence(u), part="largest entry below range coherence")

    def oracle(self, u: Any, values: Reals, v: Matrix) -> Parts:
        left, m = oracle.exact(u), len(u)
        a = left * mp.diag(values) * v.T
        entry = m * max(abs(x) for x in left) ** 2
        yield AtMost(exact.row_coherence(a), entry, part="row coherence below largest entry")
        yield AtMost(entry, left.cols * exact.range_coherence(left), part="largest entry below range coherence")

    def tight(self) -> list[Any]:
        """Rank 1; and two axes, where ``C = 2 / (1 + t^2)`` tends to ``r mu0 = 2``."""
        axes = np.eye(2), np.array([1.0, 2.0**-20]), np.eye(2)
        return [(np.full((4, 1), 0.5), np.array([3.0]), np.eye(2)[:, :1]), axes]

    def beyond(self) -> dict[str, AtMost]:
        """Two axes of length 1/2; two flat columns that are added up, to two rows of ones and two of zeros."""
        axes, flat = np.eye(2), np.array([[1.0, 1.0], [1.0, 1.0], [1.0, -1.0], [1.0, -1.0]]) / 2
        return {
            "the left vectors have length 1": all_parts(self.oracle(axes / 2, np.ones(2), axes))[0],
            "the right vectors are orthogonal": all_parts(self.oracle(flat, np.ones(2), np.ones((1, 2))))[0],
        }
