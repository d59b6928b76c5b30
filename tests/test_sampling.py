"""Samplers against exact laws. Fixed seeds; each Kolmogorov-Smirnov test fails a true law with probability 1e-6."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import i0, i1

from dpspectra import sampling
from dpspectra.sampling.orbit import plan
from tests.helpers import ALARM


def fits(sample, cdf):
    return stats.kstest(sample, cdf).pvalue > ALARM


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


@pytest.mark.parametrize("method", ["ball_chart", "bingham", "macg"])
def test_complex_rank_one_law_is_a_truncated_gamma(method):
    """With ``M = g e_1 e_1'`` the gap ``g (1 - |v_1|^2)`` is ``Gamma(d-1, kappa)`` cut at ``g``."""
    d, g, kappa = 4, 3.0, 2.0
    h = sampling.orbit(np.diag([g, 0, 0, 0]), [1, 0, 0, 0], kappa, size=20_000, field="complex", method=method, rng=4)
    law = stats.gamma(d - 1, scale=1 / kappa)
    assert fits(g - g * h[:, 0, 0].real, lambda t: law.cdf(np.minimum(t, g)) / law.cdf(g))


@pytest.mark.parametrize("field", ["real", "complex"])
def test_zero_temperature_and_ties_give_the_uniform_law(field):
    h = sampling.orbit(np.diag([5.0, 1.0, 0.0]), [1, 0, 0], 0.0, size=10_000, field=field, rng=5)
    half = 0.5 if field == "real" else 1.0
    assert fits(h[:, 0, 0].real, stats.beta(half, 2 * half).cdf)
    h = sampling.orbit(7 * np.eye(3), [1, 0, 0], 50.0, size=10_000, field=field, rng=6)
    assert fits(h[:, 1, 1].real, stats.beta(half, 2 * half).cdf)


def test_methods_agree_on_a_spectrum_with_ties():
    m = np.diag([3.0, 3.0, 1.0, 0.0])
    samples = [
        sampling.orbit(m, [2, 0, 0, 0], 2.0, size=8000, field="complex", method=method, rng=7)
        for method in ("bingham", "macg")
    ]
    for i in range(4):
        assert stats.ks_2samp(samples[0][:, i, i].real, samples[1][:, i, i].real).pvalue > ALARM


@pytest.mark.parametrize(
    "spectrum", [[2.0, 2.0, 2.0], [3.0, 1.0, 1.0], [3.0, 3.0, -1.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.5]]
)
@pytest.mark.parametrize("field", ["real", "complex"])
@pytest.mark.parametrize("kappa", [0.0, 1.0, 1e8])
def test_the_spectrum_is_as_asked(spectrum, field, kappa):
    h = sampling.orbit(np.diag([4.0, 2.0, 1.0]), spectrum, kappa, size=5, field=field, rng=8)
    assert np.abs(np.linalg.eigvalsh(h)[:, ::-1] - spectrum).max() < 1e-12
    assert h.dtype == (complex if field == "complex" else float)


def test_the_least_value_alone_prefers_the_least_eigenvector():
    h = sampling.orbit(np.diag([4.0, 2.0, 1.0]), [1, 1, 0], 1e6, rng=9)
    assert np.allclose(h, np.diag([1, 1, 0]), atol=1e-2)


def test_sizes_seeds_and_d_one():
    assert sampling.orbit([[3.0]], [2.0], 1.0).tolist() == [[2.0]]
    assert sampling.orbit(np.eye(2), [1, 0], 1.0, size=0).shape == (0, 2, 2)
    assert sampling.haar(2, size=0).shape == (0, 2, 2)
    assert sampling.bingham(np.eye(1)).shape == (1,)
    first, second = (sampling.orbit(np.diag([1.0, 0.0]), [1, 0], 1.0, rng=10) for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, sampling.orbit(np.diag([1.0, 0.0]), [1, 0], 1.0))


def test_automatic_choice_follows_the_concentration():
    m = np.diag([100.0, 1.0, 0.0])
    assert plan(m, [1, 0, 0], 5.0, "complex").method == "ball_chart"
    assert plan(m, [1, 0, 0], 0.01, "complex").method == "bingham"
    assert plan(m, [1, 0, 0], 5.0).method == "bingham"
    assert plan(m, [1, 1, 1], 5.0).method == "constant"
