"""The table of the power of ratios: what it claims of whom, and that ratios show what the curve alone does not."""

import math

import pytest

from bench.power_of_ratios import ROWS, Row, main, measured
from dpspectra.audit import ZCDP, Renyi


def test_claims_are_as_many_times_smaller_as_is_said():
    assert Row(2.0, 0.5, True).claim(1.25) == Renyi(2.0, 0.2)
    assert Row(None, 1.0, True).claim(1.25) == ZCDP(0.4)
    assert {row.order for row in ROWS} == {2.0, 4.0, 8.0, None}


def test_ratios_show_what_the_curve_alone_does_not():
    ratios, curve = measured(Row(2.0, 1.0, True), 1.4, 1, 30_000, 0.001)
    assert ratios[0] < 20_000
    assert curve == [math.inf]


@pytest.mark.parametrize(("sound", "status"), [(["--sound"], 0), (["--times", "1.0"], 1)])
def test_the_status_tells_whether_it_is_as_promised(sound, status, capsys):
    assert main(["--draws", "500", "--seeds", "1", *sound]) == status
    assert ("nothing" in capsys.readouterr().out) is (status == 0)
