"""The real Wishart law from its definition, the Gram matrix of independent Gaussian vectors.

Densities here are not logarithms, so that a point outside the support has density 0.
"""

from __future__ import annotations

from typing import Any

from mpmath import mp

from dpspectra.oracle.linalg import Matrix


def density(w: Matrix, degrees: Any, covariance: Matrix) -> Any:
    """Density at ``w``, by Gram-Schmidt on the Gaussian vectors.

    With ``C = R R'`` and ``w = R T T' R'``, ``T`` lower triangular, Gram-Schmidt makes the entries of ``T``
    independent: ``T_ij`` is standard normal below the diagonal and ``T_ii`` is the length of a standard normal vector
    with ``degrees - i`` coordinates (``i`` from 0). What remains is the Jacobian ``|R|^(d+1) prod 2 T_ii^(d-i)``. A
    Gram matrix of more than ``d - 1`` vectors is positive definite, so the density is 0 where ``w`` is not.
    """
    d, root = w.rows, mp.cholesky(covariance)
    inverse = mp.inverse(root)
    try:
        t = mp.cholesky(inverse * w * inverse.T)
    except ValueError:
        return mp.mpf(0)
    value = mp.mpf(1)
    for i in range(d):
        value *= _length_density(t[i, i], degrees - i) / (2 * t[i, i] ** (d - i) * root[i, i] ** (d + 1))
        for j in range(i):
            value *= mp.npdf(t[i, j])
    return value


def _length_density(r: Any, k: Any) -> Any:
    """Density of the length of a standard normal vector in ``k`` dimensions."""
    return 2 * r ** (k - 1) * mp.exp(-r * r / 2) / (2 ** (mp.mpf(k) / 2) * mp.gamma(mp.mpf(k) / 2))


def containment(spread: Any, drift: Any) -> Any:
    """Probability that ``W + D`` is positive semidefinite, for ``W ~ W_d(d + 1, c I)`` and ``D`` of two eigenvalues.

    ``spread`` and ``drift`` as in `dpspectra.fast.wishart.containment`. Each apex of the two cones is the origin of
    polar coordinates for the part where its own distance counts; the radial integral from the dividing hyperbola is
    ``(1 + R) exp(-R)``.
    """
    xi, tau = mp.mpf(spread), mp.mpf(drift)
    if tau >= xi:  # no negative eigenvalue
        return mp.mpf(1)
    if tau <= -xi:  # no positive eigenvalue
        return mp.exp(tau)
    level, crossing = (xi**2 - tau**2) / 2, mp.acos(tau / xi)

    def beyond(phi: Any, sign: int) -> Any:
        slope = sign * (tau - xi * mp.cos(phi))
        return (1 + level / slope) * mp.exp(-level / slope) if slope > 0 else mp.mpf(0)

    near = mp.quad(lambda phi: beyond(phi, 1), [crossing, mp.pi])
    return (near + mp.exp(tau) * mp.quad(lambda phi: beyond(phi, -1), [0, crossing])) / mp.pi
