"""Laws of unit vectors and orthonormal frames with density proportional to ``exp(-Tr X* A X)``, in float64.

``exponents`` are the eigenvalues of ``A``. ``half`` is 1/2 over the reals and 1 over the complex numbers, and ``nu`` is
``half d``.
"""

from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp, multigammaln, shichi

from dpspectra.fast.hciz import log_normaliser
from dpspectra.fast.linalg import Array, Real, adjoint

TERMS = 160
"""Enough for a spread of exponents up to 32."""


def log_sphere_normaliser(exponents: Real, half: float) -> float:
    """Logarithm of the mean of ``exp(-x* diag(exponents) x)`` over uniform unit vectors.

    With the largest exponent taken out, the n-th moment of the rest is ``n! / (half d)_n`` times the coefficient of
    ``u^n`` in ``prod (1 - c_i u)^(-half)``, which is positive.
    """
    top = float(np.max(exponents))
    spread, series = float(np.ptp(exponents)) or 1.0, np.eye(1, TERMS)[0]
    n = np.arange(TERMS)
    powers = np.exp(gammaln(n + half) - gammaln(half) - gammaln(n + 1))
    for c in (top - exponents) / spread:
        series = np.convolve(series, powers * c**n)[:TERMS]
    nu = half * len(exponents)
    logs = n * np.log(spread) + gammaln(nu) - gammaln(nu + n)
    return float(logsumexp(logs, b=series)) - top


def log_frame_normaliser(exponents: Real, k: int, half: float) -> Any:
    """Logarithm of the Haar mean of ``exp(-Tr X* diag(exponents) X)`` over frames ``(d, k)``; None where not known.

    It is known over the complex numbers; for ``k = 1``; for ``k = d - 1``, by the line left out; and for real planes in
    four dimensions if the ascending exponents are tied in pairs. The trace of the product of two projectors is then
    ``1 + x y`` with ``x`` and ``y`` uniform on ``[-1, 1]``, because planes are pairs of points of two spheres.
    """
    d = len(exponents)
    if half == 1:
        return float(log_normaliser(-exponents, np.arange(d) < k, 1.0))
    if k == 1:
        return log_sphere_normaliser(exponents, half)
    if k == d - 1:
        return log_sphere_normaliser(-exponents, half) - float(np.sum(exponents))
    low, low_too, high, high_too = exponents
    if low != low_too or high != high_too:
        return None
    gap = high - low
    return float(np.log(shichi(gap)[0] / gap) - gap - 2 * low) if gap > 0 else -2 * low


def log_chart_mass(d: int, k: int) -> float:
    """Logarithm of the integral of ``|I - Y'Y|^(-1/2)`` over real ``(d - k, k)`` matrices of norm at most 1.

    It is what the Haar law weighs in that chart; ``multigammaln`` is the logarithm of the multivariate Gamma function.
    """
    return (d - k) * k / 2 * float(np.log(np.pi)) + float(multigammaln(k / 2, k)) - float(multigammaln(d / 2, k))


def trace_form(g: Array, weights: Real) -> Real:
    """``Tr X* diag(weights) X`` for orthonormal frames ``X`` of the spans of ``(..., d, k)``."""
    ratio = np.linalg.solve(adjoint(g) @ g, adjoint(g) @ (weights[:, None] * g))
    return np.real(np.trace(ratio, axis1=-2, axis2=-1))


def log_gram(g: Array, weights: Real) -> Any:
    """``log |X* diag(weights) X|`` for orthonormal frames ``X`` of the spans of ``(..., d, k)``, positive weights."""
    return np.linalg.slogdet(adjoint(g) @ (weights[:, None] * g))[1] - np.linalg.slogdet(adjoint(g) @ g)[1]
