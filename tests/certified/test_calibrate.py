"""Scales are certified, and hardly larger than they must be."""

import math
from fractions import Fraction

import pytest
from mpmath import mp

from dpspectra.certified import calibrate
from dpspectra.fast.gaussian_profile import mu_for


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1.0, 1e-6), (0.1, 1e-6), (8.0, 1e-12), (50.0, 1e-300), (1e-6, 1e-12), (1e-3, 0.5)]
)
def test_mu_is_certified_and_nearly_the_largest(epsilon, delta):
    mu = calibrate.gaussian_mu(epsilon, delta, mu_for(epsilon, delta))

    def profile(m):
        e = mp.mpf(epsilon)
        return mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)

    with mp.workdps(400):
        assert profile(mp.mpf(mu)) <= mp.mpf(delta)
        assert profile(mp.mpf(mu) * (1 + mp.mpf(2) ** -28)) > mp.mpf(delta)


@pytest.mark.parametrize(("square", "divisor"), [(Fraction(2), 0.1), (Fraction(61, 2), 3.0), (Fraction(1, 3), 1e-30)])
def test_roots_are_rounded_up(square, divisor):
    s = Fraction(calibrate.at_least_root(square, divisor))
    assert (s * Fraction(divisor)) ** 2 >= square
    assert (s * (1 - Fraction(1, 2**50)) * Fraction(divisor)) ** 2 < square


@pytest.mark.parametrize("square", [Fraction(4) ** 251, Fraction(1, 4**251)])
def test_scales_that_are_out_of_range_are_refused(square):
    with pytest.raises(ValueError, match=r"the scale of the noise must lie between 2\*\*-250 and 2\*\*250"):
        calibrate.at_least_root(square, 1.0)


def test_nothing_is_kept_secret_by_a_huge_mu():
    """The answer needs no ball, of which the precision would grow with the square of ``mu``."""
    assert calibrate.gaussian_delta(1.0, 1e9, 1.0) == 1.0
    assert calibrate.profile_at_most(1.0, 1e9, 1.0)


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(2, 3), Fraction(1, 10), Fraction(7), Fraction(10**30, 7)])
def test_temperatures_are_rounded_down(number):
    found = Fraction(calibrate.at_most(number))
    assert found <= number < Fraction(math.nextafter(calibrate.at_most(number), math.inf))


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(2, 3), Fraction(1, 10), Fraction(7), Fraction(10**30, 7)])
def test_scales_are_rounded_up(number):
    found = calibrate.least(lambda x: x >= number, number)
    assert Fraction(math.nextafter(found, 0.0)) < number <= Fraction(found)
