"""Noise that is added to a sum ``x x'`` over people: its laws in both arithmetics, and how much of it a claim needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from dpspectra.certified import calibrate, grid, noise
from dpspectra.certified import knorm as certified_knorm
from dpspectra.certified import shaped as certified_shaped
from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import ExactMoments
from dpspectra.fast import knorm as fast_knorm
from dpspectra.fast import knorm_moments, shaped, wishart
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.linalg import mirror, upper_triangle
from dpspectra.fast.spectral_noise import SpectralNoise, semicircle, wishart_difference
from dpspectra.fast.spectral_noise import knorm as knorm_spectrum
from dpspectra.lemmas.sensitivity.covariance_l1 import covers_l1, upper_triangle_l1
from dpspectra.lemmas.wishart.symmetric import sensitivity
from dpspectra.matrices.moments import Moments
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee

FINE = 24
"""The grid of a certified release is finer than the noise by ``2**FINE``."""
COARSER = 5
"""Bits of the dimension from which the grid gets coarser: the bounds on errors grow, and balls take long."""

Matrix = NDArray[Any]
Privacy = tuple[float, float]
"""An epsilon, in nats, and a delta."""
WHOLE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Law:
    """A law of symmetric noise, in both arithmetics."""

    ideal: Callable[[int, float, np.random.Generator], Matrix]
    """Noise ``(d, d)`` of some scale."""
    certified: Callable[[grid.Steps, int, float, Source], grid.Integers]
    """Noise of some scale in steps, added to exact numbers on and above the diagonal, row by row."""
    spread: Callable[[int], float] = lambda d: 1.0
    """The grid is finer than the scale times this by `FINE`: the size of an entry in dimension ``d``, or a little more.

    A power of two is enough.
    """


def _difference(d: int, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """``scale`` times the difference of two Wishart matrices of ``d + 1`` degrees of freedom."""
    total = np.zeros((d, d))
    for sign in (scale, -scale):
        g = rng.standard_normal((d, d + 1))
        total += sign * (g @ g.T)
    return total


def _spread(d: int) -> float:
    return 2.0 ** ((2 * d + 1).bit_length() // 2 + max(0, d.bit_length() - COARSER))


LAPLACE = Law(
    lambda d, scale, rng: mirror(rng.laplace(scale=scale, size=d * (d + 1) // 2), d),
    lambda steps, d, ratio, source: noise.laplace(steps, ratio, source),
)
TRIANGLE = Law(
    lambda d, scale, rng: mirror(rng.normal(scale=scale, size=d * (d + 1) // 2), d),
    lambda steps, d, ratio, source: noise.gaussian(steps, ratio, source),
)
OPTIMAL = Law(shaped.gaussian, certified_shaped.gaussian)
DIFFERENCE = Law(
    _difference, lambda steps, d, ratio, source: noise.wishart(steps, d, d + 1, ratio, (1, -1), source), _spread
)
TILTED = Law(shaped.tilted_wishart, certified_shaped.tilted_wishart, _spread)
KNORM = Law(fast_knorm.draw, certified_knorm.noise, _spread)
LARGEST_KNORM = 6
"""Dimension up to which K-norm noise is drawn by rejection: there one proposal of 56 is accepted."""


@dataclass(frozen=True, slots=True)
class AddedNoise:
    """A law and a scale that make a noisy sum private."""

    law: Law
    scale: float
    """Scale of the noise on the sum, not on the mean."""
    labels: tuple[str, ...]
    """Statements that the privacy rests on."""
    square: tuple[float, float]
    """Mean and variance of the squared Frobenius norm at scale 1."""
    spectrum: Callable[[int, float, float], SpectralNoise]
    """Its spectrum in high dimension, from the dimension, the scale and the mean square."""
    largest: float | None = None
    """The quantile of the Frobenius norm at `CONFIDENCE` and scale 1, or a bound on it, where one is known."""
    details: Mapping[str, float] = field(default_factory=dict)
    """Multiples of the squared scale that are of interest, by name."""

    def frobenius(self, scale: float) -> Guarantee:
        """Bound on the Frobenius norm of noise of this law and some scale."""
        mean, variance = self.square
        if self.largest is not None:
            return Guarantee("Frobenius error", scale * self.largest, CONFIDENCE)
        return Guarantee.of_square("Frobenius error", scale**2 * mean, scale**4 * variance)

    def spectral(self, d: int, scale: float) -> SpectralNoise:
        """The spectrum of noise of this law and some scale."""
        return self.spectrum(d, scale, scale**2 * self.square[0])


def independent(variance: float) -> Callable[[int, float, float], SpectralNoise]:
    """The spectrum of noise of this variance off the diagonal, at scale 1."""
    return lambda d, scale, mean_square: semicircle(d, variance * scale**2, mean_square)


def _of_tilted(d: int, scale: float, mean_square: float) -> SpectralNoise:
    """The spectrum of tilted Wishart noise: as without the tilt, for the scale that gives its variance."""
    share = shaped.tilted_off_diagonal_variance(d) / (2 * (d + 1)) if d > 1 else 1.0
    return wishart_difference(d, scale * math.sqrt(share), mean_square)


def laplace(d: int, epsilon: Fraction, square: Fraction) -> AddedNoise:
    """Independent Laplace noise on and above the diagonal, where a row of norm at most ``square**.5`` is replaced."""
    unit = square / epsilon
    scale = calibrate.least(lambda b: covers_l1(b / unit, d), Fraction(upper_triangle_l1(d)) * unit)
    return AddedNoise(
        LAPLACE,
        scale,
        ("JXZ-T1", "JXZ-L2-X"),
        triangle_moments(d, 2.0, 6.0),
        independent(2.0),
        details={"variance": 2.0},
    )


def gaussian(d: int, mu: float, square: Fraction, shape: str = "optimal") -> AddedNoise:
    """Normal noise that is ``mu``-GDP when a row of squared norm at most ``square`` is replaced."""
    triangle = shape == "triangle"
    scale = calibrate.at_least_root((min(d, 2) if triangle else 1) * square**2, mu)
    law, label = (TRIANGLE, "JXZ-L2-X") if triangle else (OPTIMAL, "DPS-SHAPE")
    moments = triangle_moments(d, 1.0, 3.0) if triangle else shaped.gaussian_moments(d)
    return AddedNoise(law, scale, ("HR-T2.6R", label), moments, independent(1.0), details={"variance": 1.0})


def symmetric_wishart(d: int, epsilon: Fraction, square: Fraction, relation: str = "replace") -> AddedNoise:
    """The difference of two Wishart matrices, tilted by its trace where a row is replaced."""
    unit = square / epsilon
    if relation == "replace":
        scale = calibrate.least(lambda c: c >= unit, unit)
        return AddedNoise(TILTED, scale, ("DPS-TILT",), shaped.tilted_wishart_moments(d), _of_tilted)
    exact = unit * Fraction(sensitivity(d, relation)) / 2
    scale = calibrate.least(lambda c: c >= exact, exact)
    return AddedNoise(DIFFERENCE, scale, ("JXZ-T4-R1",), wishart.difference_moments(d), wishart_difference)


def knorm(d: int, epsilon: Fraction, square: Fraction) -> AddedNoise:
    """K-norm noise where a row of norm at most ``square**.5`` is replaced, or appears."""
    exact = square / epsilon
    scale = calibrate.least(lambda c: c >= exact, exact)
    mean, _ = knorm_moments.moments(d)
    free = d * (d + 1) / 2
    spread = 2 * mean * (free + 2) * (free + 3) - mean**2  # |Z|_F^2 <= 2 r^2, with r of a Gamma law of shape D
    largest = math.sqrt(2) * float(gammaincinv(free, CONFIDENCE))
    return AddedNoise(KNORM, scale, ("DPS-KNORM",), (mean, spread), _of_knorm, largest)


def _of_knorm(d: int, scale: float, mean_square: float) -> SpectralNoise:
    variance = knorm_moments.off_diagonal_variance(d) if d > 1 else 2.0
    return knorm_spectrum(d, variance * scale**2, mean_square)


def named(
    mechanism: str, d: int, privacy: Privacy, square: Fraction, relation: str, share: Fraction = WHOLE
) -> tuple[AddedNoise, dict[str, Any]]:
    """The noise of a covariance by the name of its function, for a share of the loss; what the claim says of delta.

    ``square`` is the squared norm of the longest row. What hides the replacement of a row hides one that appears or
    goes, which is the replacement of a row of zeros.
    """
    if mechanism == "gaussian_covariance":
        mu = whole_mu(privacy)
        return gaussian(d, part_of_mu(mu, share), square), {"delta": privacy[1], "gdp_mu": mu}
    epsilon = share * Fraction(privacy[0])
    pure = {"laplace_covariance": laplace, "knorm_covariance": knorm}
    if mechanism in pure:
        return pure[mechanism](d, epsilon, square), {}
    return symmetric_wishart(d, epsilon, square, "replace" if relation == "replace" else "zero_out"), {}


def whole_mu(privacy: Privacy) -> float:
    """The ``mu`` of Gaussian noise at this epsilon and delta, from below."""
    return calibrate.gaussian_mu(*privacy, mu_for(*privacy))


def part_of_mu(mu: float, share: Fraction) -> float:
    """The largest ``mu`` of which the square is at most this share of a squared one: such squares add up."""
    if share == WHOLE:
        return mu
    return calibrate.largest(lambda m: Fraction(m) ** 2 <= share * Fraction(mu) ** 2, mu * math.sqrt(share))


def triangle_moments(d: int, variance: float, kurtosis: float) -> tuple[float, float]:
    """Mean and variance of the squared Frobenius norm of noise that is independent on and above the diagonal.

    With ``w = 1`` on and ``2`` above the diagonal the squared norm is ``sum w_i x_i^2``, of mean ``v d^2`` and variance
    ``(kappa - 1) v^2 sum w_i^2 = (kappa - 1) v^2 (2 d^2 - d)``, for entries of variance ``v`` and kurtosis ``kappa``
    (fourth moment over ``v^2``).
    """
    return variance * d**2, variance**2 * (kurtosis - 1) * (2 * d**2 - d)


def noisy(
    moments: Moments | ExactMoments, law: Law, scale: float, draw: Source | np.random.Generator
) -> tuple[Matrix, dict[str, Any]]:
    """Second moments over ``n`` with noise, of the given scale on the sum; and details, of the scale over ``n``."""
    d, n = moments.width, moments.count
    details = {"scale": scale / n}
    if isinstance(draw, np.random.Generator):
        assert isinstance(moments, Moments)
        return moments.gram / n + law.ideal(d, scale / n, draw), details
    assert isinstance(moments, ExactMoments)
    exponent = grid.step_exponent(scale * law.spread(d), FINE)
    steps = grid.Steps.of(upper_triangle(moments.total), -2 * moments.exponent - exponent)
    sums = law.certified(steps, d, math.ldexp(scale, -exponent), draw)
    return mirror(grid.over(sums, exponent, n), d), {**details, "step": math.ldexp(1.0, exponent)}
