"""A number of Python is divided by only where a comparison has left it no 0, from which Python raises."""

import pytest

from dpspectra.audit import inside


@pytest.mark.parametrize("asked", ["y > 0", "y >= 1", "y < 0"])
def test_a_whole_number_away_from_0_divides(asked):
    program = compile(asked, "asked", "eval")

    def divides(x, rng):
        y = round(x + rng.laplace(scale=1.0))
        return 1.0 / y if eval(program, {"y": y}) else 5.0

    result = inside(divides, (0, 1), 2.0)
    assert result.verdict == "explained"
    assert result.bound == pytest.approx(1)


@pytest.mark.parametrize("asked", ["y >= 0", "y <= 0", "y > -1", "True"])
def test_what_may_be_0_does_not(asked):
    program = compile(asked, "asked", "eval")

    def divides(x, rng):
        y = round(x + rng.laplace(scale=1.0))
        return 1.0 / y if eval(program, {"y": y}) else 5.0

    result = inside(divides, (0, 1), 2.0)
    assert result.verdict != "explained"
    assert any("ZeroDivisionError" in text for text in (*result.findings, *result.reasons))
