"""The kernel that fetches ahead: the bits of any number of threads, of any type, of any order."""

import numpy as np
import pytest
from scipy import sparse

from dpspectra.matrices.products import product


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint16])
def test_threads_change_nothing_not_even_rounding(dtype, rng, threads):
    numba, kernel = pytest.importorskip("numba"), pytest.importorskip("dpspectra.matrices.sparse_products")
    entries = rng.random((300, 200)) * (rng.random((300, 200)) < 0.05)
    entries[40], entries[:, 30] = 0, 0
    a = sparse.csr_array((np.ceil(100 * entries) if np.dtype(dtype).kind in "iu" else entries).astype(dtype))
    x = rng.standard_normal((200, 20)).astype(np.float32 if dtype == np.float32 else np.float64)
    y = rng.standard_normal((300, 20)).astype(x.dtype)
    for multiply, block, exact in ((kernel.multiply, x, a @ x), (kernel.multiply_transposed, y, a.T @ y)):
        results = []
        for number in threads:
            numba.set_num_threads(number)
            results.append(multiply(a, block))
        assert results[0].dtype == x.dtype
        np.testing.assert_allclose(results[0], exact, rtol=1e-5 if dtype == np.float32 else 1e-13, atol=1e-5)
        np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("nonzeros", [1, 100, 701])
def test_values_converted_piece_by_piece_give_the_same_bits(nonzeros, rng, threads, monkeypatch):
    """One row may be longer than a piece, and rows may be empty."""
    numba, kernel = pytest.importorskip("numba"), pytest.importorskip("dpspectra.matrices.sparse_products")
    numba.set_num_threads(threads[1])
    counts = rng.integers(1, 100, (60, 50)) * (rng.random((60, 50)) < np.r_[1.0, 0.0, np.full(58, 0.3)][:, None])
    a, x, y = sparse.csr_array(counts.astype(np.int8)), rng.standard_normal((50, 20)), rng.standard_normal((60, 20))
    monkeypatch.setattr(kernel, "PIECE", nonzeros)
    same = a.astype(np.float64)
    a.indices = a.indices.astype(np.int64)
    np.testing.assert_array_equal(kernel.multiply(a, x), kernel.multiply(same, x))
    np.testing.assert_array_equal(kernel.multiply_transposed(a, y), kernel.multiply_transposed(same, y))


def test_the_kernel_takes_empty_matrices_and_columns_of_any_weight(rng, threads):
    numba, kernel = pytest.importorskip("numba"), pytest.importorskip("dpspectra.matrices.sparse_products")
    numba.set_num_threads(threads[1])
    entries = rng.standard_normal((60, 50)) * (rng.random((60, 50)) < np.r_[1.0, np.full(49, 0.02)])
    for dense in (np.zeros((60, 50)), entries, entries[:, ::-1]):
        a, y = sparse.csr_array(dense), rng.standard_normal((60, 20))
        np.testing.assert_allclose(kernel.multiply_transposed(a, y), dense.T @ y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.bool_])
def test_sparse_matrices_in_any_order_are_read(dtype, rng, threads):
    """Out of order, threads would miss columns of theirs."""
    pytest.importorskip("dpspectra.matrices.sparse_products")
    pytest.importorskip("numba").set_num_threads(threads[1])
    whole = (100 * rng.standard_normal((40, 30))).astype(dtype)
    whole[whole == 0] = 1
    places = np.stack([rng.permutation(30) for _ in range(40)])
    values = np.take_along_axis(whole, places, axis=1)
    a = sparse.csr_array((values.ravel(), places.ravel(), np.arange(0, 1201, 30)), shape=(40, 30))
    matrix, x, y = product(a), rng.standard_normal((30, 15)), rng.standard_normal((40, 15))
    np.testing.assert_allclose(matrix.forward(x), whole.astype(float) @ x, rtol=1e-9)
    np.testing.assert_allclose(matrix.backward(y), whole.astype(float).T @ y, rtol=1e-9)
    np.testing.assert_array_equal(matrix.backward(y), product(sparse.csr_array(whole)).backward(y))
    np.testing.assert_array_equal(a.indices, places.ravel())


def test_what_caches_hold_is_left_to_scipy_but_for_many_integers(rng, monkeypatch):
    kernel = pytest.importorskip("dpspectra.matrices.sparse_products")
    wide = np.empty((1, 16))
    assert [kernel.pays(rows, wide) for rows in (kernel.CACHED // 128 - 1, kernel.CACHED // 128)] == [False, True]
    assert [kernel.pays(2**30, np.empty((1, width))) for width in (7, 8)] == [False, True]
    assert kernel.pays(kernel.CACHED // 64, wide.astype(np.float32))
    called = []
    for name in ("multiply", "multiply_transposed"):
        real = getattr(kernel, name)
        monkeypatch.setattr(kernel, name, lambda a, x, real=real: called.append(a.dtype) or real(a, x))
    a = sparse.csr_array(np.eye(40, 30, dtype=np.int8))
    for few, cached, kinds in ((0, kernel.CACHED, [np.int8] * 2), (99, kernel.CACHED, []), (99, 1, [np.float64] * 2)):
        monkeypatch.setattr("dpspectra.matrices.products.FEW", few)
        monkeypatch.setattr(kernel, "CACHED", cached)
        matrix, x, y = product(a), rng.standard_normal((30, 15)), rng.standard_normal((40, 15))
        np.testing.assert_array_equal(matrix.forward(x), np.r_[x, np.zeros((10, 15))])
        np.testing.assert_array_equal(matrix.backward(y), y[:30])
        assert called == kinds
        called.clear()
