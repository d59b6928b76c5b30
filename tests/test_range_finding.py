"""Range finding, projection and pruning. Statistical tests have fixed seeds and false alarms below 1e-6."""

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom

from dpspectra import (
    private_projection,
    private_range_finder,
    project_find_prune,
    randomized_range_finder,
    randomized_response_low_rank,
)
from dpspectra.audit import GDP, ApproxDP, audit
from dpspectra.fast import coherence
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.pruning import costs, zero_entries
from dpspectra.fast.sketch import profile
from dpspectra.lemmas.incoherence import projection_utility, pruned_basis, range_error, row_norm_error
from dpspectra.lemmas.range_finding import residual
from dpspectra.matrices.low_rank import LowRank
from dpspectra.matrices.products import product
from tests.helpers import forms

RNG = np.random.default_rng(0)
M, N, K = 40, 300, 2
A = 30 * RNG.standard_normal((M, K)) @ RNG.standard_normal((K, N))
EPSILON, DELTA = 1.0, 1e-6


# ---------------------------------------------------------------- thin factors


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


# ---------------------------------------------------------------- the kernel


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint16])
def test_threads_change_nothing_not_even_rounding(dtype, rng, threads):
    numba, kernel = pytest.importorskip("numba"), pytest.importorskip("dpspectra.matrices.prefetch")
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


def test_the_kernel_takes_empty_matrices_and_columns_of_any_weight(rng, threads):
    numba, kernel = pytest.importorskip("numba"), pytest.importorskip("dpspectra.matrices.prefetch")
    numba.set_num_threads(threads[1])
    entries = rng.standard_normal((60, 50)) * (rng.random((60, 50)) < np.r_[1.0, np.full(49, 0.02)])
    for dense in (np.zeros((60, 50)), entries, entries[:, ::-1]):
        a, y = sparse.csr_array(dense), rng.standard_normal((60, 20))
        np.testing.assert_allclose(kernel.multiply_transposed(a, y), dense.T @ y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.bool_])
def test_sparse_matrices_in_any_order_are_read(dtype, rng, threads):
    """Out of order, threads would miss columns of theirs."""
    pytest.importorskip("dpspectra.matrices.prefetch")
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


# ---------------------------------------------------------------- without privacy


@pytest.mark.parametrize("form", ["dense", "lists", "csr", "csc", "operator", "dask"])
def test_the_range_of_a_low_rank_matrix_is_found(form):
    q = randomized_range_finder(forms(A, (11, 70))[form], K, rng=1)
    assert q.shape == (M, 2 * K + 1)
    assert np.linalg.norm(A - q @ (q.T @ A)) < 1e-6 * np.linalg.norm(A)
    np.testing.assert_allclose(q.T @ q, np.eye(5), atol=1e-12)


def test_expected_error_of_the_range_finder(rng):
    """Mean of 400 squares against the bound; its deviation is below 3 per cent of the bound, which it keeps by 20."""
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
    """The deviation of 1,500 entries is known within 9 per cent but for 1e-6 of cases."""
    basis = np.linalg.qr(rng.standard_normal((M, 5)))[0]
    release = private_projection(np.zeros((M, N)), basis, EPSILON, DELTA, rng=3)
    top = math.sqrt(np.max(np.sum(basis**2, axis=1)))
    assert release.details["noise"] == pytest.approx(top / mu_for(EPSILON, DELTA), rel=1e-12)
    assert np.std(release.value.right) == pytest.approx(release.details["noise"], rel=0.09)
    assert np.linalg.norm(release.value.toarray()) ** 2 == pytest.approx(release.details["expected_square"], rel=0.18)
    rotated = private_projection(A, basis @ np.linalg.qr(rng.standard_normal((5, 5)))[0], EPSILON, DELTA, rng=3)
    assert rotated.details["noise"] == pytest.approx(release.details["noise"], rel=1e-12)


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_both_stages_spend_exactly_the_budget(share):
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


@pytest.mark.parametrize("form", ["dense", "csr", "csc", "operator", "dask"])
def test_every_form_gives_the_same_release(form):
    given = (A, forms(A, (11, 70))[form])
    one, other = (project_find_prune(a, K, EPSILON, DELTA, row_bound=500.0, rng=4) for a in given)
    np.testing.assert_allclose(one.value.toarray(), other.value.toarray(), rtol=1e-8, atol=1e-8)
    assert one.claim == other.claim


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


# ---------------------------------------------------------------- bounds on the error


DRAWS = 24


def rows_of_rank(shape, rank, rms, spread, tail, seed):
    """Gaussian factors of the rank, rows with a lognormal spread, root mean square ``rms``, plus a flat tail."""
    m, n = shape
    rng = np.random.default_rng(seed)
    a = np.exp(spread * rng.standard_normal((m, 1))) * (rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n)))
    return rms * a / np.sqrt(np.mean(a**2)) + tail * rng.standard_normal((m, n))


GRID = [
    pytest.param((50, 1000), 1, 1, 5.0, 0.0, 0.0, id="flat"),
    pytest.param((200, 1000), 2, 2, 5.0, 0.0, 0.0, id="more rows"),
    pytest.param((200, 1000), 2, 2, 50.0, 1.5, 0.0, id="spread rows"),
    pytest.param((200, 1000), 5, 5, 0.3, 1.0, 0.0, id="small entries"),
    pytest.param((200, 1000), 2, 10, 5.0, 0.0, 0.0, id="rank above k"),
    pytest.param((200, 1000), 2, 2, 5.0, 0.0, 1.0, id="full rank"),
    pytest.param((600, 300), 3, 3, 5.0, 0.5, 0.0, id="tall"),
    pytest.param((7, 1000), 3, 3, 1.0, 0.0, 0.0, id="as many rows as columns of the sketch"),
]


@pytest.mark.parametrize(("shape", "k", "rank", "rms", "spread", "tail"), GRID)
@pytest.mark.parametrize("pruned", [False, True], ids=["kept", "pruned"])
def test_errors_keep_their_bounds(shape, k, rank, rms, spread, tail, pruned):
    """Mean squares below the bound, and each square below it over ``beta`` but for a share ``beta`` of draws.

    Some bounds are nearly attained, so a mean may pass one by 6 of its standard errors, which Student's law of 23
    degrees exceeds with probability 2e-6; the counts are judged by a binomial tail of 1e-6.
    """
    a = rows_of_rank(shape, rank, rms, spread, tail, seed=7)
    values = np.linalg.svd(a, compute_uv=False)
    row_bound = float(np.max(np.linalg.norm(a, axis=1)))
    squares, limits = [], []
    for seed in range(DRAWS):
        release = project_find_prune(a, k, EPSILON, DELTA, row_bound=row_bound if pruned else None, rng=seed)
        squares.append(np.linalg.norm(a - release.value.toarray()) ** 2)
        limits.append(bound_of(a, k, values, row_bound if pruned else None, release.details))
    assert np.ptp(limits) == 0
    assert np.mean(squares) < limits[0] + 6 * np.std(squares, ddof=1) / math.sqrt(DRAWS)
    for beta in (0.5, 0.1, 0.01):
        exceeded = int(np.sum(np.array(squares) > limits[0] / beta))
        assert binom.sf(exceeded - 1, DRAWS, beta) > 1e-6


def bound_of(a, k, values, row_bound, details):
    """Of the mean square, from the longest row if that was used, else from leverages of the range of ``a``."""
    tail, stages = float(np.linalg.norm(values[k:])), (details["range_noise"], details["projection_mu"])
    if row_bound is not None:
        return row_norm_error.mean_square(tail, a.shape, k, *stages, row_bound)
    basis = coherence.range_basis(a)
    width = 2 * k + 1
    room = len(a) - basis.shape[1] - width > 0
    largest = coherence.mean_largest_leverage(coherence.leverages(basis), width) if room else 1.0
    return range_error.mean_square(tail, a.shape, k, *stages, largest)


def test_pruning_on_both_sides_breaks_the_bound_that_pruning_the_measurement_keeps():
    """The printed algorithm end to end on a flat direction and one row: entries above 7/10 are pruned.

    About one draw in five breaks it (one of these 60 by a factor of 44), so that none of 60 does has probability
    2e-6. Pruning the measurement alone keeps it in every draw: no more than a tenth of it is used.
    """
    m, n, k, alpha, width = 40_000, 2, 2, 0.7, 5
    a = np.zeros((m, n))
    a[:, 0], a[0, 1] = 1 / math.sqrt(m), 3 / math.sqrt(m)
    a *= 1e7  # the noise of the range finder is 27
    row_norm, mu = float(np.max(np.linalg.norm(a, axis=1))), mu_for(EPSILON / 2, DELTA / 2)
    printed, repaired, limits = [], [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = private_range_finder(a, k, EPSILON / 2, DELTA / 2, rng=rng)
        q, pruned = found.value, zero_entries(found.value, alpha)
        spread = math.sqrt(width) * np.max(np.abs(pruned), axis=0) / mu
        b = pruned.T @ a + spread[:, None] * rng.standard_normal((width, n))
        printed.append(np.linalg.norm(a - pruned @ b) ** 2)
        repaired.append(np.linalg.norm(a - q @ b) ** 2)
        missed = residual.mean_square(0.0, m, found.details["noise"])
        limits.append(missed + pruned_basis.bound(width, row_norm, alpha) ** 2 + projection_utility.bound(spread, n))
    assert np.any(np.array(printed) > limits)
    assert np.all(np.array(repaired) < limits)


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


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "mechanism",
    [private_range_finder, project_find_prune, randomized_response_low_rank],
)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"delta": 0.0}, "delta must lie"),
        ({"row_change": 0.0}, "row_change must be positive"),
        ({"k": 0}, "k must be"),
        ({"k": M + 1}, "k must be"),
        ({"A": np.full((2, 2), np.nan)}, "A must be finite"),
        ({"A": np.zeros((2, 2)) * 1j}, "A must be real"),
        ({"A": np.zeros((0, 2))}, "A must be a matrix and not empty"),
        ({"A": [[1.0], [1.0, 2.0]]}, "A must be a rectangular array"),
    ],
)
def test_bad_input_is_refused_before_any_randomness(mechanism, changes, message):
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=message):
        mechanism(**({"A": A, "k": K, "epsilon": 1.0, "delta": 1e-6} | changes), rng=rng)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: private_projection(A, np.ones((M, 2)), 1.0, 1e-6), "basis must have orthonormal columns"),
        (lambda: private_projection(A, np.eye(3), 1.0, 1e-6), "basis must have shape"),
        (lambda: private_projection(A, np.full((M, 1), np.nan), 1.0, 1e-6), "basis must have orthonormal columns"),
        (lambda: private_projection(A, 0.9 * np.eye(M)[:, :2], 1.0, 1e-6), "basis must have orthonormal columns"),
        (lambda: project_find_prune(A, 1, 1.0, 1e-6, share=1.0), "share must lie"),
        (lambda: project_find_prune(A, 1, 1.0, 1e-6, row_bound=-1.0), "row_bound must be positive"),
        (lambda: private_range_finder(A, 1, 1.0, 1e-6, oversampling=-1), "oversampling must be"),
    ],
)
def test_other_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_single_row_and_a_single_column_work():
    for shape in ((1, 5), (5, 1), (1, 1)):
        release = project_find_prune(np.ones(shape), 1, 1.0, 1e-6, row_bound=3.0, rng=0)
        assert release.value.shape == shape
