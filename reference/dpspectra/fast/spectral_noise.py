"""Spectra of large noise on symmetric matrices, by their R-transforms of free probability.

The spectrum of ``M + E``, for noise that is invariant under rotations, is in high dimension that of ``M`` moved by the
R-transform ``R`` of the spectrum of ``E``: ``G(R(g) + 1/g) = g`` for its Cauchy transform ``G``. The edge of the
spectrum is the least ``R(g) + 1/g`` over positive ``g``, and the inverse of that ``g`` is the size from which on an
eigenvalue of ``M`` shows. Laplace noise, and any other that is independent on and above the diagonal, counts as
Gaussian noise of its variance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SpectralNoise:
    """Noise on symmetric matrices, as its spectrum shows it in high dimension."""

    r_transform: Callable[[Any], Any]
    """Of complex arrays."""
    edge: float
    """The largest eigenvalue."""
    threshold: float
    """The size from which on an eigenvalue of a matrix of rank one shows outside the spectrum of the noise."""
    mean_square: float
    """Mean of the squared Frobenius norm, exact in every dimension."""


def semicircle(d: int, variance: float, mean_square: float) -> SpectralNoise:
    """Noise of this variance off the diagonal."""
    total = d * variance
    return SpectralNoise(lambda g: total * g, 2 * math.sqrt(total), math.sqrt(total), mean_square)


def wishart_difference(d: int, scale: float, mean_square: float) -> SpectralNoise:
    """The difference of two Wishart matrices of ``d + 1`` degrees of freedom, tilted or not."""
    c, factor = d * scale, 2 * d * (d + 1) * scale**2
    ratio = factor / c**2
    u = (math.sqrt((ratio + 2) ** 2 + 4 * (ratio - 1)) - ratio - 2) / (2 * (ratio - 1))  # (c g)^2 at the edge
    g = math.sqrt(u) / c
    return SpectralNoise(lambda g: factor * g / (1 - (c * g) ** 2), factor * g / (1 - u) + 1 / g, 1 / g, mean_square)


def centred_wishart(d: int, degrees: int, scale: float, mean_square: float) -> SpectralNoise:
    """A Wishart matrix less its mean."""
    c, middle = d * scale, math.sqrt(degrees * d) * scale
    return SpectralNoise(lambda g: middle**2 * g / (1 - c * g), c + 2 * middle, c + middle, mean_square)
