"""Audits of a fixed number of draws share the risk over sides, events and ways to draw."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpspectra.audit import PureDP, audit_fixed, fixed_sample_size
from dpspectra.audit.fixed_sample_size import _judged
from dpspectra.audit.options import Options
from dpspectra.fast.binomial import at_least, at_most
from tests.support.helpers import bet, laplace


def one_by_one(x, rng):
    return rng.laplace(x)


def test_a_fixed_number_of_draws_shares_the_risk_over_sides_and_events():
    """Limits of ``m`` events hold together: their exact chance of an alarm, times ``m``, is the risk at most.

    The law is at the claim: the event has probability ``e q`` and ``q``. Of the risk Clopper-Pearson limits on both
    sides use more than a seventh, so that fourteen events without their shares would break it.
    """
    n, q, events, risk = 60, 0.2, 14, 0.2
    claim, options = PureDP(1.0), Options(draws=2 * n, confidence=1 - risk)
    hits = np.arange(n + 1)

    def refuted(first, second, many):
        tried = bet((0, int(first), int(second), max(0, n - int(first) - int(second))))
        return fixed_sample_size._judged(claim, options, [tried] * many, 1).violated

    def chance(many):
        total = 0.0
        for second in hits[: 2 * n // 3]:
            low, high = 0, n - int(second) + 1  # fewest hits of the first that refute
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if refuted(middle, second, many) else (middle + 1, high)
            if low <= n - second:
                total += binom.pmf(second, n, q) * binom.sf(low - 1, n, math.e * q)
        return total

    assert events * chance(events) <= risk < events * chance(1)


@pytest.mark.parametrize(
    ("mechanism", "independent", "ways"), [(laplace(1.0), True, 2), (laplace(1.0), False, 1), (one_by_one, True, 1)]
)
def test_batches_cost_half_of_the_risk_as_they_may_be_drawn_in_two_ways(mechanism, independent, ways, monkeypatch):
    asked, judged = [], fixed_sample_size._judged

    def recorded(claim, options, bets, number):
        asked.append(number)
        return judged(claim, options, bets, number)

    monkeypatch.setattr(fixed_sample_size, "_judged", recorded)
    audit_fixed(mechanism, (0.0, 1.0), 1.0, draws=200, independent=independent)
    assert asked == [ways]
    tried = bet((0, 50, 2, 48))
    once, twice = (
        judged(PureDP(1.0), Options(draws=200, confidence=c), [tried], w) for c, w in ((0.999, 2), (0.9995, 1))
    )
    assert once.bound == pytest.approx(twice.bound, rel=1e-9)


def test_the_risk_of_a_fixed_sample_is_shared_by_two_limits_a_bet_and_way():
    tried = bet((0, 80, 10, 10))
    options = Options(confidence=0.9, draws=200)
    for ways, bets in ((1, 1), (2, 3)):
        risk = 0.1 / (2 * ways * bets)
        loss = math.log(at_least(80, 100, risk) / at_most(10, 100, risk))
        assert _judged(PureDP(0.1), options, [tried] * bets, ways).bound == pytest.approx(loss, rel=1e-6)


def test_a_fixed_number_of_draws_sees_through_lenses():
    """Infinite loss on the middle half of a number, which no threshold shows; the bound is of 2,000 fresh draws."""

    def middle(x, *, size, rng):
        u = rng.random(size)
        return u if x == 0 else np.where(u < 0.5, u / 2, 0.75 + (u - 0.5) / 2)

    found = audit_fixed(middle, (0, 1), 1.0, draws=4000)
    assert found.violated
    assert found.witness.startswith("output in [0.2")
    assert found.epsilon_lower > 4
