"""Orbit mechanisms of any rank: calibration, which law is drawn, post-processing, utility.

Fixed seeds; a test fails a true law with probability 1e-6 at most.
"""

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

import dpspectra as dps
from dpspectra.mechanisms.orbit import NEAREST, SILENT_REFUSAL, TOP
from dpspectra.oracle import hciz
from dpspectra.sampling.methods import choose

ALARM = 1e-6
ROWS = np.random.default_rng(0).standard_normal((400, 6)) * np.array([4.0, 3.0, 2.0, 1.0, 0.5, 0.25])
X = ROWS / np.linalg.norm(ROWS, axis=1).max()
M = X.T @ X
PHASES = np.exp(2j * np.pi * np.random.default_rng(1).random(6))
COMPLEX_M = PHASES[:, None] * M * PHASES.conj()


@pytest.mark.parametrize("k", range(1, 7))
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
def test_pca_of_every_rank(k, relation):
    release = dps.private_pca(X, k, 2.0, relation=relation, rng=2)
    assert release.value.shape == (6, k)
    assert release.value.dtype == float
    assert np.abs(release.value.T @ release.value - np.eye(k)).max() < 1e-12
    details = release.details
    assert details["kappa"] == (0.0 if k == 6 else 1.0 if relation == "replace" else 2.0)
    assert details["field"] == ("complex" if 1 < k < 5 else "real")
    assert details["postprocessing"] == (TOP if 1 < k < 5 else None)
    assert ("guarantee" in details) == (k == 1 and relation == "replace")
    assert SILENT_REFUSAL not in release.claim.assumptions


def test_what_is_drawn_does_not_depend_on_the_data():
    """A choice by the data between two private laws is not private; methods of one law may be chosen by it."""
    flat, steep = np.eye(6), np.repeat(np.eye(6)[:2], 500, axis=0)
    seen = set()
    for rows in (flat, steep, X):
        for k in range(1, 7):
            details = dps.private_pca(rows, k, 1.0, rng=3).details
            seen.add((k, details["field"], details["postprocessing"]))
    assert len(seen) == 6
    values = np.linalg.eigvalsh(steep.T @ steep)[::-1]
    methods = {choose(v, np.repeat([1.0, 0.0], [2, 4]), 0.5, "complex") for v in (values, np.ones(6))}
    assert methods == {"ball_chart", "macg"}


def test_the_whole_space_says_nothing_about_the_data():
    assert np.array_equal(dps.private_pca(X, 6, 1.0).value, dps.private_pca(X[:, ::-1], 6, 1.0).value)


def test_the_sign_of_a_direction_says_nothing():
    signs = [dps.private_pca(X, 1, 50.0, rng=seed).value[0, 0] > 0 for seed in range(200)]
    assert stats.binomtest(int(np.sum(signs)), 200).pvalue > ALARM


@pytest.mark.parametrize("k", [1, 2, 4])
def test_the_field_of_pca_can_be_chosen(k):
    forced = dps.private_pca(X, k, 50.0, field="complex", rng=4)
    assert forced.details["field"] == "complex"
    assert forced.value.dtype == float
    assert "guarantee" not in forced.details
    real = dps.private_pca(X, k, 50.0, field="real", rng=4)
    assert real.details["field"] == "real"
    assert real.details["postprocessing"] is None
    assert (SILENT_REFUSAL in real.claim.assumptions) == (k > 1)
    assert np.abs(real.value.T @ real.value - np.eye(k)).max() < 1e-12


@pytest.mark.parametrize("field", ["complex", "real"])
def test_pca_captures_the_variance_when_there_is_budget(field):
    rng = np.random.default_rng(5)
    top = np.linalg.eigvalsh(M)[::-1]
    captured = [
        np.trace(v.T @ M @ v) for v in (dps.private_pca(X, 2, 20.0, field=field, rng=rng).value for _ in range(200))
    ]
    loss = top[0] + top[1] - np.mean(captured)
    # 8 squared moduli of mean 1 / (kappa gap), half of that for one real coordinate each
    expected = 8 / 2 / 10.0
    assert 0.5 * expected < loss < 2 * expected
    assert np.all(np.array(captured) <= top[0] + top[1] + 1e-9)


def test_the_orbit_mechanism_draws_the_calibrated_law():
    """Mean of ``<M, H>`` at the temperature that ``epsilon`` buys, against the derivative of the log-normaliser."""
    m, spectrum = np.diag([3.0, 2.0, 0.5]), [2.0, 1.0, 0.0]
    for relation, kappa in (("replace", 0.5), ("add_remove", 1.0)):
        rng = np.random.default_rng(6)
        x = [
            np.sum(
                np.diag(m)
                * np.diag(dps.private_orbit(m, spectrum, 2.0, relation=relation, field="complex", rng=rng).value).real
            )
            for _ in range(3000)
        ]
        with mp.workdps(40):
            h = mp.mpf(10) ** -10
            low, mid, high = (hciz.log_normaliser([3, 2, 0.5], spectrum, kappa + j * h) for j in (-1, 0, 1))
            mean, variance = float((high - low) / (2 * h)), float((high - 2 * mid + low) / h**2)
        assert abs(np.mean(x) - mean) < 5 * np.sqrt(variance / len(x))


SPECTRA = [
    [3, 0, 0, 0, 0, 0],
    [1, 1, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, -2],
    [5, 3, 3, 1, 0, 0],
    [2, 2, 2, 2, 2, 2],
    [6, 5, 4, 3, 2, 1],
]


@pytest.mark.parametrize("spectrum", SPECTRA, ids=str)
def test_a_real_matrix_gives_a_real_one_of_the_same_spectrum(spectrum):
    release = dps.private_orbit(M, spectrum, 4.0, rng=7)
    assert release.value.dtype == float
    assert np.abs(np.linalg.eigvalsh(release.value)[::-1] - spectrum).max() < 1e-12 * max(spectrum)
    one_apart = len(set(spectrum[1:])) == 1 or len(set(spectrum[:-1])) == 1
    assert release.details["field"] == ("real" if one_apart else "complex")
    assert release.details["postprocessing"] == (None if one_apart else NEAREST)
    assert SILENT_REFUSAL not in release.claim.assumptions
    for m in (M, COMPLEX_M):
        raw = dps.private_orbit(m, spectrum, 4.0, field="complex", rng=7)
        assert raw.value.dtype == complex
        assert raw.details["postprocessing"] is None
        assert np.abs(np.linalg.eigvalsh(raw.value)[::-1] - spectrum).max() < 1e-12 * max(spectrum)


def test_the_real_law_may_be_asked_for():
    release = dps.private_orbit(100 * M, [1, 1, 0, 0, 0, 0], 4.0, field="real", rng=8)
    assert release.details["method"] == "two_part"
    assert SILENT_REFUSAL in release.claim.assumptions
    assert SILENT_REFUSAL in dps.private_orbit(M, [1, 0, 0, 0, 0, 0], 4.0, method="macg", rng=8).claim.assumptions
    rng = np.random.default_rng(9)
    before = repr(rng.bit_generator.state)
    with pytest.raises(ValueError, match="field must be 'complex'"):
        dps.private_orbit(M, [3, 2, 1, 0, 0, 0], 4.0, field="real", rng=rng)
    with pytest.raises(ValueError, match=r"field must be 'complex' or None for k > 1, got 'real' with k = 2"):
        dps.private_low_rank(M, 2, 1.0, field="real", rng=rng)
    with pytest.raises(ValueError, match="field must be one of"):
        dps.private_pca(X, 2, 1.0, field="quaternion", rng=rng)
    assert repr(rng.bit_generator.state) == before


@pytest.mark.parametrize("k", range(1, 7))
@pytest.mark.parametrize("m", [M, COMPLEX_M], ids=["real", "complex"])
def test_low_rank_of_every_rank(k, m):
    release = dps.private_low_rank(m, k, 4.0, split=0.5, rng=10)
    details = release.details
    assert details["epsilon_spectrum"] == details["epsilon_vectors"] == 2.0
    assert details["kappa"] == pytest.approx(
        2.0 / (2 * (details["eigenvalues"][0] - (details["eigenvalues"][-1] if k == 6 else 0)))
    )
    assert release.value.dtype == m.dtype
    spectrum = np.concatenate([details["eigenvalues"], np.zeros(6 - k)])
    assert np.abs(np.linalg.eigvalsh(release.value)[::-1] - spectrum).max() < 1e-12 * spectrum[0]
    positive = np.count_nonzero(details["eigenvalues"])
    assert details["field"] == ("complex" if positive > 1 or np.iscomplexobj(m) else "real")


def test_low_rank_of_nothing_is_nothing_or_noise():
    for seed in range(10):
        release = dps.private_low_rank(np.zeros((3, 3)), 2, 1.0, rng=seed)
        assert np.all(np.linalg.eigvalsh(release.value) > -1e-12)
        assert np.count_nonzero(release.details["eigenvalues"]) >= np.linalg.matrix_rank(release.value, tol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_low_rank_error_falls_with_the_budget(k):
    rng, m = np.random.default_rng(11), 50 * M
    top = np.linalg.eigvalsh(m)[::-1]
    floor = np.sqrt(np.sum(top[k:] ** 2))
    errors = [
        np.mean([np.linalg.norm(dps.private_low_rank(m, k, epsilon, rng=rng).value - m) for _ in range(20)])
        for epsilon in (0.5, 50.0)
    ]
    assert errors[0] > errors[1]
    assert errors[1] < 1.1 * floor + 5


def test_real_parts_keep_what_the_mechanism_found():
    """The projected real part is on average at least as close to a real ``M`` as the complex draw."""
    rng, spectrum = np.random.default_rng(12), [3.0, 2.0, 1.0, 0, 0, 0]
    real = [np.sum(M * dps.private_orbit(M, spectrum, 6.0, rng=rng).value) for _ in range(300)]
    raw = [np.sum(M * dps.private_orbit(M, spectrum, 6.0, field="complex", rng=rng).value.real) for _ in range(300)]
    assert stats.mannwhitneyu(real, raw, alternative="less").pvalue > ALARM
    assert np.mean(real) > np.mean(raw)
