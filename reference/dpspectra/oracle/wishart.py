"""The real Wishart law from its definition, the Gram matrix of independent Gaussian vectors.

Densities here are not logarithms, so that a point outside the support has density 0.
"""

from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.linalg import Matrix, eigenvalues, outer
from dpspectra.oracle.quadrature import integral, working


def density(w: Matrix, degrees: Any, covariance: Matrix) -> Any:
    """Density at ``w``, by Gram-Schmidt on the Gaussian vectors.

    With ``C = R R'`` and ``w = R T T' R'``, ``T`` lower triangular, Gram-Schmidt makes the entries of ``T``
    independent: ``T_ij`` is standard normal below the diagonal and ``T_ii`` is the length of a standard normal vector
    with ``degrees - i`` coordinates (``i`` from 0). The other factor is the Jacobian ``|R|^(d+1) prod 2 T_ii^(d-i)``. A
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

    ``spread`` and ``drift`` as in `dpspectra.fast.wishart.containment`.
    """
    return mp.exp(log_containment(spread, drift))


def log_containment(spread: Any, drift: Any) -> Any:
    """Logarithm of `containment`.

    Each apex of the two cones is the origin of polar coordinates for the part where its own distance counts; the
    radial integral from the dividing hyperbola is ``(1 + R) exp(-R)``.
    """
    xi, tau = mp.mpf(spread), mp.mpf(drift)
    if tau >= xi:  # no negative eigenvalue
        return mp.mpf(0)
    if tau <= -xi:  # no positive eigenvalue
        return tau
    crossing, steps = mp.acos(tau / xi), [0, *(mp.mpf(2) ** -j for j in reversed(range(10)))]
    with working():
        spread, drift = arb(xi), arb(tau)
        level = (spread**2 - drift**2) / 2

        def beyond(phi: Any, sign: int) -> Any:
            slope = sign * (drift - spread * phi.cos())
            return (1 + level / slope) * (-level / slope).exp() if slope > 0 else arb(0)

        near = integral(lambda phi: beyond(phi, 1), [crossing + (mp.pi - crossing) * step for step in steps])
        far = integral(lambda phi: beyond(phi, -1), [crossing * (1 - step) for step in reversed(steps)])
        return mp.mpf(((near + drift.exp() * far) / arb.pi()).log())


def pair_profile(v: Matrix, w: Matrix, scale: Any, level: Any) -> Any:
    """Smallest ``delta`` at ``level`` of ``X'X + W``, ``W ~ W_d(d + 1, scale I)`` when ``w`` replaces a row ``v``.

    From the eigenvalues of ``v v' - w w'``: the mass that the other support misses, and what exceeds ``e^level`` times
    the other density where both live and the log-ratio is the constant ``tr(v v' - w w') / 2 scale``.
    """
    values = eigenvalues(outer(v) - outer(w))
    a, b = max(values[0], 0) / (2 * scale), max(-values[-1], 0) / (2 * scale)
    inside = containment(a + b, a - b)
    return 1 - inside + inside * max(0, 1 - mp.exp(level - (a - b)))


def log_difference_density(m: Matrix, scale: Any) -> Any:
    """Log-density at ``m`` of ``W - W'``, both ``W_d(d + 1, scale I)``, for ``d`` at most 2: the convolution.

    ``Z^-2`` times the integral of ``exp(-tr(m + 2 V) / 2 scale)`` over ``V >= 0``, ``V >= -m``. Without ``exp(-tr m /
    2 scale)`` and the constant that is the probability of ``V + m >= 0`` for ``V ~ W_d(d + 1, scale / 2 I)``.
    """
    d, values, c = m.rows, eigenvalues(m), mp.mpf(scale)
    half = mp.mpf(d * (d + 1)) / 2
    cone = mp.fprod(mp.gamma((mp.mpf(d + 1) - i) / 2) for i in range(d)) * mp.pi ** (mp.mpf(d * (d - 1)) / 4)
    none = 1000 * mp.eps * max(map(abs, values))  # an eigenvalue 0 comes out like this, and quadratures cannot tell
    trace, a, b = mp.fsum(values), *(x if x > none else mp.mpf(0) for x in (values[0], -values[-1]))
    inside = trace / c if not a else log_containment((a + b) / c, (a - b) / c)
    return half * mp.log(c) - 2 * half * mp.log(2 * c) - mp.log(cone) - trace / (2 * c) + inside
