"""Spectra in certified arithmetic: enclosed, decided as in balls, honest about their premise."""

import math

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix
from dpspectra.certified import enclosed_eigenvalues, noise_on_grid
from dpspectra.certified.entropy import Entropy


def enclosed(m):
    """Eigenvalues in floats, descending, and the bound on their errors."""
    values, vectors = np.linalg.eigh(m)
    return values[::-1], enclosed_eigenvalues.residual_bound(m, vectors, values)


def hermitian(d, field, seed, ties=False):
    rng = np.random.default_rng(seed)
    q, _ = np.linalg.qr(rng.normal(size=(d, d)) + (1j * rng.normal(size=(d, d)) if field == "complex" else 0))
    w = np.sort(np.round(rng.uniform(0, 9, d)) if ties else rng.uniform(0, 9, d))[::-1]
    m = (q * w) @ q.conj().T
    return (m + m.conj().T) / 2


@pytest.mark.parametrize("field", ["real", "complex"])
@pytest.mark.parametrize("d", [1, 2, 5, 9])
def test_eigenvalues_are_enclosed(d, field):
    for seed in range(5):
        m = hermitian(d, field, seed, ties=seed % 2 == 0)
        values, bound = enclosed(m)
        true = [float(x.mid()) for x in enclosed_eigenvalues.EigenvalueBalls(m)(200)]
        assert np.max(np.abs(values - true)) <= bound < 1e-10
        assert all(float(x.rad()) < 2.0**-200 for x in enclosed_eigenvalues.EigenvalueBalls(m)(200))


def test_the_bound_covers_a_wrong_basis_and_wrong_values():
    m = hermitian(6, "real", 3)
    true, v = np.linalg.eigh(m)
    turn = np.eye(6)
    turn[:2, :2] = [[math.cos(0.03), -math.sin(0.03)], [math.sin(0.03), math.cos(0.03)]]
    for basis, values in ((v @ turn, true), (v, true + 0.1), (v * (1 + 1e-6), true), (v * 1.02, true)):
        off = np.max(np.abs(np.linalg.eigvalsh(m) - values))
        assert off - 1e-12 <= enclosed_eigenvalues.residual_bound(m, basis, values) < 10
    assert enclosed_eigenvalues.residual_bound(m, 2 * v, true) == math.inf
    scaled = (1 + 1e-3) * np.eye(6)  # A V = V W exactly: only the distance to a unitary matrix is left
    assert enclosed_eigenvalues.residual_bound(np.eye(6), scaled, np.ones(6)) >= 1e-3


@pytest.mark.parametrize("exponent", [-23, -38, -48])
def test_spectra_are_decided_as_in_balls(exponent, monkeypatch):
    def released(m, i):
        return enclosed_eigenvalues.laplace(m, *enclosed(m), 2, exponent, 2.0**24, Entropy(bytes([i]) * 32)).tolist()

    cases = [hermitian(d, field, d, ties) for d in (2, 4) for field in ("real", "complex") for ties in (False, True)]
    fast = [released(m, i) for i, m in enumerate([*cases, np.zeros((2, 2)), np.diag([1e300, 1e-300, 0.0])])]
    monkeypatch.setattr(noise_on_grid, "SLACK", 1.0)
    assert fast == [released(m, i) for i, m in enumerate([*cases, np.zeros((2, 2)), np.diag([1e300, 1e-300, 0.0])])]


def test_a_matrix_is_decomposed_once(monkeypatch):
    asked = []
    for name in ("eigh", "eigvalsh"):
        true = getattr(np.linalg, name)
        monkeypatch.setattr(np.linalg, name, lambda m, true=true, name=name: asked.append(name) or true(m))
    dps.private_spectrum(Matrix(np.eye(3)), 2, 1.0)
    dps.private_spectrum(Matrix(np.eye(3)), 2, 1.0, rng=0)
    assert asked == ["eigh", "eigh"]


def test_the_claim_of_a_spectrum_names_its_premise():
    assert "exactly and in float64" in dps.private_spectrum(Matrix(np.eye(2)), 1, 1.0).claim.neighbours


@pytest.mark.parametrize(("relation", "scale"), [("replace", 4.0), ("add_remove", 2.0)])
def test_a_scale_that_is_a_float_is_not_raised(relation, scale):
    assert dps.private_spectrum(Matrix(np.eye(2)), 2, 0.5, relation=relation).details["scale"] == scale
