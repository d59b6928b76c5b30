"""Integrals over draws that the equations leave open, beside quadrature and closed forms."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.integrated_draws import contradict
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, NORMAL, UNIFORM, of_scipy
from dpspectra.symbolic.likelihood import likelihood, pivots_of
from dpspectra.symbolic.observed_constraints import Unsolved


def found_of(laws, B=(), y=(), C=(), c=()):
    m = len(laws)
    B, C = (np.array(x, dtype=float).reshape(-1, m) for x in (B, C))
    y, c = np.array(y, dtype=float), np.array(c, dtype=float)
    it = Part(np.arange(m), list(laws), np.zeros(len(B)), B, y, c, C, {})
    return likelihood(it, pivots_of(it))


def value(laws, B=(), y=(), C=(), c=()):
    return found_of(laws, B, y, C, c).value


def quadrature(f, low=-60.0, high=60.0, points=()):
    return math.log(integrate.quad(f, low, high, points=points, limit=400, epsabs=0, epsrel=1e-11)[0])


def test_two_comparisons_with_one_shared_draw():
    found = value([LAPLACE, NORMAL, LAPLACE], C=[[1, 2, 0], [-1, 0, 3]], c=[0.5, -0.25])
    wanted = quadrature(
        lambda t: stats.laplace.pdf(t) * stats.norm.sf(-(0.5 + t) / 2) * stats.laplace.sf((0.25 + t) / 3),
        points=[0.0, -0.25],
    )
    assert found == pytest.approx(wanted, abs=1e-7)


def test_an_equation_and_a_comparison_share_draws():
    found = value([LAPLACE, NORMAL, LAPLACE], [[1, 2, 0]], [0.7], [[1, 0, -1.5]], [0.2])
    wanted = quadrature(
        lambda t: stats.norm.pdf((0.7 - t) / 2) / 2 * stats.laplace.pdf(t) * stats.laplace.cdf((0.2 + t) / 1.5),
        points=[0.0, -0.2],
    )
    assert found == pytest.approx(wanted, abs=1e-7)


def test_the_error_holds_the_truth():
    """It is a few times what the sums are off by, which is far more than rounding."""
    found = found_of([LAPLACE, NORMAL, LAPLACE], C=[[1, 2, 0], [-1, 0, 3]], c=[0.5, -0.25])
    wanted = quadrature(
        lambda t: stats.laplace.pdf(t) * stats.norm.sf(-(0.5 + t) / 2) * stats.laplace.sf((0.25 + t) / 3),
        points=[0.0, -0.25],
    )
    assert 1e-10 < abs(found.value - wanted) <= found.error < 1e-7


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_inequalities_without_a_draw_of_their_own_are_ends(sign):
    """Between two inequalities of the same draw, and beyond one of them."""
    found = value([NORMAL], C=[[sign], [-sign]], c=[0.5, 1.0])
    wanted = math.log(stats.norm.cdf(1.0) - stats.norm.cdf(-0.5))
    assert found == pytest.approx(wanted, abs=1e-7)
    assert value([NORMAL], C=[[sign], [sign]], c=[0.5, 1.0]) == pytest.approx(stats.norm.logcdf(0.5), abs=1e-7)
    assert value([NORMAL], C=[[sign], [-sign]], c=[-1.0, 0.5]) == -math.inf


def test_ends_of_a_support_bound_the_integral():
    found = value([UNIFORM, EXPONENTIAL], [[1, 1]], [0.4])
    assert found == pytest.approx(math.log(1 - math.exp(-0.4)), abs=1e-7)
    found = value([UNIFORM, EXPONENTIAL], [[-1, 1]], [2.0])
    assert found == pytest.approx(-2 + math.log(1 - math.exp(-1)), abs=1e-7)
    assert value([UNIFORM, UNIFORM], [[1, 1]], [2.5]) == -math.inf
    assert value([UNIFORM, UNIFORM], [[1, 1]], [1.5]) == pytest.approx(math.log(0.5), abs=1e-7)


def test_normal_draws_of_one_inequality_are_one():
    found = value([LAPLACE, NORMAL, NORMAL, NORMAL], C=[[1, 3, 0, 4], [1, 0, 2, 0]], c=[0.0, 1.0])
    wanted = quadrature(
        lambda t: stats.laplace.pdf(t) * stats.norm.cdf(t / 5) * stats.norm.cdf((1 + t) / 2), points=[0]
    )
    assert found == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize("n", [2, 5])
def test_the_largest_of_several(n):
    """The chance that the first of alike draws is the largest is one in so many."""
    C = np.hstack([np.ones((n - 1, 1)), -np.eye(n - 1)])
    assert value([LAPLACE] * n, C=C, c=np.zeros(n - 1)) == pytest.approx(-math.log(n), abs=1e-7)
    assert value([NORMAL] * n, C=C, c=np.zeros(n - 1)) == pytest.approx(-math.log(n), abs=1e-7)


def test_determined_draws_with_inequalities_that_share_them():
    found = value([LAPLACE, NORMAL], [[2, 0]], [1.0], [[1, -1]], [0.25])
    assert found == pytest.approx(stats.laplace.logpdf(0.5) - math.log(2) + stats.norm.logcdf(0.75), abs=1e-9)
    assert value([LAPLACE, NORMAL], [[2, 0]], [1.0], [[1, -1], [1, 0]], [0.25, -0.6]) == -math.inf


def test_the_volume_of_a_line():
    """Three equal coefficients in an equation of two draws at other scales."""
    found = value([LAPLACE, LAPLACE], [[3, 4]], [2.0])
    wanted = quadrature(lambda t: stats.laplace.pdf(t) * stats.laplace.pdf((2 - 3 * t) / 4) / 4, points=[0, 2 / 3])
    assert found == pytest.approx(wanted, abs=1e-7)


def test_what_is_not_integrated_is_said():
    with pytest.raises(Unsolved, match="2 directions"):
        value([LAPLACE] * 3, [[1, 1, 1]], [0.0])
    with pytest.raises(Unsolved, match="of this kind"):
        value([LAPLACE, of_scipy("cauchy", stats.cauchy())], [[1, 1]], [0.0])
    with pytest.raises(Unsolved, match="too close to a tie"):
        value([NORMAL, NORMAL], [[1, 1]], [0.2], C=[[1.0, -1.0], [-1.0, 1.0]], c=[0.5, -0.5])


def test_what_is_said_twice_counts_once():
    once = value([LAPLACE] * 3, [[1, 0, 0]], [0.5], C=[[1, -1, 0], [1, 0, -1]], c=[0.0, 0.0])
    twice = value([LAPLACE] * 3, [[1, 0, 0]], [0.5], C=[[1, -1, 0], [1, 0, -1]] * 2, c=[0.0] * 4)
    assert once == twice == pytest.approx(stats.laplace.logpdf(0.5) + 2 * stats.laplace.logcdf(0.5), abs=1e-9)


def test_and_what_contradicts_itself_has_probability_0():
    order = [[1, -1, 0, 0], [0, 1, -1, 0], [0, 0, 1, -1], [-1, 1, 0, 0]]
    assert value([LAPLACE] * 4, C=order, c=np.zeros(4)) == -math.inf
    with pytest.raises(Unsolved, match="directions"):
        value([LAPLACE] * 4, C=order[:3], c=np.zeros(3))


@pytest.mark.parametrize("factors", [[1.0, 1.0], [3.0, 3.0], [-1.0, -1.0]])
def test_comparisons_of_what_is_shown_hold_or_not(factors):
    laws, shown = [NORMAL, LAPLACE], ([[1, 1]], [0.7])
    assert value(laws, *shown, [factors], [3.0]) == value(laws, *shown)
    assert value(laws, *shown, [factors], [-3.0]) == -math.inf
    with pytest.raises(Unsolved, match="tie"):
        value(laws, *shown, [factors], [-0.7 * factors[0]])


CONTRADICTIONS = [
    ([4.0, 2.0, -6.0], [[1, 0], [0, 1], [-1, -1]], True),
    ([4.0, 2.0, -5.9], [[1, 0], [0, 1], [-1, -1]], False),
    ([0.3, -0.2, -0.1], [[1, 0], [0, 1], [-1, -1]], False),  # 3e-17 above or below 0 is rounding
    ([-0.1, -0.1, 0.1], [[1 / 3, 0], [0, 1 / 7], [-0.2, -0.3]], True),
    ([1.0], [[1, 0]], False),
]


@pytest.mark.parametrize(("c", "C", "wanted"), CONTRADICTIONS)
def test_rows_contradict_each_other_if_some_sum_to_what_is_not_positive(c, C, wanted):
    assert contradict(np.array(c), np.array(C, dtype=float)) == wanted


def test_rows_that_draws_fulfil_never_contradict_each_other():
    """Rows that one of many draws fulfils, by a margin of 1e-12 in half of the cases."""
    rng, found = np.random.default_rng(1), 0
    for k in range(200):
        C, z = rng.normal(size=(6, 3)).round(k % 3 + 1), rng.normal(size=3)
        margin = 1e-12 if k % 2 else 1.0
        assert not contradict(margin * rng.random(6) - C @ z, C)
        c = -rng.random(6) - C @ z
        found += contradict(c, C)
        assert not contradict(c, C) or np.all(np.any(c[:, None] + C @ rng.normal(size=(3, 2000), scale=5) <= 0, axis=0))
    assert found > 20
