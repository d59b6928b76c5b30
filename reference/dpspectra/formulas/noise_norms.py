"""Spectral norms that noise exceeds rarely, with probability at most ``eta``, at scale 1."""

from typing import Any

import numpy as np
from scipy.special import gammainccinv, gammaln, ndtri


def gaussian_matrix(eta: Any, k: Any, p: Any, times: Any) -> Any:
    """Norm, in units of the standard deviation, that ``times`` ``(k, p)`` matrices exceed (HP-LA.2)."""
    shape, share = (k + p - 1) / 2, eta / times
    factor = np.exp(gammaln(k / 2) + gammaln(p / 2) - gammaln(shape)) / np.sqrt(np.pi)
    exact_for_vectors = np.sqrt(2 * gammainccinv(shape, np.minimum(1.0, factor * share)))
    normal = np.sqrt(k) + np.sqrt(p) - ndtri(share)
    return np.where(share <= 0.5, np.minimum(exact_for_vectors, normal), exact_for_vectors)[()]


def normal(eta: Any, d: Any) -> Any:
    """Norm of normal noise of either shape, in units of the standard deviation off the diagonal (DPS-NOISENORM)."""
    return 2 * np.sqrt(d) - np.sqrt(2) * ndtri(eta / 2)


def normal_trace(eta: Any, d: Any) -> Any:
    """Number below whose negative the trace of normal noise of the best shape falls with this chance (AFTER-DLY)."""
    return -np.sqrt(2 * d / (d + 1)) * ndtri(eta)


def wishart(eta: Any, d: Any) -> Any:
    """Norm of ``W_d(d + 1, I)``; exact in one dimension (JXZ-Table1)."""
    return gaussian_matrix(eta, d, d + 1, 1) ** 2


def wishart_difference(eta: Any, d: Any) -> Any:
    """Norm of ``W - W'``, both ``W_d(d + 1, I)`` (JXZ-Table1)."""
    return wishart(eta / 2, d)


def trace_ratio(d: Any) -> Any:
    """Largest ratio of the density of the larger trace under the tilt to that of ``tr W``; at most ``4 / e``."""
    half = d * (d + 1) / 2
    return np.exp(gammaln(half) - gammaln(2 * half) + half * (2 * np.log(2) + np.log(half) - 1))


def tilted_wishart(eta: Any, d: Any) -> Any:
    """Norm of the difference tilted by its trace (DPS-NOISENORM)."""
    return wishart_difference(eta / trace_ratio(d), d)
