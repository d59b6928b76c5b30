import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic import laws
from dpspectra.symbolic.log_concave_integrals import GAP, _bounds, log_concave


@pytest.mark.parametrize("law", [laws.NORMAL, laws.LAPLACE, laws.GUMBEL, laws.LOGISTIC], ids=lambda law: law.name)
@pytest.mark.parametrize("high", [-3.0, -1.0, 0.3, 7.0])
def test_bounds_hold_the_tail(law, high):
    low, above = log_concave(law.log_density, -math.inf, high, law.kinks, 1.0)
    assert low - 1e-12 <= float(law.lower(high)) <= above + 1e-12
    assert above - low <= GAP


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 0.1, 10.0])
def test_narrow_and_wide_factors(scale):
    """Two equal comparisons with narrow noise: the mean of a squared tail, by quadrature with a point at the step."""
    steep = lambda t: laws.LAPLACE.log_density(t) + 2 * laws.LAPLACE.upper(-(0.1 - t) / scale)  # noqa: E731
    low, above = log_concave(steep, -math.inf, math.inf, [0.0, 0.1], min(scale, 1.0))
    t = 0.1 + scale * np.concatenate([-np.geomspace(1e9, 1e-9, 400_000), np.geomspace(1e-9, 1e9, 400_000)])
    t = np.unique(np.concatenate([t[(t > -60) & (t < 60)], np.linspace(-60, 60, 400_001)]))
    reference = math.log(np.trapezoid(np.exp(steep(t)), t)) if hasattr(np, "trapezoid") else (low + above) / 2
    assert low - 1e-7 <= reference <= above + 1e-7


def test_one_point_between_two_bounds():
    low, above = log_concave(laws.NORMAL.log_density, 30.0, 31.0, [], 1.0)
    wanted = stats.norm.logsf(30) + math.log1p(-math.exp(stats.norm.logsf(31) - stats.norm.logsf(30)))
    assert low - 1e-12 <= wanted <= above + 1e-12


def test_nothing_is_integrated_where_all_is_impossible():
    assert log_concave(lambda t: np.full(len(t), -np.inf), 0.0, 1.0, [], 1.0) == (-math.inf, -math.inf)
    assert log_concave(laws.GUMBEL.log_density, -math.inf, -40.0, [], 1.0) is None
    assert log_concave(lambda t: np.full(len(t), np.nan), 0.0, 1.0, [], 1.0) is None


def test_tails_are_bounded_by_the_chord_at_their_end():
    nodes, values = np.array([0.0, 1.0, 2.0]), np.array([-2.0, 0.0, -3.0])
    lower, upper = _bounds(nodes, values, -math.inf, math.inf)
    assert (upper[0], upper[-1]) == (pytest.approx(-2 - math.log(2)), pytest.approx(-3 - math.log(3)))
    assert (lower[0], lower[-1]) == (-math.inf, -math.inf)
    _, closed = _bounds(nodes, values, 0.0, 2.0)
    assert (closed[0], closed[-1]) == (-math.inf, -math.inf)
    _, flat = _bounds(nodes, np.array([0.0, 0.0, -1.0]), -math.inf, math.inf)
    assert flat[0] == math.inf


@pytest.mark.parametrize("apart", [0.0, 2.0**-53, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-3])
@pytest.mark.parametrize("at", [0.3, 1.0, -2.5, 1e6])
@pytest.mark.parametrize("law", [laws.NORMAL, laws.LAPLACE], ids=["normal", "laplace"])
def test_knots_beside_each_other_bound_nothing_falsely(law, at, apart):
    """The chord over one unit in the last place is all rounding: its continuation was once below the function."""
    knots = [at, at + apart * max(1.0, abs(at)), float(np.nextafter(at, np.inf))]
    low, above = log_concave(lambda z: law.log_density(z - at + 0.3), -math.inf, math.inf, knots, 1.0)
    assert low <= 1e-12
    assert -1e-12 <= above <= low + 2 * GAP


def test_a_function_that_is_not_concave_has_no_bounds():
    assert log_concave(lambda z: np.maximum(-((z - 3) ** 2), -((z + 3) ** 2)), -9.0, 9.0, [-3.0, 0.0, 3.0], 1.0) is None


@pytest.mark.parametrize("width", [1e-3, 1e-8, 1e-10])
def test_short_intervals_keep_both_ends(width):
    low, above = log_concave(laws.NORMAL.log_density, 1.0, 1.0 + width, [1.0 + width / 2], 1.0)
    wanted = float(laws.NORMAL.log_density(np.array(1.0))) + math.log(width)
    assert low - 2 * width - 1e-7 <= wanted <= above + 2 * width + 1e-7
