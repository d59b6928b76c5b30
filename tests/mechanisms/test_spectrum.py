"""Private spectra."""

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra import Matrix
from tests.support.helpers import ALARM


@pytest.mark.parametrize(("relation", "factor"), [("replace", 2.0), ("add_remove", 1.0)])
def test_spectrum_noise_has_the_calibrated_law_before_clipping(relation, factor):
    rng = np.random.default_rng(7)
    big = np.diag([1e6, 1e3])
    drawn = np.array([dps.private_spectrum(Matrix(big), 2, 0.5, relation=relation, rng=rng).value for _ in range(4000)])
    law = stats.laplace(scale=factor / 0.5)
    assert stats.kstest(drawn[:, 0] - 1e6, law.cdf).pvalue > ALARM
    assert stats.kstest(drawn[:, 1] - 1e3, law.cdf).pvalue > ALARM
    small = np.array([dps.private_spectrum(Matrix(np.zeros((3, 3))), 3, 0.5, rng=rng).value for _ in range(200)])
    assert np.all(small >= 0)
    assert np.all(np.diff(small) <= 0)
