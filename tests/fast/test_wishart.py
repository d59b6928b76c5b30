"""Laws and densities of Wishart noise. Fixed seeds; false alarm 1e-6 a test."""

import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.fast import wishart
from tests.support.helpers import ALARM

# ---------------------------------------------------------------- pure privacy


@pytest.mark.parametrize("values", [(1.0, -1.0), (2.0, -0.5), (0.5, 0.25), (-1.0, -3.0), (0.0, 0.0)])
def test_the_density_in_the_plane_is_the_convolution_of_two_wishart_densities(values):
    """The density of one at ``V`` times that of the other at ``V - M``, integrated over the plane of ``V``."""
    c, (a, b) = 0.75, values
    low, (nodes, weights) = (max(0.0, a), max(0.0, b)), np.polynomial.legendre.leggauss(400)
    s, w = (nodes + 1) / 2, weights / 2
    x, z = (start + 40 * c * s**2 for start in low)
    jump = 80 * c * s * w
    product = np.minimum(np.outer(x, z), np.outer(x - a, z - b))
    half_width = np.sqrt(np.maximum(product, 0.0))
    total = np.einsum("i,j,ij", jump * np.exp(-x / c), jump * np.exp(-z / c), 2 * half_width) * math.exp(
        (a + b) / (2 * c)
    )
    constant = (2 * c) ** 3 * math.pi / 2
    assert wishart.log_difference_density(np.diag(values), c) == pytest.approx(math.log(total / constant**2), abs=2e-4)


# ---------------------------------------------------------------- noise laws


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("difference", [False, True])
def test_moments_of_the_squared_frobenius_norm(d, difference):
    """The formulas behind the guarantees, against draws by the definition."""
    m, size, rng = d + 3, 200_000, np.random.default_rng(8)
    u = wishart.draws(m, np.eye(d), size, rng) - m * np.eye(d)
    mean, variance = wishart.centred_moments(m, d)
    if difference:
        u -= wishart.draws(m, np.eye(d), size, rng) - m * np.eye(d)
        mean, variance = 2 * mean, 2 * variance + 8 * m**2 * d * (d + 1)
    square = np.sum(u**2, axis=(1, 2))
    assert abs(square.mean() - mean) < 5 * math.sqrt(variance / size)
    assert square.var() == pytest.approx(variance, rel=0.1)
    one = wishart.centred_moments(d + 1, d)
    assert wishart.difference_moments(d) == (2 * one[0], 2 * one[1] + 8 * (d + 1) ** 2 * d * (d + 1))


@pytest.mark.parametrize("degrees", [3, 4, 60])
def test_bartlett_draws_have_the_wishart_law(degrees):
    rng = np.random.default_rng(9)
    drawn = np.array([wishart.bartlett(degrees, 3, rng) for _ in range(4000)])
    u = np.array([1.0, -2.0, 0.5])
    assert stats.kstest(np.einsum("i,nij,j->n", u, drawn, u) / (u @ u), stats.chi2(degrees).cdf).pvalue > ALARM
    residual = u @ u / np.einsum("i,nij,j->n", u, np.linalg.inv(drawn), u)
    assert stats.kstest(residual, stats.chi2(degrees - 2).cdf).pvalue > ALARM
    above = int(np.sum(np.linalg.eigvalsh(drawn - np.eye(3) / 2)[:, 0] >= 0))
    other = int(np.sum(np.linalg.eigvalsh(wishart.draws(degrees, np.eye(3), 4000, rng) - np.eye(3) / 2)[:, 0] >= 0))
    assert stats.fisher_exact([[above, 4000 - above], [other, 4000 - other]]).pvalue > ALARM


# ---------------------------------------------------------------- profiles by the definition


def test_log_ratios_of_the_symmetric_noise_stay_below_their_bound_and_come_near_it():
    """Closed form in the plane: 4,000 random places and changes, and one far out along the change."""
    rng = np.random.default_rng(0)
    ratios = []
    for _ in range(4000):
        a, b = (m + m.T for m in rng.standard_normal((2, 2, 2)) * rng.choice([0.1, 1, 10], (2, 1, 1)))
        loss = wishart.log_difference_density(a, 1.0) - wishart.log_difference_density(a + b, 1.0)
        ratios.append(abs(loss) / (np.sum(np.abs(np.linalg.eigvalsh(b))) / 2))
    assert 0.99 < max(ratios) <= 1 + 1e-9
    far = np.diag([1000.0, -1000.0])
    move = np.diag([1.0, -1.0])
    loss = wishart.log_difference_density(far, 1.0) - wishart.log_difference_density(far + move, 1.0)
    assert 1 - 1e-3 < loss <= 1
