"""Exact deltas of whole numbers, against sums over all of them."""

import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.independent_constraints import Whole
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, NORMAL, of_scipy
from dpspectra.symbolic.rounded_laws import rounded_law, two_sided_geometric
from dpspectra.symbolic.whole_hockey_stick import MOST_VALUES, delta_of_whole, loss_of_few
from tests.support.noise_runs import runner


def listed(law, other, move, epsilon):
    """The sum of what is positive, over so many numbers that no more is left."""
    numbers = range(-400, 401)
    p = np.array([math.exp(float(law.log_density(k))) for k in numbers])
    q = np.array([math.exp(float(other.log_density(k + move))) for k in numbers])
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0)))


@pytest.mark.parametrize("root", [LAPLACE, NORMAL, EXPONENTIAL], ids=lambda law: law.name)
@pytest.mark.parametrize("way", ["floor", "ceil", "rint"])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
def test_rounded_numbers(root, way, epsilon):
    for a, b, move in ((0.0, 1.0, 0), (0.7, 0.0, 0), (0.2, 0.9, 1), (0.2, 0.9, -2), (5.0, 5.0, 0)):
        laws = [rounded_law(root, way, m, 1.3) for m in (a, b)]
        found = delta_of_whole(Whole(laws[0], 2.0 * move, 2.0), Whole(laws[1], 0.0, 2.0))
        assert found(epsilon) == pytest.approx(listed(*laws, move, epsilon), abs=1e-12)


@pytest.mark.parametrize("move", [-3, 0, 1])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 2.0])
def test_two_sided_geometric_noise(move, epsilon):
    law = two_sided_geometric(0.8)
    found = delta_of_whole(Whole(law, move, 1.0), Whole(law, 0.0, 1.0))
    assert found(epsilon) == pytest.approx(listed(law, law, move, epsilon), abs=1e-12)


def test_other_pairs_have_no_closed_form():
    from scipy import stats

    law = two_sided_geometric(0.8)
    cauchy = rounded_law(of_scipy("cauchy", stats.cauchy()), "rint", 0.0, 1.0)
    towards_0 = rounded_law(LAPLACE, "trunc", 0.0, 1.0)
    for first, second in (
        (Whole(law, 0.5, 1.0), Whole(law, 0.0, 1.0)),  # other numbers
        (Whole(law, 1.0, 1.0), Whole(law, 0.0, 2.0)),  # another factor
        (Whole(law, 1.0, 1.0), Whole(two_sided_geometric(0.9), 0.0, 1.0)),
        (Whole(cauchy, 1.0, 1.0), Whole(cauchy, 0.0, 1.0)),  # not log-concave
        (Whole(towards_0, 1.0, 1.0), Whole(towards_0, 0.0, 1.0)),  # shifted cells
        (Whole(law, math.nan, 1.0), Whole(law, 0.0, 1.0)),
        (Whole(LAPLACE, 1.0, 1.0), Whole(LAPLACE, 0.0, 1.0)),
    ):
        assert delta_of_whole(first, second) is None
    assert delta_of_whole(Whole(towards_0, 0.0, 1.0), Whole(rounded_law(LAPLACE, "trunc", 1.0, 1.0), 0.0, 1.0))


def test_a_shift_after_rounding_towards_0_has_no_delta_of_a_shift():
    """The cell of 0 is twice as wide, so that a whole shift of the rounded number is no move of the noise."""
    law = rounded_law(LAPLACE, "trunc", 0.0, 1.0)
    assert delta_of_whole(Whole(law, 1.0, 1.0), Whole(law, 0.0, 1.0)) is None
    assert delta_of_whole(Whole(rounded_law(LAPLACE, "trunc", 1.0, 1.0), 2.0, 1.0), Whole(law, 2.0, 1.0)) is not None
    down = rounded_law(LAPLACE, "floor", 0.0, 1.0)
    assert delta_of_whole(Whole(down, 1.0, 1.0), Whole(down, 0.0, 1.0)) is not None


def flipped(bits, rng):
    """Random signs of numbers, as of a vector with one entry that differs."""
    return np.where(np.array(bits) == 1, 1, -1) * (2 * rng.binomial(1, P, size=len(bits)) - 1)


def added(bits, rng):
    return np.array(bits) + rng.binomial(1, P, size=len(bits))


def doubled(bits, rng):
    return (1 + np.array(bits)) * rng.binomial(2, P, size=len(bits))


P = math.exp(0.5) / (1 + math.exp(0.5))
FEW = [
    (flipped, ([1, 0, 0], [0, 1, 0]), 1.0, "explained"),
    (flipped, ([1, 0, 0], [0, 1, 0]), 0.99, "refuted"),
    (flipped, ([1, 0, 0], [0, 1, 1]), 1.0, "refuted"),
    (added, ([1, 0], [0, 0]), 50.0, "refuted"),
    (doubled, ([1, 0], [0, 0]), 50.0, "refuted"),
]


@pytest.mark.parametrize(("mechanism", "pair", "epsilon", "verdict"), FEW)
def test_whole_numbers_of_few_values_have_their_largest_loss(mechanism, pair, epsilon, verdict):
    assert decide(runner(mechanism, pair, epsilon)).verdict == verdict


def test_it_is_that_of_all_values():
    law, other = of_scipy("binom", stats.binom(2, 0.3)), of_scipy("binom", stats.binom(2, 0.6))
    still, none = np.zeros(1), np.zeros(1)
    turned = np.max(np.abs(law.log_density(np.arange(3)) - law.log_density(2 - np.arange(3.0))))
    assert loss_of_few(law, law, np.array([-2.0]), -np.ones(1), none) == pytest.approx(turned)
    assert loss_of_few(law, other, still, np.ones(1), none) == pytest.approx(2 * math.log(7 / 4))
    assert loss_of_few(law, law, still, np.array([0.5]), none) == math.inf
    assert loss_of_few(law, law, np.array([-2.0]), -np.ones(1), np.array([1e-8])) == math.inf
    many = of_scipy("binom", stats.binom(MOST_VALUES, 0.5))
    assert loss_of_few(many, many, still, np.ones(1), none) == math.inf
