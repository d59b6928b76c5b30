"""Range finding, projection and pruning. Statistical tests have fixed seeds and false alarms below 1e-6."""

import math

import numpy as np
import pytest

from dpspectra import (
    private_projection,
    private_range_finder,
    project_find_prune,
    randomized_range_finder,
    randomized_response_low_rank,
)
from dpspectra.audit import GDP, ApproxDP, audit
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.fast.noisy_sketch_profile import profile
from dpspectra.fast.pruning import costs
from dpspectra.formulas import find_then_project
from dpspectra.mechanisms import range_finding
from tests.support.helpers import forms

RNG = np.random.default_rng(0)
M, N, K = 40, 300, 2
A = 30 * RNG.standard_normal((M, K)) @ RNG.standard_normal((K, N))
EPSILON, DELTA = 1.0, 1e-6


# ---------------------------------------------------------------- without privacy


@pytest.mark.parametrize("form", ["dense", "lists", "csr", "csc", "operator", "dask"])
def test_the_range_of_a_low_rank_matrix_is_found(form):
    q = randomized_range_finder(forms(A, (11, 70))[form], K, rng=1)
    assert q.shape == (M, 2 * K + 1)
    assert np.linalg.norm(A - q @ (q.T @ A)) < 1e-6 * np.linalg.norm(A)
    np.testing.assert_allclose(q.T @ q, np.eye(5), atol=1e-12)


def test_expected_error_of_the_range_finder(rng):
    """Mean of 400 squares against the bound, which it keeps by 20 per cent; its standard error is below 3 per cent."""
    a = A / 30 + rng.standard_normal((M, N))
    tail = np.sum(np.linalg.svd(a, compute_uv=False)[K:] ** 2)
    squares = []
    for seed in range(400):
        q = randomized_range_finder(a, K, rng=seed)
        squares.append(np.linalg.norm(a - q @ (q.T @ a)) ** 2)
    assert np.mean(squares) < (1 + K / K) * tail


# ---------------------------------------------------------------- noise


@pytest.mark.parametrize(("k", "noise"), [(1, 12.23318945), (2, 13.92215630), (5, 17.72110221), (10, 22.41263589)])
def test_noise_of_the_range_finder(k, noise):
    """Known values of the exact calibration at epsilon 1, delta 1e-6, for a sketch of width 2k + 1."""
    release = private_range_finder(np.zeros((30, 10)) + np.eye(30, 10), k, EPSILON, DELTA, rng=0)
    assert release.details["noise"] == pytest.approx(noise, rel=1e-8)
    assert private_range_finder(A, 2, EPSILON, DELTA, row_change=5.0, rng=0).details["noise"] == pytest.approx(
        5 * 13.92215630, rel=1e-8
    )


def test_noise_of_the_projection_is_that_of_the_largest_leverage(rng):
    """The standard deviation of 1,500 entries is known within 9 per cent, except with probability 1e-6."""
    basis = np.linalg.qr(rng.standard_normal((M, 5)))[0]
    release = private_projection(np.zeros((M, N)), basis, EPSILON, DELTA, rng=3)
    top = math.sqrt(np.max(np.sum(basis**2, axis=1)))
    assert release.details["noise"] == pytest.approx(top / mu_for(EPSILON, DELTA), rel=1e-12)
    assert np.std(release.value.right) == pytest.approx(release.details["noise"], rel=0.09)
    assert np.linalg.norm(release.value.toarray()) ** 2 == pytest.approx(release.details["expected_square"], rel=0.18)
    rotated = private_projection(A, basis @ np.linalg.qr(rng.standard_normal((5, 5)))[0], EPSILON, DELTA, rng=3)
    assert rotated.details["noise"] == pytest.approx(release.details["noise"], rel=1e-12)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_both_stages_spend_exactly_epsilon(share):
    details = project_find_prune(A, K, EPSILON, DELTA, share=share, rng=0).details
    assert details["projection_mu"] == pytest.approx(share * mu_for(EPSILON, DELTA))
    assert profile(EPSILON, details["range_noise"], 5, details["projection_mu"]) == pytest.approx(DELTA, rel=1e-9)


def test_the_default_share_is_near_the_best():
    matrix = A * 30

    def error(share):
        return np.mean(
            [
                project_find_prune(matrix, K, EPSILON, DELTA, share=share, rng=s).value.frobenius_distance(matrix)
                for s in range(5)
            ]
        )

    assert error(None) < 1.1 * min(error(share) for share in (0.3, 0.5, 0.7, 0.9))


# ---------------------------------------------------------------- pruning


def spiked(rng):
    """Flat rows and one row of large leverage that carries little: pruning it costs little and saves much noise."""
    a = np.ones((200, 1)) @ rng.standard_normal((1, 4000)) * 0.3
    a[0] = 200 * rng.standard_normal(4000) / math.sqrt(4000)
    return a


def test_pruning_pays_where_one_row_stands_out(rng):
    a = spiked(rng)
    bound = float(np.max(np.linalg.norm(a, axis=1)))
    kept, pruned = (
        [project_find_prune(a, 2, EPSILON, DELTA, row_bound=b, rng=seed) for seed in range(3)] for b in (None, bound)
    )
    assert all(r.details["pruned"] == 0 for r in kept)
    assert all(1 <= r.details["pruned"] < 100 for r in pruned)
    assert all(r.details["noise"] < s.details["noise"] for r, s in zip(pruned, kept, strict=True))
    errors = [np.mean([r.value.frobenius_distance(a) for r in releases]) for releases in (pruned, kept)]
    assert errors[0] < 0.8 * errors[1]


def test_the_number_of_pruned_rows_is_the_cheapest_by_public_numbers(rng):
    """In units of the change: a row bound of 120 with changes of 3 prunes what a bound of 40 prunes with 1."""
    a = spiked(rng)[:, :1000]
    for change, bound in ((1.0, 40.0), (3.0, 120.0)):
        release = project_find_prune(a, 2, EPSILON, DELTA, row_bound=bound, row_change=change, rng=1)
        cost, order = costs(release.value.left, 1000, release.details["projection_mu"], 40.0)
        count = int(np.argmin(cost))
        longest = np.max(np.linalg.norm(release.value.left[order[count:]], axis=1))
        assert release.details["pruned"] == count > 0
        assert release.details["largest_leverage"] == pytest.approx(longest**2, rel=1e-12)


def test_the_error_splits_as_the_proof_says():
    """``|A - QB|^2`` is the error of the range plus what the projection lost, since they are orthogonal."""
    release = project_find_prune(A, K, EPSILON, DELTA, rng=6)
    q, b = release.value.left, release.value.right
    outside, inside = np.linalg.norm(A - q @ (q.T @ A)) ** 2, np.linalg.norm(q.T @ A - b) ** 2
    assert np.linalg.norm(A - q @ b) ** 2 == pytest.approx(outside + inside, rel=1e-10)


def test_it_beats_noise_on_every_entry_where_rows_are_long_and_flat(rng):
    a = 50 * rng.standard_normal((50, 1)) @ rng.standard_normal((1, 4000))
    ours = project_find_prune(a, 1, EPSILON, DELTA, rng=0).value.truncated(1).frobenius_distance(a)
    assert 1.2 * ours < randomized_response_low_rank(a, 1, EPSILON, DELTA, rng=0).value.frobenius_distance(a)


# ---------------------------------------------------------------- audits


PAIR = (np.zeros((3, 2)), np.outer(np.eye(3)[0], [1.0, 0.0]))


def test_audits_of_the_projection():
    def mechanism(epsilon):
        return lambda a, rng: private_projection(a, np.eye(3)[:, :1], epsilon, 0.01, rng=rng).value.right

    assert not audit(mechanism(1.0), PAIR, GDP(mu_for(1.0, 0.01)), draws=2048).violated
    assert audit(mechanism(4.0), PAIR, GDP(mu_for(1.0, 0.01)), draws=2048).violated


def test_audits_of_project_find_prune():
    """A row of full leverage is as exposed as the formula says."""
    large = np.array([[0.0, 0.0], [1e3, 0.0], [0.0, 1e3]])

    def mechanism(epsilon):
        return lambda a, rng: project_find_prune(large + a, 1, epsilon, 0.05, share=0.9, rng=rng).value.toarray()

    assert not audit(mechanism(1.0), PAIR, ApproxDP(1.0, 0.05), draws=1024, seconds=600).violated
    assert audit(mechanism(16.0), PAIR, ApproxDP(1.0, 0.05), draws=1024, seconds=600).violated


# ---------------------------------------------------------------- small matrices


def test_a_single_row_and_a_single_column_work():
    for shape in ((1, 5), (5, 1), (1, 1)):
        release = project_find_prune(np.ones(shape), 1, 1.0, 1e-6, row_bound=3.0, rng=0)
        assert release.value.shape == shape


@pytest.mark.parametrize(("m", "width"), [(8, 5), (60, 5)])
def test_the_default_share_minimises_the_error_at_leverages_a_little_above_the_average(m, width):
    """Two and a half times the average, 1 at most; by brute force."""
    whole, parts = mu_for(0.75, 1e-3), np.linspace(0.05, 0.99, 95)
    noises = np.array([find_then_project.noise_scale(width, 0.75, 1e-3, part * whole) for part in parts])
    costs = (m + 1) * noises**2 + width * 30 * min(1, 2.5 * width / m) / (parts * whole) ** 2
    assert range_finding._best_share(m, 30, width, whole, 0.75, 1e-3) == pytest.approx(
        parts[np.argmin(costs)], abs=0.01
    )
