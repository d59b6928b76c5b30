"""Sums of rows: every reader of rows draws the same line at the bound."""

from functools import partial

import numpy as np
import pytest

from dpspectra.certified.gram import exact_moments
from dpspectra.matrices.float_moments import second_moments
from dpspectra.matrices.float_row_sums import total
from tests.support.forms import ROWS
from tests.support.rows import X, integers

FORMS = {"dense": np.asarray} | {name: ROWS[name] for name in ("csr", "csc", "chunks", "sparse chunks")}
READERS = partial(exact_moments, order=1), exact_moments, total, second_moments


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("bound", [1.0, 0.7, 3.0])
def test_a_sum_is_that_of_the_integers_of_each_row(form, bound):
    rows = X[:40] * bound
    found = exact_moments(FORMS[form](rows), bound, order=1)
    assert found.first.integers().tolist() == np.sum([integers(row, bound) for row in rows], axis=0).tolist()
    assert found.count == 40


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("bound", [1.0, 0.7, 3.0])
def test_rows_up_to_the_bound_are_read_and_longer_ones_are_not(reader, form, bound):
    """Along an axis and aslant; what the grid of rows, of 2**-20, can hide is not looked at."""
    for direction in ([1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [1 / 3, -2 / 3, 2 / 3]):
        row = np.array([direction, direction])
        for share in (0.5, 0.98, 0.999, 1 - 2.0**-20, 1.0):
            reader(FORMS[form](share * bound * row), bound)
        for share in (1 + 2.0**-16, 1.001, 2.0):
            with pytest.raises(ValueError, match=f"X must have rows of norm at most {bound:g}, but row 1 is longer"):
                reader(FORMS[form](row * [[bound], [share * bound]]), bound)
