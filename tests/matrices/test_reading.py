"""Rows are changed one by one, by public rules; what is clipped and zeroed is never refused."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from dpspectra.certified.gram import exact_moments
from dpspectra.matrices.reading import Reading, without_bad_rows
from dpspectra.matrices.rows import clipped_rows, unit_rows


def read(stream: Any):
    """Go through all blocks."""
    return list(stream)


ROWS = np.random.default_rng(0).normal(size=(3000, 3)) * 2


@pytest.mark.parametrize("bound", [2.0**-545, 2.0**600, 2.0**-890, 2.0**890])
def test_clipping_is_total_at_every_bound(bound):
    """Referee 16: squares of a prototype refused a long row at 2^-545, and overflowed at 2^600."""
    rows = np.array([[1e300, 1e-300], [5e-324, 0.0], [bound, bound], [bound / 4, -bound], [1.7e308, -1.7e308]])
    for data in (rows, sparse.csr_array(rows)):
        total = exact_moments(Reading(bound, "clip", "zero").of(data), bound)
        assert total.count == 5
        assert np.trace(total.total) <= 5 * 2**40


@pytest.mark.parametrize(("rows", "change"), [("clip", lambda x: clipped_rows(x, 1.0)), ("unit", unit_rows)])
def test_streams_are_what_is_done_at_once(rows, change):
    reading = Reading(rows=rows)
    forms: list[Any] = [ROWS, iter([ROWS[:17], ROWS[17:]]), ROWS.tolist(), sparse.csr_array(ROWS)]
    for data in forms:
        stream: Any = reading.of(data)
        blocks = [x.toarray() if sparse.issparse(x) else x for x in stream]
        tolerance = 1e-15 if sparse.issparse(data) else 0
        assert np.abs(np.concatenate(blocks) - change(ROWS)).max() <= tolerance
    assert np.array_equal(reading.whole(ROWS), change(ROWS))


def test_what_is_refused_by_default_is_passed_on_as_it_is():
    assert Reading().of(ROWS) is ROWS
    assert Reading().whole(ROWS) is ROWS
    with pytest.raises(ValueError, match=r"X must be finite, but entry \(1, 0\) is not"):
        read(Reading(rows="clip").of(np.array([[1.0], [math.nan]])))
    with pytest.raises(ValueError, match=r"entry \(2, 0\)"):
        read(Reading(rows="clip").of(iter([ROWS[:2, :1], [[math.inf]]])))


def test_bad_rows_alone_become_zero():
    bad = np.array([[1.0, 2.0], [math.nan, 1.0], [3.0, -math.inf], [0.5, 0.25]])
    want = np.where(np.isfinite(bad).all(axis=1)[:, None], bad, 0.0)
    assert np.array_equal(without_bad_rows(bad), want)
    assert np.array_equal(without_bad_rows(sparse.csr_array(bad)).toarray(), want)
    assert np.array_equal(without_bad_rows([[1.0, "2"], [[1], 1.0], [3.0, None], [0.5, 0.25]]), want)
    with pytest.raises(ValueError, match=r"X must have shape \(n, d\)"):
        without_bad_rows(np.ones(3))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"norm_bound": 0}, "norm_bound must be positive"),
        ({"rows": "cut"}, "rows must be one of refuse, clip, unit, got 'cut'"),
        ({"bad_rows": "drop"}, "bad_rows must be one of refuse, zero, got 'drop'"),
        ({"rows": "unit", "norm_bound": 2.0}, "norm_bound must be 1 for unit rows, got 2"),
    ],
)
def test_other_rules_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        Reading(**given)
