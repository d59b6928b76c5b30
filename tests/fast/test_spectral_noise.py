"""Spectra of noise in high dimension. Fixed seeds."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpspectra import postprocessing
from dpspectra.fast import knorm_moments, spectral_noise, trace_noise
from dpspectra.fast.wishart import bartlett, centred_moments
from dpspectra.mechanisms.noises import gaussian, knorm, laplace, symmetric_wishart

ONE, LOSS = Fraction(1), (1.0, 0.0)


def laws(d):
    return {
        "laplace": laplace.sized(d, LOSS, ONE),
        "triangle": gaussian.of_mu(d, 0.5, ONE, "triangle"),
        "gaussian": gaussian.of_mu(d, 0.5, ONE),
        "tilted": symmetric_wishart.sized(d, LOSS, ONE),
        "difference": symmetric_wishart.sized(d, LOSS, ONE, "zero_out"),
    }


@pytest.mark.parametrize("name", laws(2))
def test_large_noise_has_the_spectrum_of_its_r_transform(name):
    """Edge within 8 %, and the Cauchy transform at points off the line within 2 %, d = 150, means of 8 draws."""
    d, rng = 150, np.random.default_rng(1)
    noise = laws(d)[name]
    spectrum = noise.spectral(d, noise.scale)
    values = np.array([np.linalg.eigvalsh(noise.law.ideal(d, noise.scale, rng)) for _ in range(8)])
    assert np.mean(values[:, -1]) == pytest.approx(spectrum.edge, rel=0.08)
    assert np.mean(np.sum(values**2, axis=1)) == pytest.approx(spectrum.mean_square, rel=0.1)
    for z in spectrum.edge * np.array([0.5j, 0.3 + 0.6j, 1.5]):
        g = np.mean(1 / (z - values))
        assert abs(spectrum.r_transform(g) + 1 / g - z) < 0.02 * abs(z)


@pytest.mark.parametrize("name", [*laws(2), "K-norm"])
def test_the_spectrum_has_the_variance_of_an_entry_at_every_scale(name):
    """In dimension 5: to first order the R-transform is the variance off the diagonal times the dimension."""
    noise = knorm.sized(5, LOSS, ONE) if name == "K-norm" else laws(5)[name]
    exact = {
        "laplace": 2.0,
        "triangle": 1.0,
        "gaussian": 1.0,
        "tilted": trace_noise.tilted_off_diagonal_variance(5),
        "difference": 12.0,
        "K-norm": knorm_moments.off_diagonal_variance(5),
    }
    for scale in (0.25, 3.0):
        g = 1e-6 / scale
        assert noise.spectral(5, scale).r_transform(g) / g == pytest.approx(5 * exact[name] * scale**2, rel=1e-4)


def test_significance_counts_standard_deviations_of_the_energy():
    """The energy of noise of mean square 8 in dimension 8 has a standard deviation of about the root of 8."""
    values = np.array([3.0, 1, 1, 1, -1, -1, -1, -3])
    for above, expected in ((-1.0, 0.0), (0.0, 0.0), (0.5, 0.25), (1.0, 0.5), (2.0, 1.0), (5.0, 1.0)):
        scaled = values * math.sqrt((8 + above * math.sqrt(8)) / 24)
        assert postprocessing._significance(scaled + 7, 8.0) == pytest.approx(expected, abs=1e-12)


def test_a_large_centred_wishart_matrix_has_the_spectrum_of_its_r_transform():
    d, degrees, rng = 150, 400, np.random.default_rng(2)
    spectrum = spectral_noise.centred_wishart(d, degrees, 0.5, centred_moments(degrees, d)[0] / 4)
    values = np.array([np.linalg.eigvalsh(0.5 * (bartlett(degrees, d, rng) - degrees * np.eye(d))) for _ in range(8)])
    assert np.mean(values[:, -1]) == pytest.approx(spectrum.edge, rel=0.08)
    assert np.mean(np.sum(values**2, axis=1)) == pytest.approx(spectrum.mean_square, rel=0.1)
    for z in spectrum.edge * np.array([0.5j, -0.3 + 0.6j, 1.5]):
        g = np.mean(1 / (z - values))
        assert abs(spectrum.r_transform(g) + 1 / g - z) < 0.02 * abs(z)


@pytest.mark.parametrize(
    "spectrum",
    [
        spectral_noise.semicircle(7, 2.0, 1.0),
        spectral_noise.wishart_difference(7, 0.5, 1.0),
        spectral_noise.centred_wishart(7, 20, 0.5, 1.0),
    ],
)
def test_edge_and_threshold_are_the_least_value_and_its_place(spectrum):
    g = 1 / spectrum.threshold
    image = lambda x: spectrum.r_transform(x) + 1 / x  # noqa: E731
    assert image(g) == pytest.approx(spectrum.edge, rel=1e-12)
    assert min(image(0.999 * g), image(1.001 * g)) > spectrum.edge


@pytest.mark.parametrize("tall", [30.0, 699.0, 701.0, 1e3, 1e300])
def test_the_r_transform_of_knorm_noise_is_known_far_from_the_real_line(tall):
    """The inverse of a sine is below the last digit there, on both sides of where a sine is beyond float64."""
    transform = spectral_noise.knorm(4, 1 / 24, 1.0).r_transform
    assert transform(1j * tall) == pytest.approx(1j / tall, rel=1e-12)
