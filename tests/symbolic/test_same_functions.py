"""Bounds on what rounded numbers lose: the same function of a noisy number on both data sets, and nothing else."""

import itertools
import math

import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.independent_constraints import part
from dpspectra.symbolic.observed_constraints import families, system
from dpspectra.symbolic.same_functions import bounds_of_rounded
from tests.support.noise_runs import real, replayed, runner

EXPLAINED = {
    "a rounded count": (lambda x, rng: round(x + rng.laplace()), (0, 1), 1.0, 0.0),
    "rounded down": (lambda x, rng: math.floor(x + rng.laplace()), (0.3, 1.2), 0.9, 0.0),
    "to the next": (lambda x, rng: np.ceil(x + rng.laplace()), (0.3, 1.2), 0.9, 0.0),
    "a whole number beside it": (lambda x, rng: x + np.rint(rng.laplace()), (0, 1), 1.0, 0.0),
    "two decimals": (lambda x, rng: round(x + rng.laplace(), 2), (0, 1), 1.0, 0.0),
    "hundreds": (lambda x, rng: np.round(x + rng.laplace(scale=100.0), -2), (0, 100), 1.0, 0.0),
    "a dictionary": (
        lambda d, rng: {k: round(v + rng.laplace()) for k, v in d.items()},
        ({1: 2, 3: 4}, {1: 3, 3: 4}),
        1.0,
        0.0,
    ),
    "an array": (lambda v, rng: np.rint(v + rng.laplace(size=9)).astype(int), (np.zeros(9), np.eye(9)[0]), 1.0, 0.0),
    "a sum": (lambda v, rng: sum(round(c + rng.laplace()) for c in v), ([1, 2], [2, 2]), 1.0, 0.0),
    "at least 0, before": (lambda x, rng: round(max(0, x + rng.laplace())), (0, 1), 1.0, 0.0),
    "at least 0, after": (lambda x, rng: max(0, round(x + rng.laplace())), (0, 1), 1.0, 0.0),
    "a range": (lambda x, rng: np.clip(round(x + rng.laplace()), 0, 10), (0, 1), 1.0, 0.0),
    "a threshold": (lambda x, rng: round(x + rng.laplace()) >= 3, (0, 1), 1.0, 0.0),
    "with delta": (lambda x, rng: round(x + rng.laplace(scale=0.95)), (0, 1), 1.0, 0.0152),
    "normal noise": (lambda x, rng: round(x + rng.normal(scale=2.0)), (0, 1), 1.0, 0.00684),
    "geometric noise": (lambda x, rng: x + rng.geometric(0.5) - rng.geometric(0.5), (0, 1), math.log(2), 0.0),
    "geometric noise with delta": (lambda x, rng: x + rng.geometric(0.5) - rng.geometric(0.5), (0, 1), 0.5, 0.12),
    "steps of a half": (lambda x, rng: (x + rng.geometric(0.5) - rng.geometric(0.5)) / 2, (0, 1), math.log(2), 0.0),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_rounding_loses_no_more_than_the_number(name):
    mechanism, pair, epsilon, delta = EXPLAINED[name]
    assert decide(runner(mechanism, pair, epsilon, delta)).verdict == "explained"


@pytest.mark.parametrize("name", ["a rounded count", "a dictionary", "with delta", "normal noise", "geometric noise"])
def test_less_is_refuted_and_the_line_is_named(name):
    mechanism, pair, epsilon, delta = EXPLAINED[name]
    smaller = (epsilon, 0.9 * delta) if delta else (0.9 * epsilon, 0.0)
    found = decide(runner(mechanism, pair, *smaller))
    assert found.verdict == "refuted"
    assert all("test_same_functions.py" in place for place in found.calls)
    assert found.calls


OTHERS = {
    "a scale that follows the data": lambda x, rng: round(x + rng.laplace(scale=1.0 + x)),
    "another way of rounding": lambda x, rng: round(rng.laplace()) if x else math.floor(rng.laplace()),
    "a draw used twice": lambda x, rng: (lambda z: [round(x + z), round(z)])(rng.laplace()),
    "the draw beside it": lambda x, rng: (lambda z: [round(x + z), z])(rng.laplace()),
    "two rounded numbers": lambda x, rng: [round(x + rng.laplace()), round(x + rng.laplace())],
    "a location off the grid": lambda x, rng: 0.25 * x + round(x + rng.laplace()),
    "a shift after rounding towards 0": lambda x, rng: x + np.trunc(rng.laplace()),
    "a seed": lambda x, rng: round(x + np.random.default_rng(7).laplace()),
    "other noise": lambda x, rng: round(x + (rng.laplace() if x else rng.normal())),
    "a bound that follows the data, after": lambda x, rng: max(x, round(x + rng.laplace())),
    "a bound that follows the data, before": lambda x, rng: round(max(x, x + rng.laplace())),
    "a tail": lambda x, rng: (lambda k: k if k < 30 else 1000 + x)(round(x + rng.laplace())),
    "decimals that follow the data": lambda x, rng: round(x + rng.laplace(), 1 + x),
    "a shift by half a step": lambda x, rng: x / 2 + rng.geometric(0.7) - rng.geometric(0.7),
    "one geometric draw": lambda x, rng: x + rng.geometric(0.7),
    "two probabilities": lambda x, rng: x + rng.geometric(0.6) - rng.geometric(0.6 + x / 10),
    "geometric draws used twice": lambda x, rng: (lambda g: [x + g - rng.geometric(0.6), g])(rng.geometric(0.6)),
    "a geometric draw that cancels": lambda x, rng: (lambda g: x + g - g)(rng.geometric(0.6)),
    "a sum of two that move": lambda x, rng: sum(round(x + rng.laplace()) for _ in range(2)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_everything_else_is_not_explained(name):
    assert decide(runner(OTHERS[name], (0, 1), 1.0, seconds=6.0)).verdict != "explained"


@pytest.mark.parametrize("way", [round, math.floor, math.ceil])
def test_the_bound_holds_for_all_cells(way):
    """By brute force: log-ratios of all cells within reach, from distribution functions."""
    from scipy import stats

    low = {round: -0.5, math.floor: 0.0, math.ceil: -1.0}[way]
    for a, b, scale in itertools.product((0.0, 0.4), (0.4, 1.3, -2.0), (0.5, 2.0)):
        first, second = (
            part(one, families(one)[0])
            for one in (system(r.tape) for r in replayed(lambda x, rng, s=scale: way(x + s * rng.laplace()), (a, b)))
        )
        bound, _ = bounds_of_rounded(first, second)
        cells = np.arange(-6, 7) + low
        p, q = (np.diff(stats.laplace(m, scale).cdf(np.append(cells, cells[-1] + 1))) for m in (a, b))
        assert np.max(np.abs(np.log(p / q))) <= bound + 1e-7
        assert bound == pytest.approx(abs(a - b) / scale)


def test_whole_numbers_of_plain_runs_are_tested():
    """Noise that nobody followed is met among plain runs, though the followed law is right."""
    other = real(3)

    def mechanism(x, rng):
        return round(x + rng.laplace()) + (5 if other.bit_generator.random_raw() % 10 == 0 else 0)

    assert decide(runner(mechanism, (0, 1), 1.0)).verdict != "explained"


UNLIKE = {
    "a shift after rounding towards 0": (lambda x, rng: x + np.trunc(rng.laplace()), None),
    "another factor": (lambda x, rng: (1 + x) * np.rint(rng.laplace()), None),
    "another scale": (lambda x, rng: np.rint((1 + x) * rng.laplace()), None),
    "another way": (lambda x, rng: [np.rint, np.floor][x](rng.laplace()), None),
    "another law": (lambda x, rng: np.rint(rng.normal() if x else rng.laplace()), None),
    "half a step": (lambda x, rng: x / 2 + np.rint(rng.laplace()), None),
    "a bound that moves, before": (lambda x, rng: round(max(x - 9, rng.laplace())), None),
    "a bound that moves, after": (lambda x, rng: max(x - 9, round(rng.laplace())), None),
    "a bound that stays, before": (lambda x, rng: round(max(-9, 0.5 * x + rng.laplace())), 0.5),
    "a bound that stays, after": (lambda x, rng: max(-9, round(0.5 * x + rng.laplace())), 0.5),
    "a sum": (lambda x, rng: round(x + rng.laplace()) - 2 * round(x + rng.laplace(scale=4.0)), 1.25),
    "a sum of other scales": (lambda x, rng: round(rng.laplace()) + round((1 + x) * rng.laplace()), None),
}


@pytest.mark.parametrize("name", UNLIKE)
def test_what_is_not_the_same_function_has_no_bound(name):
    """Looked at without the losses that are sampled beside it, which might refuse it for another reason."""
    mechanism, bound = UNLIKE[name]
    record, replay = replayed(mechanism, (0, 1))
    first, second = system(record.tape), system(replay.tape)
    (rows,) = families(first, second)
    found = bounds_of_rounded(part(first, rows), part(second, rows))
    assert (found is None) if bound is None else found[0] == pytest.approx(bound)


def test_a_distance_of_rounded_normal_noise_is_no_exact_delta():
    """Rounding hides some of it: delta at 0.5 is 0.0809 and not 0.1264."""
    found = decide(runner(lambda x, rng: round(0.25 + x / 2 + rng.normal(scale=0.7)), (0, 1), 0.5, 0.09))
    assert found.verdict == "explained"
    assert found.sides[0].mu == pytest.approx(0.5 / 0.7)
    assert found.sides[0].delta == pytest.approx((0.08087, 0.08087), abs=1e-5)
