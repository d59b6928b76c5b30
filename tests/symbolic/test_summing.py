import math

import numpy as np
import pytest

from dpspectra.audit import inside
from dpspectra.symbolic.analysis import decide
from tests.support.noise_runs import real, runner


def decided(mechanism, pair, epsilon=1.0, delta=0.0, **settings):
    return decide(runner(mechanism, pair, epsilon, delta, **settings))


def flipped(x, rng):
    return bool(x) ^ bool(rng.random() < 0.25)


LOG3 = math.log(3)


@pytest.mark.parametrize(("epsilon", "verdict"), [(LOG3, "explained"), (LOG3 - 1e-4, "refuted")])
def test_randomised_response_has_its_exact_loss(epsilon, verdict):
    found = decided(flipped, (0, 1), epsilon)
    assert found.verdict == verdict
    for side in found.sides:
        assert side.loss == side.bound == pytest.approx(LOG3, abs=1e-9)


@pytest.mark.parametrize(("share", "verdict"), [(1 + 1e-5, "explained"), (0.99, "refuted")])
def test_and_its_exact_delta(share, verdict):
    delta = 0.75 - math.exp(0.5) * 0.25
    found = decided(flipped, (0, 1), 0.5, share * delta)
    assert found.verdict == verdict
    assert found.sides[0].delta == pytest.approx((delta, delta), abs=1e-9)


def test_an_answer_that_one_data_set_never_gives():
    found = decided(lambda x, rng: bool(rng.random() < 0.5) and bool(x), (0, 1))
    assert found.verdict == "refuted"
    assert found.sides[1].refuted.startswith("an output of one data set is impossible on the other, summed over 2")


def test_choices_with_weights_of_the_data():
    def chosen(x, rng):
        return int(rng.choice(2, p=x))

    pair = np.array([0.5, 0.5]), np.array([0.25, 0.75])
    assert decided(chosen, pair, math.log(2)).verdict == "explained"
    assert decided(chosen, pair, math.log(2) - 1e-3).verdict == "refuted"


def test_a_loss_on_every_path_bounds_the_output():
    def mechanism(x, rng):
        sign = bool(rng.random() < 0.5)
        z = x + rng.laplace()
        return z if sign else -z

    found = decided(mechanism, (0.0, 1.0))
    assert found.verdict == "explained"
    assert found.sides[0].bound == pytest.approx(1)
    assert "summed over 2 outcomes" in found.sides[0].how


def test_the_loss_of_a_mixture_is_that_of_the_sum():
    """Half of the weight on each of two places: the loss at y is the log-ratio of the mean densities."""

    def mechanism(x, rng):
        return x * (1.0 if rng.random() < 0.5 else -1.0) + rng.laplace(scale=0.2)

    it = runner(mechanism, (0.0, 1.0), 9.0)
    found = decide(it)
    assert found.verdict == "explained"
    from dpspectra.symbolic.decision_paths import loss_at

    here, there = it.laws[0], it.laws[1]
    leaves = here.runs[0].leaves
    density = lambda y, m: math.exp(-abs(y - m) / 0.2) / 0.4  # noqa: E731
    for y in (0.0, 0.3, -2.0):
        wanted = math.log(density(y, 0) / ((density(y, 1) + density(y, -1)) / 2))
        assert loss_at(here, there, leaves, np.array([y])).value == pytest.approx(wanted, abs=1e-9)


def test_a_refuting_sum_has_a_witness():
    def mechanism(x, rng):
        return (x if rng.random() < 0.5 else -x) + rng.laplace(scale=0.2)

    found = decided(mechanism, (1.0, 2.0))
    assert found.verdict == "refuted"
    assert any(s.refuted and s.refuted.startswith("summed over 2 outcomes") for s in found.sides)


def test_bets_on_sums():
    def mechanism(x, rng):
        return (x if rng.random() < 0.5 else -x) + rng.laplace(scale=0.2)

    found = decided(mechanism, (1.0, 3.0), 1.0, 0.01)
    assert found.verdict == "refuted"
    assert any(s.refuted and s.refuted.startswith("bets on") for s in found.sides)


def test_sums_without_a_bound_name_their_line():
    def mechanism(x, rng):
        return rng.laplace(scale=1.0 if rng.random() < 0.5 + x else 1.1)

    found = decided(mechanism, (0.0, 0.01), 0.5, runs=8)
    assert found.verdict in ("explained", "undecided")
    found = decided(lambda x, rng: rng.laplace(scale=x if rng.random() < 0.5 else 1.0), (1.0, 1.01), 0.5, runs=8)
    assert found.verdict == "undecided"
    assert "no bound holds on all 2 paths of test_summing.py:" in found.sides[0].reasons[0]


def test_unlucky_seeds_do_not_matter():
    verdicts = {decided(flipped, (0, 1), LOG3 - 0.01, rng=real(s)).verdict for s in range(5)}
    assert verdicts == {"refuted"}


def test_the_largest_error_of_the_list_counts(monkeypatch):
    """A loss within the error of an improbable output is not told from the claim."""
    from dpspectra.symbolic import decision_paths

    real_masses = decision_paths.Law.masses

    def doubtful(self):
        found = real_masses(self)
        return {k: (v, 1e-3 if ("output", ("bool", True)) in k else e) for k, (v, e) in found.items()}

    monkeypatch.setattr(decision_paths.Law, "masses", doubtful)
    assert decided(flipped, (0, 1), LOG3).verdict == "undecided"


def rarely(chance, scale=0.5, shown=0.0):
    def mechanism(x, rng):
        if rng.random() < chance:
            return True, x + rng.laplace(scale=scale), shown * x
        return False, x + rng.laplace(), 0.0

    return mechanism


def test_an_output_that_is_hardly_ever_met_refutes_with_its_line():
    found = inside(rarely(1e-6), (0.0, 1.0), 1.0)
    assert (found.verdict, found.loss) == ("refuted", pytest.approx(2.0))
    assert found.witness is not None
    assert "output[0] = True" in found.witness.output
    assert any("laplace" in call.law and call.loss == pytest.approx(2.0) for call in found.calls)
    assert inside(rarely(1e-6, scale=1.0), (0.0, 1.0), 1.0).verdict == "explained"


@pytest.mark.parametrize(("chance", "verdict"), [(2e-9, "refuted"), (0.5e-9, "undecided")])
def test_what_rounding_may_make_up_is_not_looked_at(chance, verdict):
    assert inside(rarely(chance, shown=1.0), (0.0, 1.0), 1.0).verdict == verdict
