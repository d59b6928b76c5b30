"""Wealth is the product of its factors, and growth the mean of their logarithms."""

import math

import numpy as np
import pytest

from dpspectra.fast import betting
from dpspectra.fast.betting import FRACTIONS, growth


def test_wealth_is_the_product_of_its_factors():
    rng = np.random.default_rng(0)
    epsilon, delta, g = 0.8, 0.05, 0.3
    x, y = rng.random(40) < 0.5, rng.random(40) < 0.2
    gains = x - math.exp(epsilon) * y - delta
    counts = [np.sum(x & y), np.sum(x & ~y), np.sum(~x & y), np.sum(~x & ~y)]
    product = np.sum(np.log1p(g * gains / (math.exp(epsilon) + delta)))
    assert betting.log_wealth(counts, epsilon, delta, [g])[0] == pytest.approx(product, rel=1e-12)
    one_sided = np.sum(np.log1p(g * (x - delta) / delta))
    assert betting.log_wealth_one_sided(np.sum(x), 40, delta, [g])[0] == pytest.approx(one_sided, rel=1e-12)
    assert betting.log_wealth_one_sided(0, 40, 0.0, [g])[0] == 0
    assert betting.log_wealth_one_sided(1, 40, 0.0, [g])[0] == math.inf


def test_growth_is_the_mean_of_the_log_factor():
    rng = np.random.default_rng(0)
    p, q, epsilon, delta = 0.5, 0.1, 0.6, 0.05
    for rows in (1, 2, 16, 17, 64):
        k, other = rng.binomial(rows, p, 200_000) / rows, rng.binomial(rows, q, 200_000) / rows
        gains = (k - math.exp(epsilon) * other - delta) / (math.exp(epsilon) + delta)
        means = [np.mean(np.log1p(g * gains)) for g in FRACTIONS]
        np.testing.assert_allclose(growth(p, q, rows, epsilon, delta), means, atol=0.01)
