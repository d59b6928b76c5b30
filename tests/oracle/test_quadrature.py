"""Integrals in balls: known values to all digits, panels, and the integrands that no rule resolves."""

import flint
import pytest
from flint import arb
from mpmath import mp

from dpspectra.oracle.quadrature import integral, working


@pytest.mark.parametrize("digits", [12, 30, 50])
def test_known_integrals_have_all_digits(digits):
    with mp.workdps(digits):
        known = [
            (lambda x: x**23, [0, 1], mp.mpf(1) / 24),
            (lambda x: (-x * x / 2).exp(), [-20, -8, -2, 0, 2, 8, 20], mp.sqrt(2 * mp.pi)),
            (lambda x: 1 / (1 + x * x), [0, 1], mp.pi / 4),
            (lambda x: x.cos(), [0, mp.pi], mp.mpf(0)),
            (lambda x: x**2, [0, 1, 1, 3], mp.mpf(9)),  # an empty panel
        ]
        for function, ends, value in known:
            with working():
                found = integral(function, ends)
                assert abs(mp.mpf(found) - value) < mp.mpf(10) ** (2 - digits)


def test_a_panel_that_hardly_counts_is_not_resolved_and_costs_nothing():
    """Its share is below the working precision, though the integrand changes by many powers of ten within it."""
    with mp.workdps(20), working():
        assert abs(mp.mpf(integral(lambda x: (-x).exp(), [0, 5, 20, 60, 1e6])) - 1) < mp.mpf(10) ** -18


def test_an_interval_is_halved_where_a_pole_is_near():
    with mp.workdps(30), working():
        found = integral(lambda x: 1 / (x * x + arb(2) ** -24), [0, 1])
        assert abs(mp.mpf(found) / (2**12 * mp.atan(2**12)) - 1) < mp.mpf(10) ** -25


def test_an_integrand_with_a_kink_inside_is_refused():
    with mp.workdps(30), pytest.raises(ValueError, match="an integrand must be analytic near its interval"):
        integral(lambda x: abs(x - arb(1) / 3), [0, 1])
    with mp.workdps(30):
        assert abs(mp.mpf(integral(lambda x: abs(x - arb(1) / 3), [0, arb(1) / 3, 1])) - mp.mpf(5) / 18) < 1e-14


def test_balls_have_the_precision_of_mpmath_and_some_bits_more():
    before = flint.ctx.prec
    with mp.workdps(40), working():
        assert flint.ctx.prec > mp.prec
    assert flint.ctx.prec == before
