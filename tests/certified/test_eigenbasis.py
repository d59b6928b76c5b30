"""Eigenbases and the bounds on their errors."""

import inspect

import flint
import numpy as np
import pytest
from flint import acb_mat, arb

from dpspectra.certified import ball_noise, eigenbasis
from dpspectra.certified.ball_chart import identity
from tests.support.faults import told_apart
from tests.support.orbits import MATRICES, decomposed, hermitian, largest, wrong
from tests.support.strings import BITS

KINDS = ("floats", "complex", "tied", "integers", "large")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 6])
def test_a_basis_is_orthonormal_and_its_error_is_bounded(kind, d):
    m = hermitian(kind, d) if d > 1 else hermitian(kind, 2)[:1, :1]
    basis = decomposed(m, 0.3)
    with ball_noise.precision(300):
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


# ---------------------------------------------------------------- planted faults


def within(matrix, bound):
    """Whether the Frobenius norm of a matrix in balls is at most a float."""
    return sum((x.abs_upper() ** 2 for x in matrix.entries()), arb(0)) <= ball_noise.exact(bound) ** 2


def exact_matrix(m):
    return acb_mat([[flint.acb(ball_noise.exact(x.real), ball_noise.exact(x.imag)) for x in row] for row in m.tolist()])


def bounds_its_error(module):
    """Right libraries and wrong ones; a product that underflows."""
    cases = [(m, t, library) for m in MATRICES.values() for t in (0.3, 1.0) for library in (None, wrong(0.1, 1.05))]
    for m, t, library in [*cases, (np.array([[2.0**-600]]), 2.0**-560, None)]:
        basis, exact = (decomposed(m, t, library, x) for x in (module, eigenbasis))
        d = len(m)
        with ball_noise.precision(BITS):
            q, a = exact.rows(range(d)), exact_matrix(m) * ball_noise.exact(t)
            diagonal = acb_mat(np.diag(basis.weights).tolist())
            near = within(q - acb_mat(basis.vectors.tolist()), basis.distance)
            if not near or not within(a - q * diagonal * q.conjugate().transpose(), basis.error):
                return False
            if not all(x.overlaps(y) for x, y in zip(a.entries(), basis.matrix().entries(), strict=True)):
                return False
        if library is None and not basis.error <= 1e-12 * np.abs(m.astype(complex)).max():
            return False
    return True


def has_orthonormal_rows(module):
    """To all digits, in the order that was asked for; few digits enclose what many do."""
    for m in MATRICES.values():
        basis = decomposed(m, 1.0, wrong(0.1, 1.05), module)
        exact = decomposed(m, 1.0, wrong(0.1, 1.05))
        with ball_noise.precision(4 * BITS):
            finest = exact.rows([2, 0])
        for bits in (64, 100, 150, 200, BITS):
            with ball_noise.precision(bits):
                rows = basis.rows([2, 0])
                narrow = within(rows * rows.conjugate().transpose() - identity(2), 2.0 ** (16 - bits))
                if not narrow or not rows.overlaps(finest):
                    return False
    return True


def refuses_what_is_no_basis(module):
    for vectors in (np.ones((2, 2)), np.full((2, 2), np.nan)):
        try:
            decomposed(np.eye(2), 1.0, lambda a, vectors=vectors: (np.zeros(2), vectors), module)
        except RuntimeError:
            continue
        return False
    return True


FAULTS = {
    "no distance": ("enclosed_eigenvalues.NEAREST * self._defect", "0.0"),
    "no residual": ("enclosed_eigenvalues.residual_bound(a, self.vectors, self.weights) + formed", "formed"),
    "no allowance for underflow": ("np.linalg.norm(a)) + TINY", "np.linalg.norm(a))"),
    "bases of any quality": ("if not np.isfinite(self.error):", "if np.isnan(self.error):"),
    "no temperature in balls": ("ball_noise.exact(x.imag)) * temperature", "ball_noise.exact(x.imag))"),
    "another sign of the series": ("(arb(1) / 2 - n) / n", "(n - arb(1) / 2) / n"),
    "another power of the series": ("(arb(1) / 2 - n) / n", "(arb(1) - n) / n"),
    "no defect but the product": ("term * adjoint * basis - term", "term * adjoint * basis"),
    "not the adjoint": ("basis.conjugate().transpose()", "basis.transpose()"),
    "a rest of one power more": (
        "ball_noise.exact(self._defect), 1\n",
        "ball_noise.exact(self._defect) ** 2, 1\n",
    ),
    "a rest of twice the power": (
        "rest *= ball_noise.exact(self._defect)",
        "rest *= ball_noise.exact(self._defect) ** 2",
    ),
    "few terms": ("rest > arb(2) ** -flint.ctx.prec", "rest > arb(2) ** -50"),
    "rows in another order": ("for i in places]", "for i in sorted(places)]"),
}

test_planted_faults_are_seen = told_apart(
    (refuses_what_is_no_basis, bounds_its_error, has_orthonormal_rows), inspect.getsource(eigenbasis), FAULTS
)
