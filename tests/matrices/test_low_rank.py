"""Matrices held as thin factors."""

import math

import numpy as np
import pytest
from scipy import sparse

from dpspectra.matrices.low_rank import LowRank


def test_thin_factors_act_like_their_product(rng):
    left, right = np.linalg.qr(rng.standard_normal((7, 3)))[0], rng.standard_normal((3, 9))
    value, whole = LowRank(left, right), left @ right
    assert value.shape == (7, 9)
    x = rng.standard_normal((9, 2))
    np.testing.assert_allclose(value @ x, whole @ x, atol=1e-12)
    for rows in (2, slice(1, 4), [0, 5], np.arange(7) % 2 == 0):
        np.testing.assert_allclose(value[rows], whole[rows], atol=1e-12)
    np.testing.assert_allclose(value.toarray(), whole)
    u, s, v = np.linalg.svd(whole)
    np.testing.assert_allclose(value.truncated(2).toarray(), (u[:, :2] * s[:2]) @ v[:2], atol=1e-10)
    a = rng.standard_normal((7, 9))
    for data in (a, sparse.csr_array(a), sparse.coo_matrix(a)):
        assert value.frobenius_distance(data) == pytest.approx(np.linalg.norm(a - whole), rel=1e-9)


def test_the_distance_counts_entries_that_meet_and_does_not_overflow():
    value = LowRank(np.eye(3)[:, :1], np.zeros((1, 2)))
    twice = sparse.coo_array((np.full(3, 100, dtype=np.int8), ([0, 0, 2], [1, 1, 0])), shape=(3, 2))
    assert value.frobenius_distance(twice.astype(float)) == pytest.approx(math.hypot(200, 100))
    once = sparse.csr_array(np.full((3, 2), 100, dtype=np.int8))
    assert value.frobenius_distance(once) == pytest.approx(100 * math.sqrt(6))
