"""What stands beside the package in one environment: `make together` has it, other environments skip these tests."""

import numpy as np
import pytest

import dpspectra as dps

pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.filterwarnings("ignore:rng should be a seed")]
ROWS = np.random.default_rng(0).uniform(-0.3, 0.3, size=(40, 3))


@pytest.mark.parametrize("library", ["torch", "pandas", "polars", "pyarrow"])
def test_tensors_and_frames_are_the_rows_that_they_hold(library):
    made = pytest.importorskip(library)
    columns = dict(zip("abc", ROWS.T, strict=True))
    make = {"torch": lambda: made.tensor(ROWS), "pyarrow": lambda: made.table(columns)}
    given = make.get(library, lambda: made.DataFrame(columns))()
    found, due = (dps.laplace_covariance(rows, epsilon=1.0, rng=7) for rows in (given, ROWS))
    assert np.array_equal(found.value, due.value)


def test_opacus_promises_no_more_than_the_exact_profile():
    accountants = pytest.importorskip("opacus.accountants")
    by_renyi = accountants.RDPAccountant()
    for _ in range(10):
        by_renyi.step(noise_multiplier=20.0, sample_rate=1.0)
    epsilon = by_renyi.get_epsilon(delta=1e-6)
    assert dps.profile.gaussian(epsilon, 10**0.5, 20.0) < 1e-6 < dps.profile.gaussian(0.9 * epsilon, 10**0.5, 20.0)
