import math

import numpy as np
import pytest

from dpspectra.symbolic import decision_paths
from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.folded_paths import folded
from dpspectra.symbolic.hockey_stick import shown_in, weight
from dpspectra.symbolic.laws import LAPLACE
from dpspectra.symbolic.path_walks import walked
from dpspectra.symbolic.paths_by_output import matched_by_output
from dpspectra.symbolic.tape import FORCED
from tests.support.noise_runs import recorded, runner


def law(mechanism, data):
    return decision_paths.Law(walked(lambda c: recorded(mechanism, data, mode=FORCED, chooser=c.choose)))


def by_sign(x, rng):
    u = rng.uniform(-0.5, 0.5)
    return x - 2 * np.sign(u) * np.log(1 - 2 * np.abs(u))


def by_branch(x, rng):
    u = rng.random()
    return x + 2 * math.log(2 * u) if u < 0.5 else x - 2 * math.log(2 * (1 - u))


def by_copysign(x, rng):
    u = rng.random()
    return x - 2 * math.copysign(1, u - 0.5) * math.log(1 - 2 * abs(u - 0.5))


def by_log1p(x, rng):
    u = rng.random() - 0.5
    return x - 2 * np.copysign(1.0, u) * np.log1p(-2 * np.abs(u))


def by_where(x, rng):
    u = rng.random()
    return x + np.where(u < 0.5, 2 * np.log(2 * u), -2 * np.log(2 * (1 - u)))


def by_choice(x, rng):
    return x + rng.choice([-1, 1]) * rng.exponential(2.0)


def by_bit(x, rng):
    return x + (2 * rng.integers(0, 2) - 1) * rng.exponential(2.0)


def by_comparison(x, rng):
    e = rng.exponential(2.0)
    return x + e if rng.random() < 0.5 else x - e


IDIOMS = by_sign, by_branch, by_copysign, by_log1p, by_where, by_choice, by_bit, by_comparison


@pytest.mark.parametrize("mechanism", IDIOMS)
def test_idioms_are_one_laplace_draw(mechanism):
    whole = law(mechanism, 3.0)
    (one,) = folded(whole.paths, max)
    (number,) = shown_in(one)
    assert number.law is LAPLACE
    assert (number.mu, number.scale, weight(one)) == pytest.approx((3, 2, 0), abs=1e-12)
    for y in np.random.default_rng(1).normal(3, 5, 40):  # the sum over paths, which knows nothing of folds
        summed, _, _ = whole.at(whole.runs[0].leaves, np.array([y]))
        assert summed == pytest.approx(-abs(y - 3) / 2 - math.log(4), abs=1e-9)


@pytest.mark.parametrize("mechanism", IDIOMS)
@pytest.mark.parametrize(("epsilon", "verdict"), [(0.5, "explained"), (0.49, "refuted")])
def test_and_have_its_loss(mechanism, epsilon, verdict):
    assert decide(runner(mechanism, (0.0, 1.0), epsilon)).verdict == verdict


@pytest.mark.parametrize("mechanism", [by_copysign, by_log1p, by_where])
@pytest.mark.parametrize(("epsilon", "verdict"), [(0.5, "explained"), (0.49, "refuted")])
def test_and_keep_it_where_they_are_cut_off(mechanism, epsilon, verdict):
    assert decide(runner(lambda x, rng: max(0.0, mechanism(x, rng)), (3.0, 4.0), epsilon)).verdict == verdict


def test_several_numbers_are_folded_one_by_one():
    def mechanism(x, rng):
        return [by_choice(x, rng), by_sign(-x, rng)]

    ((_, _, bound),) = matched_by_output(law(mechanism, 0.0), law(mechanism, 1.0), fold=True)
    assert bound == pytest.approx(1.0, abs=2e-9)


def test_a_sign_of_normal_noise_changes_nothing():
    def mechanism(x, rng):
        return x + rng.choice([-1, 1]) * abs(rng.normal(scale=2.0))

    exact = 0.5 * math.erfc((0.5 / 2 * -1 + 2 * 0.5) / math.sqrt(2)) - math.exp(0.5) * 0.5 * math.erfc(
        (0.5 / 2 + 2 * 0.5) / math.sqrt(2)
    )
    assert decide(runner(mechanism, (0.0, 1.0), 0.5, exact * (1 + 1e-5))).verdict == "explained"
    assert decide(runner(mechanism, (0.0, 1.0), 0.5, exact * 0.99)).verdict != "explained"


def two_scales(x, rng):
    return x + (2.0 if rng.random() < 0.5 else 4.0) * rng.choice([-1, 1]) * rng.exponential()


def test_scales_of_paths_may_differ_where_they_are_the_same_on_both_data_sets():
    both = [law(two_scales, x) for x in (0.0, 1.0)]
    folds = [folded(one.paths, choice) for one, choice in zip(both, (max, min), strict=True)]
    assert [sorted(shown_in(p)[0].scale for p in paths) for paths in folds] == [[2, 4], [2, 4]]
    assert max(bound for _, _, bound in matched_by_output(both[0], both[1], fold=True)) == pytest.approx(0.5, abs=2e-9)
    grid = np.linspace(-60, 60, 200_001)
    first, second = (np.exp(-abs(grid - x) / 2) / 8 + np.exp(-abs(grid - x) / 4) / 16 for x in (0, 1))
    largest = float(np.max(np.log(first / second)))
    assert 0.4 < largest < 0.5
    assert decide(runner(two_scales, (0.0, 1.0), 0.5)).verdict == "explained"
    assert decide(runner(two_scales, (0.0, 1.0), largest * 0.9)).verdict == "refuted"


@pytest.mark.parametrize(("place", "scale"), [(1e300, 1e-5), (1e300, 1e-305), (0.0, 1e-320)])
def test_numbers_that_floats_cannot_tell_apart_are_not_explained(place, scale):
    def mechanism(x, rng):
        return [place * x + rng.choice([-1, 1]) * rng.exponential(scale), x + by_choice(0.0, rng)]

    assert decide(runner(mechanism, (0.0, 1.0), 0.3)).verdict != "explained"


def scales_of_paths_by_data(x, rng):
    return x + (2.0 if rng.random() < 0.5 + x / 5 else 4.0) * rng.choice([-1, 1]) * rng.exponential()


def threshold_of_data(x, rng):
    u = rng.random()
    return x + 2 * math.log(2 * u) if u < 0.5 + x / 10 else x - 2 * math.log(2 * (1 - u))


def one_uniform_for_two(x, rng):
    u = rng.uniform(-0.5, 0.5)
    noise = np.sign(u) * np.log(1 - 2 * np.abs(u))
    return x / 4 - 2 * noise, 2 * noise


def sign_of_the_size(x, rng):
    u = rng.random()
    return x + (2 if u > 0.5 else -2) * -np.log(u if x else 1 - u)


def unfair(x, rng):
    return x + (1 if rng.random() < 0.49 else -1) * rng.exponential(2.0)


def unfair_by_data(x, rng):
    return x + (1 if rng.random() < 0.5 + x / 100 else -1) * rng.exponential(2.0)


def scales_of_the_signs(x, rng):
    return x + (rng.exponential(2.0) if rng.random() < 0.5 else -rng.exponential(2.1))


def places_of_the_signs(x, rng):
    return x + (rng.exponential(2.0) if rng.random() < 0.5 else -1e-6 - rng.exponential(2.0))


def scale_of_data(x, rng):
    return rng.choice([-1, 1]) * rng.exponential(2.0 + x / 10)


def one_sign_for_two(x, rng):
    sign = rng.choice([-1, 1])
    return x + sign * rng.exponential(4.0), x + sign * rng.exponential(4.0)


def sign_of_another(x, rng):
    sign = rng.choice([-1, 1])
    return x + sign * rng.exponential(2.0), sign * rng.exponential(2.0)


def sign_beside(x, rng):
    sign = int(rng.choice([-1, 1]))
    return x + sign * rng.exponential(2.0), sign


def size_beside(x, rng):
    size = rng.exponential(2.0)
    return x + rng.choice([-1, 1]) * size, size


def without_two(x, rng):
    u = rng.uniform(-0.5, 0.5)
    return x - 2 * np.sign(u) * np.log(1 - np.abs(u))


def not_centred(x, rng):
    u = rng.uniform(-0.5, 0.5) + 0.01
    return x - 2 * np.sign(u) * np.log(1.02 - 2 * np.abs(u))


def cut_off(x, rng):
    return x + rng.choice([-1, 1]) * min(rng.exponential(2.0), 3.0)


def chosen_by_data(x, rng):
    return x + (rng.choice([-1, 1]) if x else 1) * rng.exponential(2.0)


NO_LAPLACE = (
    scales_of_paths_by_data,
    threshold_of_data,
    one_uniform_for_two,
    sign_of_the_size,
    unfair,
    unfair_by_data,
    scales_of_the_signs,
    places_of_the_signs,
    scale_of_data,
    one_sign_for_two,
    sign_of_another,
    sign_beside,
    size_beside,
    without_two,
    not_centred,
    cut_off,
    chosen_by_data,
)


@pytest.mark.parametrize("mechanism", NO_LAPLACE)
def test_what_is_no_laplace_draw_is_not_explained(mechanism):
    """Each loses more than 1/2, most of them infinitely much."""
    assert decide(runner(mechanism, (0.0, 1.0), 0.5)).verdict in ("refuted", "undecided", "exceeded")
