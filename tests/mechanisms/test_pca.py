"""Leading directions: of noisy covariances, and from the orbit. Fixed seeds; false alarm 1e-6 a test."""

import math

import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra.audit import audit
from dpspectra.bounds import orbit_gap
from dpspectra.mechanisms.orbit_directions import TOP
from dpspectra.mechanisms.orbit_law import SILENT_REFUSAL
from dpspectra.sampling.methods import choose
from tests.support.helpers import ALARM, entropy
from tests.support.spectra import GRAM, SMALL, TOP_OF_GRAM, M, X, broken

NOISES = {
    "laplace_covariance": lambda **o: dps.laplace_covariance(X, 3.0, **o),
    "symmetric_wishart_covariance": lambda **o: dps.symmetric_wishart_covariance(X, 3.0, **o),
    "gaussian_covariance": lambda **o: dps.gaussian_covariance(X, 3.0, 1e-5, **o),
}


def captured(v):
    return np.trace(v.T @ X.T @ X @ v) / len(X)


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("rng", [entropy, lambda: np.random.default_rng(1)], ids=["certified", "ideal"])
@pytest.mark.parametrize("name", NOISES)
def test_directions_are_those_of_the_noisy_covariance(name, rng, k):
    """One noise, one claim, and post-processing: leading eigenvectors up to their signs."""
    release, noisy = dps.private_pca(X, k, 3.0, 1e-5, mechanism=name, center="none", rng=rng()), NOISES[name](rng=rng())
    vectors = np.linalg.eigh(noisy.value)[1][:, ::-1][:, :k]
    assert np.abs(release.value.T @ release.value - np.eye(k)).max() < 1e-12
    assert np.allclose(release.value @ release.value.T, vectors @ vectors.T)
    assert release.claim == noisy.claim
    assert release.details["scale"] == noisy.details["scale"]
    assert release.details.get("step") == noisy.details.get("step")
    assert (release.details["mechanism"], release.details["reason"]) == (name, "asked for")
    without_gap = math.sqrt(2 * min(k, 6 - k)) * noisy.details["guarantee"].bound
    assert 0 < release.details["guarantee"].bound <= without_gap


@pytest.mark.parametrize("name", NOISES)
def test_guarantees_hold(name):
    """At least 95 of 100 of 300 losses; fewer than 265 happen with probability below 1e-6."""
    top = np.linalg.eigvalsh(X.T @ X / len(X))[::-1]
    rng = np.random.default_rng(4)
    for k in (1, 4):
        releases = [dps.private_pca(X, k, 3.0, 1e-5, mechanism=name, center="none", rng=rng) for _ in range(300)]
        lost = (np.sum(top[:k]) - captured(r.value) <= r.details["guarantee"].bound for r in releases)
        assert sum(lost) >= 265


def test_a_noisy_covariance_keeps_more_than_the_orbit():
    rng = np.random.default_rng(5)
    means = {
        name: np.mean(
            [captured(dps.private_pca(X, 2, 10.0, mechanism=name, center="none", rng=rng).value) for _ in range(40)]
        )
        for name in ("auto", "orbit")
    }
    best = np.sum(np.linalg.eigvalsh(X.T @ X / len(X))[-2:])
    assert best - means["auto"] < 0.5 * (best - means["orbit"])


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


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_pca_density_ratio_in_the_plane(relation):
    """Exact loss of the angle's density over a grid, for the worst kind of pair; it stays within epsilon."""
    epsilon = 1.0
    rows = np.random.default_rng(0).uniform(-0.4, 0.4, size=(50, 3))
    kappa = dps.private_pca(rows, 1, epsilon, mechanism="orbit", relation=relation).details["kappa"]
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


def test_pca_finds_the_direction_when_there_is_budget():
    rng = np.random.default_rng(11)
    rows = np.outer(rng.choice([-1.0, 1.0], 500), np.array([0.6, 0.8, 0.0]))
    release = dps.private_pca(rows, 1, 50.0, rng=12)
    assert release.value.shape == (3, 1)
    assert abs(release.value[:, 0] @ [0.6, 0.8, 0.0]) > 0.99


@pytest.mark.parametrize("k", range(1, 7))
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_pca_of_every_rank(k, relation):
    release = dps.private_pca(X, k, 2.0, relation=relation, mechanism="orbit", rng=2)
    assert release.value.shape == (6, k)
    assert release.value.dtype == float
    assert np.abs(release.value.T @ release.value - np.eye(k)).max() < 1e-12
    details = release.details
    assert details["kappa"] == (0.0 if k == 6 else 1.0 if relation == "replace" else 2.0)
    assert details["field"] == ("complex" if 1 < k < 5 else "real")
    assert details["postprocessing"] == (TOP if 1 < k < 5 else None)
    assert "guarantee" in details
    assert SILENT_REFUSAL not in release.claim.assumptions


def test_what_is_drawn_does_not_depend_on_the_data():
    """A choice by the data between two private laws is not private; methods of one law may be chosen by it."""
    flat, steep = np.eye(6), np.repeat(np.eye(6)[:2], 500, axis=0)
    seen = set()
    for rows in (flat, steep, X):
        for k in range(1, 7):
            details = dps.private_pca(rows, k, 1.0, mechanism="orbit", rng=3).details
            seen.add((k, details["field"], details["postprocessing"]))
    assert len(seen) == 6
    values = np.linalg.eigvalsh(steep.T @ steep)[::-1]
    methods = {choose(v, np.repeat([1.0, 0.0], [2, 4]), 0.5, "complex") for v in (values, np.ones(6))}
    assert methods == {"ball_chart", "macg"}


def test_the_whole_space_says_nothing_about_the_data():
    assert np.array_equal(
        dps.private_pca(X, 6, 1.0, center="none").value, dps.private_pca(X[:, ::-1], 6, 1.0, center="none").value
    )


def test_the_sign_of_a_direction_says_nothing():
    signs = [dps.private_pca(X, 1, 50.0, mechanism="orbit", rng=seed).value[0, 0] > 0 for seed in range(200)]
    assert stats.binomtest(int(np.sum(signs)), 200).pvalue > ALARM


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_field_of_pca_can_be_chosen(k):
    forced = dps.private_pca(X, k, 50.0, field="complex", mechanism="orbit", rng=4)
    assert forced.details["field"] == "complex"
    assert forced.value.dtype == float
    gap = orbit_gap(np.repeat([1, 0], [k, 6 - k]), 50.0)
    assert forced.details["guarantee"].bound == pytest.approx(2 * gap / len(X))
    real = dps.private_pca(X, k, 50.0, field="real", mechanism="orbit", rng=4)
    assert real.details["field"] == "real"
    assert real.details["postprocessing"] is None
    assert (SILENT_REFUSAL in real.claim.assumptions) == (k > 1)
    assert np.abs(real.value.T @ real.value - np.eye(k)).max() < 1e-12


@pytest.mark.parametrize("field", ["complex", "real"])
def test_pca_captures_the_variance_when_epsilon_is_large(field):
    rng = np.random.default_rng(5)
    top = np.linalg.eigvalsh(M)[::-1]
    captured = [
        np.trace(v.T @ M @ v)
        for v in (dps.private_pca(X, 2, 20.0, field=field, mechanism="orbit", rng=rng).value for _ in range(200))
    ]
    loss = top[0] + top[1] - np.mean(captured)
    # 8 squared moduli of mean 1 / (kappa gap), half of that for one real coordinate each
    expected = 8 / 2 / 10.0
    assert 0.5 * expected < loss < 2 * expected
    assert np.all(np.array(captured) <= top[0] + top[1] + 1e-9)


@pytest.mark.parametrize(
    ("k", "relation", "field"),
    [(1, "replace", None), (2, "replace", None), (3, "replace", None), (2, "add_remove", None), (2, "replace", "real")],
)
def test_what_pca_promises_of_lost_variance_holds(k, relation, field):
    rng, failures, best = np.random.default_rng(13), 0, np.sum(TOP_OF_GRAM[:k])
    for _ in range(300):
        release = dps.private_pca(
            3 * SMALL, k, 3.0, norm_bound=3.4, relation=relation, field=field, mechanism="orbit", rng=rng
        )
        captured = np.trace(release.value.T @ GRAM @ release.value)
        unit = len(SMALL) if relation == "replace" else 1
        failures += 9 * (best - captured) / unit > release.details["guarantee"].bound
    assert not broken(failures, 300)


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_what_pca_promises_is_the_bound_of_the_ledger(relation):
    """The real part may lose twice what the draw loses; norms and numbers of rows are units."""
    spectrum, unit = [1.0, 1.0, 0.0, 0.0], len(SMALL) if relation == "replace" else 1
    promise = dps.private_pca(3 * SMALL, 2, 3.0, norm_bound=3.4, relation=relation, mechanism="orbit", rng=1).details[
        "guarantee"
    ]
    assert promise.bound == pytest.approx(2 * orbit_gap(spectrum, 3.0, relation=relation) * 3.4**2 / unit)
    if relation == "replace":
        real = dps.private_pca(3 * SMALL, 2, 3.0, norm_bound=3.4, field="real", mechanism="orbit", rng=1).details[
            "guarantee"
        ]
        whole = orbit_gap(spectrum, 3.0, field="real", trace=len(SMALL))
        assert real.bound == pytest.approx(whole * 3.4**2 / len(SMALL))
