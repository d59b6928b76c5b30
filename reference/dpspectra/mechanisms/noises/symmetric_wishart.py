"""The difference of two Wishart matrices, tilted by its trace where a row is replaced."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified import calibrate, noise_on_grid
from dpspectra.certified import trace_noise as certified_shaped
from dpspectra.fast import trace_noise, wishart
from dpspectra.fast.spectral_noise import SpectralNoise, wishart_difference
from dpspectra.formulas import noise_norms
from dpspectra.formulas.symmetric_wishart import sensitivity
from dpspectra.mechanisms.added_noise import WHOLE, AddedNoise, Law, Privacy, wide
from dpspectra.mechanisms.claims import CONFIDENCE


def _difference(d: int, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    return wishart.difference(d, scale, rng)  # by its name, which an audit from inside replaces; so is the next


def _tilted(d: int, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    return trace_noise.tilted_wishart(d, scale, rng)


DIFFERENCE = Law(
    _difference, lambda steps, d, ratio, source: noise_on_grid.wishart(steps, d, d + 1, ratio, (1, -1), source), wide
)
TILTED = Law(_tilted, certified_shaped.tilted_wishart, wide)


def sized(d: int, privacy: Privacy, square: Fraction, relation: str = "replace", share: Fraction = WHOLE) -> AddedNoise:
    """Noise that hides a row of norm at most ``square**.5``; it is tilted where the row is replaced."""
    unit = square / (share * Fraction(privacy[0]))
    if relation == "replace":
        scale = calibrate.least(lambda c: c >= unit, unit)
        moments, norm = trace_noise.tilted_wishart_moments(d), float(noise_norms.tilted_wishart(1 - CONFIDENCE, d))
        return AddedNoise(TILTED, scale, ("DPS-TILT",), moments, _of_tilted, norm=norm)
    exact = unit * Fraction(sensitivity(d, "zero_out")) / 2
    scale = calibrate.least(lambda c: c >= exact, exact)
    moments, norm = wishart.difference_moments(d), float(noise_norms.wishart_difference(1 - CONFIDENCE, d))
    return AddedNoise(DIFFERENCE, scale, ("JXZ-T4-R1",), moments, wishart_difference, norm=norm)


def variance(d: int, epsilon: float, delta: float) -> float:
    """Variance off the diagonal."""
    return float(trace_noise.tilted_off_diagonal_variance(d)) / epsilon**2


def _of_tilted(d: int, scale: float, mean_square: float) -> SpectralNoise:
    """Return the spectrum of tilted Wishart noise: as without the tilt, for the scale that gives its variance."""
    share = trace_noise.tilted_off_diagonal_variance(d) / (2 * (d + 1)) if d > 1 else 1.0
    return wishart_difference(d, scale * math.sqrt(share), mean_square)
