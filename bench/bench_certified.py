"""Certified arithmetic against ideal arithmetic: numbers and matrices of noise, covariances, the power method."""

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.certified import noise_on_grid
from dpspectra.certified.ball_chart import BallChart
from dpspectra.certified.entropy import SystemEntropy
from dpspectra.certified.gelfand_tsetlin import GelfandTsetlin
from dpspectra.certified.grid import Steps
from dpspectra.fast.linalg import mirror
from dpspectra.mechanisms.noises.symmetric_wishart import TILTED
from dpspectra.sampling import ball_chart, gelfand_tsetlin

COUNT = 2**18
RATIO = 2.0**23.5
"""Scale of the noise over the step."""
RNG = np.random.default_rng(0)
NOTHING = Steps.of(np.zeros(COUNT, dtype=np.int64), 0)

NUMBERS = {
    ("Laplace", "certified"): lambda: noise_on_grid.laplace(NOTHING, RATIO, SystemEntropy()),
    ("Laplace", "numpy (rival)"): lambda: RNG.laplace(size=COUNT),
    ("Gaussian", "certified"): lambda: noise_on_grid.gaussian(NOTHING, RATIO, SystemEntropy()),
    ("Gaussian", "numpy (rival)"): lambda: RNG.normal(size=COUNT),
}


@pytest.mark.parametrize(("law", "way"), NUMBERS)
def test_numbers(benchmark, law, way):
    benchmark.group = f"{COUNT:,} {law} numbers"
    benchmark(NUMBERS[law, way])


@pytest.mark.parametrize("way", ["certified", "ideal (rival)"])
@pytest.mark.parametrize("d", [10, 50, 200])
def test_wishart(benchmark, d, way):
    """The step that `symmetric_wishart_covariance` takes."""
    benchmark.group = f"difference of two Wishart matrices, d = {d}"
    steps = Steps.of(np.zeros(d * (d + 1) // 2, dtype=np.int64), 0)
    ratio = 2.0**24 / TILTED.spread(d)
    certified = lambda: mirror(TILTED.certified(steps, d, ratio, SystemEntropy()), d)  # noqa: E731
    benchmark(certified if way == "certified" else lambda: TILTED.ideal(d, 1.0, RNG))


@pytest.mark.parametrize("way", ["certified", "ideal (rival)"])
@pytest.mark.parametrize(("d", "k"), [(4, 2), (20, 2), (50, 2), (100, 5)])
def test_ball_chart(benchmark, d, k, way):
    """One projector with the set-up; the mean of the squared norm of each column of the chart is 1/2."""
    benchmark.group = f"complex projector of rank {k}, d = {d}, in its eigenbasis"
    weights = np.repeat([2.0 * (d - k), 0.0], [k, d - k])
    certified = lambda: BallChart(weights, k).draw(SystemEntropy())  # noqa: E731
    ideal = lambda: ball_chart.frames(-weights, k).sample(1, RNG)  # noqa: E731
    benchmark(certified if way == "certified" else ideal)


ORBITS = {
    "real line": ([1], "real", 1.0),
    "plane": ([1, 1], "complex", 1.0),
    "rank 5": ([1] * 5, "complex", 1.0),
    "different values": ([2, 1], "complex", 1.0),
    "different values, flat": ([2, 1], "complex", 0.02),
}


@pytest.mark.parametrize("way", ["certified", "ideal (rival)"])
@pytest.mark.parametrize(
    ("d", "name"),
    [
        (10, "real line"),
        (50, "real line"),
        (50, "plane"),
        (100, "rank 5"),
        (20, "different values"),
        (50, "different values"),
        (20, "different values, flat"),
    ],
)
def test_orbit(benchmark, d, name, way):
    """One release for a given matrix: eigenvectors, the choice of a sampler, a draw, its rounding."""
    values, field, strength = ORBITS[name]
    benchmark.group = f"{name}, d = {d}"
    q = np.linalg.qr(RNG.normal(size=(d, d)))[0]
    m = strength * (q * np.linspace(40.0 * d, 0.0, d)) @ q.T
    spectrum = np.array(values + [0] * (d - len(values)), dtype=float)
    arithmetic = "certified" if way == "certified" else "ideal"
    benchmark(lambda: dps.private_orbit(Matrix((m + m.T) / 2), spectrum, 2.0, field=field, arithmetic=arithmetic))


@pytest.mark.parametrize("way", ["certified", "ideal (rival)"])
@pytest.mark.parametrize(("d", "rank"), [(3, 2), (5, 4), (6, 5), (8, 7), (10, 2), (20, 2)])
def test_gelfand_tsetlin(benchmark, d, rank, way):
    """One matrix of distinct eigenvalues, or a projector of rank 2, with the set-up; floats serve up to rank 5."""
    benchmark.group = f"complex matrix of rank {rank}, d = {d}, by its pattern"
    weights = np.linspace(4.0, 0.0, d)
    spectrum = np.linspace(2.0, 0.0, d) if rank == d - 1 else np.repeat([1.0, 0.0], [rank, d - rank])
    if way != "certified" and (reason := gelfand_tsetlin.refusal(weights, spectrum, 1.0)):
        pytest.skip(reason)
    certified = lambda: GelfandTsetlin(weights, spectrum).draw(SystemEntropy())  # noqa: E731
    ideal = lambda: gelfand_tsetlin.sampler(weights, spectrum, 1.0)(1, RNG).matrices()  # noqa: E731
    benchmark(certified if way == "certified" else ideal)


@pytest.mark.parametrize("way", ["certified", "ideal (rival)"])
@pytest.mark.parametrize(("n", "d"), [(10**6, 10), (200_000, 50), (20_000, 500)])
def test_covariance(benchmark, n, d, way):
    benchmark.group = f"laplace_covariance of {n:,} x {d}"
    x = RNG.uniform(-1, 1, size=(n, d)) / np.sqrt(d)
    arithmetic = "certified" if way == "certified" else "ideal"
    benchmark.pedantic(lambda: dps.laplace_covariance(x, 1.0, arithmetic=arithmetic), rounds=5, warmup_rounds=1)


def _symmetric(d: int, per_row: int) -> sparse.csr_array:
    """About so many entries in a row of a sparse matrix of small integers, in float64."""
    half = sparse.random_array((d, d), density=per_row / (2 * d), rng=RNG, format="csr")
    half.data = np.rint(half.data * 5)
    return sparse.csr_array(half + half.T)


DENSE = RNG.normal(size=(2000, 2000))
MATRICES = {
    "dense 2,000 x 2,000": lambda: DENSE + DENSE.T,
    "sparse 200,000 x 200,000, 50 in a row": lambda: _symmetric(200_000, 50),
    "sparse 20,000 x 20,000, 450 in a row": lambda: _symmetric(20_000, 450),
}


@pytest.mark.parametrize("way", ["certified", "ideal (rival)"])
@pytest.mark.parametrize("iterations", [1, 6])
@pytest.mark.parametrize("matrix", MATRICES)
def test_power(benchmark, matrix, iterations, way):
    """A fifth of the difference of one and six rounds is one round."""
    benchmark.group = f"private_power_method on {matrix}, width 10, {iterations} rounds"
    a, arithmetic = MATRICES[matrix](), "certified" if way == "certified" else "ideal"
    options = {"width": 10, "iterations": iterations, "arithmetic": arithmetic}
    benchmark.pedantic(lambda: dps.private_power_method(a, 5, 1.0, 1e-6, **options), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("way", ["certified", "ideal (rival)"])
@pytest.mark.parametrize("finder", [dps.private_range_finder, dps.project_find_prune], ids=lambda f: f.__name__)
def test_range_finder(benchmark, finder, way):
    """Ratings from 1 to 5, 200 in each column, as many as in the Netflix data."""
    shape = 17_770, 50_000
    benchmark.group = f"{finder.__name__} of {shape[0]:,} x {shape[1]:,} ratings"
    places = RNG.integers(0, shape[0], 200 * shape[1]), np.repeat(np.arange(shape[1]), 200)
    ratings = sparse.coo_array((RNG.integers(1, 6, len(places[0]), dtype=np.int8), places), shape=shape).tocsr()
    arithmetic = "certified" if way == "certified" else "ideal"
    run = lambda: finder(ratings, 10, 1.0, 1e-6, row_change=5.0, arithmetic=arithmetic)  # noqa: E731
    benchmark.pedantic(run, rounds=9, warmup_rounds=1)
