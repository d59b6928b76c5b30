"""Bases in balls, where those of floats are too coarse."""

import inspect

import numpy as np
import pytest
from flint import acb, acb_mat

from dpspectra.certified import ball_noise, eigenbasis, fine_eigenbasis
from dpspectra.certified.ball_chart import identity
from tests.support.faults import told_apart
from tests.support.orbits import hermitian, largest

KINDS = ("floats", "complex", "tied", "integers", "large")
LEVELS = np.array([3.0, 1.0, 0.5, 0.0, 0.0])


def found(m, temperature, vectors=None, module=fine_eigenbasis):
    """The basis for floats' eigenvectors, or for others."""
    floats = m.astype(complex if np.iscomplexobj(m) else float)
    values, own = np.linalg.eigh(floats)
    own = own if vectors is None else vectors
    return module.near_enough(m, temperature, values[::-1] * temperature, own[:, ::-1], LEVELS[: len(m)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("start", ["eigenvectors", "turned", "none"])
def test_a_fine_basis_is_exact_enough_at_any_size(kind, start):
    """Whatever basis it starts from, and where eigenvalues are alike or of different sizes."""
    m = hermitian(kind)
    vectors = {"eigenvectors": None, "turned": np.linalg.qr(np.arange(25.0).reshape(5, 5) + np.eye(5))[0]}
    for temperature in (2.0**70, 1e90 / np.abs(m.astype(complex)).max()):
        basis = found(m, temperature, vectors.get(start, np.full((5, 5), np.nan)))
        assert isinstance(basis, fine_eigenbasis.FineEigenbasis)
        with ball_noise.precision(900):
            q, a = basis.rows(range(5)), basis.matrix()
            assert largest(q * q.conjugate().transpose() - identity(5)) < 2.0**-800
            assert largest(q - acb_mat(basis.vectors.tolist())) <= basis.distance < 1e-14
            diagonal = acb_mat(
                [
                    [acb(ball_noise.exact(w)) if i == j else acb(0) for j in range(5)]
                    for i, w in enumerate(basis.weights)
                ]
            )
            assert largest(a - q * diagonal * q.conjugate().transpose()) <= basis.error
        assert basis.error * np.sum(np.abs(LEVELS - LEVELS[2])) < 2.0**-16
        assert all(x >= y for x, y in zip(basis.weights, basis.weights[1:], strict=False))


def test_floats_serve_where_they_are_near_enough():
    assert type(found(hermitian("floats"), 1.0)) is eigenbasis.Eigenbasis


# ---------------------------------------------------------------- planted faults


def bounds_its_error(module):
    """Right starts and wrong ones; the basis is nearly orthonormal and its errors are bounded."""
    start = np.linalg.qr(np.arange(25.0).reshape(5, 5) + np.eye(5))[0]
    for kind in ("complex", "integers"):
        m = hermitian(kind)
        for vectors in (None, start, np.ones((5, 5))):
            basis = found(m, 2.0**70, vectors, module)
            with ball_noise.precision(400):
                q, a = basis.rows(range(5)), basis.matrix()
                columns = [[acb(ball_noise.exact(w)) * (i == j) for j in range(5)] for i, w in enumerate(basis.weights)]
                apart = a - q * acb_mat(columns) * q.conjugate().transpose()
                near = largest(q * q.conjugate().transpose() - identity(5)) < 2.0**-300
                if not near or not largest(q - acb_mat(basis.vectors.tolist())) <= basis.distance:
                    return False
            if not largest(apart) <= basis.error < 2.0**-17 or sorted(basis.weights)[::-1] != list(basis.weights):
                return False
    return True


def measures(module):
    """The error and the distance are those of what was found, also if rotations end early."""
    kept, module.SWEEPS = module.SWEEPS, 0
    try:
        basis = found(hermitian("complex"), 2.0**70, None, module)
        with ball_noise.precision(400):
            q, a = basis.rows(range(5)), basis.matrix()
            columns = [[acb(ball_noise.exact(w)) * (i == j) for j in range(5)] for i, w in enumerate(basis.weights)]
            apart = largest(a - q * acb_mat(columns) * q.conjugate().transpose())
        return 1.0 < apart <= basis.error <= 1.1 * apart
    finally:
        module.SWEEPS = kept


FAULTS = {
    "no distance of the floats": ("* self._defect + _norm(self._found - acb_mat(floats.tolist()))", "* self._defect"),
    "another order": ("reverse=True)", "reverse=False)"),
    "no residual": ("self.error = _norm(a - q *", "self.error = 0 * _norm(a - q *"),
    "the adjoint is the transpose": ("[[x.conjugate() for x in column]", "[[x for x in column]"),
    "another rotation": ("(-1 if ratio < 0 else 1)", "1"),
    "no phase": ("phase = t[p, q] / length", "phase = acb(1)"),
    "few bits": ("GUARD + max(0,", "53 + 0 * max(0,"),
    "no rotation of the rows": ("t[[p, q]] = _middles(_adjoint(j) @ t[[p, q]])", "pass"),
}

test_planted_faults_are_seen = told_apart((bounds_its_error, measures), inspect.getsource(fine_eigenbasis), FAULTS)
