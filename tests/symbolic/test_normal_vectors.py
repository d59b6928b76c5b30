"""Normal vectors have the covariance that they are given; where rounding decides the rank the run ends."""

import numpy as np
import pytest
from scipy import stats

from dpspectra.audit import inside
from dpspectra.symbolic.normal_vectors import factor_of
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import log_density, recorded

COV = np.array([[2.0, 0.5], [0.5, 1.0]])
MEAN = [1.0, -1.0]
CALLS = {
    "Generator": lambda rng: rng.multivariate_normal(MEAN, COV),
    "a method": lambda rng: rng.multivariate_normal(MEAN, COV, method="cholesky"),
    "RandomState": lambda rng: np.random.RandomState().multivariate_normal(MEAN, COV),
    "the module": lambda rng: np.random.multivariate_normal(MEAN, COV),  # noqa: NPY002
    "scipy": lambda rng: stats.multivariate_normal.rvs(MEAN, COV),
    "scipy, frozen": lambda rng: stats.multivariate_normal(MEAN, COV).rvs(random_state=rng),
}


@pytest.mark.parametrize("name", CALLS)
def test_density(name):
    found = recorded(lambda data, rng: CALLS[name](rng))
    assert not found.hidden
    assert log_density(found) == pytest.approx(stats.multivariate_normal(MEAN, COV).logpdf(found.values), abs=1e-9)


@pytest.mark.parametrize("cov", [COV, np.diag([4.0, 0.0, 1.0]), np.eye(1)])
def test_factors(cov):
    factor = factor_of(cov)
    assert factor @ factor.T == pytest.approx(cov, abs=1e-14)
    assert factor.shape[1] == np.linalg.matrix_rank(cov)


@pytest.mark.parametrize(
    "cov", [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.5], [0.4, 1.0]], [[1.0, 0.0], [0.0, -1.0]]]
)
@pytest.mark.filterwarnings("ignore:covariance is not")
def test_other_covariances_end_the_run(cov):
    with pytest.raises(NotFollowed, match=r"a covariance at test_normal_vectors\.py"):
        recorded(lambda data, rng: rng.multivariate_normal(MEAN, cov, check_valid="ignore"))


def test_what_numpy_refuses_is_refused():
    refused = recorded(lambda data, rng: rng.multivariate_normal(MEAN, np.eye(3)))
    assert refused.leaves["output.kind"] == ("str", "ValueError")
    with pytest.raises(NotFollowed, match="takes no method"):
        recorded(lambda data: np.random.multivariate_normal(MEAN, COV, method="svd"))  # noqa: NPY002


def test_sizes():
    leaves = recorded(lambda data, rng: [rng.multivariate_normal(MEAN, COV, size) for size in (3, (2, 1))]).leaves
    assert [leaf[2] for leaf in leaves.values() if leaf[0] == "array"] == [(3, 2), (2, 1, 2)]


@pytest.mark.parametrize("turn", [0.0, 0.5])
def test_shifts_lose_what_their_length_in_the_covariance_says(turn):
    """An independent norm: the square root of ``s' cov^-1 s``."""
    shift = np.array([np.cos(turn), np.sin(turn)])
    mu = float(np.sqrt(shift @ np.linalg.inv(20 * COV) @ shift))
    found = inside(lambda x, rng: rng.multivariate_normal(x * shift, 20 * COV), (0, 1), 1.0, 1e-4)
    assert found.verdict == "explained"
    assert found.mu == pytest.approx(mu, rel=1e-9)


def _reused(x, rng):
    z = rng.multivariate_normal([0.0, 0.0], 20 * np.eye(2))
    return x + z[0], z[0]


DISHONEST = {
    "a covariance of the data": lambda x, rng: rng.multivariate_normal([0.0, 0.0], COV * (1 + x)),
    "a covariance that turns": lambda x, rng: rng.multivariate_normal([0.0, 0.0], [[1.0, x / 2], [x / 2, 1.0]], 9),
    "a draw leaked beside": _reused,
    "no noise where the data lie": lambda x, rng: (
        np.array([0, x]) + rng.multivariate_normal([0, 0], np.diag([90.0, 0]))
    ),
    "strong correlation": lambda x, rng: np.array([0, x]) + rng.multivariate_normal([0, 0], [[9, 8.99], [8.99, 9]]),
    "a seed": lambda x, rng: x + np.random.default_rng(1).multivariate_normal([0, 0], 90 * COV),
    "a seed of scipy": lambda x, rng: x + stats.multivariate_normal([0, 0], 90 * COV).rvs(random_state=1),
    "noise of one data set": lambda x, rng: rng.multivariate_normal([0, 0], 90 * COV) if x else np.zeros(2),
}


@pytest.mark.parametrize("name", DISHONEST)
def test_dishonest_mechanisms_are_not_explained(name):
    assert inside(DISHONEST[name], (0, 1), 0.5, 1e-5).verdict != "explained"
