"""Grades never exceed what a ratio wins, nor fall below what it loses, and extreme numbers neither overflow nor win."""

import itertools
import math

import numpy as np
import pytest
from mpmath import mp

from dpspectra.fast import ratio_betting as fast
from dpspectra.oracle import ratio_betting as oracle

ORDERS = [1.0625, 2.0, 4.0, 64.0]


def steps(seed, size=5, spread=2.0):
    return np.random.default_rng(seed).normal(0, spread, size)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(8))
def test_grades_are_rounded_against_the_bet(order, seed):
    """Compared with exact numbers: a gain is at most one grade less, a loss at most one more, and no better ever."""
    logs = steps(seed)
    won, lost = fast.grades(logs, order)
    exact = [[f(mp.exp(x), order) for x in logs] for f in (oracle.won, oracle.lost)]
    for grades, heights, sign in ((won, exact[0], -1), (lost, exact[1], 1)):
        gaps = [sign * (int(n) - fast.GRADES * h / max(heights)) for n, h in zip(grades, heights, strict=True)]
        assert min(gaps) >= -1e-6  # the largest is a whole grade, up to the rounding of its logarithm
        assert max(gaps) <= 1
    assert max(won) == max(lost) == fast.GRADES
    assert min(won) >= 0
    assert min(lost) > 0


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(4))
def test_factors_are_those_of_the_definition(order, seed):
    logs = steps(seed, spread=0.5)
    won, lost = fast.log_heights(logs, order)
    bound, pairs = 0.3 * (order - 1), list(itertools.product(range(len(logs)), repeat=2))
    shares = np.array([[np.exp(won[i] - won.max()), np.exp(lost[j] - lost.max())] for i, j in pairs])
    found = np.exp(fast.log_factors(shares, won.max(), lost.max(), bound, [0.75])[:, 0])
    s = [mp.exp(x) for x in logs]
    exact = [oracle.factor(s[i], s[j], s, order, mp.exp(bound), 0.75) for i, j in pairs]
    assert found == pytest.approx([float(x) for x in exact], rel=1e-11)


def test_nothing_is_won_where_nothing_is_claimed_and_nothing_overflows():
    shares = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    for top in (-1e4, -50.0, 0.0, 50.0, 1e4, 1e6):
        heights = fast.log_heights(top, 8.0)
        factors = fast.log_factors(shares, *heights, np.array([[0.0], [1.0], [1e3], [1e7], [math.inf]]))
        assert factors.shape == (5, 3, 13)
        assert np.all(np.isfinite(factors))
        assert np.all(np.diff(factors, axis=0) <= 1e-9)
        assert factors[-1] == pytest.approx(np.broadcast_to(factors[0, 1], (3, 13)))


@pytest.mark.parametrize(("order", "mu"), [(1.25, 1.0), (2.0, 1.0), (4.0, 0.5), (8.0, 0.25)])
def test_flattened_ratios_grow_faster_than_the_true_one(order, mu):
    """For two Gaussians: the best of some stakes gains more standard deviations a draw, and almost all of the gain."""
    x = np.linspace(-6, 6 + mu, 1000)
    p, q = (law / law.sum() for law in (np.exp(-((x - mu) ** 2) / 2), np.exp(-(x**2) / 2)))
    bound = (order - 1) * order * mu**2 / 2 / 1.2
    flat = fast.tempered(p, q, order, bound, np.geomspace(1e-6, 1, 19))
    mean, variance, most = fast.moments(flat, order, p, q, bound)
    true = fast.moments(np.log(p) - np.log(q), order, p, q, bound)
    assert flat[0] == pytest.approx(np.log(p) - np.log(q), abs=0.2)
    assert true[0] == pytest.approx(np.expm1((order - 1) * order * mu**2 / 2 - bound), rel=0.02)
    assert np.all(mean <= true[0] * (1 + 1e-9))  # by Young's inequality no ratio gains more
    assert np.max(mean / np.sqrt(variance)) > true[0] / np.sqrt(true[1])
    assert most[np.argmax(mean / np.sqrt(variance))] < true[2] / 2
