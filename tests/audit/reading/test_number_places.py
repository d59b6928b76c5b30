"""Every number has a place, whatever else is drawn with it; what has none is counted."""

from typing import Any

import numpy as np
import pytest

from dpspectra.audit.reading.number_places import ENDS, MOST, Places
from dpspectra.audit.reading.outcomes import outcome
from dpspectra.audit.reading.stacked_outputs import Stacks, gathered


def fitted(values, snap=30):
    rows = [outcome(value) for value in values]
    return Places.fitted([rows], rows, snap), rows


def test_a_row_alone_is_the_row_of_the_matrix():
    rng = np.random.default_rng(0)
    values = [{"a": rng.normal(size=3), "b": 1.0}, {"a": rng.normal(size=3)}, "text", {"a": 1.5 + 2j, "b": 2.0}]
    places, rows = fitted(values)
    matrix = places.matrix(rows)
    for i, row in enumerate(rows):
        np.testing.assert_array_equal(places.matrix([row])[0], matrix[i])


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_stacks_are_read_as_their_rows(shape):
    stack = np.random.default_rng(0).normal(size=(20, *shape))
    stack[3] = np.nan
    rows = Stacks({"output": stack})
    places = Places.fitted([rows], rows.outcomes(), 30)
    np.testing.assert_array_equal(places.matrix(rows), places.matrix(rows.outcomes()))
    assert places.placed(rows) == places.placed(rows.outcomes()) == (stack.size, stack.size)
    assert np.nanmax(np.abs(places.matrix(rows) - stack.reshape(20, -1))) < 2.0**-28
    raw = Places.fitted([rows], rows.outcomes(), None)
    np.testing.assert_array_equal(raw.matrix(rows), stack.reshape(20, -1))


def test_imaginary_parts_have_a_place_of_their_own():
    places, rows = fitted([np.array([1 + 2j, 3.0]), np.array([1.0, 2.0])])
    assert places.matrix(rows).tolist() == [[1, 2, 3, 0], [1, 0, 2, 0]]
    assert places.name(1) == "output[0] (imaginary part)"
    real: Any = gathered([np.ones(2), np.zeros(2)])
    narrow = Places.fitted([real], real.outcomes(), 30)
    assert np.isnan(narrow.matrix([outcome(np.array([1j, 2.0]))])[0]).tolist() == [True, False]


def test_of_arrays_of_varying_length_both_ends_have_places():
    places, rows = fitted([np.arange(5.0), np.arange(1000.0)])
    matrix = places.matrix(rows)[:, :-1] if places.size > 2 * ENDS else places.matrix(rows)
    assert matrix.shape == (2, 2 * ENDS)
    assert matrix[0, :5].tolist() == matrix[0, -5:].tolist() == [0, 1, 2, 3, 4]
    assert matrix[1, -1] == 999
    assert places.name(2 * ENDS - 1) == "output[-1]"
    assert places.placed(rows)[1] == 5 + 2 * ENDS


def test_numbers_without_room_have_no_place():
    places, rows = fitted([{"a": np.zeros(MOST - 5), "b": np.zeros(9), "c": np.zeros(2)}] * 2)
    _, *runs = places.runs.values()  # the first one is that of the length of the dictionary
    assert [(run.start, run.size) for run in runs] == [(1, MOST - 5), (MOST - 4, 4), (MOST, 0)]
    assert places.placed(rows) == (2 * (MOST + 7), 2 * MOST)
