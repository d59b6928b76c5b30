"""Rank-one orbit samplers against uniform unit vectors."""

import numpy as np
import pytest

from dpspectra.sampling import orbit
from dpspectra.sampling.angular_gaussian import coordinates

D, DRAWS = 50, 1000
M = np.diag(np.linspace(200.0, 0.0, D))
SPECTRUM = np.eye(D)[0]

SAMPLERS = {
    "uniform": lambda: coordinates(np.zeros(D), "real", DRAWS, np.random.default_rng(0)),
    "real, bingham": lambda: orbit(M, SPECTRUM, 1.0, size=DRAWS, rng=0),
    "complex, bingham": lambda: orbit(M, SPECTRUM, 1.0, size=DRAWS, field="complex", method="bingham", rng=0),
    "complex, simplex, concentrated": lambda: orbit(
        M, SPECTRUM, 500.0, size=DRAWS, field="complex", method="simplex", rng=0
    ),
}


@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.benchmark(group="1,000 draws of rank one at d = 50")
def test_sampler(benchmark, name):
    benchmark(SAMPLERS[name])
