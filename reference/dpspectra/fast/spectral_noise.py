"""Laws of noise on symmetric matrices, as the spectrum of a noisy matrix sees them.

The law of the noise ``E`` is unchanged by rotations, or nearly so. In a basis that has nothing to do with the noise its
off-diagonal entries have the variance ``v = (E|E|^2 - Var(tr E) / d) / ((d + 2)(d - 1))``: the traceless part is
isotropic in its ``(d + 2)(d - 1) / 2`` dimensions, in which an off-diagonal entry has weight 2. The spectrum of ``E``
is near that of a free random variable of variance ``s = d v``, whose R-transform is one of four:

* ``s g`` (semicircle): Gaussian and Laplace noise;
* ``s g / (1 - (r g)^2)`` with ``s = 2 (1 + 1/d) r^2``: the difference of two Wishart matrices of ``d + 1`` degrees;
* ``a / sin(a g) - 1 / g`` with ``s = a^2 / 6``: K-norm noise, whose spectrum minimises the energy of charges in the
  potential ``|x|``, so that its Cauchy transform is ``arcsin(a / z) / a``;
* ``s g / (1 - t g)`` with ``t = d scale``: one Wishart matrix less its mean.

The upper edge of the spectrum is ``R(g) + 1/g`` at its critical point, where ``g^2 R'(g) = 1``; an eigenvalue
``theta`` of the signal is seen if it is above ``1/g`` there, and then the squared inner product of its eigenvector with
the noisy one is ``1 - g^2 R'(g)`` at ``g = 1 / theta``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra import checks

Numbers = NDArray[np.inexact[Any]]

KINDS = ("laplace", "wishart", "tilted_wishart", "knorm", "gaussian", "gaussian_triangle", "one_sided_wishart")
"""Names of the laws."""

KNORM_MEAN_SQUARES = (
    2.0, 15.571428571428571, 56.0, 133.7867200848406, 258.7404583610716, 440.8297562802603, 689.5432203772782,
    1014.970940768344, 1426.667626206081, 1934.720901073379,
)  # fmt: skip
"""Mean squares of K-norm noise of scale 1 in the dimensions from 1, by integrals of its eigenvalues."""

KNORM_TRACES = (
    2.0, 4.571428571428571, 5.80952380952381, 6.59152772049726, 6.996464600706686, 7.271656538926226, 7.439331496671605,
    7.561829977433299, 7.645047501065033, 7.709142669444013,
)  # fmt: skip
"""Variances of the trace of K-norm noise of scale 1 in the dimensions from 1."""


@dataclass(frozen=True, slots=True)
class SpectralNoise:
    """Noise on a symmetric ``(d, d)`` matrix: the law ``kind``, one of `KINDS`, and its ``scale``.

    The scale is that of the exponential law or of the Wishart matrices (``laplace``, ``knorm``, the Wishart kinds),
    ``1 / mu`` for ``gaussian`` (the smallest noise that is ``mu``-Gaussian private for sums of ``x x'``), and the
    standard deviation of an entry for ``gaussian_triangle``. ``degrees`` are those of ``one_sided_wishart``, which is
    less its mean here. Raises ``ValueError`` for other kinds, dimensions or scales.

    >>> noise = SpectralNoise("tilted_wishart", 2, 1.0)
    >>> round(noise.mean_square, 9), round(noise.edge, 2)
    (18.9, 6.54)
    """

    kind: str
    d: int
    scale: float
    degrees: int | None = None

    def __post_init__(self) -> None:
        checks.choice(self.kind, "kind", KINDS)
        checks.integer(self.d, "d", 1)
        checks.positive(self.scale, "scale")
        if self.kind == "one_sided_wishart":
            checks.integer(self.degrees, "degrees", 1)
        elif self.degrees is not None:
            raise ValueError(f"degrees must be None for {self.kind}, got {self.degrees}")

    @property
    def mean_square(self) -> float:
        """Mean of the squared Frobenius norm of the noise."""
        return self.scale**2 * self._moments()[0]

    @property
    def trace_variance(self) -> float:
        """Variance of the trace of the noise."""
        return self.scale**2 * self._moments()[1]

    @property
    def off_diagonal_variance(self) -> float:
        """Variance of an off-diagonal entry in a basis that has nothing to do with the noise; 0 if ``d`` is 1."""
        if self.d == 1:
            return 0.0
        return (self.mean_square - self.trace_variance / self.d) / ((self.d + 2) * (self.d - 1))

    @property
    def spectral_variance(self) -> float:
        """Slope of the R-transform at 0: the variance of the spectrum when the dimension is large."""
        return self.mean_square if self.d == 1 else self.d * self.off_diagonal_variance

    @property
    def edge(self) -> float:
        """Upper end of the spectrum of the noise when the dimension is large."""
        return float(self.r_transform(1 / self.threshold)) + self.threshold

    @property
    def threshold(self) -> float:
        """Smallest eigenvalue of a signal whose eigenvector can be seen."""
        s = self.spectral_variance
        if self.kind == "knorm":
            return 2 * math.sqrt(6 * s) / math.pi
        if self.kind == "one_sided_wishart":
            return math.sqrt(s) + self._pole()
        if self.kind in ("wishart", "tilted_wishart"):  # (1 - u)^2 = q u (1 + u) for u = (r g)^2, with s = q r^2
            q = s / self._pole() ** 2
            u = 2 / (q + 2 + math.sqrt(q * q + 8 * q))
            return self._pole() / math.sqrt(u)
        return math.sqrt(s)

    def r_transform(self, g: Any) -> Numbers:
        """R-transform at ``g``, of any shape, real or complex."""
        g = np.asarray(g, complex if np.iscomplexobj(g) else float)
        s = self.spectral_variance
        if self.kind == "knorm":
            return math.sqrt(6 * s) * _csc_less_pole(math.sqrt(6 * s) * g)
        if self.kind == "one_sided_wishart":
            return s * g / (1 - self._pole() * g)
        if self.kind in ("wishart", "tilted_wishart"):
            return s * g / (1 - (self._pole() * g) ** 2)
        return s * g

    def overlap(self, theta: Any) -> NDArray[np.float64]:
        """Squared inner product of an eigenvector of the signal with the noisy one, for eigenvalues ``theta``.

        Zero at eigenvalues that are not above the threshold, which negative ones never are.
        """
        theta = np.asarray(theta, float)
        seen = theta > self.threshold
        g = 1 / np.where(seen, theta, self.threshold)
        return np.where(seen, np.clip(1 - self._squared_slope(g), 0.0, 1.0), 0.0)

    def _squared_slope(self, g: NDArray[np.float64]) -> NDArray[np.float64]:
        """``g^2 R'(g)``, real ``g``."""
        s = self.spectral_variance
        if self.kind == "knorm":
            y = math.sqrt(6 * s) * g
            return 1 - y * y * np.cos(y) / np.sin(y) ** 2
        if self.kind == "one_sided_wishart":
            return s * g * g / (1 - self._pole() * g) ** 2
        if self.kind in ("wishart", "tilted_wishart"):
            w = (self._pole() * g) ** 2
            return s * g * g * (1 + w) / (1 - w) ** 2
        return s * g * g

    def _pole(self) -> float:
        """Inverse of the place where the R-transform of a Wishart law is infinite."""
        if self.kind == "one_sided_wishart":
            return self.d * self.scale
        return math.sqrt(self.spectral_variance * self.d / (2 * (self.d + 1)))

    def _moments(self) -> tuple[float, float]:
        """Mean squared norm and variance of the trace, for scale 1."""
        d = self.d
        if self.kind == "laplace":
            return 2.0 * d * d, 2.0 * d
        if self.kind == "gaussian_triangle":
            return float(d * d), float(d)
        if self.kind == "gaussian":
            return d * (d * d + 2 * d - 1) / (d + 1), 2 * d / (d + 1)
        if self.kind == "wishart":
            return 2.0 * d * (d + 1) ** 2, 4.0 * d * (d + 1)
        if self.kind == "one_sided_wishart":
            degrees = self.degrees or 0
            return float(degrees * d * (d + 1)), 2.0 * degrees * d
        return _knorm(d) if self.kind == "knorm" else _tilted_wishart(d)


def _tilted_wishart(d: int) -> tuple[float, float]:
    """Mean squared norm and variance of the trace of tilted Wishart noise of scale 1.

    The density of ``W - W'`` is multiplied by ``exp(-|tr W - tr W'| / 2)``. With ``D = d (d + 1) / 2`` that of the
    traces becomes ``(t t')^(D-1) exp(-max(t, t'))``: the larger has a Gamma law of shape ``2 D``, the smaller is its
    product with ``U^(1/D)``. The directions ``W / tr W`` are independent of them, of mean square
    ``(2 d + 2) / (d^2 + d + 2)`` and with the mean ``I / d``.
    """
    shape = d * (d + 1) // 2
    larger = 2 * shape * (2 * shape + 1)
    squares, product = larger * (1 + shape / (shape + 2)), larger * shape / (shape + 1)
    return squares * (2 * d + 2) / (d * d + d + 2) - 2 * product / d, squares - 2 * product


def _knorm(d: int) -> tuple[float, float]:
    """Mean squared norm and variance of the trace of K-norm noise of scale 1.

    Beyond the tables ``pi^2 (d + 1) / 6`` is the variance off the diagonal, within 1 %, and the trace is fitted.
    """
    if d <= len(KNORM_TRACES):
        return KNORM_MEAN_SQUARES[d - 1], KNORM_TRACES[d - 1]
    trace = 8 - 29 / d**2
    return math.pi**2 / 6 * (d + 1) * (d + 2) * (d - 1) + trace / d, trace


def _csc_less_pole(y: Numbers) -> Numbers:
    """``1 / sin y - 1 / y``, by its series near 0."""
    small = np.abs(y) < 1e-2
    away = np.where(small, 1.0, y)
    return np.where(small, y / 6 + 7 * y**3 / 360 + 31 * y**5 / 15120, 1 / np.sin(away) - 1 / away)
