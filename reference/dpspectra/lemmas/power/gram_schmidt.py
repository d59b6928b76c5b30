"""Gram-Schmidt with a positive diagonal is a function of its input, and commutes with rotations.

The factorization ``V = X R``, ``X`` orthonormal and ``R`` upper triangular with a positive diagonal, is unique for
independent columns; so ``O V = (O X) R`` gives ``GS(O V) = O GS(V)``. Without the sign of the diagonal ``X`` is
determined up to the signs of its columns only: LAPACK's choice does not commute with rotations.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import linalg as fast
from dpspectra.ledger import Equal, Matrix, Parts, Verdict, statement
from dpspectra.lemmas.privacy.power_method import hadamard
from dpspectra.matrices.orthonormal import householder, orthonormal
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle.alignment import orthonormal as exactly_orthonormal
from dpspectra.strategies import independent_columns, st, unitaries


@st.composite
def _columns(draw: st.DrawFn) -> Any:
    """Up to three independent columns of up to five entries."""
    d = draw(st.integers(1, 5))
    return draw(independent_columns(d, draw(st.integers(1, min(d, 3)))))


def _factors(v: Any, x: Any) -> Parts:
    """Orthonormality, triangular shape, and the diagonal by least squares, for a basis ``x``."""
    r, size = x.T @ v, float(fast.spectral_norm(v))
    yield Equal(fast.frobenius_norm(x.T @ x - np.eye(v.shape[1])), 0.0, scale=1, part="orthonormal columns")
    yield Equal(fast.frobenius_norm(v - x @ np.triu(r)), 0.0, scale=size, part="upper triangular factor")
    for j in range(v.shape[1]):
        nearest = v[:, :j] @ np.linalg.lstsq(v[:, :j], v[:, j], rcond=None)[0]
        yield Equal(r[j, j], np.linalg.norm(v[:, j] - nearest), scale=size, part="distances on the diagonal")


@statement
class GramSchmidt:
    labels = ("HP-D4.10",)
    given = r"X=\mathrm{GS}(V),\ R\text{ the upper triangular part of }X^\top V"
    claim = {
        "orthonormal columns": r"X^\top X=I",
        "upper triangular factor": "V=XR",
        "distances on the diagonal": r"R_{jj}=\operatorname{dist}(v_j,\langle v_1,\dots,v_{j-1}\rangle)",
    }
    printed = "The Gram–Schmidt orthonormalisation of the columns, each divided by the norm of its residual."
    where = {
        "V": "matrix of independent columns",
        "v_i": "the columns of $`V`$",
        "X": "orthonormal basis of the columns",
        "R": "upper triangular factor",
        "R_i": "the diagonal of the factor",
        r"\mathrm{dist}": "distance of a vector from a span",
    }
    verdict = Verdict.DEFINITION
    note = "power.md#gram-schmidt"
    without_beyond = (
        "Its hypothesis is full rank: for dependent columns the diagonal cannot be positive, and nothing is defined."
    )

    def cases(self) -> Any:
        return _columns().map(lambda v: (v,))

    def fast(self, v: Any) -> Parts:
        """Both algorithms."""
        yield from _factors(v, orthonormal(v))
        yield from _factors(v, householder(v))

    def oracle(self, v: Matrix) -> Parts:
        """The diagonal from the determinants of the leading Gram matrices."""
        x = exactly_orthonormal(v)
        r, size = x.T * v, oracle.spectral_norm(v)
        upper = mp.matrix([[r[i, j] if i <= j else 0 for j in range(v.cols)] for i in range(v.cols)])
        parts = [
            Equal(oracle.frobenius_norm(x.T * x - mp.eye(v.cols)), mp.mpf(0), scale=1, part="orthonormal columns"),
            Equal(oracle.frobenius_norm(v - x * upper), mp.mpf(0), scale=size, part="upper triangular factor"),
        ]
        volumes = [mp.mpf(1)]
        for j in range(v.cols):
            leading = oracle.columns(v, range(j + 1))
            volumes.append(mp.det(leading.T * leading))
            distance = mp.sqrt(volumes[-1] / volumes[-2])
            parts.append(Equal(r[j, j], distance, scale=size, part="distances on the diagonal"))
        yield from parts
        yield from parts

    def tight(self) -> list[Any]:
        """Two columns of three rows that are not orthogonal."""
        return [(np.array([[1.0, 3.0], [2.0, 1.0], [2.0, 0.0]]),)]


@statement
class GramSchmidtRotated:
    labels = ("HP-L4.11",)
    given = r"O^\top O=I"
    claim = {"commutation with rotations": r"\mathrm{GS}(OV)=O\,\mathrm{GS}(V)"}
    printed = r"$`\mathrm{GS}(OV)=O\,\mathrm{GS}(V)`$ for orthogonal $`O`$."
    where = {
        "O": "orthogonal matrix",
        "V": "matrix of independent columns",
    }
    verdict = Verdict.VERIFIED
    uses = ("HP-D4.10",)
    note = "power.md#gram-schmidt-commutes-with-rotations"

    def cases(self) -> Any:
        return _columns().flatmap(lambda v: st.tuples(st.just(v), unitaries(len(v))))

    def fast(self, v: Any, o: Any) -> Parts:
        pairs = ((gs(o @ v), o @ gs(v)) for gs in (orthonormal, householder))
        for one, other in pairs:
            for a, b in zip(one.ravel(), other.ravel(), strict=True):
                yield Equal(a, b, scale=1, part="commutation with rotations")

    def oracle(self, v: Matrix, o: Matrix) -> Parts:
        one, other = exactly_orthonormal(o * v), o * exactly_orthonormal(v)
        parts = [Equal(a, b, scale=1, part="commutation with rotations") for a, b in zip(one, other, strict=True)]
        yield from parts
        yield from parts

    def tight(self) -> list[Any]:
        """Two columns of four rows, turned by a Hadamard matrix, which is exactly orthogonal."""
        return [(np.array([[1.0, 3.0], [2.0, 1.0], [2.0, 0.0], [0.0, 1.0]]), hadamard(4))]

    def beyond(self) -> dict[str, Equal]:
        """The column (1, 1) and the matrix diag(2, 1): the first entry of the results."""
        one, other = exactly_orthonormal(mp.matrix([[2], [1]])), mp.sqrt(2)
        return {"O is orthogonal": Equal(one[0], other, scale=1, part="commutation with rotations")}
