"""Laws of unit vectors and orthonormal frames with density proportional to ``exp(-Tr X* A X)``, in float64.

``exponents`` are the eigenvalues of ``A``. ``half`` is 1/2 over the reals and 1 over the complex numbers, and ``nu`` is
``half d``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

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


def trace_form(g: Array, weights: Real) -> Real:
    """``Tr X* diag(weights) X`` for orthonormal frames ``X`` of the spans of ``(..., d, k)``."""
    ratio = np.linalg.solve(adjoint(g) @ g, adjoint(g) @ (weights[:, None] * g))
    return np.real(np.trace(ratio, axis1=-2, axis2=-1))


def log_gram(g: Array, weights: Real) -> Any:
    """``log |X* diag(weights) X|`` for orthonormal frames ``X`` of the spans of ``(..., d, k)``, positive weights."""
    return np.linalg.slogdet(adjoint(g) @ (weights[:, None] * g))[1] - np.linalg.slogdet(adjoint(g) @ g)[1]
