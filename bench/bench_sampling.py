"""Orbit samplers against uniform matrices of scipy of the same size; 500 draws a call."""

import numpy as np
import pytest
from scipy import stats

from dpspectra.sampling import ball_chart, bingham, haar, macg, orbit, two_part
from dpspectra.sampling.frame_law import frame_law

DRAWS = 500
SIZES = [(10, 2), (50, 3), (100, 5)]


def step(d, k, tilt):
    """Eigenvalues of ``M``, spectrum of ``H`` and exponents of the frames: ``tilt`` between two levels."""
    spectrum = np.repeat([1.0, 0.0], [k, d - k])
    return tilt * spectrum, spectrum, np.repeat([0.0, tilt], [k, d - k])


def samplers(d, k):
    values, spectrum, concentrated = step(d, k, 10.0 * d)
    weak, line = np.linspace(0.0, 1.0, d), np.eye(d)[0]
    law, rng = frame_law(values, spectrum, 1.0), np.random.default_rng(0)
    rejections = {
        "complex frames, ball_chart, concentrated": ball_chart.frames(concentrated, k),
        "complex frames, macg, weak": macg.frames(weak, k),
        "real frames, macg, weak": macg.frames(weak, k, "real"),
        "real frames, two_part, concentrated": two_part.frames(concentrated, k),
    }
    drawn = ball_chart.frames(concentrated, k).sample(DRAWS, rng)
    return {
        "scipy unitary_group (rival)": lambda: stats.unitary_group.rvs(d, size=DRAWS, random_state=0),
        "scipy ortho_group (rival)": lambda: stats.ortho_group.rvs(d, size=DRAWS, random_state=0),
        "haar": lambda: haar(d, size=DRAWS, rng=0),
        "real vectors, bingham": lambda: bingham(np.diag(weak), size=DRAWS, rng=0),
        **{name: lambda sampler=sampler: sampler.sample(DRAWS, rng) for name, sampler in rejections.items()},
        "matrices of given frames": lambda: law.matrices(drawn),
        "orbit, complex, concentrated": lambda: orbit(
            np.diag(values), spectrum, 1.0, size=DRAWS, field="complex", rng=0
        ),
        "orbit, real line, weak": lambda: orbit(np.diag(weak), line, 1.0, size=DRAWS, rng=0),
    }


CASES = [(d, k, name) for d, k in SIZES for name in samplers(d, k)]


@pytest.mark.parametrize(("d", "k", "name"), CASES)
def test_projections(benchmark, d, k, name):
    benchmark.group = f"{DRAWS} draws at d = {d}, k = {k}"
    benchmark.pedantic(samplers(d, k)[name], rounds=5, warmup_rounds=1)


GENERAL = {
    "scipy unitary_group (rival)": lambda: stats.unitary_group.rvs(8, size=DRAWS, random_state=0),
    "vertex, concentrated": lambda: general(20.0, "vertex"),
    "cftp, concentrated": lambda: general(20.0, "cftp"),
    "gelfand_tsetlin, weak": lambda: general(0.1, "gelfand_tsetlin"),
    "cftp, weak": lambda: general(0.1, "cftp"),
}


def general(kappa, method):
    """Three non-zero eigenvalues at d = 8."""
    values, spectrum = np.arange(8.0)[::-1], [3, 2, 1, 0, 0, 0, 0, 0]
    return orbit(np.diag(values), spectrum, kappa, size=DRAWS, field="complex", method=method, rng=0)


@pytest.mark.parametrize("name", GENERAL)
def test_any_spectrum(benchmark, name):
    benchmark.group = f"{DRAWS} draws of three non-zero eigenvalues at d = 8"
    benchmark.pedantic(GENERAL[name], rounds=3, warmup_rounds=1)
