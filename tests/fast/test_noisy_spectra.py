"""Predictions of what noise and orbits lose of directions, against simulations. Fixed seeds."""

from fractions import Fraction

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.fast import noisy_spectra
from dpspectra.fast.linalg import eigenvectors
from dpspectra.fast.noisy_spectra import lost_by_noise, lost_on_orbit, low_rank_excess, overlap
from dpspectra.fast.spectral_noise import semicircle, wishart_difference
from dpspectra.mechanisms.noises import gaussian, laplace, symmetric_wishart
from dpspectra.postprocessing import best_rank, shrink
from tests.support.spectra import spectrum


def noises(d, epsilon):
    return {
        "wishart": symmetric_wishart.sized(d, (epsilon, 0.0), Fraction(1)),
        "gaussian": gaussian.of_mu(d, epsilon / 4, Fraction(1)),
        "laplace": laplace.sized(d, (epsilon, 0.0), Fraction(1)),
    }


CELLS = [
    (d, epsilon, kind, k)
    for d in (6, 25)
    for epsilon in (0.5, 4.0)
    for kind in ("spiked", "slow", "flat")
    for k in (1, 3)
]


@pytest.mark.parametrize("name", ["wishart", "gaussian", "laplace"])
def test_losses_of_directions_are_predicted(name):
    """Means of 120 draws in 24 cells: 80 of 100 within 15 %, all within 40 %."""
    rng, ratios = np.random.default_rng(1), []
    for d, epsilon, kind, k in CELLS:
        values, noise = spectrum(kind, d, k), noises(d, epsilon)[name]
        losses = []
        for _ in range(120):
            v = eigenvectors(np.diag(values) + noise.law.ideal(d, noise.scale, rng))[1][:, :k]
            losses.append(np.sum(values[:k]) - np.trace(v.T @ np.diag(values) @ v))
        ratios.append(lost_by_noise(values, k, noise.spectral(d, noise.scale)) / np.mean(losses))
    away = np.abs(np.log(ratios))
    assert np.mean(away < 0.15) > 0.8
    assert np.max(away) < 0.4


@pytest.mark.parametrize("k", [1, 3])
def test_little_noise_loses_as_its_square(k):
    """Down to losses that vanish beside the sum of the eigenvalues, by directions and by an approximation."""
    values = np.array([0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
    for loss in (lost_by_noise, low_rank_excess):
        found = [loss(values, k, wishart_difference(6, scale, 1.0)) / scale**2 for scale in (1e-5, 1e-8, 1e-11, 1e-14)]
        assert found == pytest.approx([found[0]] * 4, rel=0.01)


def test_little_noise_loses_little_of_many_eigenvalues():
    values = 1 / np.arange(1, 51.0)
    losses = [lost_by_noise(values, 10, wishart_difference(50, scale, 1.0)) for scale in (1e-6, 1e-8)]
    assert losses[0] < 1e-4
    assert losses[1] < losses[0] / 10


@pytest.mark.parametrize(("k", "factor"), [(1, 1.25), (3, 1.6)])
def test_losses_on_orbits_are_predicted(k, factor):
    for d, kappa, kind in [(6, 0.05, "slow"), (6, 0.2, "spiked"), (15, 0.1, "slow")]:
        values = spectrum(kind, d, k)
        drawn = dps.sampling.orbit(
            np.diag(values),
            np.r_[np.ones(k), np.zeros(d - k)],
            kappa,
            size=200,
            field="real" if k == 1 else "complex",
            rng=2,
        )
        losses = []
        for h in drawn:
            v = eigenvectors(h.real)[1][:, :k]
            losses.append(np.sum(values[:k]) - np.trace(v.T @ np.diag(values) @ v))
        assert 1 / factor < lost_on_orbit(values, k, kappa) / np.mean(losses) < factor


def test_low_rank_errors_are_predicted():
    rng, d, k = np.random.default_rng(3), 60, 2
    values = np.r_[600.0, 300.0, np.zeros(d - 2)]
    noise = noises(d, 1.0)["wishart"]
    seen = noise.spectral(d, noise.scale)
    errors = []
    for _ in range(20):
        noisy = np.diag(values) + noise.law.ideal(d, noise.scale, rng)
        errors.append(np.sum((best_rank(shrink(noisy, seen), k) - np.diag(values)) ** 2))
    assert low_rank_excess(values, k, seen) == pytest.approx(np.mean(errors), rel=0.25)


@pytest.mark.parametrize("noise", [semicircle(40, 1.5, 1.0), wishart_difference(40, 0.5, 1.0)])
def test_overlaps_vanish_at_the_threshold_and_tend_to_one(noise):
    assert overlap(noise.threshold, noise) == 0.0
    assert 0 < overlap(1.01 * noise.threshold, noise) < 0.05
    assert overlap(100 * noise.threshold, noise) > 0.999
    sizes = noise.threshold * np.geomspace(1.0, 50.0, 30)
    assert (np.diff([overlap(size, noise) for size in sizes]) > 0).all()


def test_the_overlap_with_gaussian_noise_is_the_known_one():
    noise = semicircle(40, 1.5, 1.0)
    assert overlap(3 * noise.threshold, noise) == pytest.approx(1 - 1 / 9)


def test_nothing_is_lost_of_the_whole_space_and_no_more_than_by_chance():
    values, noise = spectrum("slow", 8, 2), wishart_difference(8, 1e6, 1.0)
    assert lost_by_noise(values, 8, noise) == lost_on_orbit(values, 8, 1.0) == 0.0
    assert lost_by_noise(values, 2, noise) == pytest.approx(np.sum(values[:2]) - np.sum(values) / 4, rel=0.02)
    assert lost_on_orbit(values, 2, 1e-9) == pytest.approx(np.sum(values[:2]) - np.sum(values) / 4)


@pytest.mark.parametrize("k", [1, 40])
def test_groups_of_small_eigenvalues_change_next_to_nothing(k, monkeypatch):
    """All but 100 of 700 distinct ones are in 500 groups, or in none."""
    values, noise = 1 / np.arange(1, 701), semicircle(700, 1e-5, 3.0)
    grouped = lost_by_noise(values, k, noise)
    monkeypatch.setattr(noisy_spectra, "EXACT", 700)
    exact = lost_by_noise(values, k, noise)
    assert grouped != exact
    assert grouped == pytest.approx(exact, rel=1e-7)
