"""Estimates from a noisy second-moment matrix: projections by definition, shrinkage against the truth."""

import numpy as np
import pytest

from dpspectra.postprocessing import SpectralNoise, best_rank, nearest_psd, shrink


def symmetric(rng, *shape):
    noise = rng.normal(size=(*shape, shape[-1]))
    return (noise + np.swapaxes(noise, -1, -2)) / 2


def test_projections_are_nearest():
    """Feasible points that are nearer would be found among many small steps from the projection."""
    rng = np.random.default_rng(1)
    value = symmetric(rng, 4)
    for projected, rank in ((nearest_psd(value), 4), (best_rank(value, 1), 1)):
        values, vectors = np.linalg.eigh(projected)
        assert values.min() > -1e-12
        assert np.sum(values > 1e-12) <= rank
        root = vectors[:, -rank:] * np.sqrt(np.maximum(values[-rank:], 0))
        steps = root + 1e-2 * rng.normal(size=(2000, 4, rank))
        distances = np.linalg.norm(steps @ np.swapaxes(steps, 1, 2) - value, axis=(1, 2))
        assert distances.min() > np.linalg.norm(projected - value)


@pytest.mark.parametrize("kind", ["gaussian", "laplace", "wishart", "tilted_wishart", "knorm"])
def test_the_estimate_is_a_matrix_of_the_released_trace(kind):
    rng = np.random.default_rng(2)
    truth = np.diag([3.0, 1.0, 0.5, 0.0, 0.0])
    noise = SpectralNoise(kind, 5, 0.05)
    value = truth + 0.3 * symmetric(rng, 5)
    estimate = shrink(value, noise)
    assert np.array_equal(estimate, estimate.T)
    assert np.linalg.eigvalsh(estimate).min() > -1e-12
    assert np.trace(estimate) == pytest.approx(np.trace(value))
    assert np.abs(estimate @ value - value @ estimate).max() < 1e-12
    assert np.trace(shrink(value, noise, largest_trace=4.0)) == pytest.approx(4.0)


def test_rotations_and_units_pass_through():
    rng = np.random.default_rng(3)
    value, noise = np.diag([2.0, 1.0, 0.0]) + symmetric(rng, 3), SpectralNoise("knorm", 3, 0.1)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    np.testing.assert_allclose(shrink(turn @ value @ turn.T, noise), turn @ shrink(value, noise) @ turn.T, atol=1e-12)
    np.testing.assert_allclose(shrink(7 * value, SpectralNoise("knorm", 3, 0.7)), 7 * shrink(value, noise), atol=1e-12)


def test_noise_alone_becomes_flat_and_little_noise_changes_nothing():
    value = np.diag([1.0, 0.5, 0.2])
    np.testing.assert_allclose(shrink(value, SpectralNoise("gaussian", 3, 9.0)), np.eye(3) * 1.7 / 3)
    np.testing.assert_allclose(shrink(value, SpectralNoise("gaussian", 3, 1e-9)), value, atol=1e-12)
    assert np.all(shrink(-value, SpectralNoise("gaussian", 3, 9.0)) == 0)
    assert shrink([[0.5]], SpectralNoise("laplace", 1, 9.0)) == pytest.approx(0.5)


def test_eigenvalues_are_those_of_the_best_estimate():
    """Semicircle noise on a flat signal of two levels, d = 400: the error is that of an oracle that knows the truth."""
    rng, d, sigma = np.random.default_rng(4), 400, 0.04
    truth = np.diag(np.where(np.arange(d) < d // 2, 2.0, 1.0))
    value = truth + sigma * np.sqrt(2) * symmetric(rng, d)
    _, vectors = np.linalg.eigh(value)
    best = (vectors * np.einsum("ji,jk,ki->i", vectors, truth, vectors)) @ vectors.T
    errors = [
        np.linalg.norm(estimate - truth) for estimate in (shrink(value, SpectralNoise("gaussian", d, sigma)), best)
    ]
    assert errors[0] < 1.02 * errors[1]
    assert errors[1] < 0.9 * np.linalg.norm(value - truth)


@pytest.mark.parametrize("epsilon", [0.3, 3.0])
def test_shrinkage_helps(epsilon):
    """Means of 40 draws, d = 20: the mean squared error falls to less than 85 % (measured: 25 and 75 %)."""
    rng, d, n = np.random.default_rng(5), 20, 1000
    truth = np.diag(1 / np.arange(1, d + 1)) / np.sum(1 / np.arange(1, d + 1))
    scale = 1 / (n * epsilon)
    raw, ours = 0.0, 0.0
    for _ in range(40):
        first, second = rng.normal(size=(2, d + 1, d))
        value = truth + scale * (first.T @ first - second.T @ second)
        raw += np.sum((value - truth) ** 2)
        ours += np.sum((shrink(value, SpectralNoise("wishart", d, scale), largest_trace=1.0) - truth) ** 2)
    assert ours < 0.85 * raw


def test_bad_calls_are_refused():
    noise = SpectralNoise("gaussian", 2, 1.0)
    for call, text in (
        (lambda: shrink(np.eye(3), noise), "noise must be a SpectralNoise of dimension 3"),
        (lambda: shrink(1j * np.array([[0, 1], [-1, 0]]), noise), "value must be real"),
        (lambda: shrink(np.eye(2), noise, largest_trace=0.0), "largest_trace must be positive"),
        (lambda: best_rank(np.eye(2), 3), "k must be between 1 and 2, got 3"),
        (lambda: nearest_psd([[1.0, 2.0], [0.0, 1.0]]), "value must be Hermitian"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
