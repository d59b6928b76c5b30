import itertools
import math

import numpy as np
import pytest
from scipy import integrate

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.gumbel_order import log_odds
from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.laws import GUMBEL, LAPLACE
from tests.support.noise_runs import runner


def order_of(places, pairs, scale=1.0, law=GUMBEL):
    """The inequalities that the first of each pair is above the second."""
    C = np.zeros((len(pairs), len(places)))
    for row, (i, j) in enumerate(pairs):
        C[row, i], C[row, j] = scale, -scale
    c = np.array([places[i] - places[j] for i, j in pairs])
    none = np.zeros(0)
    return Part(np.arange(len(places)), [law] * len(places), none, np.zeros((0, len(places))), none, c, C, {})


def of_all(order, places):
    """Plackett and Luce's probability of an order, the first above all others."""
    weights = [math.exp(places[i]) for i in order]
    return math.prod(w / sum(weights[k:]) for k, w in enumerate(weights))


def test_an_order_of_three_has_the_probability_of_its_integral():
    a, b, c = 0.5, -0.25, 1.0

    def density(y):
        below_c, above_a = math.exp(-math.exp(c - y)), -math.expm1(-math.exp(a - y))
        return math.exp(b - y - math.exp(b - y)) * below_c * above_a

    exact, _ = integrate.quad(density, -8, 40)
    assert math.exp(log_odds(order_of((a, b, c), [(0, 1), (1, 2)]))) == pytest.approx(exact, abs=1e-9)
    assert of_all((0, 1, 2), (a, b, c)) == pytest.approx(exact, abs=1e-9)


def test_partial_orders_are_sums_of_orders():
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(300):
        n = int(rng.integers(2, 6))
        places, scale = rng.normal(size=n), float(rng.choice([0.5, 1.0, 3.0]))
        pairs = [p for p in itertools.combinations(rng.permutation(n).tolist(), 2) if rng.random() < 0.6]
        if set(itertools.chain(*pairs)) != set(range(n)):
            continue
        odds = log_odds(order_of(places, pairs, scale))
        if odds is None:
            continue
        orders = [o for o in itertools.permutations(range(n)) if all(o.index(i) < o.index(j) for i, j in pairs)]
        assert math.exp(odds) == pytest.approx(sum(of_all(o, places / scale) for o in orders), abs=1e-12)
        found += 1
    assert found > 50


NO_ORDER = {
    "one below two": order_of((0.0, 1.0, 2.0), [(0, 2), (1, 2)]),
    "other noise": order_of((0.0, 1.0), [(0, 1)], law=LAPLACE),
}


@pytest.mark.parametrize("name", NO_ORDER)
def test_what_is_no_such_order_is_left_to_others(name):
    assert log_odds(NO_ORDER[name]) is None


def test_a_cycle_is_impossible_if_it_is_one_exactly():
    it = order_of((0.0, 1.0, 0.5), [(0, 1), (1, 2), (2, 0)])
    assert log_odds(it) == -math.inf
    it.c[2] += 1e-13
    assert log_odds(it) is None


def test_gaps_that_contradict_each_other_are_left_to_others():
    it = order_of((0.0, 1.0, 2.0), [(0, 1), (1, 2), (0, 2)])
    it.c[2] += 1e-6
    assert log_odds(it) is None
    it = order_of((0.0, 1.0), [(0, 1)])
    it.C[0, 1] = -2.0
    assert log_odds(it) is None


SCORES = ([0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0])


def loss_of_first(count, scale, kept):
    """The largest loss of what is kept of the first ones, by a sum over all orders."""
    law = [{}, {}]
    for scores, found in zip(SCORES, law, strict=True):
        for order in itertools.permutations(range(4)):
            shown = kept(order[:count])
            found[shown] = found.get(shown, 0.0) + of_all(order, [x / scale for x in scores])
    return max(math.log(law[0][k] / law[1][k]) for k in law[0])


def first_two(scale):
    return lambda s, rng: np.argsort(-(np.array(s) + rng.gumbel(0, scale, len(s))))[:2].tolist()


def last_two(scale):
    return lambda s, rng: np.argsort(np.array(s) + rng.gumbel(0, scale, len(s)))[::-1][:2].tolist()


def by_sorted(scale):
    def mechanism(s, rng):
        noisy = [x + rng.gumbel(0, scale) for x in s]
        return sorted(range(len(s)), key=noisy.__getitem__, reverse=True)[:2]

    return mechanism


def set_of_two(scale):
    return lambda s, rng: sorted(np.argsort(-(np.array(s) + rng.gumbel(0, scale, len(s))))[:2].tolist())


def by_method(scale):
    return lambda s, rng: (-np.array(s) - rng.gumbel(0, scale, len(s))).argsort()[:2].tolist()


TOP = {first_two: tuple, last_two: tuple, by_sorted: tuple, by_method: tuple, set_of_two: lambda o: tuple(sorted(o))}


@pytest.mark.parametrize("top", TOP)
def test_the_first_two_lose_what_a_sum_over_all_orders_says(top):
    exact = loss_of_first(2, 4.0, TOP[top])
    assert decide(runner(top(4.0), SCORES, exact + 1e-6)).verdict == "explained"
    assert decide(runner(top(4.0), SCORES, exact * 0.98)).verdict == "refuted"


def with_the_largest(s, rng):
    noisy = np.array(s) + rng.gumbel(0, 4.0, len(s))
    return int(np.argsort(-noisy)[0]), noisy[0]


def shared(s, rng):
    return np.argsort(np.array(s) + rng.gumbel(0, 4.0)).tolist()


def other_scales(s, rng):
    return np.argsort(-np.array(s) - rng.gumbel(0, [4.0, 4.0, 4.0, 4.0 + 2 * s[0]])).tolist()


def scale_of_data(s, rng):
    return np.argsort(-np.array(s) - rng.gumbel(0, 4.0 - 3 * s[0], len(s)))[:2].tolist()


def other_noise(s, rng):
    return np.argsort(-np.array(s) - rng.normal(0, 0.1, len(s)))[:2].tolist()


def smallest_by_gumbel(s, rng):
    return np.argsort(np.array(s) * 2 + rng.gumbel(0, 0.5, len(s)))[:2].tolist()


def twice(s, rng):
    noisy = np.array(s[1:3]) + rng.gumbel(0, 2.0, 2)
    return np.argsort(-noisy).tolist() + np.argsort(-noisy - np.array(s[1:3])).tolist()


@pytest.mark.parametrize(
    "mechanism", [with_the_largest, shared, other_scales, scale_of_data, other_noise, smallest_by_gumbel, twice]
)
def test_other_orders_are_not_explained(mechanism):
    assert decide(runner(mechanism, SCORES, 0.5)).verdict != "explained"
