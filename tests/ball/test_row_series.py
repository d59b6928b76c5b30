"""Power series of functions of a row beside the oracle's divided differences, and which road is taken."""

import flint
import pytest

from dpspectra.ball import gelfand_tsetlin
from dpspectra.ball import row_series as rows
from dpspectra.ball.pattern_rows import Imprecise
from dpspectra.ball.row_exponentials import Exponentials
from tests.support.row_functions import BELOW, POINTS, check_enclosed, differences, exact


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
    with pytest.raises(Imprecise):
        rows.Series([flint.arb(9)], flint.arb(1), {1: [flint.arb(1), flint.arb(9)]}).functions()


def enclosing(nodes, kind, count):
    """Row of all functions of the nodes by series that count them from the lowest one."""
    given = list(map(flint.arb, nodes))
    apart = [x - given[0] for x in given]
    return getattr(rows.Series, kind)(given[0], apart, len(nodes), POINTS[-1], count)


@pytest.mark.parametrize("name", BELOW)
@pytest.mark.parametrize("count", [40, 60])
def test_functions_that_fall_are_enclosed_with_their_integrals(name, count):
    """Series of too few terms enclose as well, if they say anything."""
    nodes = BELOW[name]
    with flint.ctx.workprec(400):
        try:
            row = enclosing(nodes, "from_zero", count)
        except Imprecise:
            assert name == "nearly 0"
            return
        check_enclosed(row, nodes)


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
        except Imprecise:
            assert count < 80
            return
        check_enclosed(row, nodes)


@pytest.mark.parametrize("bits", [160, 300])
def test_series_from_afar_are_as_exact_as_others(bits):
    """The count of terms makes balls about as small as the precision allows, for integrals, too."""
    for lowest, spread in ((-90.0, 40.0), (-1e5, 3.0), (-40.0, 0.0)):
        nodes = [flint.arb(x) for x in (lowest, lowest, lowest + spread / 2, lowest + spread)]
        with flint.ctx.workprec(bits):
            row = gelfand_tsetlin.row_of(nodes, 2, flint.arb(1))
            assert type(row) is rows.Series
            assert row.antiderivatives is not None
            assert not row.integrals(flint.arb(0))[0].contains(0), "it is from afar"
            for x in row.integrals(flint.arb(1) / 8):
                assert x.rad() < flint.arb(2) ** (30 - bits) * abs(x)


def test_the_road_is_chosen_by_the_largest_exponent():
    nodes = [flint.arb(1), flint.arb(2)]
    roads = [type(gelfand_tsetlin.row_of(nodes, 2, flint.arb(top))) for top in (5.9, 6.1)]
    assert roads == [rows.Series, Exponentials]
