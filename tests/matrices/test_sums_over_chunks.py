"""Chunks of rows: tables are taken by the names of their columns, whatever their order."""

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.matrices.float_moments import second_moments

pd = pytest.importorskip("pandas")


def frame(columns):
    """A table of two rows, whose numbers are places of the alphabet and ten times as much."""
    return pd.DataFrame({column: [ord(column) - 96.0, 10 * (ord(column) - 96.0)] for column in columns})


RELEASES = {
    "covariance": lambda rows: dps.laplace_covariance(rows, 1.0, norm_bound=60.0, rng=0).value,
    "certified": lambda rows: dps.laplace_covariance(rows, 1.0, norm_bound=60.0, rng=dps.Entropy(bytes(32))).value,
    "mean": lambda rows: dps.private_mean(rows, 1.0, norm_bound=60.0, rng=0).value,
    "pairs": lambda rows: dps.private_pca(rows, 1, 1.0, center="pairs", rng=0).value,
    "moments": lambda rows: second_moments(rows, 60.0).gram,
}


@pytest.mark.parametrize("name", RELEASES)
def test_columns_of_later_chunks_are_taken_by_name(name):
    """Read by place, a chunk in another order would be mixed up, and nothing would tell."""
    release = RELEASES[name]
    assert np.array_equal(release(map(frame, ("abc", "cab", "bca"))), release(map(frame, ("abc", "abc", "abc"))))


@pytest.mark.parametrize(("columns", "named"), [("abd", "'c'"), ("ab", "'c'"), ("abcd", "'d'")])
@pytest.mark.parametrize("name", RELEASES)
def test_chunks_with_other_columns_are_refused(name, columns, named):
    with pytest.raises(ValueError, match=f"X must have the same columns in each chunk, which {named} is not"):
        RELEASES[name](map(frame, ("abc", columns)))


def test_arrays_beside_tables_are_read_by_place():
    rows = frame("abc").to_numpy()
    assert np.array_equal(second_moments(iter([frame("abc"), rows]), 60.0).gram, 2 * rows.T @ rows)
