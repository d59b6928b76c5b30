"""Haar's measure: unitary, and uniform. Fixed seeds; each test fails a true law with probability 1e-6."""

import numpy as np
import pytest
from scipy import stats

from dpspectra import sampling
from tests.support.helpers import ALARM, fits


@pytest.mark.parametrize("field", ["real", "complex"])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_haar_is_unitary_and_uniform(d, field):
    u = sampling.haar(d, field=field, size=4000, rng=1)
    assert np.abs(u @ u.conj().swapaxes(-1, -2) - np.eye(d)).max() < 1e-13
    if d > 1:
        half = 0.5 if field == "real" else 1.0
        for i, j in [(0, 0), (d - 1, 0), (0, d - 1)]:
            assert fits(np.abs(u[:, i, j]) ** 2, stats.beta(half, half * (d - 1)).cdf)
        phase = np.angle(u[:, 0, 0]) if field == "complex" else None
        if phase is not None:
            assert fits(phase, stats.uniform(-np.pi, 2 * np.pi).cdf)
        else:
            assert stats.binomtest(int(np.sum(u[:, 0, 0] > 0)), len(u)).pvalue > ALARM
