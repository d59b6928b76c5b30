"""Kernels of certified noise keep their bounds, on words at the edges too."""

import itertools
import math

import numpy as np
import pytest
from mpmath import mp

from dpspectra.certified import kernels
from tests.support.kernel_edges import EDGES


def drawn(count, seed):
    return np.random.default_rng(seed).integers(2**48, 2**63, size=count, dtype=np.uint64).tolist()


def test_exponentials_keep_their_bound():
    ks = EDGES + drawn(3000, 0)
    values, is_open = kernels.exponentials(np.array([2 * k for k in ks], dtype=np.uint64))
    assert not is_open.any()
    with mp.workdps(50):
        errors = [
            max(abs(mp.mpf(v) + mp.log(mp.mpf(k + end) / 2**63)) for end in (0, 1))
            for v, k in zip(values.tolist(), ks, strict=True)
        ]
    assert max(errors) <= 0.66 * kernels.EXPONENTIAL_ERROR
    assert max(errors) > 0.4 * kernels.EXPONENTIAL_ERROR, "most of it is the width of the smallest words"
    assert max(values) <= kernels.LARGEST_EXPONENTIAL


def test_normals_keep_their_bound():
    least = int(2**63 * math.exp(-(2.0**-15))) >> 10
    radii = [(least - j << 10) + 512 for j in range(64)] + EDGES + drawn(1500, 1)  # halfway between floats, and others
    angles = np.random.default_rng(2).integers(0, 2**64, size=len(radii), dtype=np.uint64)
    angles[:64], angles[64:72] = 0, [7, 2**64 - 1, 2**64 - 8, 1, 2, 3, 4, 5]
    x, y, is_open = kernels.normal_pairs(np.array([2 * k for k in radii], dtype=np.uint64), angles)
    worst = mp.zero
    with mp.workdps(50):
        for i in np.flatnonzero(~is_open).tolist():
            word, last = int(angles[i]) >> 3, int(angles[i]) & 7
            for u, v in itertools.product((radii[i], radii[i] + 1), (word, word + 1)):
                r, t = mp.sqrt(-2 * mp.log(mp.mpf(u) / 2**63)), mp.mpf(v) / 2**61 * mp.pi / 4
                first, second = (mp.cos(t), mp.sin(t)) if last & 1 else (mp.sin(t), mp.cos(t))
                first, second = first * (-1) ** (last >> 1 & 1), second * (-1) ** (last >> 2)
                worst = max(worst, abs(mp.mpf(float(x[i])) - r * first), abs(mp.mpf(float(y[i])) - r * second))
    assert 0.2 * kernels.NORMAL_ERROR < worst <= 0.26 * kernels.NORMAL_ERROR
    assert max(np.abs(x[~is_open]).max(), np.abs(y[~is_open]).max()) <= kernels.LARGEST_NORMAL


@pytest.mark.parametrize("k", [0, 1, 2**20, 2**48 - 1])
def test_words_beyond_the_bound_are_open(k):
    assert kernels.exponentials(np.array([2 * k + 1], dtype=np.uint64))[1].all()
    assert kernels.normal_pairs(np.array([2 * k], dtype=np.uint64), np.zeros(1, dtype=np.uint64))[2].all()


def test_small_radii_are_open():
    words = np.array([2**64 - 1, 2 * int(2**63 * (1 - 2.0**-14))], dtype=np.uint64)
    assert kernels.normal_pairs(words, np.zeros(2, dtype=np.uint64))[2].tolist() == [True, False]
    assert not kernels.exponentials(words)[1].any()
