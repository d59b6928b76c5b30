"""Gaps between the numbers that a running program can give, with numpy's own sampler as the referee."""

import math

import numpy as np
import pytest

from dpspectra.audit import inside
from dpspectra.symbolic.impossible_floats import LATTICE, Single, gap, reached, singles
from tests.support.noise_runs import real, recorded, runner


def at(location, scale):
    """Numbers of a plain sum, and where to look for one of them."""
    number = Single("output", 0, location, scale)
    return (lambda k: location + scale * number.at(k)), number.near


def test_draws_of_numpy_are_never_in_a_gap_of_their_own():
    """All 100,000 of them: a rounding that the formula forgets would leave out a quarter."""
    output, near = at(0.0, 1.0)
    assert all(reached(y, output, near(y)) for y in real(1).laplace(size=100_000).tolist())


@pytest.mark.parametrize(
    ("own", "other", "scale", "most"),
    [(0.0, 1.0, 1.0, 0.8), (1.0, 0.0, 1.0, 0.8), (0.1, 0.2, 0.1, 0.6), (100.0, 101.0, 1.0, 0.01)],
)
def test_gaps_are_where_no_whole_number_near_by_gives_the_number(own, other, scale, most):
    output, near = at(other, scale)
    numbers = (own + scale * real(2).laplace(size=500)).tolist()
    gaps = [not reached(y, output, near(y)) for y in numbers]
    whole = [range(max(1, near(y) - 80), min(LATTICE, near(y) + 80)) for y in numbers]
    assert gaps == [all(output(k) != y for k in some) for y, some in zip(numbers, whole, strict=True)]
    assert np.mean(gaps) == pytest.approx(most, abs=0.06)  # three standard deviations of a share of .8


@pytest.mark.parametrize("scale", [0.5, -0.5])
def test_bisection_is_right_wherever_it_begins(scale):
    output, near = at(3.0, scale)
    for k in (1, 2, 10**6, LATTICE // 2, LATTICE - 5, LATTICE - 1):
        y = output(k)
        for first in (1, near(y), LATTICE // 3, LATTICE - 1):
            assert reached(y, output, first)
            assert not reached(math.nextafter(output(1), -math.inf), output, first)
            assert not reached(math.nextafter(output(LATTICE - 1), math.inf), output, first)


def test_numbers_rise_with_the_number_of_the_draw():
    for scale in (2.0, -2.0):
        output, near = at(1.0, scale)
        places = [1, 5, 10**3, LATTICE // 4, LATTICE // 2, LATTICE - 10**3, LATTICE - 1]
        values = [output(k) for k in places]
        assert values == sorted(values)
        assert [abs(near(output(k)) - k) <= 2 + 1e-12 * k for k in places] == [True] * 7


TAKEN = {
    "a sum": lambda x, rng: x + rng.laplace(scale=2.0),
    "a location": lambda x, rng: rng.laplace(x, 2.0),
    "a difference": lambda x, rng: x - 2.0 * rng.laplace(),
    "the last of several": lambda x, rng: [rng.normal(), rng.laplace() + rng.laplace(), x + rng.laplace(scale=2.0)],
    "an entry": lambda x, rng: np.array([0.0, x]) + np.array([0.0, 2.0]) * rng.laplace(size=2),
    "one of two": lambda x, rng: np.array([0.0, x]) + 2.0 * rng.laplace(size=2),
}
NOT_TAKEN = {
    "normal noise": lambda x, rng: x + rng.normal(),
    "two draws": lambda x, rng: x + rng.laplace() + rng.laplace(),
    "a rounded number": lambda x, rng: round(float(x + rng.laplace()), 3),
    "no noise": lambda x: x,
}


@pytest.mark.parametrize("name", TAKEN)
def test_numbers_that_hold_one_laplace_draw_are_taken(name):
    *_, number = singles(recorded(TAKEN[name], 7.0)).values()
    assert (number.location, abs(number.scale)) == (7.0, 2.0)
    assert (number.scale < 0) is (name == "a difference")


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_others_are_not(name):
    assert not singles(recorded(NOT_TAKEN[name], 7.0))
    assert gap(runner(NOT_TAKEN[name], (0.0, 1.0)), 0) is None


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_explained_in_exact_arithmetic_is_refuted_by_its_bits(name):
    for pair in ((0.0, 1.0), (1.0, 0.0)):
        assert inside(TAKEN[name], pair, 1.0).verdict == "explained"
        found = inside(TAKEN[name], pair, 1.0, bits=True)
        assert found.verdict == "refuted"
        assert "no draw gives, bit for bit" in found.how


def test_delta_covers_no_gaps_of_so_many_numbers():
    assert inside(TAKEN["a sum"], (0.0, 1.0), 1.0, 0.01, bits=True).refuted


SOUND = {
    "a grid": lambda x, rng: float(np.round(x + rng.laplace(scale=2.0), 3)),
    "numbers beyond all gaps": lambda x, rng: 2.0**24 + x + rng.laplace(scale=2.0),
}


@pytest.mark.parametrize("name", SOUND)
def test_what_has_no_gaps_of_its_own_is_not_refuted(name):
    """It fails with probability .001 by chance; the seed is fixed."""
    found = inside(SOUND[name], (0.0, 1.0), 3.0, 0.1, bits=True)
    assert not found.refuted
    assert all("in 0 of" in text for text in found.confirmations)


def test_a_number_that_is_alike_on_both_data_sets_is_not_asked_about():
    found = inside(lambda x, rng: [rng.laplace(), rng.normal(float(x))], (0.0, 1.0), 3.0, 0.1, bits=True)
    assert (found.verdict, found.confirmations) == ("explained", ())


def test_a_lattice_that_is_wrong_refutes_nothing(monkeypatch):
    """Where this machine computes otherwise than the formula says, all numbers are in gaps, of both data sets."""

    def other(k):
        u = k / LATTICE
        return math.log1p(2 * u - 1) if u < 0.5 else -math.log1p(1 - 2 * u)

    monkeypatch.setattr("dpspectra.symbolic.impossible_floats.laplace", other)
    found = inside(lambda x, rng: rng.laplace(x, 2.0), (0.0, 0.5), 1.0, bits=True)
    assert not found.refuted
    assert "on the other data set in" in found.confirmations[0]


def test_gaps_are_looked_for_on_both_sides():
    for side in (0, 1):
        assert gap(runner(next(iter(TAKEN.values())), (0.0, 1.0)), side) is not None
