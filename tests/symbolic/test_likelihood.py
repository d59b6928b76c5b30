import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, NORMAL
from dpspectra.symbolic.likelihood import agrees, likelihood, pivots_of
from dpspectra.symbolic.observed_constraints import Unsolved

NONE = np.zeros(0)


def part(laws, B, y, mu=None, C=None, c=None):
    B = np.array(B, dtype=float).reshape(-1, len(laws))
    C = np.zeros((0, len(laws))) if C is None else np.array(C, dtype=float)
    mu = np.zeros(len(B)) if mu is None else np.array(mu, dtype=float)
    c = np.zeros(len(C)) if c is None else np.array(c, dtype=float)
    return Part(np.arange(len(laws)), laws, mu, B, np.array(y, dtype=float), c, C, {})


def value(it):
    return likelihood(it, pivots_of(it)).value


def test_determined_draws():
    it = part([LAPLACE, NORMAL], [[2, 1], [0, 3]], [1.0, 2.0], [0.5, 0.5])
    normal = 1.5 / 3
    wanted = stats.norm.logpdf(normal) + stats.laplace.logpdf((0.5 - normal) / 2) - math.log(6)
    assert value(it) == pytest.approx(wanted, abs=1e-12)


def test_more_normal_draws_than_values():
    it = part([NORMAL] * 3, [[1, 2, 0], [0, 1, 1]], [1.0, -1.0], [0.25, 0.0])
    wanted = stats.multivariate_normal.logpdf([0.75, -1.0], cov=[[5, 2], [2, 2]])
    assert value(it) == pytest.approx(wanted, abs=1e-12)


def test_one_direction_is_integrated():
    """The sum of two Laplace draws of scale 1 has density (1 + |y|) e^-|y| / 4."""
    it = part([LAPLACE, LAPLACE], [[1, 1]], [1.5])
    assert value(it) == pytest.approx(math.log(2.5 / 4) - 1.5, abs=3e-8)


def test_two_directions_are_not():
    with pytest.raises(Unsolved, match="2 directions"):
        value(part([LAPLACE] * 3, [[1, 1, 1]], [0.0]))


def test_inequalities_with_draws_of_their_own():
    it = part([LAPLACE, LAPLACE], [[1, 0]], [2.0], C=[[1, 2]], c=[-1.0])
    assert value(it) == pytest.approx(stats.laplace.logpdf(2) + stats.laplace.logsf(-0.5), abs=1e-10)


def test_inequalities_of_a_determined_draw_hold_or_not():
    assert value(part([LAPLACE], [[1]], [2.0], C=[[1.0]], c=[-3.0])) == -math.inf
    assert math.isfinite(value(part([LAPLACE], [[1]], [2.0], C=[[1.0]], c=[-1.0])))
    with pytest.raises(Unsolved, match="tie"):
        value(part([LAPLACE], [[1]], [2.0], C=[[1.0]], c=[-2.0]))


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_dependence_is_relative_to_the_noise(scale):
    it = part(
        [LAPLACE, LAPLACE], scale * np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]), scale * np.array([1.0, 2.0, 5.0])
    )
    assert pivots_of(it) == (0, 2)
    assert agrees(it, (0, 2))
    it.y[1] += 1e-3 * scale
    assert not agrees(it, (0, 2))


def test_what_is_nearly_dependent_is_not_solved():
    with pytest.raises(Unsolved, match="nearly dependent"):
        pivots_of(part([LAPLACE, LAPLACE], [[1, 0], [1, 1e-8]], [0.0, 0.0]))


def test_ends_of_a_support_are_not_decided_by_rounding():
    with pytest.raises(Unsolved, match="end of what"):
        value(part([EXPONENTIAL], [[1.0]], [1e-12]))
    assert value(part([EXPONENTIAL], [[1.0]], [-1.0])) == -math.inf


def test_large_locations_are_not_solved():
    with pytest.raises(Unsolved, match="too large"):
        value(part([LAPLACE], [[1e-6]], [1e6], [1e6 - 1e-6]))


def test_large_locations_blur_what_agrees():
    """Rounding at 2**30 is 1e-6 of the scale of 1e-1 or less: a residual below it is neither agreement nor not."""
    unit, size = 1e3, 2.0**30
    it = part([LAPLACE], [[unit], [unit]], [size, size], [size, size])
    assert agrees(it, (0,))
    slack = 8 * 2 * 4 * np.spacing(size) / unit
    it.y[1] += unit * (1e-10 + 0.5 * slack)
    assert agrees(it, (0,))
    it.y[1] += unit * (1e-9 + 0.6 * slack)
    with pytest.raises(Unsolved, match="nearly agree"):
        agrees(it, (0,))


def test_errors_grow_with_what_is_squared():
    near, far = (likelihood(part([NORMAL] * 2, [[1, 1]], [y]), (0,)).error for y in (0.0, 1e4))
    assert far - near > 0.9e-15 * 1e8 / 2
