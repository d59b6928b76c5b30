"""Samplers by field, dimension, rank and spread of the exponent, next to uniform matrices of scipy of the same size.

A call draws ``DRAWS`` samples; the samples per second of the best call are the extra information of
``--benchmark-json``. The exponent falls in one step after its ``k``-th value, or along a line; "frames" leaves out the
product that makes matrices of them.
"""

import numpy as np
import pytest
from scipy import stats

from dpspectra.sampling import bingham, haar
from dpspectra.sampling.frame_law import frame_law
from dpspectra.sampling.methods import METHODS
from dpspectra.sampling.orbit import plan

DRAWS = 500

LAWS = [
    # field, d, k, shape and spread of the exponent, method
    ("complex", 10, 2, "step", 100.0, "ball_chart"),
    ("complex", 10, 2, "line", 1.0, "macg"),
    ("complex", 10, 2, "line", 30.0, "gelfand_tsetlin"),
    ("complex", 10, 2, "line", 30.0, "cftp"),
    ("real", 10, 2, "step", 100.0, "two_part"),
    ("real", 10, 2, "line", 1.0, "macg"),
    ("complex", 20, 10, "line", 30.0, "cftp"),
    ("complex", 50, 3, "step", 500.0, "ball_chart"),
    ("complex", 50, 3, "line", 1.0, "macg"),
    ("complex", 50, 3, "line", 30.0, "gelfand_tsetlin"),
    ("real", 50, 3, "step", 500.0, "two_part"),
    ("complex", 100, 3, "line", 30.0, "gelfand_tsetlin"),
    ("complex", 100, 5, "step", 1000.0, "ball_chart"),
    ("complex", 100, 5, "line", 1.0, "macg"),
    ("real", 100, 5, "step", 1000.0, "two_part"),
]
SPECTRA = [
    # d, spectrum, spread, method
    (8, [3, 2, 1, 0, 0, 0, 0, 0], 140.0, "vertex"),
    (8, [3, 2, 1, 0, 0, 0, 0, 0], 140.0, "cftp"),
    (8, [3, 2, 1, 0, 0, 0, 0, 0], 2.0, "gelfand_tsetlin"),
    (20, list(range(20)[::-1]), 30.0, "cftp"),
]
RIVALS = {"complex": stats.unitary_group, "real": stats.ortho_group}


def settled(field, d, k, shape, spread, method):
    """Eigenvalues of ``M``, spectrum of ``H`` and the plan for them."""
    spectrum = np.repeat([1.0, 0.0], [k, d - k])
    values = spread * spectrum if shape == "step" else np.linspace(spread, 0.0, d)
    return plan(np.diag(values), spectrum, 1.0, field, method)


def timed(benchmark, group, function):
    benchmark.group = group
    benchmark.pedantic(function, rounds=5, warmup_rounds=1)
    if benchmark.stats is not None:  # None where benchmarks are switched off
        benchmark.extra_info["samples per second"] = round(DRAWS / benchmark.stats.stats.min)


@pytest.mark.parametrize(("field", "d", "k", "shape", "spread", "method"), LAWS)
def test_matrices(benchmark, field, d, k, shape, spread, method):
    chosen, rng = settled(field, d, k, shape, spread, method), np.random.default_rng(0)
    timed(benchmark, f"{DRAWS} matrices, {field}, d = {d}", lambda: chosen.draw(DRAWS, rng))


@pytest.mark.parametrize(
    ("field", "d", "k", "shape", "spread", "method"), [law for law in LAWS if METHODS[law[5]].frames]
)
def test_frames(benchmark, field, d, k, shape, spread, method):
    chosen, rng = settled(field, d, k, shape, spread, method), np.random.default_rng(0)
    law = frame_law(chosen.values, chosen.spectrum, chosen.kappa)
    frames = METHODS[method].frames
    assert law is not None
    assert frames is not None
    sampler = frames(law, field)
    timed(benchmark, f"{DRAWS} frames, {field}, d = {d}", lambda: sampler.sample(DRAWS, rng))


@pytest.mark.parametrize(("d", "spectrum", "spread", "method"), SPECTRA)
def test_general_spectra(benchmark, d, spectrum, spread, method):
    m, rng = np.diag(np.linspace(spread / max(spectrum), 0.0, d)), np.random.default_rng(0)
    chosen = plan(m, spectrum, 1.0, "complex", method)
    timed(benchmark, f"{DRAWS} matrices, complex, d = {d}", lambda: chosen.draw(DRAWS, rng))


@pytest.mark.parametrize("d", [10, 50, 100])
@pytest.mark.parametrize("spread", [1.0, 20.0, 1000.0])
def test_vectors(benchmark, d, spread):
    a, rng = np.diag(np.linspace(0.0, spread, d)), np.random.default_rng(0)
    timed(benchmark, f"{DRAWS} vectors, real, d = {d}", lambda: bingham(a, size=DRAWS, rng=rng))


@pytest.mark.parametrize("d", [8, 10, 20, 50, 100])
@pytest.mark.parametrize("field", ["complex", "real"])
@pytest.mark.parametrize("by", ["scipy", "dpspectra"])
def test_uniform(benchmark, d, field, by):
    rng = np.random.default_rng(0)
    scipy = by == "scipy"
    draw = RIVALS[field].rvs if scipy else haar
    arguments = {"size": DRAWS, "random_state": rng} if scipy else {"size": DRAWS, "rng": rng, "field": field}
    timed(benchmark, f"{DRAWS} matrices, {field}, d = {d}", lambda: draw(d, **arguments))
