"""Rows about their mean, and differences of rows."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from dpspectra.matrices.centring import about, differences, held, in_memory
from dpspectra.matrices.reading_rule import Reading


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_row_is_in_two_differences_and_in_one_row_about_the_mean(form, monkeypatch):
    monkeypatch.setattr("dpspectra.matrices.centring.BLOCK", 40)
    rng = np.random.default_rng(2)
    before = rng.integers(-4, 5, (23, 6)) * 1.5
    after, order = before.copy(), rng.permutation(23)
    after[9] = [1e308, -1e308, 0, 0, 2.0**-1074, 0]
    for changed, units in (
        (2, lambda x: differences(in_memory(form(x)), order)),
        (1, lambda x: about(in_memory(form(x)), np.full(6, 0.3), 0.1)),
    ):
        one, other = (sparse.vstack([sparse.csr_array(u) for u in units(x)]).toarray() for x in (before, after))
        assert one.shape == (23, 6)
        assert np.sum(np.any(one != other, axis=1)) == changed
        assert max(sum(Fraction(float(v)) ** 2 for v in u) for u in other) <= 1


def test_differences_go_round_the_ring():
    rows, order = np.array([[0.0, 0], [3, 4], [0, 9]]), np.array([2, 0, 1])
    expected = [[0, 1], [-0.6, -0.8], [3 / 34**0.5, -5 / 34**0.5]]
    assert np.allclose(np.vstack(list(differences(rows, order))), expected)


def test_chunks_are_held_as_they_are_read():
    rows = np.arange(12.0).reshape(6, 2)
    whole = held(iter([rows[:1], rows[1:1], rows[1:].tolist()]), Reading(5.0, "clip"))
    np.testing.assert_array_equal(whole, Reading(5.0, "clip").changed(rows))
    sums = held(map(sparse.csr_array, (rows[:4], rows[4:])), Reading(5.0, "clip"))
    assert sparse.issparse(sums)
    np.testing.assert_array_equal(sums.toarray(), whole)
    with pytest.raises(ValueError, match=r"X must be finite, but entry \(2, 0\) is not"):
        in_memory(held(iter([rows[:2], np.full((1, 2), np.nan)]), Reading()))
