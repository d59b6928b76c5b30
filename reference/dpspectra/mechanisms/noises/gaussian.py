"""Normal noise, of the best shape or independent on and above the diagonal."""

from __future__ import annotations

import math
from fractions import Fraction

from dpspectra.certified import calibrate, noise_on_grid
from dpspectra.certified import trace_noise as certified_shaped
from dpspectra.fast import trace_noise
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.fast.linalg import mirror
from dpspectra.formulas import noise_norms
from dpspectra.mechanisms.added_noise import WHOLE, AddedNoise, Law, Privacy, independent, triangle_moments
from dpspectra.mechanisms.claims import CONFIDENCE
from dpspectra.mechanisms.gaussian_mu import part_of_mu, whole_mu

RARE = (1 - CONFIDENCE) / 10
"""Probability of the event that the trace of noise is lower than its bound."""

TRIANGLE = Law(
    lambda d, scale, rng: mirror(rng.normal(scale=scale, size=d * (d + 1) // 2), d),
    lambda steps, d, ratio, source: noise_on_grid.gaussian(steps, ratio, source),
)
OPTIMAL = Law(trace_noise.gaussian, certified_shaped.gaussian)


def sized(
    d: int,
    privacy: Privacy,
    square: Fraction,
    relation: str = "replace",
    share: Fraction = WHOLE,
    shape: str = "optimal",
) -> AddedNoise:
    """Noise that hides a row of norm at most ``square**.5`` that is replaced, or appears."""
    return of_mu(d, part_of_mu(whole_mu(privacy), share), square, shape)


def of_mu(d: int, mu: float, square: Fraction, shape: str = "optimal") -> AddedNoise:
    """Return normal noise that is ``mu``-GDP when a row of squared norm at most ``square`` is replaced."""
    triangle = shape == "triangle"
    scale = calibrate.at_least_root((min(d, 2) if triangle else 1) * square**2, mu)
    law, label = (TRIANGLE, "JXZ-L2-X") if triangle else (OPTIMAL, "DPS-SHAPE")
    moments = triangle_moments(d, 1.0, 3.0) if triangle else trace_noise.gaussian_moments(d)
    norm, trace = float(noise_norms.normal(1 - CONFIDENCE, d)), float(noise_norms.normal_trace(RARE, d))
    traced = None if triangle else (float(noise_norms.normal(1 - CONFIDENCE - RARE, d)), trace)
    labels, variance_of_one = ("HR-T2.6R", label), {"variance": 1.0}
    return AddedNoise(law, scale, labels, moments, independent(1.0), None, norm, traced, variance_of_one)


def variance(d: int, epsilon: float, delta: float) -> float:
    """Variance off the diagonal; infinite without a delta."""
    return float(mu_for(epsilon, delta)) ** -2 if delta else math.inf
