"""K-norm noise: its law in both arithmetics, its claim, its limits. Fixed seeds; false alarm 1e-6 a test."""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat
from scipy import stats

import dpspectra as dps
from dpspectra.audit import audit
from dpspectra.certified import balls
from dpspectra.certified import knorm as certified
from dpspectra.certified.grid import Steps
from dpspectra.fast import knorm
from dpspectra.fast.knorm_moments import moments
from dpspectra.mechanisms import added_noise
from dpspectra.mechanisms.added_noise import KNORM, LARGEST_KNORM
from tests.helpers import ALARM

X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(40, 3))


def entropy(i=0):
    return dps.Entropy(bytes([i]) * 32)


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


def test_in_one_dimension_it_is_laplace_noise():
    rng = np.random.default_rng(3)
    drawn = [dps.knorm_covariance(np.full((4, 1), 0.5), 0.7, rng=rng).value[0, 0] - 0.25 for _ in range(4000)]
    assert stats.kstest(drawn, stats.laplace(scale=1 / 2.8).cdf).pvalue > ALARM


@pytest.mark.parametrize("d", [1, 2, 3])
def test_certified_and_ideal_noise_have_one_law(d):
    """The entries on and above the diagonal, 600 draws each."""
    steps, source, rng = Steps.of(np.zeros(d * (d + 1) // 2, dtype=np.int64), 0), entropy(d), np.random.default_rng(d)
    one = np.array([certified.noise(steps, d, 2.0**24, source) for _ in range(600)]) / 2.0**24
    other = np.array([knorm.draw(d, 1.0, rng)[np.triu_indices(d)] for _ in range(600)])
    for x, y in zip(one.T, other.T, strict=True):
        assert stats.ks_2samp(x, y).pvalue > ALARM


def test_certified_noise_is_rounded_to_the_same_numbers_on_any_grid():
    """A finer grid, the same draw: the coarse numbers are the fine ones rounded, up to ties."""
    steps = Steps.of(np.zeros(6, dtype=np.int64), 0)
    for i in range(6):
        coarse, fine = (certified.noise(steps, 3, ratio, entropy(i)) for ratio in (2.0**10, 2.0**50))
        assert np.abs(coarse - fine / 2.0**40).max() <= 0.5


def test_the_modulus_and_the_decision_are_those_of_the_definition():
    rng = np.random.default_rng(4)
    decided = set()
    for _ in range(40):
        g, h = rng.standard_normal((2, 3, 4))
        one, other = g @ g.T, h @ h.T
        with balls.precision(200):
            found = certified._modulus(arb_mat((one - other).tolist()))
            modulus = np.array([[float(found[i, j].mid()) for j in range(3)] for i in range(3)])
            pivots = certified._pivots(arb_mat((one + other).tolist()) - found)
            decision = certified._all_positive(pivots)
        values, vectors = np.linalg.eigh(one - other)
        assert np.allclose(modulus, vectors * np.abs(values) @ vectors.T)
        assert decision == (np.linalg.eigvalsh(one + other - modulus)[0] > 0)
        decided.add(decision)
    assert decided == {True, False}
    assert certified._all_positive(None) is None
    assert certified._all_positive([arb(1), arb(0, 1)]) is None
    assert certified._all_positive([arb(0, 1), arb(-1)]) is None
    assert certified._modulus(arb_mat([[1, 0], [0, 1]])) is None


# ---------------------------------------------------------------- the claim


@pytest.mark.parametrize("rng", [entropy, lambda: 1], ids=["certified", "ideal"])
def test_a_release_says_what_it_is(rng):
    release = dps.knorm_covariance(X, 0.5, norm_bound=2.0, rng=rng())
    assert release.claim.relation == "replace"
    assert (release.claim.epsilon, release.claim.delta) == (0.5, 0.0)
    assert "DPS-KNORM" in release.claim.labels
    assert release.details["scale"] == pytest.approx(4 / (0.5 * 40))
    expected = math.sqrt(2) * stats.gamma(6).ppf(0.95) * release.details["scale"]
    assert release.details["guarantee"].bound == pytest.approx(expected)
    assert ("step" in release.details) == (release.claim.arithmetic == "certified")
    assert np.array_equal(release.value, release.value.T)


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


def test_audits_are_silent_at_the_claim_and_loud_at_a_smaller_one():
    """Two orthogonal rows; a false alarm has probability at most 1e-3."""
    pair = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])

    def noisy(x, size, rng):
        z, kept = knorm.propose(2, 2 * size + 50, rng)
        return x.T @ x + z[kept][:size]

    options = {"seconds": 600, "independent": True, "rng": 0}
    assert not audit(noisy, pair, 1.0, draws=8_000, **options).violated
    assert audit(noisy, pair, 1 / 1.3, draws=100_000, **options).violated


def test_it_has_the_least_mean_square_of_pure_noise():
    for d in range(2, LARGEST_KNORM + 1):
        ours, tilted = (
            added_noise.named(name, d, (1.0, 0.0), Fraction(1), "replace")[0].square[0]
            for name in ("knorm_covariance", "symmetric_wishart_covariance")
        )
        assert 0.8 < ours / tilted < 0.88
    assert KNORM.ideal is knorm.draw


def test_more_columns_are_refused_before_any_randomness():
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="X must have at most 6 columns for K-norm noise, got 7; symmetric_wishart"):
        dps.knorm_covariance(np.zeros((3, 7)), 1.0, rng=rng)
    assert rng.random() == np.random.default_rng(1).random()
