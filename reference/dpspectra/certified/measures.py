"""Amounts of privacy loss in other measures, rounded upward in rational numbers and balls (DPS-MEASURES).

Floats given are taken for the rational numbers that they are. A candidate, or an order, that the caller finds in
ordinary floats decides how close a result is, never whether it holds.
"""

import math
from fractions import Fraction
from typing import Any

from flint import arb

from dpspectra.certified import ball_noise, calibrate, composition

BITS = 256
"""Precision of balls."""
LARGEST = 2.0**20
"""Losses above this, in nats, have no finite amount in other measures here."""


def half_square(amount: float) -> Fraction:
    """Return ``rho`` of zCDP that a pure loss ``epsilon``, or ``mu`` of Gaussian privacy, implies: half its square."""
    return Fraction(amount) ** 2 / 2


def mu_of_pure(epsilon: float, candidate: float) -> float:
    """Return the smallest ``mu``, from about the candidate on, with which Gaussian privacy follows from a loss."""
    if epsilon == 0 or epsilon > LARGEST:
        return 0.0 if epsilon == 0 else math.inf

    def surely(mu: Fraction) -> bool:
        def gap(_: int) -> Any:
            error = (ball_noise.exact(mu) / arb(8).sqrt()).erfc() / 2
            return 1 / (1 + ball_noise.exact(epsilon).exp()) - error

        return calibrate.surely_positive(gap)

    return calibrate.least(surely, Fraction(candidate))


def divergence_of_pure(order: float, epsilon: float) -> float:
    """Return the Renyi divergence of an order above 1 that a pure loss implies (DPS-PURERENYI)."""
    if epsilon > LARGEST:
        return math.inf
    with ball_noise.precision(BITS):
        loss, less = ball_noise.exact(epsilon), ball_noise.exact(order) - 1
        coins = ((less + arb(1) / 2) * loss).cosh() / (loss / 2).cosh()
        found = ball_noise.above(coins.log() / less)
    return min(found, composition.total([Fraction(order) * half_square(epsilon)])) if order < LARGEST else found


def epsilon_of_divergence(order: float, divergence: float, delta: float) -> float:
    """Return an ``epsilon`` that a Renyi divergence of an order above 1 implies with a ``delta`` above 0."""
    with ball_noise.precision(BITS):
        whole, less = ball_noise.exact(order), ball_noise.exact(order) - 1
        besides = (ball_noise.exact(delta) * whole).log() / less - (less / whole).log()
        return max(0.0, ball_noise.above(ball_noise.exact(divergence) - besides))
