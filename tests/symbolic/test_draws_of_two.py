import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.functions_of_noise import FUNCTION
from dpspectra.symbolic.laws import LAPLACE, NORMAL, RATIO, ROOTED, TURN, UNIFORM
from dpspectra.symbolic.observed_constraints import Unsolved
from tests.support.noise_runs import log_density, recorded, runner


def box_muller(rng, turn=np.cos):
    return np.sqrt(-2 * np.log(rng.random())) * turn(2 * np.pi * rng.random())


def by_math(rng):
    radius = math.sqrt(-2.0 * math.log(1.0 - rng.random()))
    return math.sin(2.0 * math.pi * rng.random()) * radius


MADE = {
    "a cosine": (box_muller, NORMAL, stats.norm()),
    "a sine": (lambda rng: box_muller(rng, np.sin), NORMAL, stats.norm()),
    "functions of math": (by_math, NORMAL, stats.norm()),
    "another phase": (
        lambda rng: np.sqrt(rng.exponential()) * np.cos(rng.uniform(-math.pi, math.pi)),
        NORMAL,
        stats.norm(scale=math.sqrt(0.5)),
    ),
    "a quotient": (lambda rng: 3 * np.log(rng.random() / rng.random()), LAPLACE, stats.laplace(scale=3)),
    "of complements": (lambda rng: math.log((1 - rng.random()) / (1 - rng.random())), LAPLACE, stats.laplace()),
    "of other widths": (
        lambda rng: math.log(2 * rng.random() / rng.uniform(0, 5)),
        LAPLACE,
        stats.laplace(math.log(0.4)),
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_densities_are_exact(name):
    function, law, wanted = MADE[name]
    found = recorded(lambda data, rng: function(rng))
    assert not found.hidden
    assert found.tape.blocks[-1].law is law
    assert log_density(found) == pytest.approx(wanted.logpdf(found.values[0]), abs=1e-12)


@pytest.mark.parametrize("law", [RATIO, ROOTED, TURN])
def test_laws_have_their_density_and_their_tails(law):
    """Each against 100,000 draws: a share is off by 0.008 with probability below 1e-6; the seed is fixed."""
    z = law.sample(np.random.default_rng(1), 100_000)
    for edge in (-0.6, 0.3, 0.9, 1.7):
        share = float(np.mean(z < edge))
        with np.errstate(all="ignore"):
            assert math.exp(law.lower(edge)) == pytest.approx(share, abs=0.008)
            assert math.exp(law.upper(edge)) == pytest.approx(1 - share, abs=0.008)
    low, high = max(law.support[0], -0.6), min(law.support[1], 0.9)
    mass, _ = integrate.quad(lambda y: math.exp(law.log_density(y)), low, high)
    assert mass == pytest.approx(math.exp(law.lower(high)) - math.exp(law.lower(low)), abs=1e-8)


OTHERS = {
    "less than a turn": lambda rng: np.cos(6 * rng.random()),
    "more than a turn": lambda rng: np.sin(6.3 * rng.random()),
    "a quotient of one number": lambda rng: (lambda u: u / u)(rng.random()),
    "a quotient away from 0": lambda rng: rng.uniform(1, 2) / rng.random(),
    "a quotient of normal numbers": lambda rng: rng.normal() / rng.normal(),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_numbers_have_no_law_of_their_own(name):
    found = recorded(lambda data, rng: OTHERS[name](rng))
    assert found.tape.functions
    assert {b.law for b in found.tape.blocks} <= {UNIFORM, NORMAL, FUNCTION}


def both_of_one(x, rng):
    radius, angle = np.sqrt(-2 * np.log(rng.random())), 2 * np.pi * rng.random()
    return x + radius * np.cos(angle), x + radius * np.sin(angle)


def radius_beside(x, rng):
    radius = np.sqrt(-2 * np.log(rng.random()))
    return x + radius * np.cos(2 * np.pi * rng.random()), radius


def angle_beside(x, rng):
    v = rng.random()
    return x + np.sqrt(-2 * np.log(rng.random())) * np.cos(2 * np.pi * v), v


def divisor_beside(x, rng):
    v = rng.random()
    return x + np.log(rng.random() / v), v


@pytest.mark.parametrize("mechanism", [both_of_one, radius_beside, angle_beside, divisor_beside])
def test_what_a_draw_was_made_of_is_no_other_noise(mechanism):
    with pytest.raises(Unsolved, match="function"):
        log_density(recorded(mechanism, 0.0))
    assert decide(runner(mechanism, (0.0, 1.0), 1.0, 0.9)).verdict != "explained"


def scale_of_data(x, rng):
    return (1 + x / 10) * math.log(rng.random() / rng.random())


def width_of_data(x, rng):
    return math.log((1 + 2 * x) * rng.random() / rng.random())


def one_divisor(x, rng):
    v = rng.random()
    return x / 4 + math.log(rng.random() / v), x / 4 + math.log(rng.random() / v)


def angle_of_data(x, rng):
    return x + np.sqrt(-2 * np.log(rng.random())) * np.cos((2 - x) * np.pi * rng.random())


@pytest.mark.parametrize("mechanism", [scale_of_data, width_of_data, one_divisor, angle_of_data])
def test_what_loses_more_is_not_explained(mechanism):
    assert decide(runner(mechanism, (0.0, 1.0), 1.0)).verdict != "explained"


def test_losses_are_those_of_the_law():
    def ratio(x, rng):
        return x + 2 * math.log(rng.random() / rng.random())

    def widths(x, rng):
        return x + math.log(2 * rng.random() / rng.uniform(0, 5))

    def normal(x, rng):
        return x + box_muller(rng)

    exact = stats.norm.cdf(0.5 - 1) - math.e * stats.norm.cdf(-0.5 - 1)
    assert decide(runner(ratio, (0.0, 1.0), 0.5)).verdict == "explained"
    assert decide(runner(ratio, (0.0, 1.0), 0.49)).verdict == "refuted"
    assert decide(runner(widths, (0.0, 1.0), 1.0)).verdict == "explained"
    assert decide(runner(normal, (0.0, 1.0), 1.0, exact * (1 + 1e-5))).verdict == "explained"
    assert decide(runner(normal, (0.0, 1.0), 1.0, exact * 0.99)).verdict == "refuted"
