"""Noise on blocks of columns."""

import numpy as np
from scipy import stats

from dpspectra.matrices.tall_blocks import PIECE, add_noise


def test_normal_noise_is_independent_and_normal_to_the_tails():
    """False alarms below 1e-6 in each of five tests; a piece of three columns has an odd number of numbers."""
    z = add_noise(np.zeros((2_000_000, 3)), 2.0, np.random.default_rng(5)).ravel() / 2
    assert stats.kstest(z, "norm").pvalue > 1e-6
    assert 5e-7 < stats.chi2.cdf(z @ z, len(z)) < 1 - 5e-7
    assert stats.binomtest(int(np.sum(np.abs(z) > 4.5)), len(z), 2 * stats.norm.sf(4.5)).pvalue > 1e-6
    piece = z[: PIECE // 3 * 3]
    halves, neighbours = piece[: len(piece) // 2 * 2].reshape(2, -1), z.reshape(-1, 2).T
    for pair in (halves, neighbours):
        first, second = stats.norm.cdf(pair)
        table = np.histogram2d(first, second, bins=8, range=[[0, 1]] * 2)[0]
        assert stats.chisquare(table.ravel()).pvalue > 1e-6
