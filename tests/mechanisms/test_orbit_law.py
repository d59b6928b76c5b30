"""What claims of orbit mechanisms say of their arithmetic."""

import itertools
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import dpspectra as dps
from dpspectra import Matrix, private_orbit
from dpspectra.certified import calibrate
from dpspectra.mechanisms import orbit_law
from dpspectra.mechanisms.orbit_law import CertifiedLaw
from dpspectra.mechanisms.second_moments import decomposed
from tests.support.helpers import entropy

ROWS = np.random.default_rng(0).standard_normal((60, 5)) * np.array([4.0, 3.0, 2.0, 1.0, 0.5])
X = ROWS / np.linalg.norm(ROWS, axis=1).max()
M = X.T @ X


def test_what_cannot_be_certified_is_ideal_or_refused():
    for call, message in (
        (lambda **o: dps.private_pca(X, 2, 1.0, field="real", **o), "field must be None or 'complex' for k > 1 for"),
        (
            lambda **o: private_orbit(Matrix(M), [1, 1, 0, 0, 0], 1.0, field="real", **o),
            "unless all eigenvalues but one",
        ),
        (
            lambda **o: private_orbit(Matrix(M), [1, 0, 0, 0, 0], 1.0, method="macg", **o),
            "and method 'auto', for certified",
        ),
    ):
        assert call().claim.arithmetic == "ideal"
        for options in ({"arithmetic": "certified"}, {"rng": entropy()}):
            with pytest.raises(ValueError, match=message):
                call(**options)


def test_the_whole_space_and_a_constant_spectrum_have_no_grid():
    for release in (dps.private_pca(X, 5, 1.0, center="none"), private_orbit(Matrix(M), [2.0] * 5, 1.0)):
        assert release.claim.arithmetic == "certified"
        assert "step" not in release.details
    assert np.array_equal(private_orbit(Matrix(M), [2.0] * 5, 1.0).value, 2 * np.eye(5))


@pytest.mark.parametrize("relation", ["replace", "add_remove"])
@pytest.mark.parametrize("spectrum", [[1, 0, 0], [0.3, 0.1, 0.1], [3.3, 1.1, -0.7], [1e-9, 0, 0]])
def test_no_temperature_is_above_what_the_claim_allows(monkeypatch, relation, spectrum):
    """Exact: the loss ``changes temperature spread unit`` is at most epsilon, and within an ulp or two of it."""
    taken = []
    nothing = SimpleNamespace(method="none")
    monkeypatch.setattr(orbit_law, "Orbit", lambda m, t, w, v, levels, field: taken.append((t, levels)) or nothing)
    for epsilon, unit in itertools.product((0.1, 1.0, 1 / 3, 7e-5), (1, 2**40, 1099511627775)):
        CertifiedLaw(
            decomposed(np.eye(3)), np.array(spectrum, float), Fraction(epsilon), relation, "real", Fraction(unit)
        )
        temperature, levels = taken.pop()
        spread = Fraction(float(levels[0])) - Fraction(float(levels[-1]))
        loss = (2 if relation == "replace" else 1) * Fraction(temperature) * spread * unit
        assert Fraction(epsilon) * (1 - Fraction(1, 2**51)) <= loss <= Fraction(epsilon)


def test_the_temperature_of_pca_is_for_integer_rows(monkeypatch):
    seen = []
    monkeypatch.setattr(calibrate, "at_most", lambda x: seen.append(x) or float(x))
    dps.private_pca(X, 2, 1.0, mechanism="orbit", norm_bound=1.25)
    assert seen == [Fraction(1, 2) / (Fraction(25, 16) * 4**19)]  # 1.25 * 2**19 is below 2**20
    dps.private_pca(3 * X, 2, 1.0, norm_bound=3.3, mechanism="orbit", relation="add_remove")
    assert seen[1] == 1 / Fraction(int(Fraction(3.3) ** 2 * 4**18))
