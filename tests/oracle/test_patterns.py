"""Quantiles of patterns, where they have a closed form."""

import pytest
from mpmath import mp

from dpspectra.oracle import patterns


@pytest.mark.parametrize("u", [2.0**-60, 2.0**-30, 0.5, 1 - 2.0**-30])
@pytest.mark.parametrize("kappa", [0.5, 64.0])
def test_one_entry_is_the_quantile_of_a_truncated_exponential_law(u, kappa):
    """Far from a straight line a root of the distribution function takes many steps."""
    gamma, spectrum = [4.0, 1.0], [1.75, 0.25]
    with mp.workdps(20):
        ((found,), _) = patterns.quantiles(gamma, spectrum, kappa, [[u], [0.5, 0.5]])
    with mp.workdps(60):
        rate, (high, low) = kappa * (mp.mpf(gamma[0]) - gamma[1]), spectrum
        exact = low + mp.log1p(u * mp.expm1(rate * (high - low))) / rate
        assert abs(found - exact) < 1e-18 * exact
