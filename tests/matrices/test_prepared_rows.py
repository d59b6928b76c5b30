"""Rows made ready for a mechanism: norms exactly within the bound, each row by itself."""

import contextlib
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps

FORMS = {"dense": np.array, "sparse": sparse.csr_array}
SIZES = [1.0, 0.1, 2.0**-1065, 2.0**-540, 2.0**1000]


def square(row):
    return sum((Fraction(float(v)) ** 2 for v in row), Fraction(0))


def dense(rows):
    return rows.toarray() if sparse.issparse(rows) else rows


def awkward(d, size, seed):
    """Random rows; flat ones; one large entry and small ones; and none."""
    rng = np.random.default_rng(seed)
    rows = [*rng.normal(size=(40, d)), *rng.integers(-9, 10, (40, d)), np.ones(d), np.eye(d)[0] + 2.0**-27, np.zeros(d)]
    return np.array(rows) * size


# ---------------------------------------------------------------- norms


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("d", [1, 2, 3, 7, 64, 100])
def test_norms_are_at_most_one_exactly_and_hardly_less(d, size, form):
    x = awkward(d, size, d)
    squares = [square(row) for row in dense(dps.unit_rows(FORMS[form](x)))]
    assert all(s <= 1 for s in squares)
    for s, row in zip(squares, x, strict=True):
        assert s >= (1 - (2 * d + 32) * Fraction(1, 2**52)) ** 2 if row.any() else s == 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("bound", [1.0, 0.3, 2.0**-800, 1e200])
def test_clipped_rows_lie_in_the_ball_and_short_ones_stay(bound, size, form):
    for d in (1, 3, 16):
        x = awkward(d, size, d)
        clipped = dense(dps.clipped_rows(FORMS[form](x), bound))
        for row, image in zip(x, clipped, strict=True):
            assert square(image) <= Fraction(bound) ** 2
            if square(row) <= (Fraction(bound) * (1 - (d + 16) * Fraction(1, 2**51))) ** 2:
                assert (row == image).all()
            else:
                assert square(image) >= (Fraction(bound) * (1 - (d + 16) * Fraction(1, 2**51))) ** 2


def test_a_search_for_long_rows_finds_none():
    """Entries move by units in the last place, as long as the exact norm of the result grows."""
    rng = np.random.default_rng(5)
    for d in (2, 3, 5):
        row = rng.normal(size=d)
        longest = square(dps.unit_rows([row])[0])
        for _ in range(300):
            new = row * (1 + rng.integers(-4, 5, d) * 2.0**-52)
            found = square(dps.unit_rows([new])[0])
            if found >= longest:
                row, longest = new, found
        assert 1 - Fraction(d + 10, 2**51) < longest <= 1


# ---------------------------------------------------------------- each row by itself


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("map_rows", [dps.unit_rows, lambda x: dps.clipped_rows(x, 0.7)])
def test_a_row_is_the_same_whatever_stands_beside_it(map_rows, form):
    x = awkward(33, 1.0, 1)
    whole = dense(map_rows(FORMS[form](x)))
    for i in range(0, len(x), 7):
        alone = dense(map_rows(FORMS[form](x[i : i + 1])))
        assert (whole[i] == alone[0]).all()
        others = np.vstack([x[:i] * 2.0**20, 1e300 * np.ones(33), x[i:]])
        assert (dense(map_rows(FORMS[form](others)))[i + 1] == alone[0]).all()


def test_where_a_row_lies_in_memory_changes_nothing():
    x = awkward(33, 1.0, 2)
    memory = np.empty(x.size + 8)
    expected = dps.unit_rows(x)
    for offset in range(8):
        shifted = memory[offset : offset + x.size].reshape(x.shape)
        shifted[:] = x
        assert (dps.unit_rows(shifted) == expected).all()
    assert (dps.unit_rows(np.asfortranarray(x)) == expected).all()


# ---------------------------------------------------------------- mechanisms take them


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rng", [None, 0])
def test_every_mechanism_of_rows_takes_unit_rows(form, rng):
    x = FORMS[form](awkward(3, 2.0**-300, 3))
    mechanisms = [
        lambda u: dps.laplace_covariance(u, 1.0, rng=rng),
        lambda u: dps.gaussian_covariance(u, 1.0, 1e-6, rng=rng),
        lambda u: dps.symmetric_wishart_covariance(u, 1.0, rng=rng),
        lambda u: dps.wishart_covariance(u, 1.0, 1e-3, rng=rng),
        lambda u: dps.private_pca(u, 1, 1.0, rng=rng),
    ]
    with pytest.warns(dps.ReusedSeedWarning) if rng == 0 else contextlib.nullcontext():
        for mechanism in mechanisms:
            assert mechanism(dps.unit_rows(x)).claim.epsilon == 1.0


# ---------------------------------------------------------------- refusals


def test_rows_without_stored_values_stay_zero():
    assert dps.unit_rows(sparse.csr_array((2, 3))).nnz == 0
    twice = sparse.coo_array(([1.0, 2.0], ([0, 0], [0, 0])), (1, 2))
    assert dps.unit_rows(twice).toarray().round(12).tolist() == [[1.0, 0.0]]


# ---------------------------------------------------------------- one order for all forms


@pytest.mark.parametrize("d", [*range(1, 40), 64, 100, 1023, 1025])
@pytest.mark.parametrize("density", [0.02, 0.5, 1.0])
def test_sparse_rows_have_the_bits_of_dense_ones(d, density):
    """Squares are added by the same halves, whatever is stored: referee 16, where every fourth row differed."""
    rng = np.random.default_rng(d)
    x = rng.standard_normal((60, d)) * (rng.random((60, d)) < density)
    changes: list[Any] = [dps.unit_rows, lambda x: dps.clipped_rows(x, 0.9), lambda x: dps.clipped_rows(x, 2.0**600)]
    for change in changes:
        expected = change(x)
        for form in (sparse.csr_array, sparse.coo_array, lambda x: sparse.csr_array(x)[:, ::-1][:, ::-1]):
            assert np.array_equal(change(form(x)).toarray(), expected)


def test_blocks_change_no_bit(monkeypatch):
    from dpspectra.matrices import prepared_rows

    x = np.random.default_rng(3).standard_normal((500, 6)) * np.logspace(-2, 1, 500)[:, None]
    whole = [dps.unit_rows(x), dps.clipped_rows(x, 1.0)]
    for block in (1, 100, 10**6):
        monkeypatch.setattr(prepared_rows, "BLOCK", block)
        found = [dps.unit_rows(x), dps.clipped_rows(x, 1.0)]
        assert all(np.array_equal(one, two) for one, two in zip(whole, found, strict=True))
    monkeypatch.setattr(
        prepared_rows, "_perhaps_long", lambda squares, values, d, bound: np.ones(len(values), dtype=bool)
    )
    assert np.array_equal(dps.clipped_rows(x, 1.0), whole[1])
    with pytest.raises(ValueError, match=r"entry \(400, 2\)"):
        dps.clipped_rows(np.where(np.arange(3000).reshape(500, 6) == 2402, np.nan, x), 1.0)


@pytest.mark.parametrize("largest", [3, 540])
@pytest.mark.parametrize("block", [6, 60, 10**6])
def test_a_row_of_any_size_is_changed_by_itself(largest, block, monkeypatch):
    """Sums of squares of some rows lose bits, of others not; long rows come first, last and mixed with short ones."""
    from dpspectra.matrices import prepared_rows

    monkeypatch.setattr(prepared_rows, "BLOCK", block)
    rng = np.random.default_rng(largest)
    exponents = np.sort(rng.integers(-largest, largest + 1, 60))
    x = np.ldexp(rng.normal(size=(60, 6)), exponents[:, None])
    for order in (np.arange(60), np.arange(60)[::-1], rng.permutation(60)):
        for change in (dps.unit_rows, lambda x: dps.clipped_rows(x, 1.0), lambda x: dps.clipped_rows(x, 2.0**-530)):
            assert np.array_equal(change(x[order]), np.vstack([change(x[i : i + 1]) for i in order]))


def test_rows_of_a_dask_array_stay_where_they_lie():
    array = pytest.importorskip("dask.array")
    rows, read = np.random.default_rng(8).normal(size=(60, 5)), []

    def noted(block):
        read.append(block.shape)
        return block

    lazy = array.from_array(rows, chunks=(25, 2)).map_blocks(noted, dtype=float, meta=np.empty((0, 0)))
    picked = lazy[array.from_array(np.arange(60) < 25, chunks=25)]
    for change in (dps.unit_rows, lambda x: dps.clipped_rows(x, 0.7)):
        found: Any = (change(lazy), change(picked))
        assert read == []
        assert found[0].chunks == ((25, 25, 10), (5,))
        np.testing.assert_array_equal(found[0].compute(), change(rows))
        np.testing.assert_array_equal(found[1].compute(), change(rows[:25]))
        read.clear()
    with pytest.raises(ValueError, match="norm_bound must be positive"):
        dps.clipped_rows(lazy, 0.0)
    with pytest.raises(ValueError, match="shape"):
        dps.unit_rows(array.zeros(3))
