"""Cost of noise in high dimension: spaces of a noisy matrix, lines of an orbit, approximations of low rank.

Deterministic equivalents by free probability: no gap, rank or spike is assumed, and the formulas are good to a few per
cent from `d = 5` on.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from dpspectra.fast.spectral_noise import SpectralNoise
from dpspectra.ground.array_types import Floats

POINTS = 240
"""Places on the line at which the subordination function is computed, besides those near the eigenvalues."""
HALVINGS = 30
EXACT, GROUPS = 100, 500
"""Distinct eigenvalues that are taken one by one where there are very many, and groups of the others."""
MANY = 30
"""Eigenvalues that get places about them; of more of them, some quantiles."""
PLACED = 1000
"""Largest eigenvalues that get a place of their own in any case."""


def lost_by_noise(values: Floats, k: int, noise: SpectralNoise) -> float:
    """Return the expected ``lambda_1 + .. + lambda_k - tr V'MV``.

    ``V`` are the ``k`` leading eigenvectors of ``M`` plus noise.

    ``values`` are the eigenvalues of ``M``, descending. Where ``v(u)`` is the largest root of ``Im(w + R(g(w))) = 0``,
    ``w = u + i v``, with the Cauchy transform ``g`` of the eigenvalues, eigenvector ``i`` of ``M`` has the spectral
    measure ``v / ((u - lambda_i)^2 + v^2) dx(u) / pi`` in the noisy matrix, ``x(u) = Re(w + R(g(w)))``. The ``k``
    leading eigenvectors are what lies above the place where all these measures have ``k`` together.
    """
    d = len(values)
    if k == d:
        return 0.0
    levels, counts = _grouped(values)
    u = _places(values, noise)
    v, x = _subordination(u, levels, counts, noise)
    density = v / ((u - levels[:, None]) ** 2 + v**2)
    masses = (density[:, 1:] + density[:, :-1]) / 2 * np.maximum(np.diff(x), 0.0)
    masses /= np.maximum(np.sum(masses, axis=1, keepdims=True), 1e-300)
    above = np.cumsum(masses[:, ::-1], axis=1)
    below = np.cumsum(np.pad(masses[:, :-1], ((0, 0), (1, 0))), axis=1)[:, ::-1]
    full = np.cumsum(counts) <= k
    cut = k - int(np.sum(counts[full]))
    excess = counts[~full] @ above[~full] - counts[full] @ below[full] - cut  # no difference of numbers near k
    last = min(int(np.searchsorted(excess, 0)), len(excess) - 1)
    step = excess[last] - (excess[last - 1] if last else -k)
    back = min(max(excess[last] / step, 0.0), 1.0) * masses[:, -1 - last] if step > 0 else 0.0
    moved = np.where(full, below[:, last] + back, above[:, last] - back)
    loss = float(np.sum(counts * np.abs(levels - values[k - 1]) * moved))
    return min(loss, float(np.sum(values[:k])) - k / d * float(np.sum(values)))


def _grouped(values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Distinct eigenvalues, descending, and how often each occurs; of very many the small ones in groups, by means."""
    levels, counts = np.unique(values, return_counts=True)
    levels, counts = levels[::-1], counts[::-1]
    if len(levels) <= EXACT + GROUPS:
        return levels, counts
    ends = np.geomspace(EXACT, len(levels), GROUPS + 1).astype(int)[:-1]
    starts = np.concatenate([np.arange(EXACT), np.unique(ends)])
    together = np.add.reduceat(counts, starts)
    return np.add.reduceat(levels * counts, starts) / together, together


def _places(values: Floats, noise: SpectralNoise) -> Floats:
    """Points that are dense, geometrically, about the eigenvalues, and spread over all that noise may reach."""
    reach = 1.5 * noise.edge
    offsets = reach * np.geomspace(1e-6, 1.0, 24)
    distinct = np.unique(values)
    about = distinct if len(distinct) <= MANY else np.quantile(distinct, np.linspace(0, 1, MANY))
    near = (about[:, None] + np.concatenate([-offsets[::-1], [0.0], offsets])).ravel()
    spread = np.linspace(values[-1] - reach, values[0] + reach, POINTS)
    return np.unique(np.concatenate([near, distinct[-PLACED:], spread]))


def _subordination(u: Floats, levels: Floats, counts: NDArray[np.int64], noise: SpectralNoise) -> tuple[Floats, Floats]:
    """Imaginary parts of the subordination function at its real parts ``u``, and the places on the line they serve."""
    shares, parts = (counts / np.sum(counts)).astype(complex), max(1, len(levels) // 200)
    blocks = list(zip(np.array_split(levels, parts), np.array_split(shares, parts), strict=True))

    def moved(v: Floats) -> Any:
        w = u + 1j * v
        return w + noise.r_transform(sum((1 / (w[:, None] - x)) @ y for x, y in blocks))

    high = np.full(len(u), 4 * noise.edge)
    low, found = high.copy(), np.zeros(len(u), dtype=bool)
    for v in 4 * noise.edge * np.geomspace(1.0, 1e-8, 60)[1:]:
        lower = np.where(found, low, v)
        negative = ~found & (np.imag(moved(lower)) < 0)
        low = np.where(found, low, v)
        high = np.where(found | negative, high, v)
        found |= negative
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high)
        above = np.imag(moved(middle)) > 0
        high, low = np.where(above, middle, high), np.where(above, low, middle)
    x = np.real(moved(np.where(found, high, low)))
    return np.where(found, high, 1e-12 * low), np.maximum.accumulate(x)  # next to 0 where no eigenvalue will be


def lost_on_orbit(values: Floats, k: int, kappa: float) -> float:
    """Return the expected loss of a ``k``-space from the exponential mechanism with inverse temperature ``kappa``.

    Mean field: a line in the span of eigenvector ``i`` and all that follow the ``k``-th has squared coordinates of mean
    ``b / (s - kappa lambda_j)``, with ``s`` from their sum, 1. Here ``b`` is a half for the real law, which serves ``k
    = 1``; for the real part of a draw of the complex law the mean of both losses is taken, ``b`` being a half and 1.
    """
    if k == len(values):
        return 0.0
    halves = (0.5,) if k in (1, len(values) - 1) else (0.5, 1.0)
    losses = []
    for b in halves:
        total = 0.0
        for i in range(k):
            line = kappa * np.concatenate([values[i : i + 1], values[k:]])
            gaps = line[0] - line
            share = brentq(lambda t, gaps=gaps, b=b: np.sum(b / (gaps + t)) - 1, 0.9 * b, 1.1 * b * len(line))
            total += float(np.sum(b / (gaps + share) * gaps)) / kappa
        losses.append(total)
    best = float(np.sum(values[:k])) - k / len(values) * float(np.sum(values))
    return min(float(np.mean(losses)), best)


def low_rank_excess(values: Floats, k: int, noise: SpectralNoise) -> float:
    """Return the expected squared error of the best rank ``k`` of a shrunk noisy matrix.

    It is counted beyond that of the best rank ``k`` itself.

    An eigenvalue ``t`` above the threshold is kept as ``t o``, ``o`` the squared overlap of its eigenvector, and costs
    ``t^2 (1 - o^2)``; one below is lost, ``t^2``.
    """
    turned = np.array([_turned(float(t), noise) for t in values[:k]])
    return float(np.sum(values[:k] ** 2 * turned * (2 - turned)))


def overlap(size: float, noise: SpectralNoise) -> float:
    """Squared overlap ``1 - g^2 R'(g)``, ``g = 1 / size``, of an eigenvector; 0 below the threshold."""
    return 1 - _turned(size, noise)


def _turned(size: float, noise: SpectralNoise) -> float:
    """Return what the squared overlap lacks of 1."""
    if size <= noise.threshold:
        return 1.0
    g = 1 / size
    slope = np.imag(noise.r_transform(g + 1e-20j * g)) / (1e-20 * g)
    return min(1.0, float(g * g * slope))


def strength(size: float, noise: SpectralNoise) -> float:
    """How many times the threshold an eigenvalue is."""
    return size / noise.threshold if noise.threshold else math.inf
