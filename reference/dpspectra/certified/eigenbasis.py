"""An orthonormal basis in which a Hermitian matrix is nearly diagonal, and by how much it is not.

The eigenvectors ``V`` that a library finds are neither orthonormal nor right. Their unitary factor
``Q = V (V* V)^(-1/2)`` is orthonormal, and of ``Q diag(weights) Q*`` all is known: ``Q`` row by row in balls, the
weights exactly. How far it is from the true matrix is bounded (DPS-RESIDUAL), and the last step of a sampler mends that
(`dpspectra.certified.correction`). So no eigenvector need be right, and nothing is charged for them.
"""

from collections.abc import Iterable
from typing import Any

import flint
import numpy as np
from flint import acb, acb_mat, arb
from numpy.typing import NDArray

from dpspectra.certified import ball_noise, enclosed_eigenvalues, kernels
from dpspectra.ground.array_types import Array, Floats

TINY = 2.0**-900
"""Allowance in a bound for products that underflow."""


class Eigenbasis:
    """Basis ``Q`` and real weights ``w`` for the matrix ``A = temperature M``, ``(d, d)``.

    ``M`` is Hermitian, of integers (int64 or Python's, in an object array), float64 or complex128; its entries and the
    float ``temperature`` stand for themselves. ``weights`` and ``vectors`` are eigenvalues of ``A``, descending, and
    eigenvectors, as a library found them. Raises ``RuntimeError`` if these are not nearly orthonormal, or not finite.
    """

    vectors: Array
    """Floats ``V``, whose columns belong to the weights."""
    weights: NDArray[Any]
    """Numbers that stand for themselves, descending: float64."""
    distance: float
    """Bound on the Frobenius norm of ``Q - V``."""
    error: float
    """Bound on the spectral norm of ``A - Q diag(weights) Q*``."""

    def __init__(self, m: Array, temperature: float, weights: Floats, vectors: Array) -> None:
        self._m, self._temperature, self.weights, self.vectors = m, temperature, weights, vectors
        a = (m.astype(np.complex128) if np.iscomplexobj(m) else m.astype(np.float64)) * temperature
        with np.errstate(over="ignore", invalid="ignore"):  # a bound may be infinite
            self._defect = enclosed_eigenvalues.defect(self.vectors)
            self.distance = enclosed_eigenvalues.NEAREST * self._defect
            formed = 4 * kernels.UNIT * 1.01 * float(np.linalg.norm(a)) + TINY
            self.error = enclosed_eigenvalues.residual_bound(a, self.vectors, self.weights) + formed
        if not np.isfinite(self.error):
            raise RuntimeError("the library's eigenvectors must be finite and nearly orthonormal")

    def matrix(self) -> Any:
        """Return ``A`` in balls of the precision in use."""
        d, temperature = len(self._m), ball_noise.exact(self._temperature)
        entries = [
            acb(ball_noise.exact(x.real), ball_noise.exact(x.imag)) * temperature for x in self._m.ravel().tolist()
        ]
        return acb_mat(d, d, entries)

    def _columns(self) -> Any:
        """Return the basis ``V`` that is not quite orthonormal, exactly."""
        return acb_mat(self.vectors.astype(complex).tolist())

    def rows(self, places: Iterable[int]) -> Any:
        """Return some rows of ``Q`` in balls of the precision in use, ``(m, d)``.

        ``Q_i = V_i (I + D)^(-1/2)`` with ``D = V* V - I`` is a binomial series, whose coefficients after the first are
        at most 1/2. As ``||D|| <= delta <= 1/8`` and ``||V_i||`` is at most ``sqrt(1 + delta)``, the terms from the
        ``n``-th on have at most the norm ``delta**n`` together (DPS-EIGENBASIS).
        """
        basis = self._columns()
        term = acb_mat([[basis[i, j] for j in range(basis.ncols())] for i in places])
        adjoint = basis.conjugate().transpose()
        total, coefficient, rest, n = term, arb(1), ball_noise.exact(self._defect), 1
        while rest > arb(2) ** -flint.ctx.prec:
            term = term * adjoint * basis - term
            coefficient *= (arb(1) / 2 - n) / n
            total += term * acb(coefficient)
            rest *= ball_noise.exact(self._defect)
            n += 1
        radius = arb(0, rest.upper())
        return acb_mat(total.nrows(), total.ncols(), [x + acb(radius, radius) for x in total.entries()])
