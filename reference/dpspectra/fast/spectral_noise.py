"""Spectra of large noise on symmetric matrices, by their R-transforms of free probability.

The spectrum of ``M + E``, for noise that is invariant under rotations, is in high dimension that of ``M`` moved by the
R-transform ``R`` of the spectrum of ``E``: ``G(R(g) + 1/g) = g`` for its Cauchy transform ``G``. The edge of the
spectrum is the smallest ``R(g) + 1/g`` over positive ``g``, and the inverse of that ``g`` is the size from which on an
eigenvalue of ``M`` shows. Laplace noise, and any other that is independent on and above the diagonal, counts as
Gaussian noise of its variance.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

FAR = 700.0
"""Imaginary part beyond which a sine is beyond float64, and its inverse nothing."""


@dataclass(frozen=True, slots=True)
class SpectralNoise:
    """Noise on symmetric matrices, as its spectrum shows it in high dimension."""

    r_transform: Callable[[Any], Any]
    """The R-transform, a function of complex arrays."""
    edge: float
    """The largest eigenvalue."""
    threshold: float
    """The size from which on an eigenvalue of a matrix of rank one shows outside the spectrum of the noise."""
    mean_square: float
    """Mean of the squared Frobenius norm, exact in every dimension."""

    def displaced(self, size: float) -> float:
        """Return the largest eigenvalue of noise beside a matrix of rank one of this size."""
        return float(self.r_transform(1 / size)) + size if size > self.threshold else self.edge


def semicircle(d: int, variance: float, mean_square: float) -> SpectralNoise:
    """Noise of this variance off the diagonal."""
    total = d * variance
    return SpectralNoise(lambda g: total * g, 2 * math.sqrt(total), math.sqrt(total), mean_square)


def wishart_difference(d: int, scale: float, mean_square: float) -> SpectralNoise:
    """Return the difference of two Wishart matrices of ``d + 1`` degrees of freedom, tilted or not."""
    c, factor = d * scale, 2 * d * (d + 1) * scale**2
    ratio = factor / c**2
    u = (math.sqrt((ratio + 2) ** 2 + 4 * (ratio - 1)) - ratio - 2) / (2 * (ratio - 1))  # (c g)^2 at the edge
    g = math.sqrt(u) / c
    return SpectralNoise(lambda g: factor * g / (1 - (c * g) ** 2), factor * g / (1 - u) + 1 / g, 1 / g, mean_square)


def centred_wishart(d: int, degrees: int, scale: float, mean_square: float) -> SpectralNoise:
    """Return a Wishart matrix less its mean."""
    c, middle = d * scale, math.sqrt(degrees * d) * scale
    return SpectralNoise(lambda g: middle**2 * g / (1 - c * g), c + 2 * middle, c + middle, mean_square)


def knorm(d: int, variance: float, mean_square: float) -> SpectralNoise:
    """Noise whose density falls with ``max(tr Z_+, tr Z_-)``, of this variance off the diagonal.

    In high dimension its eigenvalues are charges in equilibrium in the potential ``|x|``: their Cauchy transform is
    ``arcsin(a / z) / a``, of variance ``a^2 / 6``.
    """
    a = math.sqrt(6 * d * variance)
    return SpectralNoise(lambda g: a * _cosecant_less_pole(a * g), a, 2 * a / math.pi, mean_square)


def _cosecant_less_pole(y: Any) -> Any:
    """``1 / sin y - 1 / y``, by its series near 0."""
    y = np.asarray(y)
    small = np.abs(y) < 1e-2
    away = np.where(small, 1.0, y)
    far = np.abs(np.imag(away)) > FAR
    cosecant = np.where(far, 0.0, 1 / np.sin(np.where(far, 1.0, away)))
    near = np.where(small, y, 0.0)
    return np.where(small, near / 6 + 7 * near**3 / 360 + 31 * near**5 / 15120, cosecant - 1 / away)
