"""Mechanisms: claims, exact noise laws, utility. Fixed seeds; stated false-alarm probability 1e-6 a test."""

import functools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra.mechanisms.added_noise import gaussian
from tests.helpers import ALARM

X = np.random.default_rng(0).uniform(-0.4, 0.4, size=(50, 3))
M = np.diag([9.0, 4.0, 1.0])


def every_release(rng):
    return {
        "laplace_covariance": dps.laplace_covariance(X, 1.0, rng=rng),
        "gaussian_covariance": dps.gaussian_covariance(X, 1.0, 1e-6, rng=rng),
        "private_spectrum": dps.private_spectrum(M, 2, 1.0, rng=rng),
        "private_orbit": dps.private_orbit(M, [2.0, 0, 0], 1.0, rng=rng),
        "private_orbit complex": dps.private_orbit(M, [2.0, 0, 0], 1.0, field="complex", rng=rng),
        "private_low_rank": dps.private_low_rank(M, 1, 1.0, mechanism="orbit", rng=rng),
        "private_pca": dps.private_pca(X, 1, 1.0, rng=rng),
    }


@pytest.mark.parametrize("name", every_release(1))
def test_release_carries_a_claim_and_the_same_seed_gives_the_same_value(name):
    first, second = every_release(1)[name], every_release(1)[name]
    assert np.array_equal(first.value, second.value)
    assert not np.array_equal(first.value, every_release(2)[name].value)
    claim = first.claim.asdict()
    assert json.loads(json.dumps(claim)) == claim
    assert claim["epsilon"] == 1.0
    assert claim["relation"] == "replace"
    assert claim["assumptions"]
    assert set(claim["labels"]) <= {label.label for label in dps.ledger.labels()}
    for label in claim["labels"]:
        assert dps.ledger.get(label).verdict not in (dps.ledger.Verdict.REFUTED, dps.ledger.Verdict.CONJECTURE)


def test_default_randomness_is_fresh():
    assert not np.array_equal(dps.laplace_covariance(X, 1.0).value, dps.laplace_covariance(X, 1.0).value)


def noise(mechanism, *args, size=4000):
    rng = np.random.default_rng(3)
    truth = X.T @ X / len(X)
    drawn = np.array([mechanism(X, *args, rng=rng).value - truth for _ in range(size)])
    assert np.array_equal(drawn, np.swapaxes(drawn, 1, 2))
    return drawn[:, *np.triu_indices(3)]


def test_laplace_noise_has_the_calibrated_law_and_entries_are_independent():
    drawn = noise(dps.laplace_covariance, 1.0)
    scale = dps.laplace_covariance(X, 1.0).details["scale"]
    assert scale == pytest.approx(np.sqrt(33) / 2 / 50)
    for column in drawn.T:
        assert stats.kstest(column, stats.laplace(scale=scale).cdf).pvalue > ALARM
    for i in range(6):
        for j in range(i):
            assert stats.pearsonr(drawn[:, i], drawn[:, j]).pvalue > ALARM


def test_gaussian_noise_has_the_calibrated_law():
    drawn = noise(dps.gaussian_covariance, 1.0, 1e-5)
    scale = dps.gaussian_covariance(X, 1.0, 1e-5).details["scale"]
    assert scale == pytest.approx(3.73063163482 / 50, rel=1e-9)
    weights = np.where(np.isin(np.arange(6), (0, 3, 5)), math.sqrt(2 * 3 / 4), 1.0)
    for column, weight in zip(drawn.T, weights, strict=True):
        assert stats.kstest(column, stats.norm(scale=weight * scale).cdf).pvalue > ALARM
    trace = drawn[:, [0, 3, 5]].sum(axis=1)
    assert stats.kstest(trace, stats.norm(scale=math.sqrt(2 * 3 / 4) * scale).cdf).pvalue > ALARM


def test_gaussian_noise_on_the_triangle_has_the_calibrated_law():
    mechanism = functools.partial(dps.gaussian_covariance, shape="triangle")
    drawn = noise(mechanism, 1.0, 1e-5)
    scale = mechanism(X, 1.0, 1e-5).details["scale"]
    assert scale == pytest.approx(np.sqrt(2) / 50 * 3.73063163482, rel=1e-9)
    for column in drawn.T:
        assert stats.kstest(column, stats.norm(scale=scale).cdf).pvalue > ALARM


@pytest.mark.parametrize("bound", [0.5, 1.0, 4.0])
def test_the_norm_bound_scales_the_noise_quadratically(bound):
    rows = X / np.linalg.norm(X, axis=1).max() * bound
    scale = dps.laplace_covariance(rows, 1.0, norm_bound=bound).details["scale"]
    assert scale == pytest.approx(np.sqrt(33) / 2 / 50 * bound**2)
    first = dps.private_pca(rows, 1, 1.0, norm_bound=bound, rng=5).value
    assert np.allclose(first, dps.private_pca(rows / bound, 1, 1.0, rng=5).value)


def test_covariance_density_ratio_never_exceeds_epsilon_and_attains_it():
    """The loss of Laplace noise is the l1 distance over the scale: the worst pair decides, and attains it at d = 2."""
    n, epsilon = 1, 0.7
    vectors = np.linalg.eigh(np.array([[1.0, 0.5], [0.5, -1.0]]))[1]
    v, w = vectors[:, 1], vectors[:, 0]
    change = np.outer(v, v) - np.outer(w, w)
    scale = dps.laplace_covariance(np.array([v]), epsilon).details["scale"]
    loss = np.abs(change[np.triu_indices(2)]).sum() / n / scale
    assert loss == pytest.approx(epsilon, rel=1e-12)
    rng = np.random.default_rng(6)
    for _ in range(200):
        v, w = (x / max(1, np.linalg.norm(x)) for x in rng.standard_normal((2, 2)))
        assert np.abs((np.outer(v, v) - np.outer(w, w))[np.triu_indices(2)]).sum() / scale <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize(("relation", "factor"), [("replace", 2.0), ("add_remove", 1.0)])
def test_spectrum_noise_has_the_calibrated_law_before_clipping(relation, factor):
    rng = np.random.default_rng(7)
    big = np.diag([1e6, 1e3])
    drawn = np.array([dps.private_spectrum(big, 2, 0.5, relation=relation, rng=rng).value for _ in range(4000)])
    law = stats.laplace(scale=factor / 0.5)
    assert stats.kstest(drawn[:, 0] - 1e6, law.cdf).pvalue > ALARM
    assert stats.kstest(drawn[:, 1] - 1e3, law.cdf).pvalue > ALARM
    small = np.array([dps.private_spectrum(np.zeros((3, 3)), 3, 0.5, rng=rng).value for _ in range(200)])
    assert np.all(small >= 0)
    assert np.all(np.diff(small) <= 0)


def test_orbit_temperature_is_the_exact_one():
    assert dps.private_orbit(M, [3.0, 1.0, 1.0], 1.0).details["kappa"] == pytest.approx(1 / (2 * 2.0))
    assert dps.private_orbit(M, [3.0, 1, 1], 1.0, relation="add_remove").details["kappa"] == pytest.approx(0.5)
    constant = dps.private_orbit(M, [2.0, 2.0, 2.0], 1.0)
    assert np.array_equal(constant.value, 2 * np.eye(3))
    assert constant.private["method"] == "constant"


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_pca_density_ratio_in_the_plane(relation):
    """Exact loss of the angle's density over a grid, for the worst kind of pair; it stays within epsilon."""
    epsilon = 1.0
    kappa = dps.private_pca(X, 1, epsilon, mechanism="orbit", relation=relation).details["kappa"]
    angle = np.linspace(0, np.pi, 20001)[:-1]
    v = np.array([np.cos(angle), np.sin(angle)])

    def log_density(m):
        score = kappa * np.einsum("it,ij,jt->t", v, m, v)
        return score - np.log(np.mean(np.exp(score - score.max()))) - score.max()

    worst = 0.0
    for t in (1.0, 10.0, 100.0, 1000.0):
        base = t * np.diag([1.0, 0.0])
        other = base + (np.diag([-1.0, 1.0]) if relation == "replace" else np.diag([0.0, 1.0]))
        worst = max(worst, np.abs(log_density(base) - log_density(other)).max())
    assert 0.95 * epsilon < worst <= epsilon * (1 + 1e-9)


def test_low_rank_spends_the_whole_budget_once():
    release = dps.private_low_rank(M, 1, 2.0, split=0.4, rng=8)
    assert release.details["epsilon_spectrum"] == pytest.approx(0.8)
    assert release.details["epsilon_vectors"] == pytest.approx(1.2)
    *rest, top = np.linalg.eigvalsh(release.value)
    assert np.max(np.abs(rest)) < 1e-12 * top
    assert top == pytest.approx(max(release.details["eigenvalues"][0], 0))
    zero = [dps.private_low_rank(np.zeros((2, 2)), 1, 1.0, mechanism="orbit", rng=seed).value for seed in range(20)]
    assert any(np.all(value == 0) for value in zero)


@pytest.mark.parametrize("name", ["laplace", "gaussian", "spectrum"])
def test_quoted_guarantees_hold(name):
    rng = np.random.default_rng(10)
    truth = X.T @ X / len(X)
    failures = 0
    for _ in range(2000):
        if name == "spectrum":
            release = dps.private_spectrum(100 * M, 3, 1.0, rng=rng)
            error = np.abs(release.value - [900, 400, 100]).max()
        else:
            mechanism = dps.laplace_covariance if name == "laplace" else dps.gaussian_covariance
            release = mechanism(X, 1.0, *([] if name == "laplace" else [1e-6]), rng=rng)
            error = np.linalg.norm(release.value - truth)
        failures += error > release.details["guarantee"].bound
    assert stats.binomtest(failures, 2000, 0.05, alternative="greater").pvalue > ALARM
    if name == "spectrum":
        assert stats.binomtest(failures, 2000, 0.05).pvalue > ALARM, "this radius is exact"


def test_frobenius_guarantee_is_above_the_mean():
    assert gaussian(4, 1.0, Fraction(1), "triangle").frobenius(3.0).bound > 3.0 * np.sqrt(16)


def test_pca_finds_the_direction_when_there_is_budget():
    rng = np.random.default_rng(11)
    rows = np.outer(rng.choice([-1.0, 1.0], 500), np.array([0.6, 0.8, 0.0]))
    release = dps.private_pca(rows, 1, 50.0, rng=12)
    assert release.value.shape == (3, 1)
    assert abs(release.value[:, 0] @ [0.6, 0.8, 0.0]) > 0.99
