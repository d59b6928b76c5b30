"""The parameter ``mu`` of normal noise."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

from dpspectra.certified import calibrate
from dpspectra.fast.gaussian_profile import mu_for, profile


@functools.lru_cache(maxsize=64)
def whole_mu(privacy: tuple[float, float]) -> float:
    """Return the largest ``mu`` of normal noise at this epsilon, in nats, and delta, from below; remembered."""
    return calibrate.gaussian_mu(*privacy, mu_for(*privacy))


def delta_of(epsilon: float, mu: float) -> float:
    """Return the smallest delta, or a little more, of ``mu``-Gaussian privacy at this epsilon."""
    return calibrate.gaussian_delta(epsilon, mu, float(profile(epsilon, mu)))


def part_of_mu(mu: float, share: Fraction) -> float:
    """Return the largest ``mu`` of which the square is at most this share of a squared one: such squares add up."""
    if share == 1:
        return mu
    return calibrate.largest(lambda m: Fraction(m) ** 2 <= share * Fraction(mu) ** 2, mu * math.sqrt(share))
