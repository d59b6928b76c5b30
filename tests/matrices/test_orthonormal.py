"""Orthonormal bases of blocks."""

import numpy as np
import pytest

from dpspectra.matrices.orthonormal import divisor, householder, is_divided, orthonormal, triangular
from tests.support.power import BASIS


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("condition", [1.0, 1e3, 1e6, 1e12])
def test_both_factorisations_give_one_basis(condition, dtype, rng):
    y = rng.standard_normal((40, 4)) @ np.diag(np.geomspace(1, 1 / condition, 4)) @ BASIS[:4, :4]
    y = y.astype(dtype)
    x, h = orthonormal(y), householder(y)
    eps = np.finfo(dtype).eps
    assert x.dtype == dtype
    assert np.max(np.abs(x.T @ x - np.eye(4))) < 100 * eps
    assert np.max(np.abs(h.T @ h - np.eye(4))) < 100 * eps
    if condition * eps < 1e-3:
        np.testing.assert_allclose(x, h, atol=1e3 * condition * eps)
        assert np.all(np.diagonal(x.T @ y) > 0)


def test_dependent_columns_are_completed():
    y = np.ones((5, 3))
    x = orthonormal(y)
    np.testing.assert_allclose(x.T @ x, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(x @ (x.T @ y), y, atol=1e-14)


@pytest.mark.parametrize("condition", [1.0, 1e6, 1e12])
def test_triangular_factors_of_blocks_divide_the_whole(condition, rng):
    """In one round if columns are nearly orthogonal, else in two; as if in one piece."""
    y = rng.standard_normal((40, 4)) @ np.diag(np.geomspace(1, 1 / condition, 4)) @ BASIS[:4, :4]
    x = y = y if condition > 1 else householder(y)
    rounds, done = 0, False
    while not done:
        factor = triangular(np.vstack([triangular(x[:3]), triangular(x[3:])]))
        inverse = divisor(factor)
        assert inverse is not None
        x, rounds, done = x @ inverse, rounds + 1, is_divided(factor)
    assert rounds == (1 if condition == 1 else 2)
    np.testing.assert_allclose(x.T @ x, np.eye(4), atol=1e-14)
    if condition < 1e12:
        np.testing.assert_allclose(x, householder(y), atol=1e-14 * condition + 1e-14)
    assert divisor(triangular(np.ones((4, 1)) * [1.0, 0.0])) is None
