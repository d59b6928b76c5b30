"""K-norm noise: of pure noise the one with the smallest mean of the norm that replacements have."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from dpspectra.certified import calibrate
from dpspectra.certified import knorm as certified_knorm
from dpspectra.fast import knorm as fast_knorm
from dpspectra.fast import knorm_moments
from dpspectra.fast.spectral_noise import SpectralNoise
from dpspectra.fast.spectral_noise import knorm as knorm_spectrum
from dpspectra.mechanisms.added_noise import WHOLE, AddedNoise, Law, Privacy, wide
from dpspectra.mechanisms.claims import CONFIDENCE


def _ideal(d: int, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    return fast_knorm.draw(d, scale, rng)  # by its name, which an audit from inside replaces


KNORM = Law(_ideal, certified_knorm.noise, wide)
LARGEST_KNORM = 6
"""Dimension up to which K-norm noise is drawn by rejection: there one proposal of 56 is accepted."""
QUICK = 4
"""Dimension up to which it is chosen: beyond, a certified draw takes a tenth of a second and more."""


def sized(d: int, privacy: Privacy, square: Fraction, relation: str = "replace", share: Fraction = WHOLE) -> AddedNoise:
    """Noise that hides a row of norm at most ``square**.5`` that is replaced, or appears."""
    if d > LARGEST_KNORM:
        raise ValueError(
            f"the data must have at most {LARGEST_KNORM} columns for K-norm noise, got {d}; "
            "symmetric_wishart_covariance has no limit"
        )
    exact = square / (share * Fraction(privacy[0]))
    scale = calibrate.least(lambda c: c >= exact, exact)
    mean, _ = knorm_moments.moments(d)
    free = d * (d + 1) / 2
    spread = 2 * mean * (free + 2) * (free + 3) - mean**2  # |Z|_F^2 <= 2 r^2, with r of a Gamma law of shape D
    norm = float(gammaincinv(free, CONFIDENCE))
    return AddedNoise(KNORM, scale, ("DPS-KNORM",), (mean, spread), _spectrum, math.sqrt(2) * norm, norm=norm)


def variance(d: int, epsilon: float, delta: float) -> float:
    """Variance off the diagonal; infinite where a draw takes long."""
    return float(knorm_moments.off_diagonal_variance(d)) / epsilon**2 if d <= QUICK else math.inf


def _spectrum(d: int, scale: float, mean_square: float) -> SpectralNoise:
    off_diagonal = knorm_moments.off_diagonal_variance(d) if d > 1 else 2.0
    return knorm_spectrum(d, off_diagonal * scale**2, mean_square)
