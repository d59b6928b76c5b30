"""Exact deltas of whole numbers, against sums over all of them."""

import math

import numpy as np
import pytest

from dpspectra.symbolic.independent_constraints import Whole
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, NORMAL, of_scipy
from dpspectra.symbolic.rounded_laws import rounded_law, two_sided_geometric
from dpspectra.symbolic.whole_hockey_stick import delta_of_whole


def listed(law, other, move, epsilon):
    """The sum of what is positive, over so many numbers that no more is left."""
    numbers = range(-400, 401)
    p = np.array([math.exp(float(law.log_density(k))) for k in numbers])
    q = np.array([math.exp(float(other.log_density(k + move))) for k in numbers])
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0)))


@pytest.mark.parametrize("root", [LAPLACE, NORMAL, EXPONENTIAL], ids=lambda law: law.name)
@pytest.mark.parametrize("way", ["floor", "ceil", "rint"])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
def test_rounded_numbers(root, way, epsilon):
    for a, b, move in ((0.0, 1.0, 0), (0.7, 0.0, 0), (0.2, 0.9, 1), (0.2, 0.9, -2), (5.0, 5.0, 0)):
        laws = [rounded_law(root, way, m, 1.3) for m in (a, b)]
        found = delta_of_whole(Whole(laws[0], 2.0 * move, 2.0), Whole(laws[1], 0.0, 2.0))
        assert found(epsilon) == pytest.approx(listed(*laws, move, epsilon), abs=1e-12)


@pytest.mark.parametrize("move", [-3, 0, 1])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 2.0])
def test_two_sided_geometric_noise(move, epsilon):
    law = two_sided_geometric(0.8)
    found = delta_of_whole(Whole(law, move, 1.0), Whole(law, 0.0, 1.0))
    assert found(epsilon) == pytest.approx(listed(law, law, move, epsilon), abs=1e-12)


def test_other_pairs_have_no_closed_form():
    from scipy import stats

    law = two_sided_geometric(0.8)
    cauchy = rounded_law(of_scipy("cauchy", stats.cauchy()), "rint", 0.0, 1.0)
    towards_0 = rounded_law(LAPLACE, "trunc", 0.0, 1.0)
    for first, second in (
        (Whole(law, 0.5, 1.0), Whole(law, 0.0, 1.0)),  # other numbers
        (Whole(law, 1.0, 1.0), Whole(law, 0.0, 2.0)),  # another factor
        (Whole(law, 1.0, 1.0), Whole(two_sided_geometric(0.9), 0.0, 1.0)),
        (Whole(cauchy, 1.0, 1.0), Whole(cauchy, 0.0, 1.0)),  # not log-concave
        (Whole(towards_0, 1.0, 1.0), Whole(towards_0, 0.0, 1.0)),  # shifted cells
        (Whole(law, math.nan, 1.0), Whole(law, 0.0, 1.0)),
        (Whole(LAPLACE, 1.0, 1.0), Whole(LAPLACE, 0.0, 1.0)),
    ):
        assert delta_of_whole(first, second) is None
    assert delta_of_whole(Whole(towards_0, 0.0, 1.0), Whole(rounded_law(LAPLACE, "trunc", 1.0, 1.0), 0.0, 1.0))


def test_a_shift_after_rounding_towards_0_has_no_delta_of_a_shift():
    """The cell of 0 is twice as wide, so that a whole shift of the rounded number is no move of the noise."""
    law = rounded_law(LAPLACE, "trunc", 0.0, 1.0)
    assert delta_of_whole(Whole(law, 1.0, 1.0), Whole(law, 0.0, 1.0)) is None
    assert delta_of_whole(Whole(rounded_law(LAPLACE, "trunc", 1.0, 1.0), 2.0, 1.0), Whole(law, 2.0, 1.0)) is not None
    down = rounded_law(LAPLACE, "floor", 0.0, 1.0)
    assert delta_of_whole(Whole(down, 1.0, 1.0), Whole(down, 0.0, 1.0)) is not None
