"""The symmetric dilation ``[[0, M], [M', 0]]`` has every singular value of ``M`` twice, with both signs.

Rank ``k`` of ``M`` corresponds to rank ``2 k`` of the dilation. Its gap after ``2 k`` eigenvalues is the gap of ``M``
after ``k``; its gap after an odd number of eigenvalues is 0. Its coherence, for ``m + n`` coordinates, is half that of
the singular vectors. One entry of ``M`` becomes a symmetric pair off the diagonal. The published text says that all
parameters are preserved, with the same rank.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import AtMost, Equal, Matrix, Parts, Relation, Verdict, statement
from dpspectra.lemmas.privacy.power_method import hadamard
from dpspectra.oracle import linalg as oracle
from dpspectra.strategies import rectangular, st, unitaries


def dilation(m: Any) -> Any:
    """Symmetric matrix ``[[0, M], [M', 0]]``."""
    rows, columns = m.shape
    return np.block([[np.zeros((rows, rows)), m], [m.T, np.zeros((columns, columns))]])


def rank(k: int) -> int:
    """Target rank for the dilation when the target rank for ``M`` is ``k``."""
    return 2 * k


def sensitivity(x: Any, rows: int) -> float:
    """Frobenius sensitivity of ``A -> A X`` to one entry of ``M``, which has ``rows`` rows; ``x`` is ``(m + n, p)``."""
    sizes = np.sum(x**2, axis=1)
    return float(np.sqrt(np.max(sizes[:rows]) + np.max(sizes[rows:])))


def _exact_dilation(m: Any) -> Any:
    """`dilation` as a matrix of mpmath: every entry of ``M`` joins a row to a column, both ways."""
    rows, columns = m.shape
    joined = mp.zeros(rows + columns)
    for i in range(rows):
        for j in range(columns):
            joined[i, rows + j] = joined[rows + j, i] = mp.mpf(m[i, j])
    return joined


@statement
class Dilation:
    labels = ("HP-B",)
    given = r"A=\begin{pmatrix}0&M\\M^\top&0\end{pmatrix}"
    claim = {
        "moduli of the eigenvalues": r"|\lambda|_i(A)=s_{\lceil i/2\rceil}(M)",
        "sensitivity to one entry": r"\max_{A'}\|(A'-A)X\|_F=\sqrt{\max_{i\le m}\|x_i\|^2+\max_{j>m}\|x_j\|^2}",
        "sensitivity by largest entry": r"\|(A'-A)X\|_F\le\sqrt{2p}\,\|X\|_{\max}",
    }
    printed = (
        r"An asymmetric $`M`$ is replaced by $`\begin{pmatrix}0&M\\M^\top&0\end{pmatrix}`$; this preserves "
        "all parameters that matter."
    )
    where = {
        "A": "symmetric matrix made of $`M`$ and its transpose",
        "A'": "the same after a change of one entry of $`M`$ by 1",
        "M": "rectangular matrix, the data",
        r"|\lambda|_i": "the moduli of the eigenvalues, in descending order",
        "s_i": "the singular values, in descending order, and 0 after the last one",
        "m": "number of rows of $`M`$",
        "x_i": "the rows of $`X`$",
        "i": "number of an eigenvalue, or of a row",
        "j": "number of a row",
    }
    verdict = Verdict.REPAIRED
    relation = (Relation.ENTRY, Relation.PAIR)
    uses = ("HP-SENS",)
    exact = ("sensitivity to one entry",)
    note = "power.md#symmetric-dilation"

    def cases(self) -> Any:
        return st.sampled_from([(1, 1), (2, 1), (2, 2), (1, 3), (3, 2), (2, 3)]).flatmap(
            lambda shape: st.tuples(
                rectangular(*shape),
                st.integers(1, sum(shape)).flatmap(lambda p: unitaries(sum(shape)).map(lambda u: u[:, :p])),
            )
        )

    def fast(self, m: Any, x: Any) -> Parts:
        rows, columns = m.shape
        moduli = np.sort(np.abs(fast.eigenvalues(dilation(m))))[::-1]
        single = fast.singular_values(m)
        moves = [
            fast.frobenius_norm(dilation(np.outer(np.eye(rows)[i], np.eye(columns)[j])) @ x)
            for i in range(rows)
            for j in range(columns)
        ]
        most, doubled = np.sqrt(2 * x.shape[1]) * np.max(np.abs(x)), np.zeros(rows + columns)
        doubled[: rank(len(single))] = np.repeat(single, 2)
        for a, b in zip(moduli, doubled, strict=True):
            yield Equal(a, b, scale=1 + single[0], part="moduli of the eigenvalues")
        yield Equal(max(moves), sensitivity(x, rows), part="sensitivity to one entry")
        for move in moves:
            yield AtMost(move, most, part="sensitivity by largest entry")

    def oracle(self, m: Any, x: Matrix) -> Parts:
        (rows, columns), p = m.shape, x.cols
        single = oracle.singular_values(oracle.exact(m))
        moduli = sorted(map(abs, oracle.eigenvalues(_exact_dilation(m))), reverse=True)
        doubled = [s for s in single for _ in range(2)] + [mp.mpf(0)] * (rows + columns - 2 * len(single))
        sizes = [mp.fsum(x[i, a] ** 2 for a in range(p)) for i in range(x.rows)]
        # row i of the product is row m + j of X, and the other way round
        moves = [mp.sqrt(sizes[i] + sizes[rows + j]) for i in range(rows) for j in range(columns)]
        largest = mp.sqrt(max(sizes[:rows]) + max(sizes[rows:]))
        for a, b in zip(moduli, doubled, strict=True):
            yield Equal(a, b, scale=1 + single[0], part="moduli of the eigenvalues")
        yield Equal(max(moves), largest, part="sensitivity to one entry")
        for move in moves:
            yield AtMost(move, mp.sqrt(2 * p) * max(map(abs, x)), part="sensitivity by largest entry")

    def tight(self) -> list[Any]:
        """Three orthonormal columns with entries of equal size."""
        return [(np.array([[3.0, 1.0], [0.0, 2.0]]), hadamard(3))]

    def beyond(self) -> dict[str, AtMost]:
        """The entry of a matrix of order 1 changes by 2; the block is the first axis."""
        moved = _exact_dilation(np.array([[2.0]])) * mp.matrix([1, 0])
        return {"an entry changes by at most 1": AtMost(oracle.frobenius_norm(moved), mp.mpf(1))}

    def as_printed(self, m: Any, k: int) -> AtMost:
        """The gap of ``M`` after ``k`` against that of the dilation, which is printed to be the same."""
        single = oracle.singular_values(oracle.exact(m))
        moduli = sorted(map(abs, oracle.eigenvalues(_exact_dilation(m))), reverse=True)
        return AtMost(single[k - 1] - single[k], moduli[k - 1] - moduli[k], part="printed form")

    def hypotheses(self, m: Any, k: Any) -> dict[str, AtMost]:
        return {"k is less than the number of singular values": AtMost(k + 1, min(m.shape))}

    def counterexample(self) -> Any:
        return (np.diag([2.0, 1.0]), 1)

    certificate = (
        "M = diag(2, 1) has the gap 2 - 1 after its first singular value; its dilation has the eigenvalues 2, -2, 1,"
        " -1, and after the first the gap 2 - 2",
        ["sub", "2", "1"],
        ["sub", "2", "2"],
    )
