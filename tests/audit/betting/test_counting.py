"""Pairs of calls are counted to the last row, however long calls are and into how many pieces they come."""

import numpy as np
import pytest

from dpspectra.audit.betting.counting import counted, summed


def test_pairs_of_calls_are_counted_by_their_rows_in_the_event():
    one, other = np.array([1, 1, 0, 1, 0, 0, 1, 1], dtype=bool), np.array([0, 1, 0, 0, 0, 0, 0, 1], dtype=bool)
    for pieces in ([one], [other]), ([one[:2], one[2:]], [other[:2], other[2:]]):
        assert counted(*pieces, 1) == {(1, 0, 0): 3, (1, 1, 0): 3, (1, 1, 1): 2}
        assert counted(*pieces, 2) == {(2, 2, 1): 2, (2, 1, 0): 1, (2, 0, 0): 1}
    assert counted([one], [other], 8) == {(8, 5, 2): 1}


@pytest.mark.parametrize("rows", [3, 8, 12, 1024, 2040, 2048])
def test_long_calls_are_counted_to_the_last_row(rows):
    none, all_of_them, some = np.zeros(rows, dtype=bool), np.ones(rows, dtype=bool), np.arange(rows) % 3 == 0
    found = counted([np.concatenate([all_of_them, some]), none], [np.concatenate([some, all_of_them]), none], rows)
    few = int(some.sum())
    assert found == {(rows, rows, few): 1, (rows, few, rows): 1, (rows, 0, 0): 1}


def test_grades_of_the_rows_of_a_call_are_added_up():
    won, lost = np.array([3, 0, 1, 3, 0, 1]), np.array([2, 2, 0, 2, 2, 0])
    for pieces in ([won], [lost]), ([won[:2], won[2:]], [lost[:2], lost[2:]]):
        assert summed(*pieces, 1) == {(1, 3, 2): 2, (1, 0, 2): 2, (1, 1, 0): 2}
        assert summed(*pieces, 2) == {(2, 3, 4): 1, (2, 4, 2): 1, (2, 1, 2): 1}
    big = np.full(2**10, 2**24)
    assert summed([big], [big], 2**10) == {(2**10, 2**34, 2**34): 1}
