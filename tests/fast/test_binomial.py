"""Limits of binomial probabilities are exact."""

import math

import pytest

from dpspectra.fast import binomial


def test_limits_are_exact():
    """At the limit, the binomial tail that must be improbable has exactly the stated risk."""
    n, k, risk = 50, 7, 1e-3
    low, high = binomial.at_least(k, n, risk), binomial.at_most(k, n, risk)

    def tail(p, counts):
        return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in counts)

    assert tail(low, range(k, n + 1)) == pytest.approx(risk)
    assert tail(high, range(k + 1)) == pytest.approx(risk)
    assert binomial.at_least(0, n, risk) == 0
    assert binomial.at_most(n, n, risk) == 1
    assert binomial.at_most(0, n, risk) == pytest.approx(1 - risk ** (1 / n))
    assert binomial.loss((0, 0), (n, n), 0.0, risk) == -math.inf
