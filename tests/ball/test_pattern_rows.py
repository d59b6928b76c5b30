"""Rows of a pattern by both roads to their functions, and quantiles that are certain."""

import flint
import pytest

from dpspectra.ball import pattern_rows as rows
from dpspectra.ball.row_exponentials import Exponentials
from dpspectra.ball.row_series import Series
from tests.support.row_functions import CLOSE

ABOVE = {(None, None, None): (3, 2, 1, 0), (0, None, 0): (2, 2, 1, 1), (None, 0, 1): (3, 1, 1, 1)}
"""The row above, by which of its equals hold an entry."""


@pytest.mark.parametrize("copies", ABOVE)
@pytest.mark.parametrize("nodes", [(0.0, 1.0, 30.0), (0.0, 0.0, 30.0), (29.0, 30.0, 30.0)])
def test_both_roads_lead_to_one_row(copies, nodes):
    with flint.ctx.workprec(160):
        nodes, top = list(map(flint.arb, nodes)), flint.arb(3)
        above = [flint.arb(x) for x in ABOVE[copies]]
        uniforms = [flint.arb(u) for u in (0.25, 0.5, 0.875)]
        roads = Series.of(nodes, 3, top), Exponentials(nodes, 3, top)
        lower, upper = ([road.draw(above, list(copies), uniforms, None, end) for road in roads] for end in (0, 1))
        for low, high in ((lower[0], upper[1]), (lower[1], upper[0])):
            assert all(x <= y and y - x < CLOSE for x, y in zip(low, high, strict=True))


# ---------------------------------------------------------------- quantiles


def test_elimination_keeps_its_order_where_functions_fall():
    """Masses of far intervals are smaller by millions of digits, and differ by as many among the functions."""
    with flint.ctx.workprec(160):
        nodes = [flint.arb(x) for x in (-1e6, -7e5, -5e5)]
        row = Exponentials(nodes, 3, flint.arb(3))
        above = [flint.arb(x) for x in (3, 2, 1, 0)]
        low, high = (row.draw(above, [None] * 3, [flint.arb(1) / 2] * 3, None, end) for end in (0, 1))
        for x, y, floor, rate in zip(low, high, above[1:], (5e5, 7e5, 1e6), strict=True):
            assert x <= y
            assert y - x < CLOSE
            assert abs((x - floor) * rate - flint.arb(2).log()) < 1e-4, "about exponential numbers"


def square_root(goal, slope=1, low=0.0, high=2.0):
    """Ask for the square root of a ball, with a derivative off by a factor."""
    primitive = flint.arb_poly([0, 0, 1])
    ends, density = (flint.arb(low), flint.arb(high)), slope * primitive.derivative()
    return rows.quantile(lambda t: (primitive(t), density(t)), flint.arb(0), goal, *ends, flint.arb(1))


def test_a_quantile_encloses_whatever_its_goal_may_be():
    below, beyond = square_root(flint.arb(2.25, 1e-3))
    assert below**2 < flint.arb("2.249")
    assert beyond**2 > flint.arb("2.251")
    assert beyond - below < 2e-3


@pytest.mark.parametrize(
    "arguments",
    [
        {"slope": 10**5},  # steps are too short, and so is the reach
        {"high": 1.25},  # the root lies outside
        {"low": 1.4999},  # only a part of the ball lies inside
    ],
)
def test_an_uncertain_quantile_is_not_returned(arguments):
    with pytest.raises(rows.Imprecise):
        square_root(flint.arb(2.25, 1e-3), **arguments)
