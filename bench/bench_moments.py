"""Reading rows into sums by each rule against a bare product, and each row changed against the same in numpy."""

import numpy as np
import pytest

import dpspectra as dps

X = np.random.default_rng(0).normal(size=(400_000, 50)) / np.sqrt(50)

READ = {
    "product alone (rival)": lambda: X.T @ X,
    "refuse": lambda: dps.Moments.of(X, norm_bound=3.0),
    "clip, no row long": lambda: dps.Moments.of(X, norm_bound=3.0, rows="clip"),
    "clip, one row in a hundred long": lambda: dps.Moments.of(X, norm_bound=1.24, rows="clip"),
    "clip, all rows long": lambda: dps.Moments.of(X, norm_bound=0.1, rows="clip"),
    "unit": lambda: dps.Moments.of(X, rows="unit"),
    "zero": lambda: dps.Moments.of(X, norm_bound=3.0, bad_rows="zero"),
}
CHANGED = {
    "numpy alone (rival)": lambda: X * np.minimum(1, 1 / np.linalg.norm(X, axis=1))[:, None],
    "clipped_rows": lambda: dps.clipped_rows(X, 1.0),
    "unit_rows": lambda: dps.unit_rows(X),
}


@pytest.mark.parametrize("name", READ)
@pytest.mark.benchmark(group="sums of 400,000 x 50")
def test_reading(benchmark, name):
    benchmark.pedantic(READ[name], rounds=3)


@pytest.mark.parametrize("name", CHANGED)
@pytest.mark.benchmark(group="rows changed, 400,000 x 50")
def test_rows(benchmark, name):
    benchmark.pedantic(CHANGED[name], rounds=3)


PART = dps.Moments.of(X[:1000, :], norm_bound=3.0, part="a")
DATA = PART.to_bytes()


@pytest.mark.benchmark(group="merging at d = 50")
@pytest.mark.parametrize("name", ["bytes read", "bytes written", "two sums added"])
def test_merging(benchmark, name):
    other = dps.Moments.of(X[1000:2000], norm_bound=3.0)
    calls = {
        "bytes read": lambda: dps.Moments.from_bytes(DATA),
        "bytes written": PART.to_bytes,
        "two sums added": lambda: PART + other,
    }
    benchmark(calls[name])
