"""Functions of a row beside the oracle's divided differences, by both roads, and quantiles that are certain."""

import functools

import flint
import pytest
from mpmath import mp

from dpspectra.ball import pattern_rows as rows
from dpspectra.oracle import divided_differences


def exact(x):
    """An mpmath number of 50 digits as a ball."""
    return flint.arb(mp.nstr(x, 50)) * (1 + flint.arb(0, 1e-48))


def differences(nodes, t, order):
    """Derivatives of the functions of the oracle, one after the other; of the integrals where ``order`` is -1."""
    with mp.workdps(60):
        before = [] if order >= 0 else [0.0]
        of = functools.partial(divided_differences.derivative, max(order, 0), t)
        return [divided_differences.divided_difference(of, [*before, *nodes[:i]]) for i in range(1, len(nodes) + 1)]


# ---------------------------------------------------------------- power series


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("terms", [7, 9, 20])
def test_a_partial_sum_and_its_rest_enclose_the_divided_difference(order, terms):
    nodes, top = [0.0, 0.5, 0.5, 2.0], 1.0
    full = rows.Series.of(list(map(flint.arb, nodes)), 4, flint.arb(top))
    cut = rows.Series(full.nodes, full.top, {i: c[:terms] for i, c in full.taylor.items()})
    for t in (1.0, 0.75, 2.0**-10):
        for enclosed, true in zip(cut.functions(order), differences(nodes, t, order), strict=True):
            assert enclosed(flint.arb(t)).overlaps(exact(true))


def test_too_few_terms_are_not_bounded():
    with pytest.raises(rows.Imprecise):
        rows.Series([flint.arb(9)], flint.arb(1), {1: [flint.arb(1), flint.arb(9)]}).functions()


# ---------------------------------------------------------------- exponentials of matrices


ROWS = {
    "one node": ([3.0], 1),
    "ties at 0": ([0.0, 0.0, 0.0, 5.0], 2),
    "all different": ([0.0, 0.5, 2.0, 700.0], 4),
    "far apart": ([1.0, 1.0, 2.0**10, 2.0**11], 3),
}
CLOSE = 2.0**-120
"""Relative radius of what is found with 160 bits."""


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("order", [-1, 0, 1, 2])
def test_exponentials_enclose_the_divided_differences_closely(name, order):
    """All functions of a row have factors of their own, the powers of its largest node."""
    nodes, wide = ROWS[name]
    with flint.ctx.workprec(160):
        row = rows.Exponentials(list(map(flint.arb, nodes)), wide)
        for t in (1.0, 2.0**-10):
            found = row.integrals(flint.arb(t)) if order < 0 else row.derivatives(flint.arb(t), order)
            first = len(nodes) - wide
            for i, (x, true) in enumerate(zip(found, differences(nodes, t, order)[first:], strict=True), first + 1):
                assert (x / flint.arb(nodes[-1]) ** i).overlaps(exact(true))
                assert x == 0 or x.rad() < CLOSE * abs(x)


def test_the_road_is_chosen_by_the_largest_exponent():
    nodes = [flint.arb(1), flint.arb(2)]
    roads = [type(rows.row_of(nodes, 2, flint.arb(top))) for top in (5.9, 6.1)]
    assert roads == [rows.Series, rows.Exponentials]


ABOVE = {(None, None, None): (3, 2, 1, 0), (0, None, 0): (2, 2, 1, 1), (None, 0, 1): (3, 1, 1, 1)}
"""The row above, by which of its equals hold an entry."""


@pytest.mark.parametrize("copies", ABOVE)
@pytest.mark.parametrize("nodes", [(0.0, 1.0, 30.0), (0.0, 0.0, 30.0), (29.0, 30.0, 30.0)])
def test_both_roads_lead_to_one_row(copies, nodes):
    with flint.ctx.workprec(160):
        nodes, top = list(map(flint.arb, nodes)), flint.arb(3)
        above = [flint.arb(x) for x in ABOVE[copies]]
        uniforms = [flint.arb(u) for u in (0.25, 0.5, 0.875)]
        roads = rows.Series.of(nodes, 3, top), rows.Exponentials(nodes, 3)
        lower, upper = ([road.draw(above, list(copies), uniforms, None, end) for road in roads] for end in (0, 1))
        for low, high in ((lower[0], upper[1]), (lower[1], upper[0])):
            assert all(x <= y and y - x < CLOSE for x, y in zip(low, high, strict=True))


# ---------------------------------------------------------------- quantiles


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
        {"slope": 100},  # steps are too short, and so is the reach
        {"high": 1.25},  # the root lies outside
        {"low": 1.4999},  # only a part of the ball lies inside
    ],
)
def test_an_uncertain_quantile_is_not_returned(arguments):
    with pytest.raises(rows.Imprecise):
        square_root(flint.arb(2.25, 1e-3), **arguments)
