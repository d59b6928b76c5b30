"""Laws of loops that redraw, beside closed forms and sums over rounds."""

import contextlib
import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.rejected_rounds import NewRound
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.summing import _law
from dpspectra.symbolic.tape import FORCED
from tests.support.noise_runs import runner


def law(mechanism, pair=(0.5, 1.0), side=0):
    it = runner(mechanism, pair)
    with followed_sources():
        return _law(it, side), it.record(side)


def decided(mechanism, pair, epsilon, delta=0.0):
    return decide(runner(mechanism, pair, epsilon, delta, seconds=8.0))


def truncated(x, rng):
    while True:
        v = x + rng.laplace(scale=2.0)
        if 0 <= v <= 10:
            return v


def until_it_fits(x, rng):
    v = -1.0
    while not 0 <= v <= 10:
        v = x + rng.laplace(scale=2.0)
    return v


def drawn_before(x, rng):
    v = x + rng.laplace(scale=2.0)
    while v < 0 or v > 10:
        v = x + rng.laplace(scale=2.0)
    return v


def kept(x):
    """Probability that a round is kept."""
    return stats.laplace.cdf(10, x, 2) - stats.laplace.cdf(0, x, 2)


@pytest.mark.parametrize(("mechanism", "paths"), [(truncated, 1), (until_it_fits, 1), (drawn_before, 3)])
def test_a_number_that_is_redrawn_has_the_density_given_its_bounds(mechanism, paths):
    found, record = law(mechanism)
    assert (len(found.runs), found.rest) == (paths, 0.0)
    at = found.at(record.leaves, np.array([3.25]))
    assert at[0] == pytest.approx(stats.laplace.logpdf(3.25, 0.5, 2) - math.log(kept(0.5)), abs=1e-9)


@pytest.mark.parametrize("mechanism", [truncated, until_it_fits, drawn_before])
def test_its_loss_is_that_of_both_normalised_densities(mechanism):
    exact = 0.5 + abs(math.log(kept(5) / kept(4)))
    assert decided(mechanism, (4.0, 5.0), exact + 1e-6).verdict == "explained"
    assert decided(mechanism, (0.0, 2.0), 1.0).verdict == "refuted"
    assert decided(mechanism, (0.0, 2.0), 1 + math.log(kept(2) / kept(0)) + 1e-6).verdict == "explained"


def two_of_them(x, rng):
    return [truncated(v, rng) for v in x]


def test_two_loops_have_the_product_of_their_densities():
    found, record = law(two_of_them, ([0.5, 2.0], [0.5, 3.0]))
    at = found.at(record.leaves, np.array([3.0, 0.25]))
    wanted = stats.laplace.logpdf([3.0, 0.25], [0.5, 2.0], 2) - np.log([kept(0.5), kept(2.0)])
    assert at[0] == pytest.approx(float(np.sum(wanted)), abs=1e-9)


def fair(x, rng):
    while True:
        first, second = rng.random() < x, rng.random() < x
        if first and not second:
            return "heads"
        if second and not first:
            return "tails"


def test_a_fair_coin_of_two_tosses():
    found, _ = law(fair, (0.2, 0.7))
    assert [math.exp(v) for v, _ in found.masses().values()] == pytest.approx([0.5, 0.5], abs=1e-9)
    assert decided(fair, (0.2, 0.7), 1e-6).verdict == "explained"


def afterwards(x, rng):
    first = rng.random() < 0.25
    while True:
        u = rng.random()
        keep = rng.random() < (0.125 if first else 0.5) + 0.25 * x
        if keep:
            break
    return bool(first), bool(u < x), bool(rng.laplace() > x)


def by_rounds(x, rounds=2000):
    """Masses of the outputs, summed over rounds."""
    found = {}
    for first in (True, False):
        keep = (0.125 if first else 0.5) + 0.25 * x
        reach = sum((1 - keep) ** k * keep for k in range(rounds)) * (0.25 if first else 0.75)
        for low in (True, False):
            for above in (True, False):
                tail = stats.laplace.sf(x)
                found[first, low, above] = reach * (x if low else 1 - x) * (tail if above else 1 - tail)
    return found


def test_decisions_before_in_and_after_a_loop():
    found, _ = law(afterwards)
    wanted = by_rounds(0.5)
    for leaves, (v, _) in found.masses().items():
        values = tuple(leaf[1] for path, leaf in leaves if "[" in path)
        assert math.exp(v) == pytest.approx(wanted[values], abs=1e-9)


def by_the_data(x, rng):
    while True:
        v = rng.laplace()
        if rng.random() < (0.5 if v > x else 0.25):
            return bool(v > 0)


def test_what_is_kept_by_the_data_shows_them():
    def chance(x):
        above, below = stats.laplace.sf(x), stats.laplace.cdf(x)
        keep = above / 2 + below / 4
        return (above / 2 + (0.5 - above) / 4) / keep

    exact = max(abs(math.log(chance(0) / chance(1))), abs(math.log((1 - chance(0)) / (1 - chance(1)))))
    assert decided(by_the_data, (0.0, 1.0), exact + 1e-6).verdict == "explained"
    assert decided(by_the_data, (0.0, 1.0), exact - 1e-3).verdict == "refuted"


def shared_threshold(x, rng):
    threshold = rng.laplace()
    while True:
        v = x + rng.laplace()
        if v > threshold:
            return threshold


def shared_function(x, rng):
    u = rng.random()
    while True:
        v = rng.laplace() - math.log(u)
        if v < 1:
            return x + rng.laplace()


@pytest.mark.parametrize(("mechanism", "cut"), [(truncated, True), (shared_threshold, False), (shared_function, False)])
def test_a_round_that_asks_for_noise_of_before_is_not_left_behind(mechanism, cut):
    """Three rounds are rejected, and the fourth is accepted, unless the run is ended after the first."""
    it, answers = runner(mechanism, (0.5, 1.0)), iter([0, 0, 0, 1, 1, 1])
    with followed_sources(), pytest.raises(NewRound) if cut else contextlib.nullcontext():
        it.run(0, mode=FORCED, chooser=lambda tape, event, j: next(answers))
    assert next(answers, 1) == (0 if cut else 1)


def counted(x, rng):
    n = 0
    while True:
        n = n + 1
        if rng.random() < 0.5 + 0.1 * x:
            return n


def other_at_round_7(x, rng):
    n = 0
    while True:
        n = n + 1
        v = rng.laplace() + (x if n == 7 else 0.0)
        if v > 0.5:
            return v


def bumped(counts=[0]):  # noqa: B006 - it counts its calls
    counts[0] += 1
    return counts[0] % 7


def by_a_call(x, rng):
    while True:
        v = rng.laplace() + (x if bumped() == 0 else 0.0)
        if v > 0.5:
            return v


def several_looks_at_once(x, rng):
    while True:
        n = max(rng.random(), 0.5, float(x))
        if rng.laplace() > n:
            return 1e3 * x + rng.laplace()


def never(x, rng):
    while True:
        u = rng.random()
        if u < 0:
            return 0.0


def not_enough_noise(x, rng):
    while True:
        v = 3 * x + rng.laplace()
        if v > 0:
            return v


LOSE = [
    shared_threshold,
    shared_function,
    counted,
    other_at_round_7,
    by_a_call,
    several_looks_at_once,
    never,
    not_enough_noise,
]


@pytest.mark.parametrize("mechanism", LOSE, ids=lambda f: f.__name__)
def test_what_loses_more_or_leaves_something_behind_is_not_explained(mechanism):
    assert decided(mechanism, (0.0, 1.0), 0.125).verdict != "explained"


def test_where_lists_of_outcomes_have_no_end_all_rounds_are_walked():
    def whole(x, rng):
        while True:
            k = math.floor(x + rng.laplace())
            if rng.random() < 0.75:
                return k

    found = decided(whole, (0.0, 1.0), 1.0, 1e-3)
    assert found.verdict in ("explained", "undecided")
