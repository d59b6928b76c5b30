"""What other people's code raises while data are read is told by type and place; our own words pass."""

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.ground.foreign_code import Chunks

X = np.full((4, 2), 0.25)


def failing(problem, chunks=1):
    for _ in range(chunks):
        yield X
    raise problem


@pytest.mark.parametrize("problem", [ValueError("0.7315"), KeyError(0.7315), OSError("0.7315")])
def test_an_iterator_that_fails_is_told_by_type_and_place(problem):
    kind = type(problem).__name__
    for given in ({}, {"rows": "clip"}):
        with pytest.raises(ValueError, match=f"X must be readable, but chunk 2 raised {kind}: go through it") as caught:
            dps.laplace_covariance(failing(problem, 2), 1.0, **given)
        assert caught.value.__cause__ is caught.value.__context__ is None


def test_what_is_no_defect_of_the_data_passes():
    for problem in (KeyboardInterrupt, MemoryError):
        with pytest.raises(problem):
            dps.laplace_covariance(failing(problem()), 1.0)
    assert list(Chunks(iter([1, 2]), "X")) == [1, 2]


def test_a_block_that_fails_is_told_by_type_and_our_words_pass():
    array = pytest.importorskip("dask.array")

    def raising(block):
        raise RuntimeError("0.7315")

    lazy = array.from_array(X, chunks=(2, 2))
    bad = lazy.map_blocks(raising, dtype=float, meta=np.empty((0, 0)))
    for call in (
        lambda x: dps.laplace_covariance(x, 1.0),
        lambda x: dps.laplace_covariance(x, 1.0, rows="clip"),
        lambda x: dps.private_range_finder(x, 1, 1.0, 1e-3),
        lambda x: dps.private_range_finder(x, 1, 1.0, 1e-3, rng=np.random.default_rng(0)),
    ):
        with pytest.raises(ValueError, match="must be readable, but a block raised RuntimeError: compute it"):
            call(bad)
    with pytest.raises(ValueError, match=r"X must have rows of norm at most 0\.01, but row [02] is longer"):
        dps.laplace_covariance(lazy, 1.0, norm_bound=0.01)
    hole = array.from_array(np.where(np.arange(8).reshape(4, 2) == 5, np.nan, X), chunks=(2, 2))
    for given in ({}, {"rows": "clip"}):
        with pytest.raises(ValueError, match="X must be finite, but entry"):
            dps.laplace_covariance(hole, 1.0, **given)
