"""The streaming power method: rounds, batches, interruptions and rows of any size."""

import math
import pickle

import numpy as np
import pytest
from scipy import sparse

from dpspectra import StreamingPowerMethod, streaming_power_method
from dpspectra.fast.linalg import principal_angles
from dpspectra.formulas import power_flow
from dpspectra.matrices.orthonormal import householder
from tests.support.helpers import distance
from tests.support.power import BASIS, D, K, rows

# ---------------------------------------------------------------- interrupted runs


@pytest.mark.parametrize(("dtype", "size"), [(np.float64, 1e200), (np.float32, 1e30), (np.float32, 1e39)])
def test_rows_that_overflow_leave_the_state_as_it_was(dtype, size):
    state = StreamingPowerMethod(6, 2, rows_per_round=4, dtype=dtype, rng=0)
    rows = np.random.default_rng(1).normal(size=(6, 6))
    state.partial_fit(rows)
    before = pickle.dumps(state)
    with pytest.raises(ValueError, match="batch must"):
        state.partial_fit(np.vstack([rows, size * rows]))
    assert pickle.dumps(state) == before
    fresh = StreamingPowerMethod(6, 2, rows_per_round=4, dtype=dtype, rng=0).partial_fit(rows)
    assert np.array_equal(state.partial_fit(rows).basis, fresh.partial_fit(rows).basis)


def test_rows_just_below_overflow_are_taken():
    state = StreamingPowerMethod(6, 2, rows_per_round=4, rng=0)
    rows = np.random.default_rng(1).normal(size=(8, 6))
    huge = StreamingPowerMethod(6, 2, rows_per_round=4, rng=0).partial_fit(2.0**508 * rows)
    assert np.array_equal(huge.basis, state.partial_fit(rows).basis)


# ---------------------------------------------------------------- streams


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


def test_the_smallest_stream():
    state = StreamingPowerMethod(1, 1, rows_per_round=1, rng=0).partial_fit([[2.0]])
    assert (state.rounds, state.pending) == (1, 0)
    assert state.basis == pytest.approx(np.array([[1.0]])) or state.basis == pytest.approx(np.array([[-1.0]]))


@pytest.mark.parametrize("exponent", [-400, 400])
def test_the_sum_of_a_round_may_be_tiny_or_huge_with_zeros_in_it(exponent):
    z = np.array([[3.0, 4.0, 0.0], [1.0, 0.0, 0.0]])
    usual, other = (
        streaming_power_method([x], 2, rows_per_round=2, width=2, rng=2) for x in (z, np.ldexp(z, exponent))
    )
    assert np.array_equal(usual.basis, other.basis)
    assert np.all(usual.basis[2] == 0)


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


SPECTRA = {
    "spiked covariance": (np.r_[9.0, 8, np.ones(38)], 2, 20_000, None),
    "power law": (np.arange(1.0, 41) ** -1.5, 1, 20_000, None),
    "heavy tails": (np.r_[9.0, 8, np.ones(38)], 2, 40_000, 8),
}
"""Eigenvalues, rank, rows in a round, degrees of freedom of multivariate t rows."""


@pytest.mark.parametrize("name", SPECTRA)
def test_streams_converge_as_the_theorem_says(name):
    """Sampling errors are the noise of a round; what norm they had says how near the subspace must be, and when."""
    values, k, size, freedom = SPECTRA[name]
    rng = np.random.default_rng(6)
    frame = np.linalg.qr(rng.standard_normal((40, 40)))[0]
    a, u, gap = (frame * values) @ frame.T, frame[:, :k], values[k - 1] - values[k]
    state = StreamingPowerMethod(40, k, rows_per_round=size, width=k + 5, rng=3)
    first, noise, inside, tangents = np.max(principal_angles(state.basis, u)), [], [], []
    for _ in range(15):
        z = rng.standard_normal((size, 40)) * np.sqrt(values)
        if freedom is not None:
            z *= np.sqrt((freedom - 2) / rng.chisquare(freedom, size))[:, None]
        z = z @ frame.T
        error = z.T @ (z @ state.basis) / size - a @ state.basis
        noise.append(np.linalg.norm(error, 2))
        inside.append(np.linalg.norm(u.T @ error, 2))
        state.partial_fit(z)
        tangents.append(math.tan(np.max(principal_angles(state.basis, u))))
    accuracy = power_flow.CONSTANT * max(noise) / gap
    rounds = power_flow.iterations(math.tan(first), accuracy, values[k] / values[k - 1])
    assert accuracy < 0.5
    assert power_flow.CONSTANT * max(inside) <= gap * math.cos(first)
    assert rounds < 12
    assert max(tangents[rounds - 1 :]) <= accuracy


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_saved_stream_goes_on_where_it_was(dtype):
    z = rows(2000)
    state = StreamingPowerMethod(D, K, rows_per_round=500, dtype=dtype, rng=2).partial_fit(z[:700])
    state = pickle.loads(pickle.dumps(state)).partial_fit(z[700:])
    whole = streaming_power_method([z], K, rows_per_round=500, dtype=dtype, rng=2)
    assert state.basis.dtype == dtype
    assert distance(state.basis, whole.basis) < (1e-12 if dtype == np.float64 else 1e-5)


def test_directions_that_no_row_has_are_left_as_they_were():
    state = StreamingPowerMethod(6, 2, rows_per_round=3, width=3, rng=0)
    before = state.basis
    state.partial_fit(np.eye(6)[[0, 0, 1]])
    known = np.linalg.qr(np.hstack([np.eye(6)[:, :2], before]))[0]
    assert np.max(np.abs(state.basis - known @ (known.T @ state.basis))) < 1e-6
