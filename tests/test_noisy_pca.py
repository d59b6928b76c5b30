"""Leading directions of noisy covariances, and the choice among mechanisms. Fixed seeds; false alarm 1e-6 a test."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra.audit import audit
from dpspectra.fast import knorm_moments, shaped
from dpspectra.fast.gaussian import mu_for
from dpspectra.mechanisms import added_noise, choice
from dpspectra.mechanisms.choice import for_directions, smallest_noise
from tests.helpers import ALARM

ROWS = np.random.default_rng(0).standard_normal((400, 6)) * np.array([4.0, 3.0, 2.0, 1.0, 0.5, 0.25])
X = ROWS / np.linalg.norm(ROWS, axis=1).max()
NOISES = {
    "laplace_covariance": lambda **o: dps.laplace_covariance(X, 3.0, **o),
    "symmetric_wishart_covariance": lambda **o: dps.symmetric_wishart_covariance(X, 3.0, **o),
    "gaussian_covariance": lambda **o: dps.gaussian_covariance(X, 3.0, 1e-5, **o),
}


def entropy(i=0):
    return dps.Entropy(bytes([i]) * 32)


def captured(v):
    return np.trace(v.T @ X.T @ X @ v) / len(X)


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("rng", [entropy, lambda: np.random.default_rng(1)], ids=["certified", "ideal"])
@pytest.mark.parametrize("name", NOISES)
def test_directions_are_those_of_the_noisy_covariance(name, rng, k):
    """The same noise, the same claim, and post-processing: leading eigenvectors up to their signs."""
    release, noisy = dps.private_pca(X, k, 3.0, 1e-5, mechanism=name, rng=rng()), NOISES[name](rng=rng())
    vectors = np.linalg.eigh(noisy.value)[1][:, ::-1][:, :k]
    assert np.abs(release.value.T @ release.value - np.eye(k)).max() < 1e-12
    assert np.allclose(release.value @ release.value.T, vectors @ vectors.T)
    assert release.claim == noisy.claim
    assert release.details["scale"] == noisy.details["scale"]
    assert release.details.get("step") == noisy.details.get("step")
    assert (release.details["mechanism"], release.details["reason"]) == (name, "asked for")
    expected = math.sqrt(2 * min(k, 6 - k)) * noisy.details["guarantee"].bound
    assert release.details["guarantee"].bound == pytest.approx(expected)


@pytest.mark.parametrize("name", NOISES)
def test_guarantees_hold(name):
    """At least 95 of 100 of 300 losses; fewer than 265 happen with probability below 1e-6."""
    top = np.linalg.eigvalsh(X.T @ X / len(X))[::-1]
    rng = np.random.default_rng(4)
    for k in (1, 4):
        releases = [dps.private_pca(X, k, 3.0, 1e-5, mechanism=name, rng=rng) for _ in range(300)]
        bound = releases[0].details["guarantee"].bound
        assert sum(np.sum(top[:k]) - captured(release.value) <= bound for release in releases) >= 265


def test_a_noisy_covariance_keeps_more_than_the_orbit():
    rng = np.random.default_rng(5)
    means = {
        name: np.mean([captured(dps.private_pca(X, 2, 10.0, mechanism=name, rng=rng).value) for _ in range(40)])
        for name in ("auto", "orbit")
    }
    best = np.sum(np.linalg.eigvalsh(X.T @ X / len(X))[-2:])
    assert best - means["auto"] < 0.5 * (best - means["orbit"])


# ---------------------------------------------------------------- the choice


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
        ((6, 1, 1.0, 0.0, 2.0, [48.0, 1, 1, 1, 1, 1]), "orbit"),
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


def test_in_one_dimension_the_noise_of_least_mean_square_is_chosen():
    """Either wins somewhere, by 3 % and more everywhere on this grid."""
    won = set()
    for epsilon in (0.25, 1.0, 4.0):
        for delta in (1e-6, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4):
            squares = {}
            for name in ("gaussian_covariance", "symmetric_wishart_covariance"):
                noise, _ = added_noise.named(name, 1, (epsilon, delta), Fraction(1), "replace")
                squares[name] = noise.scale**2 * noise.square[0]
            assert max(squares.values()) > 1.03 * min(squares.values())
            won.add(smallest_noise(1, epsilon, delta))
            assert smallest_noise(1, epsilon, delta) == min(squares, key=squares.__getitem__)
    assert len(won) == 2


def test_the_guarantee_says_of_which_matrix():
    for relation, name in (("replace", "A = X'X/n"), ("add_remove", "A = X'X")):
        for mechanism in ("laplace_covariance", "orbit"):
            release = dps.private_pca(X, 2, 3.0, mechanism=mechanism, relation=relation)
            assert release.details["guarantee"].quantity.endswith(f", {name}")


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_the_least_noise_has_the_least_variance_off_the_diagonal(d):
    """By 20,000 draws of each pure noise: means of squares are within 6 % of the variances that decide."""
    rng = np.random.default_rng(6)
    for name in ("symmetric_wishart_covariance", "knorm_covariance"):
        noise, _ = added_noise.named(name, d, (1.0, 0.0), Fraction(1), "replace")
        square = np.mean([noise.law.ideal(d, 1.0, rng)[0, 1] ** 2 for _ in range(20_000 // d)])
        variance = {
            "symmetric_wishart_covariance": shaped.tilted_off_diagonal_variance,
            "knorm_covariance": knorm_moments.off_diagonal_variance,
        }[name](d)
        assert square == pytest.approx(variance, rel=0.06)
        if d <= choice.QUICK_KNORM:
            assert choice.NOISES[name](d, 2.0, 0.0) == pytest.approx(variance / 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mechanism": "wishart"}, "mechanism must be one of auto, orbit, symmetric_wishart_covariance"),
        ({"mechanism": "gaussian_covariance"}, r"delta must lie in \(0, 1\), got 0"),
        ({"mechanism": "laplace_covariance", "field": "real"}, "field must be None unless the mechanism is 'orbit'"),
        ({"delta": 1.0}, "delta must lie in"),
        ({"spectrum": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, "spectrum must be descending"),
        ({"spectrum": [1.0]}, "spectrum must have length 6, got 1"),
    ],
)
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        dps.private_pca(X, 1, 1.0, **options)


# ---------------------------------------------------------------- audits


def test_an_audit_leaves_the_claim_standing():
    """Rows on two axes, one of them moved; a false alarm has probability at most 1e-3."""
    pair = np.eye(2), np.array([[0.0, 1.0], [0.0, 1.0]])

    def directions(x, rng):
        v = dps.private_pca(x, 1, 1.0, rng=rng).value
        return v @ v.T

    assert not audit(directions, pair, 1.0, draws=4_000, seconds=600, rng=0).violated


def test_one_direction_is_uniform_without_signal():
    """In the plane the angle of a direction of noise alone is uniform."""
    rng = np.random.default_rng(7)
    v = np.array([dps.private_pca(np.zeros((3, 2)), 1, 1.0, rng=rng).value[:, 0] for _ in range(2000)])
    angles = np.arctan2(v[:, 1], v[:, 0]) % np.pi / np.pi
    assert stats.kstest(angles, "uniform").pvalue > ALARM


@pytest.mark.parametrize("mechanism", ["orbit", "laplace_covariance"])
def test_a_reused_seed_is_told_to_who_called(mechanism):
    dps.private_pca(X, 1, 1.0, mechanism=mechanism, rng=31_415_926)
    with pytest.warns(dps.ReusedSeedWarning) as told:
        dps.private_pca(X, 1, 1.0, mechanism=mechanism, rng=31_415_926)
    assert [warning.filename for warning in told] == [__file__]
