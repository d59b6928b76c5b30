"""Products of matrices in every form with blocks: exact kernels, and hardly any memory."""

import tracemalloc

import numpy as np
import pytest

from dpspectra.matrices.products import product
from tests.support.helpers import forms
from tests.support.power import M, sprinkled

# ---------------------------------------------------------------- products


@pytest.mark.parametrize("name", ["dense", "csr", "coo", "operator", "dask"])
def test_products(name, rng):
    x, y = rng.standard_normal((20, 3)), rng.standard_normal((30, 3))
    matrix = product(forms(M, (17, 23))[name])
    np.testing.assert_allclose(matrix.forward(x), M @ x, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(matrix.backward(y), M.T @ y, rtol=1e-12, atol=1e-10)
    whole = np.block([[np.zeros((30, 30)), M], [M.T, np.zeros((20, 20))]])
    z = rng.standard_normal((50, 2))
    np.testing.assert_allclose(matrix.dilated().forward(z), whole @ z, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("width", [1, 5, 12, 20, 33])
def test_the_kernel_that_fetches_ahead_multiplies_like_scipy(width, dtype, rng, threads):
    numba = pytest.importorskip("numba")
    sparse_products = pytest.importorskip("dpspectra.matrices.sparse_products")
    a = sprinkled(300, 200, 0.05).astype(dtype)
    x = rng.standard_normal((200, width)).astype(dtype)
    for number in threads:
        numba.set_num_threads(number)
        np.testing.assert_allclose(sparse_products.multiply(a, x), a @ x, rtol=1e-12 if dtype == np.float64 else 1e-5)


# ---------------------------------------------------------------- the fast path


def test_single_precision_copies_values_but_not_places():
    a = sprinkled(2000, 2000, 0.1)
    product(a[:2])  # imports what it needs
    tracemalloc.start()
    product(a, dtype=np.float32)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 4 * a.nnz <= peak < 6 * a.nnz
