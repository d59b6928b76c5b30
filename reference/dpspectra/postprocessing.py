"""What to do with a noisy second-moment matrix after its release, at no cost in privacy.

These functions see the release and public numbers only. Eigenvectors stay as they are; eigenvalues move.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from dpspectra import checks
from dpspectra.fast.linalg import eigenvectors, psd_projection
from dpspectra.fast.spectral_noise import SpectralNoise

__all__ = ["SpectralNoise", "best_rank", "nearest_psd", "shrink"]

BANDWIDTH = 0.5
"""Distance from the real axis at which the noisy spectrum is read, in units of the noise's edge times ``d^(-1/3)``."""

SIGNIFICANCE = 2.0
"""Standard errors at which the signal's energy counts as seen."""

Matrix = NDArray[Any]


def shrink(value: ArrayLike, noise: SpectralNoise, *, largest_trace: float | None = None) -> Matrix:
    """Estimate a second-moment matrix from ``value``, which is that matrix plus ``noise``: real symmetric ``(d, d)``.

    The noise is in the unit of the value: for a release of ``X'X / n`` its scale is that of the sum divided by ``n``.
    ``largest_trace`` is a public bound on the true trace, such as ``norm_bound^2``. The estimate is positive
    semidefinite, has the eigenvectors of the value and its trace, cut to ``[0, largest_trace]``. Its eigenvalues are
    the best ones on these eigenvectors as free probability predicts them from the noisy spectrum, made monotone and
    non-negative, and all equal where the value cannot be told from noise. The Frobenius error falls to a third of the
    value's in the mean over many strengths of the signal, the less the stronger it is; nothing is guaranteed, whereas
    `nearest_psd` is never farther from the truth.
    Raises ``ValueError`` for bad input.

    >>> noise = SpectralNoise("gaussian", 3, 0.1)
    >>> estimate = shrink(np.diag([0.9, 0.1, -0.1]), noise, largest_trace=1.0)
    >>> np.round(np.diag(estimate), 2)
    array([0.85, 0.05, 0.  ])
    """
    matrix = _symmetric(value)
    if not isinstance(noise, SpectralNoise) or noise.d != len(matrix):
        raise ValueError(f"noise must be a SpectralNoise of dimension {len(matrix)}, got {checks.shown(noise)}")
    if largest_trace is not None:
        checks.positive(largest_trace, "largest_trace")
    values, vectors = eigenvectors(matrix)
    trace = float(np.clip(values.sum(), 0.0, largest_trace))
    best = isotonic_regression(_denoised(values, noise), increasing=False).x
    flat = trace / noise.d
    return _with_eigenvalues(flat + _signal(values, noise) * (_of_trace(best, trace) - flat), vectors)


def nearest_psd(value: ArrayLike) -> Matrix:
    """Frobenius-nearest positive semidefinite matrix to a Hermitian ``(d, d)`` one: negative eigenvalues become 0.

    Never farther from any positive semidefinite matrix than the value. Raises ``ValueError`` for bad input.

    >>> nearest_psd(np.diag([2.0, -1.0])) + 0.0
    array([[2., 0.],
           [0., 0.]])
    """
    return psd_projection(checks.hermitian(value, "value"))


def best_rank(value: ArrayLike, k: int) -> Matrix:
    """Frobenius-nearest positive semidefinite matrix of rank at most ``k`` to a Hermitian ``(d, d)`` one.

    The ``k`` largest eigenvalues stay unless they are negative. Raises ``ValueError`` for bad input.

    >>> best_rank(np.diag([3.0, 2.0, -5.0]), 1) + 0.0
    array([[3., 0., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    matrix = checks.hermitian(value, "value")
    checks.integer(k, "k", 1, len(matrix))
    values, vectors = eigenvectors(matrix)
    return _with_eigenvalues(np.where(np.arange(len(matrix)) < k, np.maximum(values, 0.0), 0.0), vectors)


def _symmetric(value: ArrayLike) -> Matrix:
    matrix = checks.hermitian(value, "value")
    if np.iscomplexobj(matrix):
        raise ValueError("value must be real, got complex numbers")
    return matrix


def _with_eigenvalues(values: Matrix, vectors: Matrix) -> Matrix:
    """Positive semidefinite matrix of the given eigenvalues and eigenvectors, exactly Hermitian."""
    return psd_projection((vectors * values) @ vectors.conj().T)


def _denoised(values: Matrix, noise: SpectralNoise) -> Matrix:
    """Mean of the truth on the eigenvectors of the noisy ``values``, descending.

    The resolvents of the sum and of the truth agree at points ``z`` and ``w = z - R(g)``, ``g`` the Cauchy transform of
    the noisy spectrum at ``z``. The trace of the truth against the sum's resolvent is ``w g - 1``, so that per
    eigenvector it is ``Im(w g) / Im g = z - Im(R(g) g) / Im g`` near the real axis.
    """
    height = BANDWIDTH * noise.d ** (-1 / 3) * noise.edge
    g = np.mean(1 / (values[:, None] + 1j * height - values), axis=1)
    return values - np.imag(noise.r_transform(g) * g) / np.imag(g)


def _of_trace(values: Matrix, trace: float) -> Matrix:
    """Nearest point to descending ``values`` with non-negative coordinates of sum ``trace``."""
    shifts = (np.cumsum(values) - trace) / np.arange(1, len(values) + 1)
    last = np.flatnonzero(values >= shifts)[-1]  # there is one: the first shift is at most values[0]
    return np.maximum(values - shifts[last], 0.0)


def _signal(values: Matrix, noise: SpectralNoise) -> float:
    """How far the spread of the noisy ``values`` is significant: 0 if noise alone has as much, 1 if clearly not.

    The squared norm of the traceless part of noise has the standard deviation ``sqrt(8) / d`` times its mean, or less.
    """
    expected = noise.mean_square - noise.trace_variance / noise.d
    if expected <= 0:  # dimension 1
        return 1.0
    excess = float(np.sum((values - values.mean()) ** 2)) / expected - 1
    return min(1.0, max(0.0, excess) / (SIGNIFICANCE * math.sqrt(8) / noise.d))
