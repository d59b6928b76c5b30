"""Streaming power method: second moments block by block, and how round a distribution is."""

import numpy as np

from dpspectra.fast.linalg import Array, Real
from dpspectra.matrices.orthonormal import orthonormal


def iterates(stream: Array, start: Array, rounds: int, batch: int = 4096) -> list[Array]:
    """``X_0 = GS(start)`` and ``X_l = GS(mean of z z' X_{l-1})`` over the ``l``-th of ``rounds`` blocks of rows.

    ``stream`` is ``(n, d)``; every block has ``n // rounds`` rows, and ``batch`` rows are held at a time.
    Rows that are left over at the end are not used.
    """
    size = len(stream) // rounds
    bases = [orthonormal(start)]
    for number in range(rounds):
        rows, x = stream[number * size : (number + 1) * size], bases[-1]
        total = np.zeros_like(x)
        for place in range(0, size, batch):
            some = rows[place : place + batch]
            total += some.T @ (some @ x)
        bases.append(orthonormal(total / size))
    return bases


def spread(lengths: Real, weights: Real) -> float:
    """Smallest ``rho`` with ``P(length > t rho) <= exp(-t)`` for all ``t >= 1``, for a discrete law of lengths.

    A length exceeded or reached with probability ``s`` asks for ``rho >= length / max(1, log(1 / s))``.
    """
    tails = np.array([float(np.sum(weights[lengths >= x])) for x in lengths])
    seen = weights > 0
    return float(np.max(np.where(seen, lengths / np.maximum(1.0, -np.log(np.where(seen, tails, 1.0))), 0.0)))


def spiked(directions: Array, spikes: Real, sigma: float, scale: float, count: int, rng: np.random.Generator) -> Array:
    """Rows ``(U (spikes g) + sigma h) / sqrt(scale)`` with standard normal ``g`` and ``h``; no ``(d, d)`` matrix.

    ``directions`` is ``(d, k)``, orthonormal columns; the covariance is ``(U diag(spikes^2) U' + sigma^2) / scale``.
    """
    d, k = directions.shape
    signal = (rng.standard_normal((count, k)) * spikes) @ directions.T
    return (signal + sigma * rng.standard_normal((count, d))) / np.sqrt(scale)
