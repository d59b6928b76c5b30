"""Losses and bounds of small programs beside closed forms."""

import contextlib
import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.log_ratios import compared
from dpspectra.symbolic.observed_constraints import Unsolved, system
from tests.support.noise_runs import replayed, runner


def terms(mechanism, pair, seed=1):
    record, replay = replayed(mechanism, pair, seed)
    return compared(system(record.tape), system(replay.tape)), record


def loss(mechanism, pair, seed=1):
    found, record = terms(mechanism, pair, seed)
    return sum(t.loss(system(record.tape).y).value for t in found), record


LOCATED = {
    "laplace": (lambda x, rng: x + rng.laplace(scale=2.0), stats.laplace),
    "normal": (lambda x, rng: x + rng.normal(scale=2.0), stats.norm),
    "logistic": (lambda x, rng: x + rng.logistic(scale=2.0), stats.logistic),
    "gumbel": (lambda x, rng: x + rng.gumbel(scale=2.0), stats.gumbel_r),
    "cauchy": (lambda x, rng: x + 2 * rng.standard_cauchy(), stats.cauchy),
}


@pytest.mark.parametrize("name", LOCATED)
def test_losses_are_log_ratios_of_densities(name):
    mechanism, law = LOCATED[name]
    found, record = loss(mechanism, (0.0, 1.5))
    y = record.values[0]
    assert found == pytest.approx(law.logpdf(y, 0, 2) - law.logpdf(y, 1.5, 2), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "bound"),
    [("laplace", 0.75), ("logistic", 0.75), ("cauchy", 2 * math.asinh(0.375)), ("normal", math.inf)],
)
def test_bounds_over_all_outputs(name, bound):
    (term,), _ = terms(LOCATED[name][0], (0.0, 1.5))
    assert term.bound == pytest.approx(bound, rel=1e-12)
    assert term.mu == pytest.approx(0.75 if name == "normal" else math.inf)
    assert (term.move.tolist(), term.scale.tolist()) == ([-1.5], [2.0])
    assert term.law == name


def test_scales_that_differ_have_a_loss_and_no_bound():
    found, record = terms(lambda x, rng: rng.laplace(scale=x), (1.0, 3.0))
    (term,) = found
    y = record.values
    wanted = stats.laplace.logpdf(y[0], scale=1) - stats.laplace.logpdf(y[0], scale=3)
    assert term.loss(y).value == pytest.approx(wanted, abs=1e-12)
    assert math.isinf(term.bound)
    assert math.isinf(term.mu)


def test_what_is_alike_is_no_term():
    def mechanism(x, rng):
        return rng.laplace(), 3 + rng.normal(), x + rng.laplace(), np.cumsum(rng.normal(size=3))

    assert [t.law for t in terms(mechanism, (0.0, 1.0))[0]] == ["laplace"]


def fell_beside_rose(x, rng):
    u = rng.random()
    return -np.log(u), -np.log(1 - u if x else u)


def turned(x, rng):
    angle = 2 * np.pi * rng.random()
    return np.cos(angle), np.cos(angle + x)


def of_another_draw(x, rng):
    z = rng.normal(size=2)
    return z[0], np.exp(z[0] if x else z[1])


def another_product(x, rng):
    radius, angle = np.sqrt(-2 * np.log(rng.random(2))), 2 * np.pi * rng.random(2)
    return radius[0] * np.cos(angle[0]), radius[int(x)] * np.cos(angle[1])


def another_quotient(x, rng):
    u = rng.random(3)
    return np.log(u[0] / u[1]), np.log(u[int(x)] / u[2])


def another_sign(x, rng):
    e, angle = rng.exponential(size=2), np.pi * rng.random(2)
    first, second = e * np.cos(angle)
    return first + second, (1 if x else -1) * second + first


def root_of_another(x, rng):
    u = rng.random()
    e = -np.log(1 - u if x else u)
    return e, np.sqrt(rng.exponential()) * np.cos(2 * np.pi * u)


TOGETHER = fell_beside_rose, turned, of_another_draw, another_product, another_quotient, another_sign, root_of_another


@pytest.mark.parametrize("mechanism", TOGETHER)
def test_numbers_of_the_same_laws_need_not_have_one_law_together(mechanism):
    """Each number has one law on both data sets; together they have not, and the loss of most is infinite."""
    first, second = map(system, (found.tape for found in replayed(mechanism, (0.0, 1.0))))
    with contextlib.suppress(Unsolved):
        assert sum(t.bound for t in compared(first, second)) == math.inf
    assert decide(runner(mechanism, (0.0, 1.0), 5.0, 0.01)).verdict != "explained"


@pytest.mark.parametrize("mechanism", TOGETHER)
def test_the_same_functions_of_the_same_draws_are_alike(mechanism):
    first, second = map(system, (found.tape for found in replayed(mechanism, (1.0, 1.0))))
    assert compared(first, second) == []


def test_alike_is_meant_in_scales_of_the_noise():
    """A difference of 1e-9 is everything where the scale is 1e-10."""
    found, _ = terms(lambda x, rng: x + rng.laplace(scale=1e-10), (0.0, 1e-9))
    assert found[0].bound == pytest.approx(10)


def test_locations_that_are_not_finite_alike_have_no_loss():
    def mechanism(x, rng):
        return rng.normal(loc=np.array([np.inf, np.nan, x]))

    found, _ = loss(mechanism, (0.0, 1.0))
    assert math.isfinite(found)
    assert loss(lambda x, rng: x + rng.normal(), (0.0, np.nan))[0] == math.inf


def test_noise_that_is_used_twice_shows_the_difference():
    def mechanism(x, rng):
        z = rng.laplace(scale=10)
        return z, x + z

    assert loss(mechanism, (0.0, 1e-3))[0] == math.inf
    assert terms(mechanism, (0.0, 0.0))[0] == []


def test_mixed_noise():
    """Two numbers with two shared draws: the inverse of the matrix moves the draws by (3, -2)."""

    def mechanism(x, rng):
        z = rng.laplace(size=2)
        return np.array([[1.0, 1.0], [1.0, 2.0]]) @ z + x * np.array([1.0, -1.0])

    (term,), record = terms(mechanism, (0.0, 1.0))
    z = record.tape.omega()
    wanted = stats.laplace.logpdf(z).sum() - stats.laplace.logpdf(z - np.array([3.0, -2.0])).sum()
    assert term.loss(record.values).value == pytest.approx(wanted, abs=1e-9)
    assert term.bound == pytest.approx(5)


def test_normal_noise_of_any_shape_has_a_distance():
    A = np.array([[2.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    shift = np.array([1.0, -0.5])
    (term,), _ = terms(lambda x, rng: A @ rng.normal(size=3) + x * shift, (0.0, 1.0))
    assert term.mu == pytest.approx(math.sqrt(shift @ np.linalg.solve(A @ A.T, shift)), rel=1e-12)


def test_what_follows_from_other_numbers_adds_nothing():
    def mechanism(x, rng):
        z = x + rng.laplace(size=2)
        return z[0], z[1], z[0] + 2 * z[1]

    found, _record = terms(mechanism, (0.0, 1.0))
    assert sum(t.bound for t in found) == pytest.approx(2)

    def stale(x, rng):
        z = rng.laplace(size=2)
        return x + z[0], z[1], z[0] + 2 * z[1]

    assert loss(stale, (0.0, 1.0))[0] == math.inf


def test_giving_draws_away_bounds_sums_from_above():
    found, record = terms(lambda x, rng: x + rng.laplace(scale=2.0) + rng.normal(), (0.0, 1.0))
    assert found[0].bound == pytest.approx(0.5)
    assert found[0].loss(record.values).value <= 0.5
    two, _ = terms(lambda x, rng: x + rng.laplace(scale=2.0) + rng.laplace(scale=4.0), (0.0, 1.0))
    assert two[0].bound == pytest.approx(0.25)


def test_a_difference_of_exponential_draws_is_laplace_noise():
    (term,), record = terms(lambda x, rng: x + 2 * (rng.exponential() - rng.exponential()), (0.0, 1.0))
    y = record.values[0]
    assert term.bound == pytest.approx(0.5)
    assert term.loss(record.values).value == pytest.approx(abs(y - 1) / 2 - abs(y) / 2, abs=1e-6)
    other, _ = terms(lambda x, rng: x + rng.exponential() - 2 * rng.exponential(), (0.0, 1.0))
    assert math.isinf(other[0].bound)


def test_one_sided_noise_can_be_impossible():
    assert loss(lambda x, rng: x + rng.exponential(scale=1e-6), (0.0, 1.0))[0] == math.inf
    value, _ = loss(lambda x, rng: x + rng.exponential(), (1.0, 0.0))
    assert value == pytest.approx(1)


def test_masses():
    value, record = loss(lambda x, rng: x + rng.poisson(9.0), (1, 0))
    y = record.values[0]
    assert value == pytest.approx(stats.poisson.logpmf(y - 1, 9) - stats.poisson.logpmf(y, 9), abs=1e-9)
    assert loss(lambda x, rng: x + rng.poisson(9.0), (0.5, 0.0))[0] == math.inf
    with pytest.raises(Unsolved, match="discrete noise on one data set"):
        loss(lambda x, rng: rng.poisson(9.0) if x else rng.normal(), (0, 1))


def test_decisions_are_probabilities():
    value, record = loss(lambda x, rng: bool(x + rng.laplace() > 0.5), (0.0, 1.0))
    answers = [math.exp(stats.laplace.logsf(0.5)), math.exp(stats.laplace.logsf(-0.5))]
    p, q = answers if record.leaves["output"] == ("bool", True) else [1 - a for a in answers]
    assert value == pytest.approx(math.log(p / q), abs=1e-9)


def test_comparisons_of_released_numbers_are_no_news():
    def mechanism(x, rng):
        z = x + rng.laplace()
        return z, bool(z > 0.3)

    (term,), _ = terms(mechanism, (0.0, 1.0))
    assert term.bound == pytest.approx(1)

    def before(x, rng):
        z = rng.laplace()
        return x + z, bool(z > 0.3)

    assert math.isinf(terms(before, (0.0, 1.0))[0][0].bound)


def test_locations_too_large_for_floats():
    with pytest.raises(Unsolved, match="too large"):
        loss(lambda x, rng: 1e10 + x + rng.laplace(scale=1e-3), (0.0, 1.0))


def test_other_numbers_of_values():
    record, _replay = replayed(lambda x, rng: rng.normal(size=2), (0.0, 1.0))
    other, _ = replayed(lambda x, rng: rng.normal(size=3), (0.0, 1.0))
    with pytest.raises(Unsolved, match="other numbers of values"):
        compared(system(record.tape), system(other.tape))
