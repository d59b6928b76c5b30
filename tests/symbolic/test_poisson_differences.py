"""Differences of Poisson draws, against Bessel functions and sums in mpmath."""

import math

import mpmath as mp
import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.independent_constraints import Whole
from dpspectra.symbolic.laws import of_name
from dpspectra.symbolic.poisson_differences import poisson_difference
from dpspectra.symbolic.whole_hockey_stick import delta_of_whole
from tests.support.noise_runs import real, runner

MEANS = [(10.0, 10.0), (0.3, 4.0), (200.0, 90.0), (1e-3, 1e-3)]


def mass(up, down, k):
    """The mass by a Bessel function."""
    with mp.workdps(40):
        factor = mp.exp(-mp.mpf(up) - down) * (mp.mpf(up) / down) ** (mp.mpf(k) / 2)
        return factor * mp.besseli(abs(k), 2 * mp.sqrt(mp.mpf(up) * down))


@pytest.mark.parametrize("means", MEANS)
def test_masses_and_tails(means):
    law, centre = poisson_difference(*means), round(means[0] - means[1])
    for k in (centre - 60, centre - 3, centre, centre + 1, centre + 45):
        assert float(law.log_density(k)) == pytest.approx(float(mp.log(mass(*means, k))), abs=1e-11)
        above, below = (mp.fsum(mass(*means, k + s * j) for j in range(first, 400)) for s, first in ((1, 1), (-1, 0)))
        for t in (k, k + 0.5):
            assert float(law.upper(t)) == pytest.approx(float(mp.log(above)), abs=1e-11)
            assert float(law.lower(t)) == pytest.approx(float(mp.log(below)), abs=1e-11)
    assert float(law.log_density(0.5)) == -math.inf
    assert [float(law.lower(t)) for t in (-math.inf, math.inf)] == [-math.inf, 0.0]
    assert [float(law.upper(t)) for t in (-math.inf, math.inf)] == [0.0, -math.inf]


def test_masses_are_log_concave():
    """Second differences of log-masses, on which the search for a half-line rests."""
    for law in (poisson_difference(0.3, 4.0), of_name("poisson", 3.0), of_name("binom", 30, 0.2)):
        assert law.concave
        with np.errstate(all="ignore"):
            logs = law.log_density(np.arange(0.0, 30.0))
        assert np.max(np.diff(logs, 2)) < 1e-12
    assert of_name("nbinom", 1.5, 0.3).concave
    assert not of_name("nbinom", 0.5, 0.3).concave
    assert not of_name("gamma", 2.0).concave  # its tails are followed, but nothing rests on them


@pytest.mark.parametrize("means", MEANS)
@pytest.mark.parametrize("move", [-2, 1])
def test_deltas_are_those_of_sums(means, move):
    law, centre = poisson_difference(*means), round(means[0] - means[1])
    found = delta_of_whole(Whole(law, move, 1.0), Whole(law, 0.0, 1.0))
    numbers = range(centre - 150, centre + 151)
    for epsilon in (0.0, 0.2, 1.0):
        wanted = mp.fsum(max(mass(*means, k) - mp.exp(epsilon) * mass(*means, k + move), 0) for k in numbers)
        assert found(epsilon) == pytest.approx(float(wanted), rel=1e-9, abs=1e-14)


def test_samples_have_the_law():
    """Each of 41 masses, of 10,000 draws, within 5 standard deviations: a false alarm has probability below 3e-5."""
    law = poisson_difference(3.0, 5.0)
    drawn = law.sample(real(5), 10_000)
    for k in range(-20, 21):
        p = math.exp(float(law.log_density(k)))
        assert abs(np.sum(drawn == k) - 10_000 * p) <= 5 * math.sqrt(10_000 * p * (1 - p)) + 3


@pytest.mark.parametrize(("factor", "verdict"), [(1.001, "explained"), (0.999, "refuted")])
def test_an_audit_is_exact_on_both_sides(factor, verdict):
    def by_difference(x, rng):
        return x + rng.poisson(10.0) - rng.poisson(10.0)

    def of_scipy(x, rng):
        from scipy import stats

        return x + stats.skellam.rvs(10.0, 10.0, random_state=rng)

    exact = float(mp.fsum(max(mass(10, 10, k) - mp.e * mass(10, 10, k + 1), 0) for k in range(-150, 151)))
    for mechanism in (by_difference, of_scipy):
        assert decide(runner(mechanism, (3, 4), 1.0, exact * factor)).verdict == verdict


def test_larger_means_are_no_closed_form():
    def mechanism(x, rng):
        from scipy import stats

        return x + stats.skellam.rvs(6e4, 6e4, random_state=rng)

    assert decide(runner(mechanism, (3, 4), 1.0, 1e-3)).verdict == "undecided"
