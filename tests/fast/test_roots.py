"""Bisection in both arithmetics: where a condition ceases to hold, large, small or at an end."""

import math

import pytest
from mpmath import mp

from dpspectra.fast import roots as fast
from dpspectra.oracle import roots as oracle

PLACES = [1.0, 1.5, 0.75, 1e6, 3e-9, 2.0**40]


@pytest.mark.parametrize("place", PLACES)
def test_both_arithmetics_find_the_place(place):
    low, high = fast.bisect(lambda x: x < place, *fast.bracket(lambda x: x < place), relative=1e-12)
    assert low <= place <= high <= low * (1 + 2e-12)
    with mp.workdps(40):
        low, high = oracle.bisect(lambda x: x < place, *oracle.bracket(lambda x: x < place))
        assert low <= place <= high <= low * (1 + 2 * mp.eps)


def test_what_holds_nowhere_ends_at_the_absolute_length():
    low, high = fast.bisect(lambda x: False, *fast.bracket(lambda x: False), relative=0.0, absolute=1e-6)
    assert low == 0
    assert 0 < high <= 1e-6


@pytest.mark.parametrize("place", [2, 3, 8, 9, 1000])
def test_first_integer(place):
    assert fast.first_integer(lambda n: n < place, 1) == place


def test_root():
    assert fast.root(lambda x: x * x - 2, 0.0, 2.0) == pytest.approx(math.sqrt(2), rel=1e-14)
    assert fast.root(lambda x: math.expm1(x) - 1e-200, 0.0, 1.0) == pytest.approx(1e-200, rel=1e-13)


@pytest.mark.parametrize("tolerance", [1e-5, 0])
def test_tolerance_of_the_oracle(tolerance):
    low, high = oracle.bisect(lambda x: x**3 < 7, 0, 7, tolerance)
    assert low**3 < 7 <= high**3
    assert high - low <= max(tolerance, mp.eps) * high


def test_what_holds_everywhere_has_no_bracket():
    with pytest.raises(ArithmeticError, match="holds at all"):
        fast.bracket(lambda x: True)
