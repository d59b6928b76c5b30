"""Refusals of data frames: the column by name, the row by its number, never a value."""

import pytest

import dpspectra as dps
from dpspectra.ground.checks import ZERO_ROWS
from tests.support.helpers import keeps

SECRET = 0.7315246
NAN = float("nan")
WAY_OUT = f": {ZERO_ROWS}"


def frame(library, columns):
    return pytest.importorskip(library).DataFrame(columns)


def said(X):
    with pytest.raises(ValueError, match=r"^column 'age'") as caught:
        dps.laplace_covariance(X, 1.0)
    keeps(str(caught.value))
    return str(caught.value)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("other", [[0.25, 0.5], [1, 0]], ids=["one type", "two types"])
@pytest.mark.parametrize("bad", [NAN, float("inf")])
def test_a_number_that_is_not_finite_is_told_by_its_column(library, other, bad):
    X = frame(library, {"height": other, "age": [SECRET, bad]})
    assert said(X) == "column 'age' of X must be finite, but entry 1 is not" + WAY_OUT


def test_the_row_is_counted_over_chunks():
    chunks = [frame("pandas", {"height": [0.25, 0.5], "age": [SECRET / 2, last]}) for last in (0.0, NAN)]
    assert said(iter(chunks)).startswith("column 'age' of X must be finite, but entry 3 is not")


def test_a_value_that_is_no_number_is_told_by_its_column():
    X = frame("pandas", {"height": [0.25, 0.5], "age": [SECRET, str(SECRET)]})
    assert (
        said(X) == "column 'age' of X must hold numbers, but entry 1 is missing or no number: fill it or leave it out"
    )
