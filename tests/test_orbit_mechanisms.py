"""Orbit mechanisms of any rank: calibration, which law is drawn, post-processing, utility.

Fixed seeds; a test fails a true law with probability 1e-6 at most.
"""

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

import dpspectra as dps
from dpspectra.bounds import best_split, orbit_gap
from dpspectra.mechanisms.low_rank import LOW_RANK_LABELS
from dpspectra.mechanisms.orbit_law import LABELS, NEAREST, SILENT_REFUSAL
from dpspectra.mechanisms.pca import TOP
from dpspectra.oracle import hciz
from dpspectra.sampling.methods import choose
from tests.helpers import ALARM

ROWS = np.random.default_rng(0).standard_normal((400, 6)) * np.array([4.0, 3.0, 2.0, 1.0, 0.5, 0.25])
X = ROWS / np.linalg.norm(ROWS, axis=1).max()
M = X.T @ X
PHASES = np.exp(2j * np.pi * np.random.default_rng(1).random(6))
COMPLEX_M = PHASES[:, None] * M * PHASES.conj()


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
    assert ("guarantee" in details) == (relation == "replace" or 1 < k < 5)
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
    assert np.array_equal(dps.private_pca(X, 6, 1.0).value, dps.private_pca(X[:, ::-1], 6, 1.0).value)


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
def test_pca_captures_the_variance_when_there_is_budget(field):
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
            for _ in range(1000)
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
    assert np.array_equal(release.value, release.value.T)
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
    assert release.private["method"] == "two_part"
    assert SILENT_REFUSAL in release.claim.assumptions
    assert SILENT_REFUSAL in dps.private_orbit(M, [1, 0, 0, 0, 0, 0], 4.0, method="macg", rng=8).claim.assumptions
    rng = np.random.default_rng(9)
    before = repr(rng.bit_generator.state)
    with pytest.raises(ValueError, match="field must be 'complex'"):
        dps.private_orbit(M, [3, 2, 1, 0, 0, 0], 4.0, field="real", rng=rng)
    with pytest.raises(ValueError, match=r"field must be 'complex' or None for k > 1, got 'real' with k = 2"):
        dps.private_low_rank(M, 2, 1.0, field="real", mechanism="orbit", rng=rng)
    with pytest.raises(ValueError, match="field must be one of"):
        dps.private_pca(X, 2, 1.0, field="quaternion", mechanism="orbit", rng=rng)
    assert repr(rng.bit_generator.state) == before


@pytest.mark.parametrize("k", range(1, 7))
@pytest.mark.parametrize("m", [M, COMPLEX_M], ids=["real", "complex"])
def test_low_rank_of_every_rank(k, m):
    release = dps.private_low_rank(m, k, 4.0, split=0.5, mechanism="orbit", rng=10)
    details = release.details
    assert details["epsilon_spectrum"] == details["epsilon_vectors"] == 2.0
    assert details["kappa"] == pytest.approx(
        2.0 / (2 * (details["eigenvalues"][0] - (details["eigenvalues"][-1] if k == 6 else 0)))
    )
    assert release.value.dtype == m.dtype
    assert np.array_equal(release.value, release.value.conj().T)
    spectrum = np.concatenate([details["eigenvalues"], np.zeros(6 - k)])
    assert np.abs(np.linalg.eigvalsh(release.value)[::-1] - spectrum).max() < 1e-12 * spectrum[0]
    positive = np.count_nonzero(details["eigenvalues"])
    assert details["field"] == ("complex" if positive > 1 or np.iscomplexobj(m) else "real")


def test_low_rank_of_nothing_is_nothing_or_noise():
    for seed in range(10):
        release = dps.private_low_rank(np.zeros((3, 3)), 2, 1.0, mechanism="orbit", rng=seed)
        assert np.all(np.linalg.eigvalsh(release.value) > -1e-12)
        assert np.count_nonzero(release.details["eigenvalues"]) >= np.linalg.matrix_rank(release.value, tol=1e-9)


@pytest.mark.parametrize("k", [2, 3])
def test_low_rank_error_falls_with_the_budget(k):
    rng, m = np.random.default_rng(11), 50 * M
    top = np.linalg.eigvalsh(m)[::-1]
    floor = np.sqrt(np.sum(top[k:] ** 2))
    errors = [
        np.mean(
            [
                np.linalg.norm(dps.private_low_rank(m, k, epsilon, mechanism="orbit", rng=rng).value - m)
                for _ in range(20)
            ]
        )
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


SMALL = np.array([[0.5, 0.5, 0.1, 0.0], [1.0, 0.0, 0.0, 0.0], [0.6, -0.6, 0.2, 0.1], [0.3, 0.1, 0.9, 0.2]] * 10)
GRAM = SMALL.T @ SMALL
TOP_OF_GRAM = np.linalg.eigvalsh(GRAM)[::-1]


def broken(failures, trials):
    """Whether a promise of probability 0.95 was broken more often than chance explains."""
    return stats.binomtest(failures, trials, 0.05, alternative="greater").pvalue <= ALARM


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


@pytest.mark.parametrize("spectrum", [[2.0, 0, 0, 0], [2.0, 1.0, 0, 0], [3.0, 3.0, 3.0, -1.0], [1.0, 1.0, 1.0, 1.0]])
@pytest.mark.parametrize("field", [None, "complex"])
def test_what_orbits_promise_of_the_gap_holds(spectrum, field):
    rng, failures, best = np.random.default_rng(14), 0, TOP_OF_GRAM @ spectrum
    for _ in range(300):
        release = dps.private_orbit(GRAM, spectrum, 4.0, field=field, trace=len(SMALL), rng=rng)
        failures += best - np.sum(GRAM * release.value.real) > release.details["guarantee"].bound + 1e-9
    cost = 2 if release.details["postprocessing"] else 1
    known = {"field": release.details["field"], "trace": len(SMALL)}
    assert release.details["guarantee"].bound == pytest.approx(cost * orbit_gap(spectrum, 4.0, **known))
    assert not broken(failures, 300)


def test_nothing_private_enters_a_guarantee():
    assert "guarantee" not in dps.private_orbit(GRAM, [1.0, 0, 0, 0], 1.0, rng=15).details
    other = np.diag([0.0, 0.0, 30.0, 1.0])
    for spectrum in ([1.0, 0, 0, 0], [2.0, 1.0, 0, 0]):
        promises = {dps.private_orbit(m, spectrum, 1.0, trace=40, rng=15).details["guarantee"] for m in (GRAM, other)}
        assert len(promises) == 1
    rng = np.random.default_rng(16)
    before = repr(rng.bit_generator.state)
    with pytest.raises(ValueError, match="trace must bound the trace of M, got 1, which is less"):
        dps.private_orbit(GRAM, [1.0, 0, 0, 0], 1.0, trace=1, rng=rng)
    assert repr(rng.bit_generator.state) == before


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("kind", [float, complex])
def test_what_low_rank_promises_of_the_error_holds(k, relation, kind):
    rng, failures, least = np.random.default_rng(17), 0, np.sum(TOP_OF_GRAM[k:] ** 2)
    for _ in range(300):
        release = dps.private_low_rank(GRAM.astype(kind), k, 8.0, relation=relation, mechanism="orbit", rng=rng)
        error = np.linalg.norm(GRAM - release.value) ** 2
        failures += error - least > release.details["guarantee"].bound
    assert not broken(failures, 300)


def test_what_low_rank_promises_is_the_bound_of_the_ledger():
    """Radius of the values at half the risk, and twice the gap, itself twice as large after the real part."""
    for relation, change in (("replace", 2), ("add_remove", 1)):
        for kind, cost in ((float, 2), (complex, 1)):
            release = dps.private_low_rank(
                GRAM.astype(kind), 2, 8.0, split=0.5, relation=relation, mechanism="orbit", rng=18
            )
            values = release.details["eigenvalues"]
            assert values[0] > values[1] > 0
            t = change / 4 * np.log(1 / (1 - np.sqrt(1 - 0.025)))
            gap = stats.gamma.isf(0.025, 5) * change * values[0] / 4
            assert release.details["guarantee"].bound == pytest.approx(2 * t**2 + 2 * cost * gap)


def test_the_best_split_for_a_guess():
    guessed = dps.private_low_rank(GRAM, 2, 2.0, lambda1=20.0, mechanism="orbit", rng=19).details
    assert guessed["epsilon_spectrum"] == 2.0 * best_split(4, 2, 20.0, 2.0)
    assert guessed["epsilon_spectrum"] + guessed["epsilon_vectors"] == pytest.approx(2.0)
    assert dps.private_low_rank(GRAM, 2, 2.0, mechanism="orbit", rng=19).details["epsilon_spectrum"] == 0.5
    with pytest.raises(ValueError, match="lambda1 must be None where the split is given"):
        dps.private_low_rank(GRAM, 2, 2.0, split=0.5, lambda1=20.0)
    with pytest.raises(ValueError, match="lambda1 must be positive"):
        dps.private_low_rank(GRAM, 2, 2.0, lambda1=0.0)


def test_claims_name_the_algorithms():
    assert dps.private_orbit(GRAM, [1.0, 0, 0, 0], 1.0, rng=20).claim.labels == LABELS
    assert "MWKTV-A1" in LABELS
    assert dps.private_low_rank(GRAM, 2, 1.0, mechanism="orbit", rng=20).claim.labels == LOW_RANK_LABELS
    assert "MWKTV-A2R" in LOW_RANK_LABELS


@pytest.mark.parametrize(
    "release",
    [
        lambda m: dps.private_low_rank(m, 2, 1.0, mechanism="orbit", rng=7),
        lambda m: dps.private_orbit(m, np.arange(6)[::-1], 1.0, rng=7),
        lambda m: dps.private_spectrum(m, 2, 1.0, rng=7),
    ],
)
def test_the_input_is_decomposed_once(monkeypatch, release):
    decomposed = []
    for name in ("eigh", "eigvalsh"):
        exact = getattr(np.linalg, name)

        def recorded(a, *rest, exact=exact, **options):
            decomposed.append(np.array(a))
            return exact(a, *rest, **options)

        monkeypatch.setattr(np.linalg, name, recorded)
    release(M)
    assert sum(a.shape == M.shape and np.allclose(a, M) for a in decomposed) == 1
