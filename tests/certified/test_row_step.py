"""Steps by rows: exact in any form, however they are cut; and what they refuse."""

import numpy as np
import pytest
from scipy import sparse

from dpspectra.certified import row_step
from dpspectra.certified.grid import Limbs
from dpspectra.certified.integer_rows import exponent, quantised
from dpspectra.certified.row_step import RowProduct, row_product
from dpspectra.matrices.prepared_rows import clipped_rows
from dpspectra.matrices.reading_rule import Reading

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(300, 7)) * (RNG.random((300, 7)) < 0.7)
CUT = np.trunc(np.linalg.qr(RNG.normal(size=(7, 3)))[0] * 2**20).astype(np.int64)
CLIP = Reading(1.5, "clip")


def by_definition(rows, cut):
    """Row by row, in Python's integers."""
    q = quantised(clipped_rows(rows, 1.5), 1.5, exponent(1.5)).astype(int).tolist()
    total = [[0] * cut.shape[1] for _ in range(len(cut))]
    for row in q:
        images = [(2 * sum(x * int(c) for x, c in zip(row, column, strict=True)) + 2**20) // 2**21 for column in cut.T]
        total = [[t + x * i for t, i in zip(line, images, strict=True)] for line, x in zip(total, row, strict=True)]
    return total


def forms():
    yield ROWS
    yield sparse.csr_array(ROWS)
    yield sparse.coo_matrix(ROWS)
    yield pytest.importorskip("pandas").DataFrame(ROWS)
    array = pytest.importorskip("dask.array")
    yield array.from_array(ROWS, chunks=(70, 3))
    yield array.from_array(ROWS, chunks=(70, 7))[array.from_array(np.ones(300, dtype=bool), chunks=70)]


def test_every_form_has_the_sum_of_the_definition():
    wanted = by_definition(ROWS, CUT)
    for rows in forms():
        assert row_product(rows, CUT, CLIP).tolist() == wanted


def test_no_cut_changes_a_bit(monkeypatch):
    """Sums go to limbs after every few rows, and blocks are short."""
    wanted = row_product(ROWS, CUT, CLIP).tolist()
    for name, value in {"SHORT": 7, "LONG": 20, "BLOCK": 21}.items():
        monkeypatch.setattr(row_step, name, value)
        assert row_product(ROWS, CUT, CLIP).tolist() == wanted
    assert row_product(sparse.csr_array(ROWS), CUT, CLIP).tolist() == wanted


def test_the_largest_sums_are_exact():
    """Rows of full length whose images are as large as they can be: each limit is met with its own number of rows."""
    longest, block = np.array([[2.0**20]]), np.array([[2**20]])
    one = row_step.of_integers(longest, block).tolist()
    assert row_step.of_integers(np.repeat(longest, row_step.SHORT, axis=0), block).tolist() == [
        [row_step.SHORT * one[0][0]]
    ]
    steep = np.array([[int(2**20.5)]])
    image = int(2**20.5)
    found = row_step.of_integers(np.repeat(longest, row_step.SHORT, axis=0), steep)
    assert found.tolist() == [[row_step.SHORT * 2**20 * image]]
    assert row_step.LONG * 2**20 * (2**20.5 + 0.5) < 2**62


def test_more_rows_than_int64_holds_are_added_in_limbs():
    part = RowProduct(Limbs.of(np.array([2**62, -(2**62)])), 1)
    for _ in range(20):
        part = part + part
    assert part.total.integers().tolist() == [2**82, -(2**82)]
    with pytest.raises(ValueError, match="one width"):
        part + RowProduct(Limbs.zeros(3), 1)


def test_what_is_refused():
    with pytest.raises(ValueError, match="orthonormal up to rounding"):
        row_product(ROWS, 2 * CUT, CLIP)
    with pytest.raises(ValueError, match="must have 6 columns"):
        row_product(ROWS, CUT[:6], CLIP)
    with pytest.raises(ValueError, match="X must have rows of norm at most"):
        row_product(ROWS, CUT, Reading(0.1))
