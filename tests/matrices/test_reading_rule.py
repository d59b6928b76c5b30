"""Rows are changed one by one, by public rules; what is clipped and zeroed is never refused."""

import math

import numpy as np
import pytest
from scipy import sparse

from dpspectra.certified.gram import exact_moments
from dpspectra.matrices.float_moments import second_moments
from dpspectra.matrices.float_row_sums import total
from dpspectra.matrices.foreign_data import numbers
from dpspectra.matrices.prepared_rows import clipped_rows, unit_rows
from dpspectra.matrices.reading_rule import Reading

ROWS = np.random.default_rng(0).normal(size=(3000, 3)) * 2


@pytest.mark.parametrize("bound", [2.0**-545, 2.0**600, 2.0**-890, 2.0**890])
def test_clipping_is_total_at_every_bound(bound):
    """Referee 16: squares of a prototype refused a long row at 2^-545, and overflowed at 2^600."""
    rows = np.array([[1e300, 1e-300], [5e-324, 0.0], [bound, bound], [bound / 4, -bound], [1.7e308, -1.7e308]])
    for data in (rows, sparse.csr_array(rows)):
        total = exact_moments(data, Reading(bound, "clip", "zero"))
        assert total.count == 5
        assert np.trace(total.total) <= 5 * 2**40


BLOCKED = {
    "array": lambda x: x,
    "chunks": lambda x: iter([x[:17], x[17:]]),
    "lists": lambda x: x.tolist(),
    "frame": lambda x: pytest.importorskip("pandas").DataFrame(x),
    "table": lambda x: pytest.importorskip("pyarrow").table(dict(zip("abc", x.T, strict=True))),
}


@pytest.mark.parametrize("form", BLOCKED)
@pytest.mark.parametrize(("rows", "change"), [("clip", lambda x: clipped_rows(x, 1.0)), ("unit", unit_rows)])
def test_blocks_are_what_is_done_at_once(rows, change, form):
    reading, data = Reading(rows=rows), np.concatenate([ROWS, ROWS / 8])
    found, expected = exact_moments(BLOCKED[form](data), reading), exact_moments(change(data), 1.0)
    assert found.total.tolist() == expected.total.tolist()
    assert np.array_equal(reading.whole(data), change(data))


def test_what_is_refused_by_default_is_passed_on_as_it_is():
    assert Reading().whole(ROWS) is ROWS
    for rows in ("clip", "unit"):
        for read in (exact_moments, second_moments, total):
            with pytest.raises(ValueError, match=r"X must be finite, but entry \(1, 0\) is not"):
                read(np.array([[1.0], [math.nan]]), Reading(rows=rows))
            with pytest.raises(ValueError, match=r"entry \(2, 0\)"):
                read(iter([ROWS[:2, :1], [[math.inf]]]), Reading(rows=rows))


def test_bad_rows_alone_become_zero():
    bad = np.array([[1.0, 2.0], [math.nan, 1.0], [3.0, -math.inf], [0.5, 0.25]])
    want = np.where(np.isfinite(bad).all(axis=1)[:, None], bad, 0.0)
    reading = Reading(bad_rows="zero")
    assert np.array_equal(reading.changed(bad), want)
    assert np.array_equal(reading.whole(sparse.csr_array(bad)).toarray(), want)
    assert np.array_equal(reading.whole([[1.0, "2"], [[1], 1.0], [3.0, None], [0.5, 0.25]]), want)
    with pytest.raises(ValueError, match=r"X must have shape \(n, d\)"):
        numbers(np.ones(3), total=True)
