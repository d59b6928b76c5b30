"""Functions of a released matrix and public numbers alone, which cost no privacy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.fast.linalg import eigenvectors, to_trace, trace_projection
from dpspectra.fast.spectral_noise import SpectralNoise
from dpspectra.ground import checks

__all__ = ["best_rank", "nearest_psd", "shrink"]

SIGNIFICANT = 2.0
"""Standard deviations of the energy of noise that the energy of a matrix must exceed it by to count fully."""


def nearest_psd(value: ArrayLike, largest_trace: float = math.inf) -> NDArray[Any]:
    """Return the positive semidefinite matrix nearest to a Hermitian ``value``, in the Frobenius norm.

    Parameters
    ----------
    value
        Hermitian ``(d, d)``.
    largest_trace
        Bound on its trace; ``norm_bound**2`` for second moments.

    Returns
    -------
    array
        ``(d, d)``. It is never farther than ``value`` from any positive semidefinite matrix of at most this trace, and
        its squared distance is at most ``2 largest_trace |E|_2`` where the noise ``E`` is (DPS-PSDTRACE).

    Raises
    ------
    ValueError
        If ``value`` is not Hermitian, or the bound is not positive.

    Examples
    --------
    >>> nearest_psd(np.diag([3.0, -1.0]))
    array([[3., 0.],
           [0., 0.]])
    >>> nearest_psd(np.diag([3.0, 2.0]), 4.0)
    array([[2.5, 0. ],
           [0. , 1.5]])

    """
    m = checks.hermitian(value, "value")
    _bound_on_trace(largest_trace)
    return trace_projection(m, largest_trace)


def best_rank(value: ArrayLike, k: int) -> NDArray[Any]:
    """Return the PSD matrix of rank at most ``k`` nearest to a Hermitian ``value``, in the Frobenius norm.

    Parameters
    ----------
    value
        Hermitian ``(d, d)``.
    k
        Largest rank.

    Returns
    -------
    array
        ``(d, d)``. The ``k`` largest eigenvalues are kept as far as they are positive.

    Raises
    ------
    ValueError
        If ``value`` is not Hermitian, or ``k`` is not from 1 to ``d``.

    Examples
    --------
    >>> best_rank(np.diag([3.0, 2.0, -1.0]), 1)
    array([[3., 0., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])

    """
    m = checks.hermitian(value, "value")
    checks.integer(k, "k", 1, len(m))
    values, vectors = eigenvectors(m)
    top = vectors[:, :k]
    return np.asarray(top * np.maximum(values[:k], 0.0) @ top.conj().T)


def shrink(value: ArrayLike, noise: SpectralNoise, largest_trace: float = math.inf) -> NDArray[Any]:
    """Return a PSD matrix that is nearer to the truth than a noisy ``value`` of it, as a rule by far.

    Parameters
    ----------
    value
        Symmetric ``(d, d)`` matrix plus ``noise``.
    noise
        Law of the eigenvalues of the noise.
    largest_trace
        Bound on the trace; ``norm_bound**2`` for second moments.

    Returns
    -------
    array
        ``(d, d)``. No guarantee is known.

    Raises
    ------
    ValueError
        If ``value`` is not a finite symmetric matrix, or the bound is negative.

    Notes
    -----
    The eigenvectors stay. Each eigenvalue becomes the best value for it in high dimension, by the R-transform of the
    noise and the Cauchy transform of the eigenvalues released, smoothed over a part ``d**(-1/3) / 2`` of the edge. Then
    all are made monotone, non-negative and of the released trace (within 0 and ``largest_trace``). Where their energy
    is hardly more than that of noise they are drawn towards their mean.

    Examples
    --------
    >>> from dpspectra.fast.spectral_noise import semicircle
    >>> shrink(np.diag([9.0, 1.0, -1.0]), semicircle(3, 0.5, 4.5)).round(2)
    array([[8.54, 0.  , 0.  ],
           [0.  , 0.46, 0.  ],
           [0.  , 0.  , 0.  ]])

    """
    m = checks.hermitian(value, "value")
    checks.instance(noise, "noise", SpectralNoise)
    _bound_on_trace(largest_trace)
    values, vectors = eigenvectors(m)
    d = len(values)
    total = float(np.clip(np.sum(values), 0.0, largest_trace))
    if d == 1:
        return np.full((1, 1), total)
    best = to_trace(isotonic(_without_noise(values, noise)), total)
    share = _significance(values, noise.mean_square)
    kept = total / d + share * (best - total / d)
    return np.asarray(vectors * kept @ vectors.conj().T)


def _bound_on_trace(largest_trace: float) -> None:
    if not (isinstance(largest_trace, float) and largest_trace == math.inf):
        checks.positive(largest_trace, "largest_trace")


def _without_noise(values: NDArray[Any], noise: SpectralNoise) -> NDArray[np.float64]:
    """Return the best eigenvalues on eigenvectors of the noisy matrix.

    They are ``x - Im(R(g) g) / Im g`` for the Cauchy transform.
    """
    z = values + 0.5j * len(values) ** (-1 / 3) * noise.edge
    g = np.mean(1 / (z[:, None] - values), axis=1)
    return np.asarray(values - np.imag(noise.r_transform(g) * g) / np.imag(g))


def _significance(values: NDArray[Any], mean_square: float) -> float:
    """How far the energy about the mean exceeds that of noise, 1 for `SIGNIFICANT` standard deviations and more."""
    energy = float(np.sum((values - np.mean(values)) ** 2))
    deviation = mean_square * math.sqrt(8) / len(values)
    return min(1.0, max(0.0, energy - mean_square) / (SIGNIFICANT * deviation))


def isotonic(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the descending vector nearest to a vector: neighbours that rise are replaced by their means."""
    means, counts = list[float](), list[int]()
    for x in values.tolist():
        means.append(x)
        counts.append(1)
        while len(means) > 1 and means[-2] < means[-1]:
            last, count = means.pop(), counts.pop()
            means[-1] = (means[-1] * counts[-1] + last * count) / (counts[-1] + count)
            counts[-1] += count
    return np.repeat(means, counts)


def shares(values: NDArray[Any], total: float | None = None) -> NDArray[np.float64]:
    """Return the shares of descending eigenvalues in their sum, made non-negative; zeros if the sum is not positive.

    Of leading ones alone, give the sum of all: their shares are right if the last one is zero.
    """
    total = float(np.sum(values)) if total is None else total
    return np.asarray(to_trace(values, total) / total if total > 0 else np.zeros(len(values)), dtype=np.float64)
