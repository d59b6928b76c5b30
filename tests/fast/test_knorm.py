"""K-norm noise: its law. Fixed seeds; false alarm 1e-6 a test."""

import functools
import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.fast import knorm
from dpspectra.fast.knorm_moments import moments
from tests.support.helpers import ALARM


def norm(z):
    values = np.linalg.eigvalsh(z)
    return np.maximum(np.sum(np.maximum(values, 0), axis=-1), np.sum(np.maximum(-values, 0), axis=-1))


@functools.cache
def accepted(d, size=40_000):
    z, kept = knorm.propose(d, size, np.random.default_rng(d))
    return z[kept], np.mean(kept)


# ---------------------------------------------------------------- the law


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_norm_is_gamma_distributed_and_independent_of_directions(d):
    z, _ = accepted(d)
    size = norm(z)
    assert stats.kstest(size, stats.gamma(d * (d + 1) / 2).cdf).pvalue > ALARM
    shape = np.linalg.norm(z, axis=(1, 2)) / size
    assert shape.max() <= math.sqrt(2) + 1e-12
    assert d == 1 or stats.spearmanr(size, shape).pvalue > ALARM


@pytest.mark.parametrize(("d", "share"), [(1, 1.0), (2, 0.7), (3, 0.4066), (4, 0.1818)])
def test_so_many_proposals_are_accepted(d, share):
    assert accepted(d)[1] == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / 40_000) + 2e-3)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_moments_are_exact(d):
    z, _ = accepted(d)
    mean, trace = moments(d)
    squares, traces = np.sum(z**2, axis=(1, 2)), np.trace(z, axis1=1, axis2=2)
    assert abs(np.mean(squares) - mean) < 5 * np.std(squares) / math.sqrt(len(z))
    assert abs(np.mean(traces**2) - trace) < 5 * np.std(traces**2) / math.sqrt(len(z))
    assert abs(np.mean(traces)) < 5 * math.sqrt(trace / len(z))


def test_the_law_is_invariant_under_rotations():
    z, _ = accepted(3)
    turn = np.linalg.qr(np.random.default_rng(9).standard_normal((3, 3)))[0]
    half = len(z) // 2
    one, other = z[:half], turn @ z[half:] @ turn.T
    for i, j in zip(*np.triu_indices(3), strict=True):
        assert stats.ks_2samp(one[:, i, j], other[:, i, j]).pvalue > ALARM


# ---------------------------------------------------------------- the claim


def test_the_guarantee_holds():
    z, _ = accepted(3)
    share = np.mean(np.linalg.norm(z, axis=(1, 2)) <= math.sqrt(2) * stats.gamma(6).ppf(0.95))
    assert 0.95 <= share < 0.99


def test_no_replacement_has_a_larger_norm_and_some_have_this_one():
    rng = np.random.default_rng(5)
    v, w = rng.standard_normal((2, 2000, 3))
    v, w = (x / np.maximum(np.linalg.norm(x, axis=1), 1)[:, None] for x in (v, w))
    assert norm(v[:, :, None] * v[:, None] - w[:, :, None] * w[:, None]).max() <= 1 + 1e-12
    for before, after in ((np.eye(3)[0], np.eye(3)[1]), (np.eye(3)[0], np.zeros(3))):
        assert norm(np.outer(before, before) - np.outer(after, after)) == pytest.approx(1.0)
