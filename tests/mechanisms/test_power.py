"""The noisy power method, private and not. Statistical tests have fixed seeds and false alarms below 1e-6."""

import io
import math
import pickle
import sys
import tracemalloc

import numpy as np
import pytest
from scipy import sparse, stats
from scipy.sparse.linalg import LinearOperator

import dpspectra as dps
from dpspectra import LargeEntryError, noisy_power_method, private_power_method, streaming_power_method
from dpspectra.audit import GDP, PureDP, audit
from dpspectra.fast.gaussian_profile import mu_for, profile
from dpspectra.fast.linalg import principal_angles
from dpspectra.matrices.orthonormal import orthonormal
from dpspectra.mechanisms import power
from tests.support.helpers import distance, forms
from tests.support.power import BASIS, A, D, K, M, rows, sprinkled

# ---------------------------------------------------------------- convergence


@pytest.mark.parametrize("name", ["dense", "csr", "coo", "operator", "dask"])
def test_without_noise_it_finds_the_top_eigenvectors(name):
    x = noisy_power_method(forms(A, (17, 23))[name], K, width=5, iterations=40, rng=1)
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


@pytest.mark.parametrize("relation", ["pair", "spectral", "rank_one", "entry"])
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_noise_in_the_release_has_the_stated_size(relation, delta):
    """With A = 0 the last product is the noise. The mean of 2000 moduli has a standard error of 1.7 per cent."""
    zero = np.zeros((200, 300) if relation == "entry" else (500, 500))  # the first stands for its dilation
    release = private_power_method(zero, 2, 1.0, delta, relation=relation, width=4, iterations=3, low_rank=True, rng=5)
    y, x = release.value
    assert y.shape == x.shape == (500, 4)
    assert len(release.details["noise"]) == 4
    per_unit = 1.0 if delta == 0 else math.sqrt(2 / math.pi)
    assert np.mean(np.abs(y)) == pytest.approx(per_unit * release.details["noise"][-1], rel=0.09)
    squares, ones = np.sum(x**2, axis=1), np.sum(np.abs(x), axis=1)
    exact = {
        "pair": (np.sum(np.sort(ones)[-2:]), np.sum(np.sort(squares)[-2:])),
        "spectral": (4 * math.sqrt(500), 4.0),
        "rank_one": (math.sqrt(2000), 1.0),
    }["pair" if relation == "entry" else relation]
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
        ("pair", np.eye(4)[[1, 0, 2, 3]] * [[1], [1], [0], [0]]),
        ("spectral", np.eye(4)),
        ("rank_one", np.outer(FLAT[:, 0], FLAT[:, 0])),
    ],
)
@pytest.mark.parametrize("delta", [0.0, 1e-2])
def test_audits_stay_below_the_claim_and_see_a_quarter_of_the_noise(relation, change, delta, monkeypatch):
    """One product of a public block, seen before it is orthonormalised, at a change that moves it most."""
    monkeypatch.setattr(power, "orthonormal", lambda y, **_: y)

    def mechanism(epsilon):
        options = {"relation": relation, "width": 2, "iterations": 1, "start": FLAT}
        return lambda a, rng: private_power_method(a, 1, epsilon, delta, rng=rng, **options).value

    pair = (np.zeros((4, 4)), change)
    claim = PureDP(1.0) if delta == 0 else GDP(mu_for(1.0, delta))
    statistics = {"along the change": lambda y: float(np.sum(y * (change @ FLAT)))}
    honest, noisy = (
        audit(mechanism(epsilon), pair, claim, draws=1024, seconds=600, statistics=statistics) for epsilon in (1.0, 4.0)
    )
    assert not honest.violated
    assert noisy.violated


# ---------------------------------------------------------------- the fast path


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_memory_beyond_the_matrix_is_below_three_blocks(dtype):
    d, p = 100_000, 20
    a = sparse.eye_array(d, format="csr", dtype=dtype)
    private_power_method(a, 10, 1.0, 1e-6, width=p, iterations=2, dtype=dtype, rng=0)  # loads what it needs
    tracemalloc.start()
    private_power_method(a, 10, 1.0, 1e-6, width=p, iterations=2, dtype=dtype, rng=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * d * p * np.dtype(dtype).itemsize + 2**23  # and pieces of 2 MiB


def test_scipy_and_the_kernel_agree_and_so_does_single_precision(monkeypatch):
    pytest.importorskip("numba")
    a = sprinkled(300, 300, 0.1)
    a = a + a.T + sparse.diags_array(np.r_[np.full(3, 30.0), np.zeros(297)])
    arguments = {"epsilon": 3.0, "delta": 1e-3, "width": 15, "iterations": 5, "rng": 0}
    with_kernel = private_power_method(a, 3, **arguments).value
    single = private_power_method(a, 3, **arguments, dtype=np.float32).value
    assert single.dtype == np.float32
    assert distance(single, with_kernel) < 1e-4
    monkeypatch.setitem(sys.modules, "dpspectra.matrices.sparse_products", None)
    assert distance(private_power_method(a, 3, **arguments).value, with_kernel) < 1e-10


def test_noise_is_not_written_into_what_an_operator_keeps():
    class Keeper(LinearOperator):
        def __init__(self):
            super().__init__(float, (4, 4))
            self.kept = {1: np.zeros((4, 1)), 2: np.zeros((4, 2))}

        def _matmat(self, x):
            return self.kept[x.shape[1]]

        def _adjoint(self):
            return self

    operator = Keeper()
    private_power_method(operator, 1, 1.0, 1e-6, width=2, iterations=3, rng=0)
    assert not np.any(operator.kept[2])


def test_a_terminal_sees_the_rounds(monkeypatch):
    pytest.importorskip("tqdm")
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("dpspectra.ground.progress.PAUSE", 0.0)
    private_power_method(A, 2, 1.0, 1e-6, iterations=3, rng=0)
    noisy_power_method(A, 2, iterations=3, rng=0)
    streaming_power_method([rows(100)], 2, rows_per_round=20)
    for words in ("private power method", "power method", "streaming power method"):
        assert words in terminal.getvalue()


# ---------------------------------------------------------------- the whole transcript


def transcripts(a, size, monkeypatch, **options):
    """Log-likelihood ratios of ``A`` against ``A`` plus a pair, of all noisy products of ``size`` runs on ``a``."""
    first, second = np.diag([2.0, 1.0]), np.diag([2.0, 1.0]) + np.eye(2)[::-1]
    seen, ratios, rng = [], [], np.random.default_rng(4)
    monkeypatch.setattr(power, "orthonormal", lambda y, **_: (seen.append(y.copy()), orthonormal(y))[1])
    for _ in range(size):
        seen.clear()
        start = orthonormal(rng.standard_normal((2, 1)))
        release = private_power_method([first, second][a], 1, width=1, iterations=3, start=start, rng=rng, **options)
        x, loss = start, 0.0
        for y, noise in zip(seen, release.details["noise"], strict=True):
            loss += (np.sum((y - second @ x) ** 2) - np.sum((y - first @ x) ** 2)) / (2 * noise**2)
            x = orthonormal(y)
        ratios.append(loss)
    monkeypatch.undo()
    return np.array(ratios)


def test_the_exact_delta_is_that_of_the_adaptive_transcript(monkeypatch):
    """A pair moves both rows of a 2 x 2 matrix, so every round is as exposed as it can be: the claim is exact.

    Three Kolmogorov-Smirnov tests and four Clopper-Pearson bounds at 1e-7 each.
    """
    epsilon, delta, size = 1.0, 0.3, 1500
    mu = mu_for(epsilon, delta)
    below, above = (transcripts(a, size, monkeypatch, epsilon=epsilon, delta=delta) for a in (0, 1))
    assert stats.kstest(below, stats.norm(mu**2 / 2, mu).cdf).pvalue > 1e-7
    assert stats.kstest(above, stats.norm(-(mu**2) / 2, mu).cdf).pvalue > 1e-7
    (low, high), (rare, often) = (
        stats.binomtest(int(np.sum(ratios > epsilon)), size).proportion_ci(1 - 2e-7, "exact")
        for ratios in (below, above)
    )
    assert low - math.exp(epsilon) * often <= delta <= high - math.exp(epsilon) * rare
    assert high - math.exp(epsilon) * rare - (low - math.exp(epsilon) * often) < 0.35


def test_the_printed_noise_is_refuted_where_it_fails_and_ours_is_not(monkeypatch):
    """A pair changes, epsilon 5, delta 1/2: the printed noise has delta 0.76 there, by the exact profile."""
    epsilon, delta, x = 5.0, 0.5, FLAT[:, :1]
    printed = 0.5 * math.sqrt(4 * math.log(1 / delta)) / epsilon
    pair = (np.zeros((4, 4)), np.eye(4)[[1, 0, 2, 3]] * [[1], [1], [0], [0]])
    statistics = {"along the change": lambda y: float(np.sum(y * (pair[1] @ x)))}
    assert profile(epsilon, math.sqrt(0.5) / printed) == pytest.approx(0.757, abs=0.001)

    def published(a, size, rng):
        return a @ x + rng.normal(scale=printed, size=(size, *x.shape))

    def ours(a, rng):
        return private_power_method(a, 1, epsilon, delta, width=1, iterations=1, start=x, rng=rng).value

    monkeypatch.setattr(power, "orthonormal", lambda y, **_: y)
    options = {"seconds": 600, "statistics": statistics}
    assert audit(published, pair, epsilon, delta, draws=2**16, **options).violated
    assert not audit(ours, pair, epsilon, delta, draws=2**11, **options).violated


# ---------------------------------------------------------------- interrupted runs


@pytest.mark.parametrize(("delta", "low_rank"), [(0.0, False), (1e-5, False), (1e-5, True)])
def test_a_run_resumed_from_any_state_is_the_run(delta, low_rank):
    states = []
    plan = {"epsilon": 2.0, "delta": delta, "width": 4, "iterations": 4, "low_rank": low_rank}
    whole = private_power_method(A, 2, **plan, checkpoint=states.append, rng=7)
    rounds = 4 + low_rank
    assert [state.rounds for state in states] == [1, 2, 3, 4]
    for state in states:
        assert state.noise == whole.details["noise"][: state.rounds]
        if delta:
            assert (state.claim.delta, state.claim.gdp_mu) == (whole.claim.delta, whole.claim.gdp_mu)
            used = math.sqrt(state.rounds / rounds) * whole.claim.gdp_mu
            assert state.claim.used_mu == (None if state.rounds == rounds else pytest.approx(used))
        else:
            assert state.claim.epsilon == pytest.approx(2.0 * state.rounds / rounds)
        with pytest.warns(UserWarning, match="a state that was copied cannot tell"):
            resumed = private_power_method(A, 2, **plan, resume=pickle.loads(pickle.dumps(state)), rng=7)
        assert np.array_equal(resumed.value, whole.value)
        assert (resumed.claim, resumed.details) == (whole.claim, whole.details)
    other = private_power_method(A, 2, **plan, resume=states[2], rng=8)
    assert other.details["noise"][:4] == whole.details["noise"][:4]
    assert not np.array_equal(other.value, whole.value)


def test_no_noise_is_used_twice(monkeypatch):
    """Not by two rounds, and not by a run and its resumption with the same seed."""
    drawn, states = [], []
    monkeypatch.setattr(power, "orthonormal", lambda y, **_: (drawn.append(y.copy()), orthonormal(y))[1])
    plan = {"epsilon": 1.0, "delta": 1e-5, "iterations": 3, "relation": "spectral", "rng": 7}  # one scale in all rounds
    private_power_method(np.zeros((9, 9)), 2, **plan, checkpoint=states.append)
    private_power_method(np.zeros((9, 9)), 2, **plan, resume=states[0])
    correlations = np.abs(np.corrcoef([y.ravel() for y in drawn[:4]]) - np.eye(4))
    assert np.max(correlations) < 0.7
    for again, before in zip(drawn[4:], drawn[2:4], strict=True):
        np.testing.assert_array_equal(again, before)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 3.0}, "resume must be a state of the same plan"),
        ({"delta": 0.0}, "resume must be a state of the same plan"),
        ({"iterations": 4}, "resume must be a state of the same plan"),
        ({"low_rank": True}, "resume must be a state of the same plan"),
        ({"relation": "spectral"}, "resume must be a state of the same plan"),
        ({"scale": "max"}, "resume must be a state of the same plan"),
        ({"scale": "fixed", "entry_bound": 1.0}, "resume must be a state of the same plan"),
        ({"dtype": np.float32}, "resume must be a state of the same plan"),
        ({"iterations": 1}, "resume must have done between 1 and 1 rounds, got 2"),
        ({"width": 5}, "resume must be finite of shape"),
        ({"start": np.eye(D)[:, :4]}, "start must not be given with resume"),
    ],
)
def test_a_state_of_another_plan_is_refused(changes, message):
    states = []
    plan = {"epsilon": 2.0, "delta": 1e-5, "iterations": 3}
    private_power_method(A, 2, **plan, checkpoint=states.append, rng=7)
    with pytest.raises(ValueError, match=message):
        private_power_method(A, 2, **(plan | changes), resume=states[1], rng=7)


def test_a_state_does_not_give_away_the_product_under_another_scale():
    """One seed would draw the same noise again at another size, and two outputs would solve for ``A X``."""
    states = []
    plan = {"epsilon": 1.0, "iterations": 2, "low_rank": True, "rng": 0}
    bounds = [{"scale": "fixed", "entry_bound": bound} for bound in (1.0, 0.99)]
    private_power_method(A, 2, **plan, **bounds[0], checkpoint=states.append)
    with pytest.raises(ValueError, match="resume must be a state of the same plan"):
        private_power_method(A, 2, **plan, **bounds[1], resume=states[-1])


@pytest.mark.parametrize("relation", ["entry", "rank_one", "pair"])
def test_whether_a_call_is_refused_does_not_depend_on_the_data(relation):
    """Neighbours by an entry of a square matrix are not both symmetric; of a rectangular one they are all alike."""
    data = np.ones((5, 5))
    other = data + np.eye(5)[:, [0]] @ np.eye(5)[[1]]
    messages = set()
    for matrix in (data, other, 1e7 * data) if relation == "entry" else (np.ones((4, 5)),):
        with pytest.raises(ValueError, match="relation must be") as refused:
            private_power_method(matrix, 2, 1.0, iterations=2, relation=relation, rng=0)
        messages.add(str(refused.value))
    assert len(messages) == 1
    with pytest.raises(ValueError, match=r"^A must be symmetric, got a square matrix that is not: take "):
        private_power_method(other, 2, 1.0, iterations=2, rng=0)


# ---------------------------------------------------------------- streams


def test_the_streams_of_a_power_method_have_keys_of_128_bits(monkeypatch):
    keys, generator = [], np.random.SFC64
    monkeypatch.setattr(np.random, "SFC64", lambda key: keys.append(key) or generator(key))
    for seed in range(8):
        dps.private_power_method(np.eye(4), 1, 1.0, iterations=2, rng=seed)
    assert len({tuple(key) for key in keys}) == len(keys) == 24
    assert all(max(int(key[word]) for key in keys) > 2**30 for word in range(4))
