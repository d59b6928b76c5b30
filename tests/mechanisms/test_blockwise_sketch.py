"""Values that stay on a cluster: what their noise depends on, what comes to the client, bad input; keys are fixed."""

import math
import pickle

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.certified import sketch
from dpspectra.fast.pruning import prune
from dpspectra.ground import foreign_code
from dpspectra.matrices import cluster
from dpspectra.mechanisms import blockwise_sketch
from dpspectra.mechanisms.blockwise_sketch import SAME_BYTES, Tall
from dpspectra.mechanisms.randomness import SECRET_ENTROPY, SECRET_KEY
from tests.support.helpers import distance, entropy

array = pytest.importorskip("dask.array")
delayed = pytest.importorskip("dask").delayed

RNG = np.random.default_rng(0)
M, N, K, WIDTH = 400, 60, 2, 5
A = 30 * RNG.standard_normal((M, K)) @ RNG.standard_normal((K, N))
PROMISE = {"k": K, "epsilon": 1.0, "delta": 1e-6}
OMEGA = RNG.integers(-(2**21), 2**21, (N, WIDTH))
TALL = Tall(b"k" * 32, 20, 5.0)


def lazy(a=A):
    return array.from_array(a, chunks=(70, 13))


def found(mechanism, data, key=0, **options):
    return mechanism(data, **PROMISE, gather=False, rng=entropy(key), **options)


# ---------------------------------------------------------------- noise


def noise_of(tall, rows, number):
    """The noise of a block, in units of its scale."""
    exact = np.rint(np.ldexp(rows, 20)) @ OMEGA
    return (tall.sketched(rows, OMEGA, number)[1] - np.ldexp(exact, -40)) / tall.scale


def test_noise_depends_on_key_place_and_integers_and_on_nothing_else():
    rows, other = A[:70], A[:70].copy()
    other[3, 4] += 2.0**-20
    within_a_unit = A[:70] + 2.0**-24 * (np.ldexp(A[:70], 20) % 1 < 0.3)
    same = noise_of(TALL, rows, 1)
    assert np.std(same) == pytest.approx(1, abs=0.2), "350 numbers: a false alarm has probability 1e-7"
    np.testing.assert_array_equal(TALL.sketched(rows, OMEGA, 1)[1], TALL.sketched(rows.copy(), OMEGA, 1)[1])
    for unlike in (
        noise_of(TALL, rows, 2),
        noise_of(TALL, other, 1),
        noise_of(Tall(b"l" * 32, 20, 5.0), rows, 1),
    ):
        assert np.max(np.abs(np.corrcoef(same.ravel(), unlike.ravel())[0, 1])) < 0.3, "a false alarm: 1e-8"
        assert not np.any(unlike == same)
    equal = TALL.sketched(within_a_unit, OMEGA, 1)
    assert equal[0] == TALL.sketched(rows, OMEGA, 1)[0]
    np.testing.assert_array_equal(equal[1], TALL.sketched(rows, OMEGA, 1)[1])


def test_one_source_never_gives_the_same_noise_twice():
    """The place of the call is part of the key, as for values that are gathered."""
    source, again = entropy(1), entropy(1)
    first, second = (dps.private_range_finder(lazy(), **PROMISE, gather=False, rng=source).value for _ in range(2))
    with pytest.warns(dps.ReusedSeedWarning):
        third = dps.private_range_finder(lazy(), **PROMISE, gather=False, rng=again).value
    assert distance(first.compute(), second.compute()) > 1e-3
    np.testing.assert_array_equal(first.compute(), third.compute())
    fresh = [dps.private_range_finder(lazy(), **PROMISE, gather=False).value.compute() for _ in range(2)]
    assert distance(*fresh) > 1e-3


def test_large_entries_are_exact_too():
    rows, tall = 2.0**300 * A[:70], Tall(b"k" * 32, 20, 2.0**280)
    whole = np.array([[int(x) for x in row] for row in np.ldexp(rows, 20)], dtype=object) @ OMEGA.astype(object)
    noisy = tall.sketched(rows, OMEGA, 0)[1]
    noise = [(int(y * 2.0**40) - int(x)) / 2**320 for y, x in zip(noisy.ravel(), whole.ravel(), strict=True)]
    assert np.std(noise) == pytest.approx(1, abs=0.2), "a false alarm has probability 1e-7"


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("scale", [1.0, 1e9, 1e-9])
def test_the_range_is_orthonormal_and_that_of_the_noisy_sketch(scale):
    release = found(dps.private_range_finder, lazy(scale * A))
    q = release.value.compute()
    np.testing.assert_allclose(q.T @ q, np.eye(WIDTH), atol=1e-14)
    gathered = dps.private_range_finder(scale * A, **PROMISE, rng=entropy(7))
    of_this_noise = {"singular_values": None}
    assert {**release.details, **of_this_noise} == {**gathered.details, **of_this_noise}
    if scale > 1:
        assert np.linalg.norm(scale * A - q @ (q.T @ (scale * A))) < 1e-9 * np.linalg.norm(scale * A)
    claim = release.claim
    assert claim.assumptions == (*gathered.claim.assumptions, SAME_BYTES)
    assert (claim.epsilon, claim.delta, claim.labels) == (1.0, 1e-6, gathered.claim.labels)
    fresh = dps.private_range_finder(lazy(A), **PROMISE, gather=False).claim
    assert {SECRET_ENTROPY, SECRET_KEY, SAME_BYTES} < set(fresh.assumptions)


def test_the_basis_spans_the_sketch_of_the_very_blocks():
    """From the key of the run, block by block, and Householder QR in one piece."""
    source, data = entropy(3), lazy(np.rint(A))
    key = entropy(3)
    run = key.words(4).values.tobytes()
    omega = sketch.test_matrix(N, WIDTH, key)
    release = dps.private_range_finder(data, **PROMISE, gather=False, rng=source)
    tall = Tall(run, 19, release.details["noise"])
    y = np.vstack([tall.sketched(np.rint(A)[b : b + 70], omega, b // 70)[1] for b in range(0, M, 70)])
    q, r = np.linalg.qr(y)
    np.testing.assert_allclose(release.value.compute(), q * np.sign(np.diagonal(r)), atol=1e-12)
    values = np.linalg.svd(y, compute_uv=False)[: PROMISE["k"]]
    assert release.details["singular_values"] == pytest.approx(values, rel=1e-9)


@pytest.mark.parametrize("bound", [None, 250.0])
def test_pruning_and_projection_are_those_of_one_machine(bound, monkeypatch):
    spiked = np.outer(np.ones(M), 0.3 * RNG.standard_normal(4000))
    spiked[[5, 205]] = 200 * RNG.standard_normal((2, 4000)) / math.sqrt(4000)
    data = array.from_array(spiked, chunks=(70, 4000))
    if bound:  # as much as fits is pruned where few rows may be
        monkeypatch.setattr(blockwise_sketch, "TOP", 64)
    release = found(dps.project_find_prune, data, row_bound=bound)
    q, mu, details = release.value.left.compute(), release.details["projection_mu"], release.details
    own = prune(q, 4000, mu, bound)
    pruned = np.count_nonzero(~np.any(own, axis=1))
    assert details["pruned"] == pruned
    assert pruned == (0 if bound is None else 2)
    largest = np.max(np.sum(own**2, axis=1))
    assert details["largest_leverage"] == pytest.approx(largest, rel=1e-12)
    assert details["noise"] == pytest.approx(math.sqrt(largest) / mu, rel=1e-3)
    noise = (release.value.right - own.T @ spiked) / details["noise"]
    assert np.std(noise) == pytest.approx(1, abs=0.03), "20,000 numbers: a false alarm has probability 1e-8"
    assert release.value.truncated(1).left.compute().shape == (M, 1)
    assert release.value.shape == spiked.shape


def test_no_step_brings_rows_times_width_to_the_client(monkeypatch):
    sizes, inner = [], foreign_code.computed

    def noted(value, name):
        out = inner(value, name)
        sizes.extend(np.size(part) for part in (out if isinstance(out, tuple) else (out,)))
        return out

    monkeypatch.setattr(cluster, "computed", noted)
    monkeypatch.setattr(blockwise_sketch, "TOP", 16)
    many = array.from_array(np.tile(A, (20, 1)), chunks=(500, N))
    found(dps.project_find_prune, many, row_bound=500.0)
    assert max(sizes) == max(N * WIDTH, 16 * WIDTH, many.numblocks[0])
    assert max(sizes) < many.shape[0] * WIDTH / 100


def test_integers_and_empty_blocks_and_a_single_row_are_matrices_like_others():
    for data in (lazy(np.rint(A).astype(np.int32)), array.concatenate([lazy(A[:0]), lazy(), lazy(A[:0])])):
        q = found(dps.private_range_finder, data).value.compute()
        np.testing.assert_allclose(q.T @ q, np.eye(WIDTH), atol=1e-14)
    one = dps.project_find_prune(lazy(A[:1]), 1, 1.0, 1e-6, gather=False, row_bound=1e6, rng=entropy(9)).value
    assert one.left.compute().tolist() == [[1.0]]


# ---------------------------------------------------------------- bytes that change


def changing(blocks, turn):
    """The rows in blocks; from this reading of the second block on, one of its entries is another one."""
    reads = []

    def read(number):
        reads.append(number)
        block = blocks[number].copy()
        block[0, 0] += 1.0 if reads.count(1) >= turn and number == 1 else 0.0
        return block

    parts = [array.from_delayed(delayed(read)(i), block.shape, dtype=float) for i, block in enumerate(blocks)]
    return array.concatenate(parts)


@pytest.mark.parametrize("turn", [3, 4, 5])
def test_another_block_at_one_place_is_refused(turn):
    """Reads: sizes, the first factor, the second, the largest row, the product. What is noisy already is not again."""
    data = changing([A[:200], A[200:]], turn)
    with pytest.raises(ValueError, match="A must hold the same bytes whenever it is read, got other ones in block 1"):
        found(dps.project_find_prune, data)


def test_a_value_that_is_read_later_is_that_of_the_same_bytes():
    blocks = [A[:200].copy(), A[200:].copy()]
    value = found(dps.private_range_finder, changing(blocks, 10**6)).value
    first = value.compute(scheduler="synchronous")
    np.testing.assert_array_equal(value.compute(scheduler="synchronous"), first)
    blocks[0][3, 3] += 1.0
    with pytest.raises(ValueError, match="got other ones in block 0"):
        value.compute(scheduler="synchronous")


# ---------------------------------------------------------------- bad input, and what shows


@pytest.mark.parametrize("mechanism", [dps.private_range_finder, dps.project_find_prune])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"A": A}, "A must be a dask array with known lengths of chunks for gather=False, got ndarray"),
        ({"A": lazy()[lazy()[:, 0] > 0]}, "or call A.compute_chunk_sizes"),
        ({"rng": 3}, "gather must be True for ideal arithmetic"),
        ({"arithmetic": "ideal", "rng": None}, "gather must be True for ideal arithmetic"),
        ({"gather": "no"}, "gather must be"),
        ({"A": lazy(np.full((9, 9), np.nan))}, "A must have finite entries"),
    ],
)
def test_what_cannot_stay_is_refused_before_any_randomness(mechanism, changes, message):
    source = entropy()
    with pytest.raises(ValueError, match=message):
        mechanism(**{"A": lazy(), **PROMISE, "gather": False, "rng": source} | changes)
    assert source.words(4).values.tolist() == entropy().words(4).values.tolist()


def test_a_budget_pays_for_it():
    budget = dps.Budget(epsilon=1.0, delta=1e-5, relation="row", method="basic")
    release = budget.release(dps.private_range_finder, lazy(), **PROMISE, gather=False)
    assert budget.spent.epsilon == 1
    assert release.value.shape == (M, WIDTH)


def test_neither_texts_nor_json_hold_rows_or_keys():
    release = found(dps.project_find_prune, lazy())
    with pytest.raises(ValueError, match="a value that lies on a cluster must be written from there, by to_zarr"):
        release.to_json()
    assert "key" not in repr(TALL)
    assert "kkkk" not in repr(TALL)
    assert f"LowRank of shape {M} x {N}" in release.summary()
    assert pickle.loads(pickle.dumps(TALL)).sketched(A[:3], OMEGA, 0)[0] == TALL.sketched(A[:3], OMEGA, 0)[0]
