"""The noisy power method, private and streaming. Statistical tests have fixed seeds and false alarms below 1e-6."""

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from dpspectra import (
    LargeEntryError,
    StreamingPowerMethod,
    noisy_power_method,
    private_power_method,
    streaming_power_method,
)
from dpspectra.audit import GDP, PureDP, audit
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.linalg import principal_angles
from dpspectra.fast.orthonormal import householder, orthonormal
from dpspectra.fast.products import product
from dpspectra.mechanisms import power

RNG = np.random.default_rng(0)
D, K = 60, 3
BASIS = np.linalg.qr(RNG.standard_normal((D, D)))[0]
VALUES = np.r_[100.0, -90, 80, 20, -15, np.linspace(5, 0, D - 5)]
A = (BASIS * VALUES) @ BASIS.T
A = (A + A.T) / 2
M = RNG.standard_normal((30, 20)) @ np.diag(np.r_[20.0, 15, np.ones(18)])


def forms(a):
    return {
        "dense": a,
        "csr": sparse.csr_array(a),
        "coo": sparse.coo_matrix(a),
        "operator": aslinearoperator(a),
        "dask": pytest.importorskip("dask.array").from_array(a, chunks=(17, 23)),
    }


def distance(x, y):
    return np.linalg.norm(x @ x.T - y @ y.T, 2)


# ---------------------------------------------------------------- orthonormal bases


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("condition", [1.0, 1e3, 1e6, 1e12])
def test_both_factorisations_give_one_basis(condition, dtype):
    y = RNG.standard_normal((40, 4)) @ np.diag(np.geomspace(1, 1 / condition, 4)) @ BASIS[:4, :4]
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


# ---------------------------------------------------------------- products


@pytest.mark.parametrize("name", ["dense", "csr", "coo", "operator", "dask"])
def test_products(name):
    x, y = RNG.standard_normal((20, 3)), RNG.standard_normal((30, 3))
    matrix = product(forms(M)[name])
    np.testing.assert_allclose(matrix.forward(x), M @ x, rtol=1e-12, atol=1e-10)
    np.testing.assert_allclose(matrix.backward(y), M.T @ y, rtol=1e-12, atol=1e-10)
    whole = np.block([[np.zeros((30, 30)), M], [M.T, np.zeros((20, 20))]])
    z = RNG.standard_normal((50, 2))
    np.testing.assert_allclose(matrix.dilated().forward(z), whole @ z, rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("width", [1, 5, 12, 20, 33])
def test_the_kernel_that_fetches_ahead_multiplies_like_scipy(width, dtype):
    numba = pytest.importorskip("numba")
    prefetch = pytest.importorskip("dpspectra.fast.prefetch")
    a = sparse.random_array((300, 200), density=0.05, rng=1, format="csr").astype(dtype)
    x = RNG.standard_normal((200, width)).astype(dtype)
    for threads in (1, 2):
        numba.set_num_threads(threads)
        np.testing.assert_allclose(prefetch.multiply(a, x), a @ x, rtol=1e-12 if dtype == np.float64 else 1e-5)


# ---------------------------------------------------------------- convergence


@pytest.mark.parametrize("name", ["dense", "csr", "coo", "operator", "dask"])
def test_without_noise_it_finds_the_top_eigenvectors(name):
    x = noisy_power_method(forms(A)[name], K, width=5, iterations=40, rng=1)
    assert x.shape == (D, 5)
    assert np.max(principal_angles(x, BASIS[:, :K])) < 1e-8
    assert distance(x, noisy_power_method(A, K, width=5, iterations=40, rng=1)) < 1e-9


def test_a_rectangular_matrix_is_dilated():
    x = noisy_power_method(M, 4, width=6, iterations=60, rng=1)
    left, _, right = np.linalg.svd(M)
    top = np.block([[left[:, :2], left[:, :2]], [right[:2].T, -right[:2].T]]) / math.sqrt(2)
    assert np.max(principal_angles(x, top)) < 1e-6


def test_noise_is_what_the_callback_returns():
    seen = []

    def adversary(number, x, y):
        seen.append(number)
        np.testing.assert_allclose(y, A @ x, atol=1e-9)
        return -y if number < 3 else 0 * y  # take everything away, twice

    x = noisy_power_method(A, 1, width=2, iterations=4, noise=adversary, start=np.eye(D)[:, :2])
    assert seen == [1, 2, 3, 4]
    assert x.shape == (D, 2)


def test_the_noisy_iterate_is_as_near_as_the_noise_allows():
    x = private_power_method(100 * A, K, 2.0, 1e-6, width=6, iterations=8, rng=0)
    noise = max(x.details["noise"]) * (math.sqrt(D) + math.sqrt(6) + 6)
    assert math.sin(np.max(principal_angles(x.value, BASIS[:, :K]))) < 5 * noise / (100 * 60)


# ---------------------------------------------------------------- privacy


@pytest.mark.parametrize("relation", ["entry", "pair", "spectral", "rank_one"])
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_noise_in_the_release_has_the_stated_size(relation, delta):
    """With A = 0 the last product is the noise. The mean of 2000 moduli of it has a deviation of 1.7 per cent."""
    zero = np.zeros((500, 500))
    release = private_power_method(zero, 2, 1.0, delta, relation=relation, width=4, iterations=3, low_rank=True, rng=5)
    y, x = release.value
    assert y.shape == x.shape == (500, 4)
    assert len(release.details["noise"]) == 4
    per_unit = 1.0 if delta == 0 else math.sqrt(2 / math.pi)
    assert np.mean(np.abs(y)) == pytest.approx(per_unit * release.details["noise"][-1], rel=0.09)
    squares, ones = np.sum(x**2, axis=1), np.sum(np.abs(x), axis=1)
    exact = {
        "entry": (np.max(ones), np.max(squares)),
        "pair": (np.sum(np.sort(ones)[-2:]), np.sum(np.sort(squares)[-2:])),
        "spectral": (4 * math.sqrt(500), 4.0),
        "rank_one": (math.sqrt(2000), 1.0),
    }[relation]
    expected = exact[0] * 4 if delta == 0 else math.sqrt(4 * exact[1]) / mu_for(1.0, delta)
    assert release.details["noise"][-1] == pytest.approx(expected, rel=1e-9)
    assert (release.claim.relation, release.claim.epsilon, release.claim.delta) == (relation, 1.0, delta)


@pytest.mark.parametrize("scale", ["max", "doubling", "fixed"])
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_other_scales_are_never_smaller(scale, delta):
    bound = 1.0 if scale == "fixed" else None
    arguments = {"width": 4, "iterations": 3, "rng": 5, "relation": "pair"}
    exact = private_power_method(A, 2, 1.0, delta, **arguments)
    other = private_power_method(A, 2, 1.0, delta, scale=scale, entry_bound=bound, **arguments)
    assert other.details["noise"][0] > exact.details["noise"][0]
    assert list(other.details["noise"]) == sorted(other.details["noise"]) or scale == "max"


def test_an_iterate_above_the_public_bound_is_not_multiplied():
    with pytest.raises(LargeEntryError, match=r"above the bound 0\.01"):
        private_power_method(A, 2, 1.0, 1e-5, iterations=3, scale="fixed", entry_bound=0.01, rng=0)


FLAT = np.array([[1.0, 1], [1, -1], [1, 1], [1, -1]]) / 2
"""Columns whose rows are as small as they can be: the first product is as exposed as it gets."""


@pytest.mark.parametrize(
    ("relation", "change"),
    [
        ("entry", np.eye(4)[:, [0]] @ np.eye(4)[[0]]),
        ("pair", np.eye(4)[[1, 0, 2, 3]] * [[1], [1], [0], [0]]),
        ("spectral", np.eye(4)),
        ("rank_one", np.outer(FLAT[:, 0], FLAT[:, 0])),
    ],
)
@pytest.mark.parametrize("delta", [0.0, 1e-2])
def test_audits_stay_below_the_claim_and_see_a_quarter_of_the_noise(relation, change, delta, monkeypatch):
    """One product of a public block, seen before it is orthonormalised, at a change that moves it most."""
    monkeypatch.setattr(power, "orthonormal", lambda y: y)

    def mechanism(epsilon):
        options = {"relation": relation, "width": 2, "iterations": 1, "start": FLAT}
        return lambda a, rng: private_power_method(a, 1, epsilon, delta, rng=rng, **options).value

    pair = (np.zeros((4, 4)), change)
    claim = PureDP(1.0) if delta == 0 else GDP(mu_for(1.0, delta))
    statistics = {"along the change": lambda y: float(np.sum(y * (change @ FLAT)))}
    honest, noisy = (
        audit(mechanism(epsilon), pair, claim, budget=2048, seconds=60, statistics=statistics) for epsilon in (1.0, 4.0)
    )
    assert not honest.violated
    assert noisy.violated


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be positive"),
        ({"delta": 1.0}, "delta must lie"),
        ({"relation": "row"}, "relation must be one of"),
        ({"scale": "none"}, "scale must be one of"),
        ({"scale": "fixed"}, "entry_bound must be given"),
        ({"entry_bound": 0.5}, "entry_bound must be given for scale 'fixed' and only then, got 0.5"),
        ({"k": 0}, "k must be"),
        ({"k": D + 1}, "k must be"),
        ({"width": 1}, "width must be"),
        ({"iterations": 0}, "iterations must be"),
        ({"A": np.triu(A)}, "A must be symmetric"),
        ({"A": sparse.csr_array(np.triu(A))}, "A must be symmetric"),
        ({"A": np.where(A[3, 4] == A, np.nan, A)}, "A must be finite, got nan"),
        ({"A": sparse.csr_array(np.where(A[3, 4] == A, np.inf, A))}, "A must be finite, got inf"),
        ({"A": A + 1j}, "A must be real"),
        ({"A": sparse.csr_array(A + 1j)}, "A must be real"),
        ({"A": np.zeros((0, 0))}, "A must be a matrix and not empty"),
        ({"A": A[0]}, "A must be a matrix"),
        ({"A": M, "relation": "pair"}, "relation must be 'entry' or 'spectral' for a rectangular matrix, got 'pair'"),
        ({"start": np.eye(D)[:, :3]}, r"start must be finite of shape \(60, 4\), got shape \(60, 3\)"),
        ({"start": np.ones((D, 4))}, "start must have full rank 4, got 1"),
    ],
)
def test_bad_input_is_refused_before_any_randomness(changes, message):
    arguments = {"A": A, "k": 2, "epsilon": 1.0, "delta": 1e-5, "iterations": 3} | changes
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match=message):
        private_power_method(**arguments, rng=rng)
    assert rng.bit_generator.state == before


# ---------------------------------------------------------------- streams


def rows(n, seed=0):
    """A spiked covariance: three directions of variance 10, the rest 1."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, D)) + 3 * rng.standard_normal((n, K)) @ BASIS[:, :K].T


def test_a_stream_is_the_noisy_power_method_on_blocks():
    z = rows(3000)
    state = streaming_power_method(np.array_split(z, 7), K, rows_per_round=1000, width=4, rng=2)
    assert (state.rounds, state.pending) == (3, 0)
    x = StreamingPowerMethod(D, K, rows_per_round=1000, width=4, rng=2).basis
    for block in np.array_split(z, 3):
        x = householder(block.T @ (block @ x) / 1000)
    assert distance(state.basis, x) < 1e-12


@pytest.mark.parametrize("sizes", [1, 13, 999, 5000])
def test_batches_do_not_matter(sizes):
    z = rows(5000)
    batches = (sparse.csr_array(z[i : i + sizes]) if i % 2 else z[i : i + sizes] for i in range(0, len(z), sizes))
    state = streaming_power_method(batches, K, rows_per_round=1250, rng=2)
    assert distance(state.basis, streaming_power_method([z], K, rows_per_round=1250, rng=2).basis) < 1e-10
    assert math.sin(np.max(principal_angles(state.basis, BASIS[:, :K]))) < 0.35


def test_a_stream_stops_where_it_should():
    z, taken = rows(5000), []

    def batches():
        for i in range(0, 5000, 500):
            taken.append(i)
            yield z[i : i + 500].tolist()

    state = streaming_power_method(batches(), K, rows_per_round=700, iterations=2, rng=2)
    assert (state.rounds, state.pending, len(taken)) == (2, 0, 3)
    with pytest.raises(ValueError, match="must hold 14000 rows or more, got 5000"):
        streaming_power_method([z], K, rows_per_round=700, iterations=20)
    with pytest.raises(ValueError, match="must hold 10000 rows or more, got 0"):
        streaming_power_method([], K, rows_per_round=10000)


@pytest.mark.parametrize("bad", [np.full((3, D), np.nan), np.zeros((3, D + 1)), np.zeros(D), np.zeros((3, D)) * 1j])
def test_a_bad_batch_loses_nothing(bad):
    z = rows(2000)
    state = StreamingPowerMethod(D, K, rows_per_round=500, rng=2).partial_fit(z[:700])
    with pytest.raises(ValueError, match="batch must"):
        state.partial_fit(bad)
    assert (state.rounds, state.pending) == (1, 200)
    state.partial_fit(z[700:])
    whole = streaming_power_method([z], K, rows_per_round=500, rng=2)
    assert distance(state.basis, whole.basis) < 1e-12


def test_an_interrupted_stream_goes_on():
    z = rows(2000)

    def broken():
        yield z[:600]
        raise ConnectionError

    state = StreamingPowerMethod(D, K, rows_per_round=500, rng=2)
    with pytest.raises(ConnectionError):
        list(map(state.partial_fit, broken()))
    state.partial_fit(z[600:])
    assert distance(state.basis, streaming_power_method([z], K, rows_per_round=500, rng=2).basis) < 1e-12


def test_rows_of_low_rank_and_of_nothing_are_survived():
    state = StreamingPowerMethod(4, 2, rows_per_round=3, width=3, rng=0)
    state.partial_fit(np.zeros((3, 4))).partial_fit(np.eye(4)[[0, 0, 1]]).partial_fit(np.zeros((0, 4)))
    assert state.rounds == 2
    np.testing.assert_allclose(state.basis.T @ state.basis, np.eye(3), atol=1e-12)
    assert np.max(principal_angles(state.basis, np.eye(4)[:, :2])) < 1e-7
