"""Certified orbits: bases and their errors, the last step that makes the law right, lines and hyperplanes in all laws.

Fixed seeds. A statistical comparison of a true law fails with probability `ALARM` each.
"""

import flint
import numpy as np
import pytest
from scipy import stats

import dpspectra as dps
from dpspectra import sampling
from dpspectra.certified import balls
from dpspectra.certified.ball_chart import BallChart, identity
from dpspectra.certified.bingham import Bingham
from dpspectra.certified.correction import Correction
from dpspectra.certified.eigenbasis import Eigenbasis
from tests.helpers import ALARM


def entropy(i=0):
    return dps.Entropy(i.to_bytes(32, "big"))


def largest(m):
    """Bound on the Frobenius norm of a matrix in balls."""
    return float(sum((x.abs_upper() ** 2 for x in m.entries()), flint.arb(0)).sqrt().upper())


def hermitian(kind, d=5, seed=0):
    """Matrices of integers and floats: graded, tied and random."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(3 * d, d)) * np.logspace(0, -3, d)
    if kind == "complex":
        x = x + 1j * rng.normal(size=(3 * d, d))
    m = x.conj().T @ x
    m = (m + m.conj().T) / 2
    if kind == "tied":
        return np.diag(np.repeat([3.0, 1.0], [2, d - 2])) + 0.0
    return (
        np.rint(m * 2**30).astype(np.int64).astype(object if kind == "large" else np.int64)
        if kind in ("integers", "large")
        else m
    )


def decomposed(m, temperature):
    """The basis that a library finds."""
    values, vectors = np.linalg.eigh(m.astype(complex if np.iscomplexobj(m) else float) * temperature)
    return Eigenbasis(m, temperature, values[::-1], vectors[:, ::-1])


KINDS = ("floats", "complex", "tied", "integers", "large")


# ---------------------------------------------------------------- the basis


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


def wrong(angle, factor):
    """An ``eigh`` whose vectors are turned, no longer orthonormal, and whose values are off."""
    exact = np.linalg.eigh

    def eigh(a):
        values, vectors = exact(a)
        turned = vectors.copy()
        turned[:, 0] = np.cos(angle) * vectors[:, 0] - np.sin(angle) * vectors[:, -1]
        turned[:, -1] = np.sin(angle) * vectors[:, 0] + np.cos(angle) * vectors[:, -1]
        return values * factor, turned * (1 + 2.0**-20)

    return eigh


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_basis_is_known_to_be_wrong(kind, monkeypatch):
    monkeypatch.setattr(np.linalg, "eigh", wrong(0.03, 1.02))
    test_a_basis_is_orthonormal_and_its_error_is_bounded(kind, 6)


def test_a_library_that_returns_no_basis_is_refused(monkeypatch):
    for vectors in (np.ones((2, 2)), np.full((2, 2), np.nan)):
        monkeypatch.setattr(np.linalg, "eigh", lambda a, vectors=vectors: (np.zeros(2), vectors))
        with pytest.raises(RuntimeError, match="nearly orthonormal"):
            decomposed(np.eye(2), 1.0)


# ---------------------------------------------------------------- the last step


M = np.array([[3.0, 0.5, 0.0], [0.5, 1.0, -0.25], [0.0, -0.25, 0.5]])


class Everything(Correction):
    """No last step."""

    def accepts(self, draw, source):
        return True


def released(m, sampler, spectrum, step, size, library=np.linalg.eigh, raised=0.0):
    """Draws for ``exp(<m, H>)`` in the coordinates of ``m``, in floats, and how many were lost."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np.linalg, "eigh", library)
        basis = decomposed(m, 1.0)
    source = entropy()
    weights = basis.weights + raised
    law, last = sampler(weights), step(basis, weights, np.array(spectrum, float))
    found, lost = [], 0
    while len(found) < size:
        draw = law.draw(source)
        if last.accepts(draw, source):
            found.append(basis.vectors @ draw.estimate @ basis.vectors.conj().T)
        else:
            lost += 1
    return np.array(found), lost


def surprise(h, m, spectrum, field):
    """Smallest p-value among some linear features, times their number."""
    reference = sampling.orbit(m, spectrum, 1.0, size=20000, field=field, rng=1)
    features = [np.diag([1.0, 0, 0]), m, np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0.0]]), np.diag([0, 0, 1.0])]
    p = [stats.ks_2samp(*(np.einsum("nij,ji->n", x, f).real for x in (h, reference))).pvalue for f in features]
    return len(features) * min(p)


CASES = {
    "real line": (lambda w: Bingham(w, 1, "real"), [1, 0, 0], "real"),
    "complex line": (lambda w: Bingham(w, 1, "complex"), [1, 0, 0], "complex"),
    "real plane": (lambda w: Bingham(w, 2, "real"), [1, 1, 0], "real"),
    "chart": (lambda w: BallChart(w, 1), [1, 0, 0], "complex"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_last_step_restores_the_law_of_a_wrong_basis(case):
    """Vectors turned by 0.4: without the step the law is visibly wrong."""
    sampler, spectrum, field = CASES[case]
    right, lost = released(M, sampler, spectrum, Correction, 400, wrong(0.4, 1.0))
    unmended, _ = released(M, sampler, spectrum, Everything, 4000, wrong(0.4, 1.0))
    assert lost > 100
    assert surprise(right, M, spectrum, field) > ALARM
    assert surprise(unmended, M, spectrum, field) < 1e-9


def test_the_last_step_lowers_weights_that_were_raised():
    sampler, spectrum, field = CASES["chart"]
    raised = np.array([0.6, 0.0, 0.0])
    right, lost = released(M, sampler, spectrum, Correction, 1500, raised=raised)
    assert lost > 100
    assert surprise(right, M, spectrum, field) > ALARM
    unmended, _ = released(M, sampler, spectrum, Everything, 1500, raised=raised)
    assert surprise(unmended, M, spectrum, field) < 1e-3


def test_the_last_step_keeps_nearly_all_draws_of_a_right_basis():
    assert all(released(M, CASES[case][0], CASES[case][1], Correction, 300)[1] == 0 for case in CASES)


def test_floats_decide_the_last_step_as_balls_do(monkeypatch):
    monkeypatch.setattr(np.linalg, "eigh", wrong(0.1, 1.05))
    spectrum = np.array([1.0, 0.0, 0.0])
    basis = decomposed(M, 1.0)
    weights = basis.weights + np.array([0.5, 0, 0])
    last, source = Correction(basis, weights, spectrum), entropy(3)
    law = BallChart(weights, 1)
    draws = [(law.draw(source), i) for i in range(300)]
    before = [last.accepts(draw, entropy(i)) for draw, i in draws]
    monkeypatch.setattr(Correction, "_lost", lambda self, draw: (0.0, np.inf))
    assert before == [last.accepts(draw, entropy(i)) for draw, i in draws]
    assert 30 < sum(before) < 270


# ---------------------------------------------------------------- lines and hyperplanes


WEIGHTS = {
    "d = 2": [2.0, 0.0],
    "tied": [0.0, 0.0, 0.0],
    "near tie": [5.0, 5.0 - 1e-12, 1.0, 1.0],
    "concentrated": [1e9, 0.0, -5.0],
    "d = 12": list(np.linspace(30, -3, 12)),
}


def laws():
    for name, weights in WEIGHTS.items():
        for rank in sorted({1, len(weights) - 1}):
            for field in ("real", "complex"):
                yield pytest.param(np.array(weights), rank, field, id=f"{name}, rank {rank}, {field}")


@pytest.mark.parametrize(("weights", "rank", "field"), [*laws()])
def test_projectors_in_floats_are_those_in_balls(weights, rank, field):
    law, source, d = Bingham(weights, rank, field), entropy(5), len(weights)
    for _ in range(40):
        draw = law.draw(source)
        with balls.precision(160):
            exact = draw.times(identity(d), 64)
            assert largest(flint.acb_mat(draw.estimate.tolist()) - exact) <= draw.error < 2.0**-36
            assert (exact * exact).overlaps(exact)
        assert draw.estimate.dtype == (complex if field == "complex" else float)
        assert np.array_equal(draw.estimate, draw.estimate.conj().T)


@pytest.mark.parametrize(("weights", "rank", "field"), [*laws()])
def test_balls_accept_the_proposals_that_floats_do(weights, rank, field, monkeypatch):
    before = [Bingham(weights, rank, field).draw(entropy(i)).estimate for i in range(10)]
    unknown = lambda self, errors, clear: (np.full(len(errors), -np.inf), np.full(len(errors), np.inf))  # noqa: E731
    monkeypatch.setattr("dpspectra.certified.bingham._Proposals._excesses", unknown)
    after = [Bingham(weights, rank, field).draw(entropy(i)).estimate for i in range(10)]
    assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True))


@pytest.mark.parametrize(("weights", "rank", "field"), [*laws()])
def test_projectors_have_the_law(weights, rank, field):
    law, source, d = Bingham(weights, rank, field), entropy(6), len(weights)
    h = np.array([law.draw(source).estimate for _ in range(600)])
    reference = sampling.orbit(np.diag(weights), [1] * rank + [0] * (d - rank), 1.0, size=6000, field=field, rng=2)
    for i, j in ((0, 0), (d - 1, d - 1), (0, 1)):
        features = [np.abs(x[:, i, j]) if i != j else x[:, i, j].real for x in (h, reference)]
        if max(map(np.ptp, features)) > 1e-12:
            assert stats.ks_2samp(*features).pvalue > ALARM
