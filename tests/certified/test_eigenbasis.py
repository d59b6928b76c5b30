"""Eigenbases and the bounds on their errors."""

import flint
import numpy as np
import pytest

from dpspectra.certified import balls
from dpspectra.certified.ball_chart import identity
from tests.support.orbits import decomposed, hermitian, largest, wrong

KINDS = ("floats", "complex", "tied", "integers", "large")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 6])
def test_a_basis_is_orthonormal_and_its_error_is_bounded(kind, d):
    m = hermitian(kind, d) if d > 1 else hermitian(kind, 2)[:1, :1]
    basis = decomposed(m, 0.3)
    with balls.precision(300):
        q, a = basis.rows(range(d)), basis.matrix()
        adjoint = q.conjugate().transpose()
        assert largest(q * adjoint - identity(d)) < 2.0**-280
        assert largest(q - flint.acb_mat(basis.vectors.tolist())) <= basis.distance
        diagonal = flint.acb_mat([[w if i == j else 0.0 for j in range(d)] for i, w in enumerate(basis.weights)])
        assert largest(a - q * diagonal * adjoint) <= basis.error
        assert largest(a - flint.acb_mat((m * 0.3).astype(complex).tolist())) <= 2.0**-52 * largest(a)
        assert q[0, 0].overlaps(basis.rows([0])[0, 0])
    assert np.all(np.diff(basis.weights) <= 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_basis_is_known_to_be_wrong(kind, monkeypatch):
    monkeypatch.setattr(np.linalg, "eigh", wrong(0.03, 1.02))
    test_a_basis_is_orthonormal_and_its_error_is_bounded(kind, 6)


def test_a_library_that_returns_no_basis_is_refused(monkeypatch):
    for vectors in (np.ones((2, 2)), np.full((2, 2), np.nan)):
        monkeypatch.setattr(np.linalg, "eigh", lambda a, vectors=vectors: (np.zeros(2), vectors))
        with pytest.raises(RuntimeError, match="nearly orthonormal"):
            decomposed(np.eye(2), 1.0)
