"""Functions of a row beside the oracle's divided differences, by both roads, and quantiles that are certain."""

import functools
import itertools

import flint
import pytest
from mpmath import mp

from dpspectra.ball import pattern_rows as rows
from dpspectra.oracle import divided_differences

DIGITS = 400
"""Digits of the oracle: integrals between points far from 0 are differences of numbers near 1."""


def exact(x):
    """An mpmath number of 50 digits as a ball."""
    return flint.arb(mp.nstr(x, 50)) * (1 + flint.arb(0, 1e-48))


def differences(nodes, t, order):
    """Derivatives of the functions of the oracle, one after the other; of the integrals where ``order`` is -1."""
    with mp.workdps(DIGITS):
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


BELOW = {
    "one node": [-3.0],
    "two": [-8.0, -7.5],
    "ties": [-9.0, -9.0, -9.0, -2.0],
    "ties at 0": [-5.0, -4.5, 0.0, 0.0],
    "nearly 0": [-70.0, -69.0, -(2.0**-40)],
}
"""Nodes that are not positive."""
POINTS = [flint.arb(x) for x in (2.0**-4, 0.5, 1.0, 3.0)]


def integral_between(nodes, low, high):
    """Integrals of the functions by the oracle."""
    ends = [differences(nodes, float(t), -1) for t in (low, high)]
    with mp.workdps(DIGITS):
        return [b - a for a, b in zip(*ends, strict=True)]


def enclosing(nodes, kind, count):
    """Row of all functions of the nodes by one of the roads."""
    given, top = list(map(flint.arb, nodes)), POINTS[-1]
    apart = [x - given[0] for x in given]
    if kind == "exponentials":
        return rows.Exponentials(given, len(nodes), top)
    return getattr(rows.Series, kind)(given[0], apart, len(nodes), top, count)


@pytest.mark.parametrize("name", BELOW)
@pytest.mark.parametrize(("kind", "count"), [("from_zero", 40), ("from_zero", 60), ("exponentials", 0)])
def test_functions_that_fall_are_enclosed_with_their_integrals(name, kind, count):
    """Series of too few terms enclose as well, if they say anything."""
    nodes = BELOW[name]
    with flint.ctx.workprec(400):
        try:
            row = enclosing(nodes, kind, count)
        except rows.Imprecise:
            assert name == "nearly 0"
            return
        check_enclosed(row, nodes, kind)


AFAR = {
    "one node": [-3.0],
    "ties": [-9.0, -9.0, -9.0],
    "near": [-9.0, -8.5, -7.0],
    "positive": [40.0, 41.0, 60.0],
    "very far": [-200.0, -199.0, -198.0, -190.0],
}
"""Nodes that are much nearer to each other than to 0."""


@pytest.mark.parametrize("name", AFAR)
@pytest.mark.parametrize("count", [8, 12, 40, 80])
def test_functions_are_enclosed_from_afar(name, count):
    """The less is known of a coefficient the fewer follow it; the bound on what follows covers it."""
    nodes = AFAR[name]
    with flint.ctx.workprec(400):
        try:
            row = enclosing(nodes, "from_afar", count)
        except rows.Imprecise:
            assert count < 80
            return
        check_enclosed(row, nodes, "from_afar")


def check_enclosed(row, nodes, kind):
    """Compare functions and integrals between points with the oracle, each with the factor of its function."""
    largest = max(map(abs, nodes)) if kind == "exponentials" else 1
    scale = [flint.arb(largest) ** (i + (x >= -1 / 3)) for i, x in enumerate(nodes)]
    values = [row.integrals(t) for t in POINTS]
    for t in POINTS:
        for x, true, s in zip(row.derivatives(t), differences(nodes, float(t), 0), scale, strict=True):
            assert (x / s).overlaps(exact(true))
    for (low, at_low), (high, at_high) in itertools.pairwise(zip(POINTS, values, strict=True)):
        for x, y, true, s in zip(at_low, at_high, integral_between(nodes, low, high), scale, strict=True):
            assert ((y - x) / s).overlaps(exact(true))


@pytest.mark.parametrize("bits", [160, 300])
def test_series_from_afar_are_as_exact_as_others(bits):
    """The count of terms makes balls about as small as the precision allows, for integrals, too."""
    for lowest, spread in ((-90.0, 40.0), (-1e5, 3.0), (-40.0, 0.0)):
        nodes = [flint.arb(x) for x in (lowest, lowest, lowest + spread / 2, lowest + spread)]
        with flint.ctx.workprec(bits):
            row = rows.row_of(nodes, 2, flint.arb(1))
            assert type(row) is rows.Series
            assert row.antiderivatives is not None
            assert not row.integrals(flint.arb(0))[0].contains(0), "it is from afar"
            for x in row.integrals(flint.arb(1) / 8):
                assert x.rad() < flint.arb(2) ** (30 - bits) * abs(x)


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
        row = rows.Exponentials(list(map(flint.arb, nodes)), wide, flint.arb(1))
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
        roads = rows.Series.of(nodes, 3, top), rows.Exponentials(nodes, 3, top)
        lower, upper = ([road.draw(above, list(copies), uniforms, None, end) for road in roads] for end in (0, 1))
        for low, high in ((lower[0], upper[1]), (lower[1], upper[0])):
            assert all(x <= y and y - x < CLOSE for x, y in zip(low, high, strict=True))


# ---------------------------------------------------------------- quantiles


def test_elimination_keeps_its_order_where_functions_fall():
    """Masses of far intervals are smaller by millions of digits, and differ by as many among the functions."""
    with flint.ctx.workprec(160):
        nodes = [flint.arb(x) for x in (-1e6, -7e5, -5e5)]
        row = rows.Exponentials(nodes, 3, flint.arb(3))
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
