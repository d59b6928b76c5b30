import math

import numpy as np
import pytest

from dpspectra.symbolic.loss_bets import LossBets, event_log_wealth


def test_one_impossible_output_multiplies_wealth_by_one_over_delta():
    bet = LossBets(1.0, 1e-3)
    bet.take(math.inf, 0.0)
    assert bet.log_wealth == pytest.approx(math.log(np.mean([1 + g * 999 for g in (0.02, 0.1, 0.3, 0.6, 0.9, 1.0)])))


def test_losses_within_the_claim_lose_wealth_and_errors_count_for_it():
    bet, other = LossBets(1.0, 0.1), LossBets(1.0, 0.1)
    for _ in range(5):
        bet.take(0.9, 0.0)
        other.take(1.05, 0.1)
    assert bet.log_wealth < 0
    assert other.log_wealth == bet.log_wealth


def test_a_true_claim_is_rarely_refuted():
    """Normal noise at its exact delta: 300 audits of 200 losses at risk 0.05; more than 30 have probability 1e-4."""
    from dpspectra.fast.gaussian_profile import profile

    mu, rng = 1.0, np.random.default_rng(3)
    delta = float(profile(1.0, mu))
    refuted = 0
    for _ in range(300):
        bet, highest = LossBets(1.0, delta), -math.inf
        for loss in mu * rng.normal(size=200) + mu**2 / 2:
            bet.take(float(loss), 0.0)
            highest = max(highest, bet.log_wealth)
        refuted += highest > math.log(20)
    assert refuted <= 30


def test_events_in_pairs():
    assert event_log_wealth([(True, False)] * 40, 1.0, 0.0) > math.log(1000)
    assert event_log_wealth([(True, True)] * 40, 0.0, 0.0) <= 1e-9
    assert event_log_wealth([(False, True)] * 40, 1.0, 0.0) < 0


def test_wealth_of_events_is_the_mean_of_its_bets():
    """Each factor is ``1 + g (first - e second - delta) / (e + delta)``, with ``e = exp(epsilon)``."""
    epsilon, delta = 0.5, 0.1
    e = math.exp(epsilon)
    pairs = [(True, False), (True, True), (False, True), (False, False), (True, False)]
    gains = [(a - e * b - delta) / (e + delta) for a, b in pairs]
    bets = [math.prod(1 + g * w for w in gains) for g in (0.05, 0.2, 0.5, 0.9, 0.98)]
    assert event_log_wealth(pairs, epsilon, delta) == pytest.approx(math.log(np.mean(bets)), rel=1e-12)
