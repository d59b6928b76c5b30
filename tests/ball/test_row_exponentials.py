"""Exponentials of matrices as functions of a row, beside the oracle's divided differences."""

import flint
import pytest

from dpspectra.ball import row_exponentials as rows
from tests.support.row_functions import BELOW, CLOSE, POINTS, check_enclosed, differences, exact

ROWS = {
    "one node": ([3.0], 1),
    "ties at 0": ([0.0, 0.0, 0.0, 5.0], 2),
    "all different": ([0.0, 0.5, 2.0, 700.0], 4),
    "far apart": ([1.0, 1.0, 2.0**10, 2.0**11], 3),
}


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


@pytest.mark.parametrize("name", BELOW)
def test_functions_that_fall_are_enclosed_with_their_integrals(name):
    nodes = BELOW[name]
    with flint.ctx.workprec(400):
        row = rows.Exponentials(list(map(flint.arb, nodes)), len(nodes), POINTS[-1])
        largest = flint.arb(max(map(abs, nodes)))
        check_enclosed(row, nodes, [largest ** (i + (x >= -1 / 3)) for i, x in enumerate(nodes)])
