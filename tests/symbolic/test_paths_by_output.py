"""Paths that give the same output by other decisions, beside laws that are summed on a grid."""

import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic import paths_by_output
from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.hockey_stick import excess, steps_of
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.summing import _law
from tests.support.noise_runs import runner

GRID = np.linspace(-30, 31, 610_001)
STEP = GRID[1] - GRID[0]


def bound(mechanism, pair, epsilon, side=0):
    it = runner(mechanism, pair, epsilon, 0.1)
    with followed_sources():
        return excess(paths_by_output.matched_by_output(_law(it, side), _law(it, 1 - side)), epsilon)


def decided(mechanism, pair, epsilon, delta=0.0):
    return decide(runner(mechanism, pair, epsilon, delta))


def threshold(words, rng):
    counts = {w: words.count(w) for w in words}
    noisy = {w: n + rng.laplace() for w, n in sorted(counts.items())}
    return {w: v for w, v in noisy.items() if v > 1 + math.log(50)}


MANY, FEW = ["a"] * 5 + ["b"], ["a"] * 5


def test_keys_that_depend_on_decisions_have_their_exact_delta():
    """The only output that the other data set cannot give has a key for a word that one person alone has."""
    delta = stats.laplace.sf(math.log(50))
    assert bound(threshold, (MANY, FEW), 1.0) == pytest.approx(delta, rel=1e-9)
    assert decided(threshold, (MANY, FEW), 1.0, delta * (1 + 1e-5)).verdict == "explained"
    assert decided(threshold, (MANY, FEW), 1.0, delta * (1 - 1e-3)).verdict != "explained"


def sampled(x, rng):
    mask = rng.random(len(x)) < 0.2
    return np.sum(x[mask]) + rng.normal()


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("side", [0, 1])
def test_a_sample_of_the_rows_is_bounded_by_its_delta(epsilon, side):
    pair = np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5])
    with_row = 0.8 * stats.norm.pdf(GRID) + 0.2 * stats.norm.pdf(GRID - 1)
    densities = [with_row * 0.8 + 0.2 * np.interp(GRID - 0.5, GRID, with_row)]
    densities.append(0.8 * stats.norm.pdf(GRID) + 0.2 * stats.norm.pdf(GRID - 0.5))
    exact = np.sum(np.maximum(densities[side] - math.exp(epsilon) * densities[1 - side], 0)) * STEP
    assert exact - 1e-6 <= bound(sampled, pair, epsilon, side) < 1


def between(x, rng):
    return rng.uniform(0, x) if rng.random() < x else rng.uniform(x, 1)


def halves(x, rng):
    return rng.uniform(0, x) if rng.random() < 0.5 else rng.uniform(x, 1)


def test_a_uniform_number_of_intervals_of_the_data():
    assert decided(between, (0.25, 0.375), 1e-6).verdict == "explained"
    exact = math.log((0.5 / 0.375) / (0.5 / 0.75))
    assert decided(halves, (0.25, 0.375), exact + 1e-6).verdict == "explained"
    assert decided(halves, (0.25, 0.375), exact - 1e-3).verdict == "refuted"


def a_list_without_end(x, rng):
    return rng.geometric(0.5 if x else 0.25) + rng.uniform() if rng.random() < 0.5 else rng.uniform(0, 1)


def test_a_list_of_cells_that_is_cut_off_bounds_no_loss():
    it = runner(a_list_without_end, (0.0, 1.0))
    with followed_sources():
        mine, theirs = (list(paths_by_output._forms(_law(it, side).paths).values()) for side in (0, 1))
    assert all(len(forms) == 2 for forms in (*mine, *theirs))
    assert paths_by_output._at_once(mine[0], theirs[0]) == math.inf
    assert all(s is not None for s in map(steps_of, mine[0]))


def beyond(x, rng):
    return rng.uniform(0, x) if rng.random() < x else rng.uniform(x, 1 + 0.1 * x)


def with_the_data(x, rng):
    return (rng.uniform(0, x), x) if rng.random() < x else (rng.uniform(x, 1), 0.0)


def other_scale(words, rng):
    return {w: words.count(w) + rng.laplace(scale=len(words)) for w in sorted(set(words)) if rng.random() < 0.5}


def other_threshold(words, rng):
    counts = [(w, words.count(w) + rng.laplace()) for w in sorted(set(words))]
    return {w: v for w, v in counts if v > len(words)}


def same_draw(words, rng):
    z = rng.laplace()
    return {w: words.count(w) + z for w in sorted(set(words)) if words.count(w) + z > 3.0}


WRONG = [
    (beyond, (0.25, 0.375), 5.0),
    (with_the_data, (0.25, 0.375), 5.0),
    (other_scale, (MANY, FEW), 2.0),
    (other_threshold, (MANY, FEW), 1.0),
    (same_draw, (["a"] * 5, ["a"] * 3), 1.0),
]


@pytest.mark.parametrize(("mechanism", "pair", "epsilon"), WRONG)
@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_what_loses_more_is_not_explained(mechanism, pair, epsilon, delta):
    assert decided(mechanism, pair, epsilon, delta).verdict != "explained"
