import math
import statistics

import numpy as np
import pytest
from scipy import special, stats

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.laws import LOGISTIC, NORMAL
from dpspectra.symbolic.observed_constraints import Unsolved
from tests.support.noise_runs import log_density, recorded, runner

LAWS = {
    "ndtri": (lambda rng: special.ndtri(rng.random()), stats.norm()),
    "of the complement": (lambda rng: special.ndtri(1 - rng.random()), stats.norm()),
    "norm.ppf": (lambda rng: stats.norm.ppf(rng.random(), loc=2.0, scale=3.0), stats.norm(2, 3)),
    "a frozen law": (lambda rng: stats.laplace(1.0, 2.0).ppf(rng.random()), stats.laplace(1, 2)),
    "norm.isf": (lambda rng: stats.norm.isf(rng.random()), stats.norm()),
    "a law with a shape": (lambda rng: stats.t.ppf(rng.random(), 3.0), stats.t(3)),
    "a falling one with a shape": (
        lambda rng: stats.gamma.isf(rng.random(), 2.5, scale=2.0),
        stats.gamma(2.5, scale=2),
    ),
    "NormalDist": (lambda rng: statistics.NormalDist(1.0, 2.0).inv_cdf(rng.random()), stats.norm(1, 2)),
    "erfinv": (lambda rng: math.sqrt(2) * special.erfinv(2 * rng.random() - 1), stats.norm()),
    "logit": (lambda rng: special.logit(rng.random()), stats.logistic()),
    "arctanh": (lambda rng: 2 * np.arctanh(rng.uniform(-1, 1)), stats.logistic()),
    "atanh": (lambda rng: 2 * math.atanh(2 * rng.random() - 1), stats.logistic()),
}


@pytest.mark.parametrize("name", LAWS)
def test_densities_are_exact(name):
    function, law = LAWS[name]
    found = recorded(lambda data, rng: function(rng))
    assert not found.hidden
    assert log_density(found) == pytest.approx(law.logpdf(found.values[0]), abs=1e-9)


def test_known_laws_are_known_again():
    for function, law in ((special.ndtri, NORMAL), (special.logit, LOGISTIC)):
        found = recorded(lambda data, rng, function=function: function(rng.random(2)))
        assert [b.law for b in found.tape.blocks[1:]] == [law, law]


@pytest.mark.parametrize("name", ["ndtri", "norm.ppf", "NormalDist"])
def test_decisions_are_told_of_the_uniform_number(name):
    found = recorded(lambda data, rng: bool(LAWS[name][0](rng) > 1))
    exact = LAWS[name][1].sf(1)
    assert log_density(found) == pytest.approx(math.log(exact if found.leaves["output"][1] else 1 - exact), abs=1e-9)


NO_QUANTILE = {
    "a part of the range": lambda rng: special.ndtri(rng.uniform(0.1, 0.9)),
    "beyond the range": lambda rng: special.ndtri(rng.uniform(-0.1, 1.0)),
    "half of it": lambda rng: special.erfinv(rng.random()),
    "no uniform number": lambda rng: special.ndtri(rng.exponential()),
    "a sum": lambda rng: special.ndtri((rng.random() + rng.random()) / 2),
    "a part of it by scipy": lambda rng: stats.norm.ppf(0.5 + rng.random() / 2),
    "a scale that is no scale": lambda rng: stats.norm.ppf(rng.random(), scale=-1.0),
}


@pytest.mark.parametrize("name", NO_QUANTILE)
def test_other_numbers_are_looked_at(name):
    assert [e.kind for e in recorded(lambda data, rng: NO_QUANTILE[name](rng)).hidden] == ["value"]


def test_a_uniform_number_beside_its_quantile_is_no_other_noise():
    def mechanism(x, rng):
        u = rng.random()
        return x + special.ndtri(u), u

    with pytest.raises(Unsolved, match="beside a function of it"):
        log_density(recorded(mechanism, 0.0))


def decided(mechanism, epsilon=1.0):
    return decide(runner(mechanism, (0.0, 1.0), epsilon)).verdict


def test_losses_are_those_of_the_law():
    assert decided(lambda x, rng: stats.laplace.ppf(rng.random(), x, 2.0), 0.5) == "explained"
    assert decided(lambda x, rng: stats.laplace.ppf(rng.random(), x, 2.0), 0.49) == "refuted"
    assert decided(lambda x, rng: stats.logistic.isf(rng.random(), x)) == "explained"


def used_again(x, rng):
    u = rng.random()
    return x + stats.laplace.ppf(u), stats.laplace.ppf(u)


def scale_of_data(x, rng):
    return stats.laplace.ppf(rng.random(), scale=1.0 + x / 10)


def range_of_data(x, rng):
    return stats.laplace.ppf(rng.random() * (1 - x / 10))


def shown_by_half(x, rng):
    u = rng.random()
    return x + stats.laplace.ppf(u), bool(u > 0.5)


def range_beyond_by_data(x, rng):
    return special.ndtri(rng.random() if x else 1 - rng.random() / 2)


def fell_beside_rose(x, rng):
    u = rng.random()
    return stats.laplace.ppf(u), stats.laplace.isf(u) if x else stats.laplace.ppf(u)


class Halved(type(stats.laplace)):  # type: ignore[misc]
    def _ppf(self, q):
        return super()._ppf(q) / 2

    def _rvs(self, size=None, random_state=None):
        return random_state.laplace(size=size) / 2


SUBCLASS, REPLACED = Halved(name="laplace"), type(stats.laplace)(name="laplace")
REPLACED._ppf = lambda q: stats.laplace.ppf(q) / 2


def by_a_subclass(x, rng):
    return x + SUBCLASS.ppf(rng.random())


def drawn_by_a_subclass(x, rng):
    return x + SUBCLASS.rvs(random_state=rng)


def by_a_replaced_method(x, rng):
    return x + REPLACED.ppf(rng.random())


class Wide(statistics.NormalDist):
    stdev = 1.0


def by_a_wide_name(x, rng):
    return x / 4 + Wide(0.0, 0.1).inv_cdf(rng.random())


MORE = (
    used_again,
    scale_of_data,
    range_of_data,
    shown_by_half,
    range_beyond_by_data,
    fell_beside_rose,
    by_a_subclass,
    drawn_by_a_subclass,
    by_a_replaced_method,
)


def test_a_standard_deviation_is_that_of_the_numbers():
    found = decide(runner(by_a_wide_name, (0.0, 1.0), 1.0, 0.1))  # the true delta is 0.77
    assert found.verdict == "refuted"


@pytest.mark.parametrize("mechanism", MORE)
def test_what_loses_more_is_not_explained(mechanism):
    assert decided(mechanism) != "explained"


GRID = np.linspace(-30, 30, 600_001) + 1e-7


def exceeding(first, second, epsilon):
    """Delta of two densities on the grid, an array for each value of what is shown beside."""
    step = GRID[1] - GRID[0]
    excess = [np.maximum(p - math.exp(epsilon) * q, 0).sum() * step for p, q in zip(first, second, strict=True)]
    return sum(excess)


def normal_and_side(threshold, x, rng=None):
    if rng is not None:
        u = rng.random()
        return x + 2 * special.ndtri(u), bool(u < threshold)
    below = (GRID - x) / 2 < special.ndtri(threshold)
    density = stats.norm.pdf(GRID, x, 2)
    return density * below, density * ~below


def laplace_and_side(threshold, x, rng=None):
    if rng is not None:
        u = rng.random()
        return x + stats.laplace.isf(u), bool(u < threshold)
    above = GRID - x > stats.laplace.isf(threshold)
    density = stats.laplace.pdf(GRID, x)
    return density * above, density * ~above


@pytest.mark.parametrize("shown", [normal_and_side, laplace_and_side])
@pytest.mark.parametrize("moves", [0.0, 0.1])
def test_a_side_of_the_uniform_number_shows_what_the_integral_says(shown, moves):
    both = [shown(0.3 + moves * x, x) for x in (0.0, 1.0)]
    exact = max(exceeding(*both, 1.0), exceeding(*both[::-1], 1.0))

    def mechanism(x, rng):
        return shown(0.3 + moves * x, x, rng)

    assert decide(runner(mechanism, (0.0, 1.0), 1.0, exact * 1.003)).verdict == "explained"
    assert decide(runner(mechanism, (0.0, 1.0), 1.0, exact * 0.99)).verdict != "explained"
