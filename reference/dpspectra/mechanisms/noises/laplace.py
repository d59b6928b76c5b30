"""Independent Laplace noise on and above the diagonal."""

from __future__ import annotations

import math
from fractions import Fraction

from dpspectra.certified import calibrate, noise_on_grid
from dpspectra.fast.linalg import mirror
from dpspectra.formulas import laplace_norm
from dpspectra.formulas.covariance_l1 import covers_l1, upper_triangle_l1
from dpspectra.mechanisms.added_noise import WHOLE, AddedNoise, Law, Privacy, independent, triangle_moments
from dpspectra.mechanisms.claims import CONFIDENCE

LAPLACE = Law(
    lambda d, scale, rng: mirror(rng.laplace(scale=scale, size=d * (d + 1) // 2), d),
    lambda steps, d, ratio, source: noise_on_grid.laplace(steps, ratio, source),
)
LABELS = ("JXZ-T1", "JXZ-L2-X")


def sized(d: int, privacy: Privacy, square: Fraction, relation: str = "replace", share: Fraction = WHOLE) -> AddedNoise:
    """Noise that hides a row of norm at most ``square**.5`` that is replaced, or appears."""
    unit = square / (share * Fraction(privacy[0]))
    scale = calibrate.least(lambda b: covers_l1(b / unit, d), Fraction(upper_triangle_l1(d)) * unit)
    moments = triangle_moments(d, 2.0, 6.0)
    norm = laplace_norm.smallest_radius(1 - CONFIDENCE, d)
    return AddedNoise(LAPLACE, scale, LABELS, moments, independent(2.0), norm=norm, details={"variance": 2.0})


def variance(d: int, epsilon: float, delta: float) -> float:
    """Return infinity: it never wins."""
    return math.inf
