"""Orbit mechanisms of any rank: calibration, which law is drawn, post-processing, utility.

Fixed seeds; a test fails a true law with probability 1e-6 at most.
"""

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

import dpspectra as dps
from dpspectra import Matrix, private_orbit
from dpspectra.bounds import orbit_gap
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.orbit_law import NEAREST, SILENT_REFUSAL
from dpspectra.mechanisms.orbit_low_rank import LOW_RANK_LABELS
from dpspectra.oracle import hciz
from tests.support.helpers import ALARM
from tests.support.spectra import COMPLEX_M, GRAM, SMALL, TOP_OF_GRAM, M, broken


def test_the_orbit_mechanism_draws_the_calibrated_law():
    """Mean of ``<M, H>`` at the temperature that ``epsilon`` buys, against the derivative of the log-normaliser."""
    m, spectrum = np.diag([3.0, 2.0, 0.5]), [2.0, 1.0, 0.0]
    for relation, kappa in (("replace", 0.5), ("add_remove", 1.0)):
        rng = np.random.default_rng(6)
        x = [
            np.sum(
                np.diag(m)
                * np.diag(
                    private_orbit(Matrix(m), spectrum, 2.0, relation=relation, field="complex", rng=rng).value
                ).real
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
    release = private_orbit(Matrix(M), spectrum, 4.0, rng=7)
    assert release.value.dtype == float
    assert np.array_equal(release.value, release.value.T)
    assert np.abs(np.linalg.eigvalsh(release.value)[::-1] - spectrum).max() < 1e-12 * max(spectrum)
    one_apart = len(set(spectrum[1:])) == 1 or len(set(spectrum[:-1])) == 1
    assert release.details["field"] == ("real" if one_apart else "complex")
    assert release.details["postprocessing"] == (None if one_apart else NEAREST)
    assert SILENT_REFUSAL not in release.claim.assumptions
    for m in (M, COMPLEX_M):
        raw = private_orbit(Matrix(m), spectrum, 4.0, field="complex", rng=7)
        assert raw.value.dtype == complex
        assert raw.details["postprocessing"] is None
        assert np.abs(np.linalg.eigvalsh(raw.value)[::-1] - spectrum).max() < 1e-12 * max(spectrum)


def test_the_real_law_may_be_asked_for():
    release = private_orbit(Matrix(100 * M), [1, 1, 0, 0, 0, 0], 4.0, field="real", rng=8)
    assert release.private["method"] == "two_part"
    assert SILENT_REFUSAL in release.claim.assumptions
    assert SILENT_REFUSAL in private_orbit(Matrix(M), [1, 0, 0, 0, 0, 0], 4.0, method="macg", rng=8).claim.assumptions


def test_real_parts_keep_what_the_mechanism_found():
    """The projected real part is on average at least as close to a real ``M`` as the complex draw."""
    rng, spectrum = np.random.default_rng(12), [3.0, 2.0, 1.0, 0, 0, 0]
    real = [np.sum(M * private_orbit(Matrix(M), spectrum, 6.0, rng=rng).value) for _ in range(300)]
    raw = [np.sum(M * private_orbit(Matrix(M), spectrum, 6.0, field="complex", rng=rng).value.real) for _ in range(300)]
    assert stats.mannwhitneyu(real, raw, alternative="less").pvalue > ALARM
    assert np.mean(real) > np.mean(raw)


@pytest.mark.parametrize("spectrum", [[2.0, 0, 0, 0], [2.0, 1.0, 0, 0], [3.0, 3.0, 3.0, -1.0], [1.0, 1.0, 1.0, 1.0]])
@pytest.mark.parametrize("field", [None, "complex"])
def test_what_orbits_promise_of_the_gap_holds(spectrum, field):
    rng, failures, best = np.random.default_rng(14), 0, TOP_OF_GRAM @ spectrum
    for _ in range(300):
        release = private_orbit(Matrix(GRAM), spectrum, 4.0, field=field, trace=len(SMALL), rng=rng)
        failures += best - np.sum(GRAM * release.value.real) > release.details["guarantee"].bound + 1e-9
    cost = 2 if release.details["postprocessing"] else 1
    known = {"field": release.details["field"], "trace": len(SMALL)}
    assert release.details["guarantee"].bound == pytest.approx(cost * orbit_gap(spectrum, 4.0, **known))
    assert not broken(failures, 300)


def test_nothing_private_enters_a_guarantee():
    assert "guarantee" not in private_orbit(Matrix(GRAM), [1.0, 1.0, 0, 0], 1.0, field="real", rng=15).details
    other = np.diag([0.0, 0.0, 30.0, 1.0])
    lines = [private_orbit(Matrix(m), [1.0, 0, 0, 0], 1.0, rng=15).details["guarantee"] for m in (GRAM, other)]
    assert lines[0] == lines[1]
    for spectrum in ([1.0, 0, 0, 0], [2.0, 1.0, 0, 0]):
        promises = {
            private_orbit(Matrix(m), spectrum, 1.0, trace=40, rng=15).details["guarantee"] for m in (GRAM, other)
        }
        assert len(promises) == 1
    promise = private_orbit(Matrix(GRAM), [1.0, 0, 0, 0], 1.0, trace=1, rng=16).details["guarantee"]
    assert promise.quantity == "gap OPT - <A, H> if the trace is at most 1"  # at which nothing was looked


def test_claims_name_the_algorithms():
    assert private_orbit(Matrix(GRAM), [1.0, 0, 0, 0], 1.0, rng=20).claim.labels == get("private_orbit").labels
    assert "MWKTV-A1" in get("private_orbit").labels
    assert dps.private_low_rank(Matrix(GRAM), 2, 1.0, mechanism="orbit", rng=20).claim.labels == LOW_RANK_LABELS
    assert "MWKTV-A2R" in LOW_RANK_LABELS


@pytest.mark.parametrize(
    "release",
    [
        lambda m: dps.private_low_rank(Matrix(m), 2, 1.0, mechanism="orbit", rng=7),
        lambda m: private_orbit(Matrix(m), np.arange(6)[::-1], 1.0, rng=7),
        lambda m: dps.private_spectrum(Matrix(m), 2, 1.0, rng=7),
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


def test_orbit_temperature_is_the_exact_one():
    m = np.diag([9.0, 4.0, 1.0])
    assert private_orbit(Matrix(m), [3.0, 1.0, 1.0], 1.0).details["kappa"] == pytest.approx(1 / (2 * 2.0))
    assert private_orbit(Matrix(m), [3.0, 1, 1], 1.0, relation="add_remove").details["kappa"] == pytest.approx(0.5)
    constant = private_orbit(Matrix(m), [2.0, 2.0, 2.0], 1.0)
    assert np.array_equal(constant.value, 2 * np.eye(3))
    assert constant.private["method"] == "constant"


def test_a_complex_matrix_gives_a_complex_one_unasked():
    m = np.array([[2.0, 1j, 0], [-1j, 2.0, 0], [0, 0, 1.0]])
    for spectrum in ([1.0, 0, 0], [2.0, 1.0, 0]):
        release = private_orbit(Matrix(m), spectrum, 4.0, rng=1)
        assert np.iscomplexobj(release.value)
        assert release.details["postprocessing"] is None
