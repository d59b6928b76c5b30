"""Certificates of matrices that are not positive semidefinite: right ones hold, tampered ones are rejected."""

from fractions import Fraction

import numpy as np
import pytest

from dpspectra.audit.not_psd import certify_not_psd, check_certificate, impossible_output


def test_certificates_of_small_matrices():
    certificate = certify_not_psd([[1.0, 2.0], [2.0, 1.0]])
    assert check_certificate(certificate)
    assert Fraction(certificate["value"]) < 0
    assert certify_not_psd(np.eye(3)) is None
    assert certify_not_psd([[0.0]]) is None
    assert check_certificate(certify_not_psd([[-5e-324]]))


def test_certificates_of_complex_matrices():
    m = np.array([[1, 2j], [-2j, 1]])
    certificate = certify_not_psd(m)
    assert check_certificate(certificate)
    assert len(certificate["matrix"]) == 4
    assert certify_not_psd(m + 2 * np.eye(2)) is None
    assert check_certificate(impossible_output(m, np.eye(2)))


def test_a_margin_keeps_rounding_from_being_called_a_violation():
    shift = np.array([[1.0, 0.5], [0.5, 1.0]])
    nearly = shift - 1e-14 * np.eye(2)
    assert certify_not_psd(nearly - shift) is not None
    assert impossible_output(nearly, shift) is None
    assert certify_not_psd(-np.eye(2), margin=0.5) is not None
    assert certify_not_psd(-np.eye(2), margin=2) is None


def test_random_certificates_agree_with_eigenvalues():
    rng = np.random.default_rng(0)
    for _ in range(50):
        g = rng.normal(size=(4, 4))
        m = g + g.T + rng.uniform(-4, 8) * np.eye(4)
        certificate = certify_not_psd(m)
        assert (certificate is not None) == (np.linalg.eigvalsh(m)[0] < 0)
        assert certificate is None or check_certificate(certificate)


def _tampered():
    good = impossible_output(np.diag([1.0, 0.0]), np.diag([0.0, 1.0]))
    yield "kind", {**good, "kind": "psd"}
    yield "vector", {**good, "vector": [1, 0]}
    yield "fraction", {**good, "vector": ["0", "1/2"]}
    yield "value", {**good, "value": "-1/3"}
    yield "margin", {**good, "margin": "2"}
    yield "matrix", {**good, "matrix": [["1", "0"], ["0", "-2"]]}
    yield "asymmetric", {**good, "matrix": [["1", "5"], ["0", "-1"]]}
    yield "ragged", {**good, "matrix": [["1", "0"], ["0"]]}
    yield "floats", {**good, "matrix": [[1.0, 0.0], [0.0, -1.0]]}
    yield "output", {**good, "output": [["1", "0"], ["0", "1"]]}
    yield "no shift", {key: value for key, value in good.items() if key != "shift"}
    yield "no matrix", {key: value for key, value in good.items() if key != "matrix"}
    yield "words", {**good, "value": "minus one"}
    yield "zero", {**good, "value": "1/0"}
    yield "none", None
    yield "empty", {"kind": "not_psd", "matrix": [], "vector": [], "value": "0", "margin": "0"}


@pytest.mark.parametrize(("what", "certificate"), list(_tampered()))
def test_tampered_certificates_are_rejected(what, certificate):
    assert check_certificate(impossible_output(np.diag([1.0, 0.0]), np.diag([0.0, 1.0])))
    assert not check_certificate(certificate)


def test_shapes_of_output_and_shift_must_agree():
    with pytest.raises(ValueError, match="one shape"):
        impossible_output(np.eye(2), np.eye(3))
