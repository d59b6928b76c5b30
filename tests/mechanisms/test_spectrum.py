"""Private spectra."""

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra import Matrix
from tests.support.helpers import ALARM

RELATIONS = ("replace", "add_remove")


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


def test_one_eigenvalue_takes_the_noise_of_one_row_under_both_relations():
    """The row that goes lowers the largest eigenvalue, the one that comes raises it: both never add up."""
    summed = Matrix(np.eye(3), norm_bound=3.0)
    for relation in RELATIONS:
        assert dps.private_spectrum(summed, 1, 0.5, relation=relation).details["scale"] == 18.0
    assert dps.private_spectrum(summed, 2, 0.5).details["scale"] == 36.0
    keyed = {"mechanism": "orbit", "split": 0.5, "rng": 3}
    one, other = (dps.private_low_rank(Matrix(np.diag([9.0, 1, 0])), 1, 2.0, relation=r, **keyed) for r in RELATIONS)
    assert one.details["eigenvalues"] == other.details["eigenvalues"]
