"""Profiles of an exchange of rows."""

import pytest
from mpmath import mp

from dpspectra.fast import chi_square_profile, wishart_row_exchange
from dpspectra.oracle import wishart_row_exchange as exact_exchange

EXCHANGES = [(7, 1.0, 1.0, 1.0), (11, 0.375, 1.0, 0.5), (17, 0.5, 0.25, 0.75), (45, 1.0, 1.0, 1.0)]


def test_the_profile_of_an_exchange_in_both_arithmetics_and_by_both_rules():
    with mp.workdps(20):
        values = [
            (nu, e, a, b, exact_exchange.profile(mp.mpf(e), nu, mp.mpf(a), mp.mpf(b))) for nu, e, a, b in EXCHANGES
        ]
    for nu, epsilon, top, bottom, value in values:
        assert wishart_row_exchange.profile(epsilon, nu, top, bottom) == pytest.approx(float(value), rel=1e-9)
    for epsilon in (0.004, 0.03, 0.1):  # sums of probabilities below 10^4 degrees, the integral of the excess above
        below, above = (wishart_row_exchange.profile(epsilon, 1e4 + beside, 1.0, 1.0) for beside in (0.0, 1e-6))
        assert below == pytest.approx(above, rel=1e-8)
    for degrees, epsilon in ((43, 0.25), (20_000, 0.02)):
        alone = chi_square_profile.excess_below(epsilon, degrees, 0.5)
        assert wishart_row_exchange.profile(epsilon, degrees, 0.0, 0.5) == pytest.approx(alone, rel=1e-8)
