"""Wealth at the points of a claimed curve: calls as units, the curves themselves, how both move with the parameter."""

import math

import numpy as np
import pytest

from dpspectra.fast import betting

SHARES = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
"""Shares of the draws in the event, of calls of one draw, in the order of the four counts."""


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (3, 1, 4, 1), (2, 700, 5, 0), (0, 9, 0, 10**9)])
def test_calls_of_one_draw_are_pairs_of_draws(counts):
    """At every point, infinite epsilon included, where pairs with the second draw in the event lose their stake."""
    epsilon = np.array([0.0, 0.0, 0.3, 2.0, 40.0, 800.0, math.inf])
    delta = np.array([0.0, 0.2, 1e-9, 0.5, 1.0, 0.1, 0.0])
    expected = betting.log_wealth(counts, epsilon, delta)
    found = betting.log_wealth_of_calls(SHARES, counts, epsilon, delta)
    assert found.shape == (len(epsilon), len(betting.FRACTIONS))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_the_wealth_of_calls_is_a_product_over_calls():
    """Two kinds of call of eight draws, and a lost one: the factor is computed as it is defined."""
    shares, calls, (e, d, g) = [(5 / 8, 1 / 8), (3 / 8, 4 / 8), (0, 1)], [2, 1, 3], (0.7, 0.05, 0.3)
    factors = [1 + g * (k - math.exp(e) * m - d) / (math.exp(e) + d) for k, m in shares]
    log_wealth = betting.log_wealth_of_calls(shares, calls, [e], [d], [g])
    assert math.exp(log_wealth[0, 0]) == pytest.approx(factors[0] ** 2 * factors[1] * (1 - g) ** 3, rel=1e-13)
    assert np.array_equal(betting.log_wealth_of_calls(np.empty((0, 2)), [], [e], [d]), np.zeros((1, 13)))
