import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.decision_paths import Path
from dpspectra.symbolic.hockey_stick import alike, of_numbers, of_steps, steps_of
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, LOGISTIC, NORMAL, UNIFORM
from dpspectra.symbolic.single_numbers import Number
from tests.support.noise_runs import recorded, runner

INFINITE = math.inf
PAIRS = {
    "Laplace": (LAPLACE, (0.0, 1.0, -INFINITE, INFINITE), (1.5, 1.0, -INFINITE, INFINITE), stats.laplace),
    "normal": (NORMAL, (0.5, 2.0, -INFINITE, INFINITE), (-1.0, 2.0, -INFINITE, INFINITE), stats.norm),
    "logistic": (LOGISTIC, (0.0, 1.0, -INFINITE, INFINITE), (2.0, 1.0, -INFINITE, INFINITE), stats.logistic),
    "cut off": (LAPLACE, (0.0, 1.0, -4.0, 4.0), (1.0, 1.0, -4.0, 4.0), stats.laplace),
    "cut off at the same values": (LAPLACE, (0.0, 1.0, -4.0, 6.0), (1.0, 1.0, -5.0, 5.0), stats.laplace),
    "cut off elsewhere": (NORMAL, (0.0, 1.0, -1.0, 2.0), (0.5, 1.0, -1.0, 1.0), stats.norm),
    "wider Laplace": (LAPLACE, (0.5, 2.0, -INFINITE, INFINITE), (-1.0, 1.0, -INFINITE, INFINITE), stats.laplace),
    "narrower Laplace": (LAPLACE, (0.5, 1.0, -1.0, INFINITE), (-1.0, 1.5, -2.0, 1.0), stats.laplace),
    "wider normal": (NORMAL, (0.5, 2.0, -INFINITE, INFINITE), (-1.0, 1.0, -INFINITE, INFINITE), stats.norm),
    "narrower normal": (NORMAL, (0.5, 1.0, -1.0, 2.0), (-1.0, 1.5, -INFINITE, INFINITE), stats.norm),
    "apart": (UNIFORM, (0.0, 1.0, -INFINITE, INFINITE), (2.0, 1.0, -INFINITE, INFINITE), stats.uniform),
    "uniform": (UNIFORM, (0.0, 2.0, -INFINITE, INFINITE), (0.5, 2.0, -INFINITE, INFINITE), stats.uniform),
}


@pytest.mark.parametrize("epsilon", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("name", PAIRS)
def test_excess_is_the_integral_of_the_definition(name, epsilon):
    law, first, second, known = PAIRS[name]
    a, b = (Number(law, *x, log=w) for x, w in ((first, math.log(0.8)), (second, math.log(0.6))))

    def density(y, one, weight):
        z = (y - one[0]) / one[1]
        return weight * known.pdf(z) / one[1] if one[2] <= z <= one[3] else 0.0

    excess = [
        max(density(y, first, 0.8) - math.exp(epsilon) * density(y, second, 0.6), 0.0)
        for y in np.arange(-30, 30, 0.01) + 0.005
    ]
    assert of_numbers(a, b, epsilon) == pytest.approx(math.fsum(excess) * 0.01, abs=2e-5)


def test_exact_values():
    free = -INFINITE, INFINITE
    laplace = of_numbers(Number(LAPLACE, 0.0, 1.0, *free), Number(LAPLACE, 1.0, 1.0, *free), 0.5)
    assert laplace == pytest.approx(1 - math.exp(-0.25), abs=1e-12)
    assert of_numbers(Number(LAPLACE, 0.0, 1.0, *free), Number(LAPLACE, 1.0, 1.0, *free), 1.0) == 0
    uniform = of_numbers(Number(UNIFORM, 0.0, 4.0, *free), Number(UNIFORM, 1.0, 4.0, *free), 0.0)
    assert uniform == pytest.approx(0.25, abs=1e-15)
    assert alike(Number(UNIFORM, 0.0, 4.0, *free), Number(UNIFORM, 1.0, 4.0, *free))
    assert not alike(Number(UNIFORM, 0.0, 4.0, *free), Number(UNIFORM, 1.0, 2.0, *free))
    assert not alike(Number(UNIFORM, 0.0, 4.0, *free), Number(NORMAL, 1.0, 4.0, *free))


def test_ends_of_the_noise_that_rounding_moves():
    """By rounding, an end may count as outside of what exponential or uniform noise gives."""
    for move in (0.1, 0.3, 0.7):
        for place in np.linspace(0.1, 2.3, 23):
            here, there = (Number(EXPONENTIAL, x, 0.3, -INFINITE, INFINITE) for x in (place, place + move))
            assert of_numbers(here, there, 0.0) == pytest.approx(1 - math.exp(-move / 0.3), abs=1e-9)
            assert of_numbers(there, here, 0.0) == pytest.approx(1 - math.exp(-move / 0.3), abs=1e-9)
            for scale in (0.9, -0.9):  # the far end is a rounded sum
                here, there = (Number(UNIFORM, x, scale, -INFINITE, INFINITE) for x in (place, place + move))
                assert of_numbers(here, there, 0.0) == pytest.approx(move / 0.9, abs=1e-9)
                assert of_numbers(there, here, 0.0) == pytest.approx(move / 0.9, abs=1e-9)


def test_steps():
    def step(low, high, weight):
        return Number(UNIFORM, low, high - low, -INFINITE, INFINITE, math.log(weight))

    assert of_steps([step(0.0, 1.0, 1.0)], [step(0.5, 1.5, 1.0)], 0.0) == pytest.approx(0.5)
    halves = [step(0.0, 1.0, 0.5), step(1.0, 2.0, 0.5)]
    assert of_steps(halves, [step(0.0, 2.0, 1.0)], 0.0) == 0
    assert of_steps(halves, [step(0.0, 2.0, 0.5)], math.log(1.5)) == pytest.approx(2 * (0.5 - 0.375))


def staircase(x, rng):
    sign = -1 if rng.random() < 0.5 else 1
    whole = rng.geometric(1 - math.exp(-1)) - 1
    inner = rng.random() < 1 / (1 + math.exp(-0.5))
    step = 1 / (1 + math.exp(0.5))
    return x + sign * (whole + (step * rng.random() if inner else step + (1 - step) * rng.random()))


def test_a_staircase_needs_all_of_its_paths():
    assert decide(runner(staircase, (4.0, 5.0), 1.0, 1e-9)).verdict == "explained"
    assert decide(runner(staircase, (4.0, 5.0), 0.99, 1e-9)).verdict != "explained"


def cut(x, rng):
    z = rng.laplace()
    while abs(z) > 6:
        z = rng.laplace()
    return x + z


LOST = (math.exp(-5) - math.exp(-6)) / 2 / (1 - math.exp(-6))
"""Probability that noise cut off at 6 lies within 1 of an end."""


@pytest.mark.parametrize(("share", "verdict"), [(1 + 1e-4, "explained"), (0.99, "undecided")])
def test_noise_that_is_drawn_until_it_fits(share, verdict):
    found = decide(runner(cut, (0.0, 1.0), 1.0, share * LOST))
    assert found.verdict == verdict


@pytest.mark.parametrize(("share", "verdict"), [(1.0, "explained"), (0.9, "refuted")])
def test_one_uniform_number_has_its_exact_delta(share, verdict):
    found = decide(runner(lambda x, rng: x + rng.uniform(-2, 2), (0.0, 1.0), 0.0, share * 0.25))
    assert found.verdict == verdict
    assert found.sides[0].delta == pytest.approx((0.25, 0.25), abs=1e-15)


@pytest.mark.parametrize(("share", "verdict"), [(1.001, "explained"), (0.99, "refuted")])
@pytest.mark.parametrize("name", ["laplace", "normal"])
def test_noise_whose_scale_follows_the_data_has_its_exact_delta(name, share, verdict):
    def mechanism(x, rng):
        return x + (2 - x / 5) * getattr(rng, name)()

    y, known = np.arange(-60, 60, 1e-3), {"laplace": stats.laplace, "normal": stats.norm}[name]
    p, q = known.pdf(y, 0, 2), known.pdf(y, 1, 1.8)
    delta = max(np.maximum(a - math.exp(0.5) * b, 0).sum() * 1e-3 for a, b in ((p, q), (q, p)))
    assert decide(runner(mechanism, (0.0, 1.0), 0.5, share * delta)).verdict == verdict


def test_steps_are_those_of_one_number_alone():
    """Two numbers, or one with a decision on its noise, have no density that is constant on intervals of a line."""

    def step(rng):
        return rng.integers(3) + rng.random()

    def path(mechanism):
        return Path(recorded(mechanism))

    assert steps_of(path(lambda x, rng: step(rng)))
    assert steps_of(path(lambda x, rng: [step(rng), step(rng)])) is None
    both = path(lambda x, rng: (lambda k, u: [k + u, k - u])(rng.integers(3), rng.random()))
    assert steps_of(both) is None


def test_a_number_that_decisions_leave_nothing_of_has_no_mass():
    nothing = Number(UNIFORM, 0.0, 1.0, 1.5, INFINITE)
    assert nothing.ends == (1.5, 1.5)
    assert nothing.mass(*nothing.ends) == 0
    assert of_steps([Number(UNIFORM, 0.0, 2.0, -INFINITE, INFINITE)], [nothing], 0.0) == pytest.approx(1.0)


ROWS = np.array([0.25, 0.0]), np.array([0.25, 1.0])


def clipped(scale):
    return lambda x, rng: np.clip(x + rng.normal(scale=scale, size=2), 0.0, 1.0)


@pytest.mark.parametrize("more", [True, False])
@pytest.mark.parametrize(("epsilon", "edge"), [(1.0, 1.0), (0.25, 0.75)])
def test_numbers_that_are_alike_count_with_their_probability(epsilon, edge, more):
    """Beyond the edge outputs lose more than epsilon; at the upper end, where the ratio is 1.15, all of it does."""
    exact = stats.norm.sf(edge - 1) - math.exp(epsilon) * stats.norm.sf(edge)
    found = decide(runner(clipped(1.0), ROWS, epsilon, exact + (1e-5 if more else -1e-5), seconds=20.0))
    assert (found.verdict == "explained") is more


def test_half_the_noise_of_clipped_numbers_is_refuted_with_its_line():
    found = decide(runner(clipped(0.5), ROWS, 1.0, 0.0688, seconds=20.0))
    assert found.verdict == "refuted"
    assert any("test_hockey_stick.py" in place for place in [*found.calls, *found.findings])


def test_two_numbers_that_differ_are_no_one_number():
    moved = ROWS[0], ROWS[1] + np.array([0.5, 0.0])
    found = decide(runner(clipped(1.0), moved, 1.0, 0.0688, seconds=20.0))
    assert found.verdict != "explained"
