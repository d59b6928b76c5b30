"""Bingham's law from angular Gaussian proposals. Each test fails a true law with probability 1e-6."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import i0, i1

from dpspectra import sampling
from tests.support.helpers import fits


@pytest.mark.parametrize("spread", [0.25, 1.25, 5.0, 100.0])
def test_bingham_in_the_plane_has_its_exact_law(spread):
    """Angle density proportional to ``exp(-spread sin^2)``; the flipped exponent is far outside."""
    x = sampling.bingham(np.diag([0.0, spread]), size=20_000, rng=2)
    angle = np.arctan2(np.abs(x[:, 1]), np.abs(x[:, 0]))
    grid = np.linspace(0, np.pi / 2, 4001)
    weight = np.exp(-spread * np.sin(grid) ** 2)
    cumulative = np.concatenate([[0], np.cumsum((weight[1:] + weight[:-1]) / 2)])
    assert fits(angle, lambda t: np.interp(t, grid, cumulative / cumulative[-1]))
    mean = (1 - i1(spread / 2) / i0(spread / 2)) / 2
    assert abs(np.mean(x[:, 1] ** 2) - mean) < 5 * np.std(x[:, 1] ** 2) / np.sqrt(len(x))


@pytest.mark.parametrize("d", [3, 10, 50])
def test_bingham_with_one_distinct_exponent_has_its_exact_law(d):
    """``t = x_1^2`` has density proportional to ``e^{kappa t} t^{-1/2} (1-t)^{(d-3)/2}``."""
    kappa = 2.0 * d
    x = sampling.bingham(np.diag([0.0] + [kappa] * (d - 1)), size=20_000, rng=3)

    def density(t):
        return np.exp(kappa * (t - 1)) * t**-0.5 * (1 - t) ** ((d - 3) / 2)

    total = quad(density, 0, 1)[0]
    grid = np.linspace(0, 1, 400)
    cdf = np.array([0.0, *(quad(density, 0, t)[0] / total for t in grid[1:])])
    assert fits(x[:, 0] ** 2, lambda t: np.interp(t, grid, cdf))
