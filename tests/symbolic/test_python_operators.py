"""A number of Python is divided by only where nothing leaves it a 0, from which Python raises."""

import pytest

from dpspectra.audit import inside


def raises(result):
    return any("ZeroDivisionError" in text for text in (*result.findings, *result.reasons))


def divides_if(asked):
    def divides(x, rng):
        y = round(x + rng.laplace(scale=1.0))
        return 1.0 / y if asked(y) else 5.0

    return divides


@pytest.mark.parametrize("asked", [lambda y: y > 0, lambda y: y >= 1, lambda y: y < 0])
def test_a_whole_number_away_from_0_divides(asked):
    result = inside(divides_if(asked), (0, 1), 2.0)
    assert result.verdict == "explained"
    assert result.bound == pytest.approx(1)


@pytest.mark.parametrize("asked", [lambda y: y >= 0, lambda y: y <= 0, lambda y: y > -1, lambda y: True])
def test_what_may_be_0_does_not(asked):
    result = inside(divides_if(asked), (0, 1), 2.0)
    assert result.verdict != "explained"
    assert raises(result)


@pytest.mark.parametrize(("least", "verdict"), [(1, "explained"), (0, "undecided")])
def test_nor_does_a_draw_that_begins_at_0(least, verdict):
    def divides(x, rng):
        return 1.0 / (int(rng.geometric(0.5)) - 1 + least)

    result = inside(divides, (0.0, 1.0), 2.0)
    assert result.verdict == verdict
    assert raises(result) == (least == 0)
