import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpspectra.fast import gaussian_profile
from dpspectra.symbolic import one_path
from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.faithful_runs import omega_of
from dpspectra.symbolic.laws import EXPONENTIAL, UNIFORM
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.single_numbers import Number
from tests.support.noise_runs import runner


def decided(mechanism, pair, epsilon=1.0, delta=0.0, **settings):
    return decide(runner(mechanism, pair, epsilon, delta, **settings))


def laplace(scale):
    return lambda x, rng: x + rng.laplace(scale=scale)


def normal(scale):
    return lambda x, rng: x + rng.normal(scale=scale)


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "explained"), (1 + 1e-5, "explained"), (1 - 1e-5, "refuted")])
def test_the_verdict_turns_at_the_claim(scale, verdict):
    found = decided(laplace(scale), (0.0, 1.0))
    assert found.verdict == verdict
    for side in found.sides:
        assert side.bound == pytest.approx(1 / scale, rel=1e-12)
        assert side.loss == pytest.approx(1 / scale, rel=1e-9)


@pytest.mark.parametrize(("share", "verdict"), [(1.0, "explained"), (0.999, "refuted")])
def test_normal_noise_has_its_exact_delta(share, verdict):
    delta = float(gaussian_profile.profile(1.0, 0.5))
    found = decided(normal(2.0), (0.0, 1.0), 1.0, share * delta)
    assert found.verdict == verdict
    for side in found.sides:
        assert side.delta == pytest.approx((delta, delta), rel=1e-12)
        assert side.mu == pytest.approx(0.5, rel=1e-12)
    if verdict == "refuted":
        assert found.sides[0].refuted == "closed form"


def test_several_numbers_add_up():
    found = decided(lambda x, rng: x + rng.normal(size=4), (np.zeros(4), np.full(4, 0.5)), 1.0, 0.5)
    assert found.sides[0].mu == pytest.approx(1.0)
    found = decided(lambda x, rng: x + rng.laplace(size=4), (np.zeros(4), np.full(4, 0.25)))
    assert (found.verdict, found.sides[0].bound) == ("explained", pytest.approx(1))


def test_bets_refute_where_no_closed_form_does():
    """Two numbers with Laplace noise at the claim (1, 0.01) with losses of 2: delta of one is 0.39."""
    found = decided(lambda x, rng: x + rng.laplace(scale=0.5, size=2), (0.0, 1.0), 1.0, 0.01)
    assert found.verdict == "refuted"
    assert "bets on" in found.sides[0].refuted


def test_bets_do_not_refute_what_holds():
    """Noise of two scales whose exact delta is that of a quadrature; fails with probability 1e-9."""
    y = np.linspace(-60, 60, 2_000_001)
    p, q = (stats.logistic.pdf(y, scale=s) for s in (1.0, 1.2))
    exact = max(np.trapezoid(np.maximum(a - math.e**0.1 * b, 0), y) for a, b in ((p, q), (q, p)))
    found = decided(lambda x, rng: rng.logistic(scale=x), (1.0, 1.2), 0.1, exact * 1.02)
    assert found.verdict == "undecided"
    assert "no bound implies it: logistic noise of test_one_path.py:" in found.sides[0].reasons[0]


@pytest.mark.parametrize(("share", "refuted"), [(7.9, False), (8.1, True)])
def test_risk_is_shared_by_the_points_of_a_claim(monkeypatch, share, refuted):
    """And by both orders, and the closed forms: two points need a wealth of 8 over the risk."""

    class Fixed:
        log_wealth = math.log(share / 0.001)

        def __init__(self, epsilon, delta):
            pass

        def take(self, loss, error):
            pass

    monkeypatch.setattr(one_path, "LossBets", Fixed)
    it = runner(lambda x, rng: rng.logistic(scale=x), (1.0, 1.2), 0.1, 0.03, risk=0.001)
    it.question = replace(it.question, points=((0.1, 0.03), (0.2, 0.02)))
    found = decide(it)
    assert [s.refuted is not None for s in found.sides] == [refuted] * 2


def test_an_output_that_is_impossible_on_the_other_side():
    found = decided(lambda x, rng: x + rng.exponential(), (0.0, 1.0))
    assert found.verdict == "refuted"
    assert found.sides[0].refuted == "an output of one data set is impossible on the other"
    assert found.sides[1].loss == pytest.approx(1)


def test_calls_say_what_they_move_hide_and_lose():
    def mechanism(x, rng):
        a = x + rng.laplace(scale=2.0)
        return a, -3 * x + rng.laplace(scale=4.0)

    found = decided(mechanism, (0.0, 1.0), 2.0)
    told = sorted((c.law, c.move, c.scale, round(c.bound, 9), round(c.loss, 6)) for c in found.calls.values())
    assert told == [("laplace", 1.0, 2.0, 0.5, 0.5), ("laplace", 3.0, 4.0, 0.75, 0.75)]


def test_what_no_noise_covers_is_a_finding():
    found = decided(lambda x, rng: (x, rng.normal()), (0, 1))
    assert found.verdict == "refuted"
    assert found.findings[0] == "no noise that was followed: output[0] differs where all of it is the same"
    assert found.findings[1].startswith("its output is returned at test_one_path.py:")
    assert found.confirmed.startswith("confirmed: output[0] as it was")


def test_programs_without_any_difference():
    found = decided(lambda x, rng: rng.normal(), (0, 1))
    assert found.verdict == "explained"
    assert (found.sides[0].bound, found.sides[0].mu, found.sides[0].how) == (0, 0, "the same law on both data sets")


def test_a_witness_must_be_given_by_plain_runs():
    """Plain noise is cut off at 2.4, so that outputs beyond are symbols only; the cut shows in one record of 60."""

    def mechanism(x, rng):
        z = rng.normal()
        return x + (z if hasattr(z, "store") else max(-2.4, min(2.4, z)))

    found = decided(mechanism, (0.0, 1.0), 3.0)
    assert found.verdict == "undecided"
    assert any("witness of a loss is not reproduced" in r for s in found.sides for r in s.reasons)
    assert decided(normal(1.0), (0.0, 1.0), 3.0).verdict == "refuted"


def test_sampled_losses_are_of_fresh_draws():
    it = runner(laplace(1.0), (0.0, 1.0))
    with followed_sources():
        record = it.record(0)
    rng = it.fresh()
    draws = [float(omega_of(record.tape, rng)[0]) for _ in range(400)]
    assert stats.kstest(draws, "laplace").pvalue > 1e-3  # fails with probability 1e-3 although all is well
    assert len(set(draws)) == 400


def test_the_worst_noise_is_named():
    def mechanism(x, rng):
        return x + rng.laplace(scale=4.0), rng.laplace(scale=x + 1)

    found = decided(mechanism, (0.0, 0.01), 0.5)
    assert found.verdict == "undecided"
    line = mechanism.__code__.co_firstlineno + 1
    assert all(f"laplace noise of test_one_path.py:{line} " in s.reasons[0] for s in found.sides)

    def other(x, rng):
        first = x + rng.laplace(scale=4.0)
        return first, rng.laplace(scale=x + 1)

    line = other.__code__.co_firstlineno + 2
    assert f"noise of test_one_path.py:{line} " in decided(other, (0.0, 0.01), 0.5).sides[0].reasons[0]


def test_a_value_that_both_can_give():
    """It is the one met if that is between the ends, or if there are none."""
    met, free = np.array([5.0]), (-math.inf, math.inf)
    here, there = Number(UNIFORM, 0.0, 2.0, *free), Number(UNIFORM, 1.0, 2.0, *free)
    assert one_path._possible(here, there, met) == 1.5
    assert one_path._possible(here, there, np.array([1.75])) == 1.75
    assert one_path._possible(here, Number(EXPONENTIAL, -1.0, 2.0, *free), met) == 1.0
    assert one_path._possible(*[Number(EXPONENTIAL, 6.0, 2.0, *free)] * 2, met) == 5.0


@pytest.mark.parametrize("noise", ["uniform", "exponential"])
def test_noise_that_leaves_something_to_one_data_set_alone_is_never_explained_as_pure(noise):
    """What it leaves is delta, and the claim has none; an outcome that both can give loses little."""
    found = decided(lambda x, rng: x + 100 * getattr(rng, noise)(), (0.0, 1.0), 1.0)
    assert found.verdict != "explained"
    assert not any(side.explained for side in found.sides if side.delta and side.delta[0] > 0)
    wide = decided(lambda x, rng: x + 100 * getattr(rng, noise)(), (0.0, 1.0), 1.0, 0.011)
    assert wide.verdict == "explained"
