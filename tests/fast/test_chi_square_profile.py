"""Profiles from chi-square laws."""

import pytest
from mpmath import mp

from dpspectra.fast import chi_square_profile
from dpspectra.oracle import chi_square_profile as exact


@pytest.mark.parametrize(
    ("epsilon", "degrees"), [(0.01, 172110), (1e-3, 14_685_584), (0.05, 501), (0.3, 1e4), (2.0, 700.5)]
)
def test_many_degrees_keep_their_digits(epsilon, degrees):
    """Where the two probabilities almost cancel, and scipy's incomplete gamma function loses its digits."""
    with mp.workdps(40):
        for shift in (1.0, 0.25):
            below, above = (f(mp.mpf(epsilon), degrees, shift) for f in (exact.excess_below, exact.excess_above))
            assert abs(chi_square_profile.excess_below(epsilon, degrees, shift) - below) <= 1e-10 * below + 1e-300
            assert abs(chi_square_profile.excess_above(epsilon, degrees, shift) - above) <= 1e-10 * above + 1e-300
