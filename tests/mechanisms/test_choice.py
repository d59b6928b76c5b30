"""The choice among mechanisms, by public numbers alone."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.advice.costs import WISHART, of_noise
from dpspectra.fast import knorm_moments, trace_noise
from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.mechanisms.catalogue import NOISES
from dpspectra.mechanisms.choice import for_directions, named_noise, smallest_noise
from dpspectra.mechanisms.noises.knorm import QUICK
from tests.support.spectra import X


def test_the_choice_is_one_of_public_numbers():
    """Other data, the same mechanism and reason: the data are not an argument."""
    for k, epsilon, delta, options in [
        (1, 1.0, 0.0, {}),
        (2, 0.1, 1e-6, {}),
        (1, 2.0, 0.0, {"relation": "add_remove"}),
    ]:
        seen = {
            tuple(
                dps.private_pca(rows, k, epsilon, delta, rng=1, **options).details[key]
                for key in ("mechanism", "reason")
            )
            for rows in (X, 0 * X, np.repeat(np.eye(6)[:1], 400, axis=0))
        }
        assert len(seen) == 1


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ((6, 2, 1.0, 0.0, 1.0), "symmetric_wishart_covariance"),
        ((6, 6, 1.0, 0.0, 1.0), "orbit"),
        ((3, 1, 1.0, 1e-6, 1.0), "knorm_covariance"),
        ((5, 1, 1.0, 1e-6, 1.0), "symmetric_wishart_covariance"),
        ((4, 1, 1.0, 0.0, 1.0), "knorm_covariance"),
        ((1, 1, 1.0, 0.0, 1.0), "orbit"),
        ((50, 1, 1.0, 1e-6, 1.0), "gaussian_covariance"),
        ((6, 1, 1.0, 0.0, 1.0, [12.0, 1, 1, 1, 1, 1]), "orbit"),
        ((6, 1, 1.0, 0.0, 4.0, [48.0, 1, 1, 1, 1, 1]), "orbit"),
        ((6, 1, 1.0, 0.0, 1.0, [6.9, 1, 1, 1, 1, 1]), "orbit"),
        ((6, 1, 1.0, 0.0, 1.0, [6.5, 1, 1, 1, 1, 1]), "symmetric_wishart_covariance"),
        ((6, 1, 1.0, 0.0, 1.0, [14.7, 1, 1, 1, 1, 1]), "orbit"),
        ((6, 1, 1.0, 0.0, 1.0, [15.5, 1, 1, 1, 1, 1]), "symmetric_wishart_covariance"),
        ((6, 2, 1.0, 0.0, 1.0, [12.0, 1, 1, 1, 1, 1]), "symmetric_wishart_covariance"),
        ((50, 1, 1.0, 1e-6, 1.0, [100.0] + [1.0] * 49), "gaussian_covariance"),
    ],
)
def test_what_is_chosen(given, chosen):
    assert for_directions(*given).mechanism == chosen


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-6), (5.0, 1e-6), (1.0, 1e-9)])
def test_gaussian_noise_is_chosen_where_its_variance_is_smaller(epsilon, delta):
    """From the dimension on where ``2 (d + 1) / epsilon^2``, less what the tilt saves, is above ``1 / mu^2``."""
    dimensions = [d for d in range(5, 80) if smallest_noise(d, epsilon, delta) == "gaussian_covariance"]
    crossing = epsilon**2 / (2 * mu_for(epsilon, delta) ** 2) - 1
    assert dimensions == list(range(dimensions[0], 80))
    assert crossing <= dimensions[0] <= crossing + 2


def test_the_least_noise_is_the_quickest_where_seconds_matter():
    """So ``auto`` need not weigh them: of many columns only Laplace noise costs less, and is 19 times as large."""
    for d, epsilon, delta in product((1000, 20_000), (0.01, 1.0, 100.0), (1e-300, 1e-6)):
        costs = {name: of_noise(name, d, 50) for name in NOISES}
        chosen = costs[smallest_noise(d, epsilon, delta)]
        assert chosen.seconds == min(cost.seconds for cost in costs.values())
        assert chosen.memory == min(cost.memory for cost in costs.values())
    pure = (named_noise(name, 1000, (1.0, 0.0), Fraction(1), "replace")[0] for name in ("laplace_covariance", WISHART))
    laplace, wishart = (noise.spectral(1000, noise.scale).edge for noise in pure)
    assert 19 < laplace / wishart < 20
    assert smallest_noise(1000, 1.0, 0.0) == WISHART


def test_in_one_dimension_the_noise_of_least_mean_square_is_chosen():
    """Either wins somewhere, by 3 % and more everywhere on this grid."""
    won = set()
    for epsilon in (0.25, 1.0, 4.0):
        for delta in (1e-6, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4):
            squares = {}
            for name in ("gaussian_covariance", "symmetric_wishart_covariance"):
                noise, _ = named_noise(name, 1, (epsilon, delta), Fraction(1), "replace")
                squares[name] = noise.scale**2 * noise.square[0]
            assert max(squares.values()) > 1.03 * min(squares.values())
            won.add(smallest_noise(1, epsilon, delta))
            assert smallest_noise(1, epsilon, delta) == min(squares, key=squares.__getitem__)
    assert len(won) == 2


def test_the_guarantee_says_of_which_matrix():
    for relation, name in (("replace", "A = X'X/n"), ("add_remove", "A = X'X")):
        for mechanism in ("laplace_covariance", "orbit"):
            release = dps.private_pca(X, 2, 3.0, mechanism=mechanism, relation=relation, center="none")
            assert release.details["guarantee"].quantity.endswith(f", {name}")


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_the_least_noise_has_the_least_variance_off_the_diagonal(d):
    """By 20,000 draws of each pure noise: means of squares are within 6 % of the variances that decide."""
    rng = np.random.default_rng(6)
    for name in ("symmetric_wishart_covariance", "knorm_covariance"):
        noise, _ = named_noise(name, d, (1.0, 0.0), Fraction(1), "replace")
        square = np.mean([noise.law.ideal(d, 1.0, rng)[0, 1] ** 2 for _ in range(20_000 // d)])
        variance = {
            "symmetric_wishart_covariance": trace_noise.tilted_off_diagonal_variance,
            "knorm_covariance": knorm_moments.off_diagonal_variance,
        }[name](d)
        assert square == pytest.approx(variance, rel=0.06)
        if d <= QUICK:
            assert NOISES[name].law().variance(d, 2.0, 0.0) == pytest.approx(variance / 4)
