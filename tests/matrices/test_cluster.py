"""Products of dask arrays block by block, with any cut of what travels, and sums of many blocks."""

import operator
import sys

import numpy as np
import pytest

from dpspectra import Moments
from dpspectra.certified.exact_moments import sums_of
from dpspectra.certified.products import exact_product
from dpspectra.matrices import cluster, sums_over_chunks

array = pytest.importorskip("dask.array")
delayed = pytest.importorskip("dask").delayed

A = np.random.default_rng(0).integers(-99, 99, (60, 31))
X, Y = np.random.default_rng(1).integers(-99, 99, (31, 3)), np.random.default_rng(2).integers(-99, 99, (60, 3))


@pytest.mark.parametrize("travel", [1, 700, 2**26])
@pytest.mark.parametrize("cut", [(7, 31), (60, 5), (7, 5)])
def test_products_are_exact_however_they_travel(cut, travel, monkeypatch):
    monkeypatch.setattr(cluster, "TRAVEL", travel)
    monkeypatch.setattr(cluster, "MOST", 5)
    lazy = array.from_array(A, chunks=cut)
    np.testing.assert_array_equal(cluster.times(lazy, X, "A"), A @ X)
    np.testing.assert_array_equal(cluster.times(lazy.T, Y, "A"), A.T @ Y)
    read = exact_product(lazy, 0)
    np.testing.assert_array_equal(read.forward(X), A @ X)


def test_no_task_holds_a_whole_product():
    """Each block of a tall matrix comes back by itself."""
    seen = []

    def noted(block):
        seen.append(block.shape)
        return block

    lazy = array.from_array(A, chunks=(6, 31)).map_blocks(noted, dtype=A.dtype, meta=np.empty((0, 0), A.dtype))
    cluster.times(lazy, X, "A")
    assert seen == [(6, 31)] * 10
    sizes = [run for batch in cluster._batches(np.full(10, 6), np.array([31])) for run in batch]
    assert sizes == [(i, range(1)) for i in range(10)]


def test_batches_hold_no_more_than_may_travel(monkeypatch):
    monkeypatch.setattr(cluster, "TRAVEL", 100)
    monkeypatch.setattr(cluster, "MOST", 4)
    tall, wide = np.array([30, 20, 300, 1]), np.array([10, 60, 50, 5, 5, 5, 5, 5])
    cells = []
    for batch in cluster._batches(tall, wide):
        assert len(batch) == 1 or sum(tall[i] + wide[run.start : run.stop].sum() for i, run in batch) <= 100
        assert sum(len(run) for _, run in batch) <= 4
        cells += [(i, j) for i, run in batch for j in run]
    assert cells == [(i, j) for i in range(4) for j in range(8)]


@pytest.mark.parametrize("number", [1, 2, 8, 9, 70])
def test_a_tree_holds_each_part_once(number, monkeypatch):
    monkeypatch.setattr(cluster, "MOST", 30)
    parts = [delayed([i]) for i in range(number)]
    assert cluster.total(parts, operator.add, "X") == list(range(number))


def test_sums_are_the_same_in_pieces(monkeypatch):
    """An array is read in pieces; a scheduler is given a few blocks at a time."""
    rows = np.random.default_rng(3).normal(size=(500, 4))
    whole = sums_of(Moments.of(rows, rows="clip"))
    monkeypatch.setattr(sums_over_chunks, "PIECE", 64)
    monkeypatch.setattr(sums_over_chunks, "SHORTEST", 16)
    monkeypatch.setattr(cluster, "MOST", 3)
    assert sums_over_chunks._pieces(rows)[1] == 32
    for data in (rows, array.from_array(rows, chunks=(40, 2))):
        found = sums_of(Moments.of(data, rows="clip"))
        assert (found.total == whole.total).all()
        assert found.count == 500


def test_a_terminal_sees_how_far_reading_is(monkeypatch, capsys):
    monkeypatch.setattr(sums_over_chunks, "PIECE", 64)
    monkeypatch.setattr(sums_over_chunks, "SHORTEST", 16)
    monkeypatch.setattr("dpspectra.ground.progress.PAUSE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    Moments.of(np.zeros((160, 4)))
    assert "dpspectra: 10 of 10 parts of X, 0 s, read" in capsys.readouterr().err
    Moments.of(array.zeros((160, 4), chunks=(16, 4)))
    assert "dpspectra: 10 of 10 blocks of X, 0 s, sum" in capsys.readouterr().err
