"""Leading eigenvectors alone: those among all of them, and all where the few are not certain."""

import numpy as np
import pytest

from dpspectra.fast import leading, linalg


def noisy(d, *signal):
    rng = np.random.default_rng(d)
    g = rng.standard_normal((d, d))
    directions = np.linalg.qr(rng.standard_normal((d, max(len(signal), 1))))[0][:, : len(signal)]
    return (g + g.T) / np.sqrt(8 * d) + directions * np.array(signal) @ directions.T


def agrees(a, k):
    values, vectors = leading.leading_eigenvectors(a, k)
    true, frame = linalg.eigenvectors(a)
    assert values[:k] == pytest.approx(true[:k], abs=1e-12 * np.max(np.abs(true)))
    gap = true[k - 1] - true[k]
    assert np.max(linalg.principal_angles(frame[:, :k], vectors[:, :k])) < 1e-12 * np.max(np.abs(true)) / gap
    assert linalg.spectral_norm(vectors[:, :k].T @ vectors[:, :k] - np.eye(k)) < 1e-12
    return len(values)


@pytest.mark.parametrize(("d", "k", "found"), [(40, 2, 2), (39, 1, 39), (59, 3, 59), (60, 3, 3), (100, 5, 5)])
@pytest.mark.parametrize("signal", [(), (3.0, 2.0), (1e12,), (-5.0, -4.0, -3.0)])
def test_the_few_of_a_wide_matrix_are_computed_alone(d, k, found, signal, monkeypatch):
    monkeypatch.setattr(leading, "WIDE", 40)
    assert agrees(noisy(d, *signal), k) == found


def test_all_may_be_negative(monkeypatch):
    monkeypatch.setattr(leading, "WIDE", 40)
    assert agrees(noisy(60) - 9 * np.eye(60), 2) == 2


def test_the_dimension_from_which_it_pays():
    for d, number in ((leading.WIDE - 1, leading.WIDE - 1), (leading.WIDE, 1)):
        assert len(leading.leading_eigenvectors(np.diag(np.arange(float(d))), 1)[0]) == number


def test_a_missed_eigenvalue_is_noticed(monkeypatch):
    """Iterations that return other eigenvectors than the leading ones, some twice, too long, or turned a little."""
    monkeypatch.setattr(leading, "WIDE", 40)
    a = noisy(60, 5.0, 3.0, 2.0)
    values, vectors = np.linalg.eigh(a)
    for places, factor in (([-3, -1], 1.0), ([-2], 1.0), ([-1], 1 + 1e-8), ([-1, -1], 1.0)):
        found = values[places], factor * vectors[:, places]
        monkeypatch.setattr("scipy.sparse.linalg.eigsh", lambda *_, found=found, **__: found)
        assert len(leading.leading_eigenvectors(a, len(places))[0]) == 60
    turned = vectors[:, -2:] @ np.array([[1.0, 1e-7], [-1e-7, 1.0]])
    monkeypatch.setattr("scipy.sparse.linalg.eigsh", lambda *_, **__: (values[-2:], turned))
    assert len(leading.leading_eigenvectors(a, 2)[0]) == 60
    monkeypatch.setattr("scipy.sparse.linalg.eigsh", lambda *_, **__: (values[-2:], vectors[:, -2:]))
    assert len(leading.leading_eigenvectors(a, 2)[0]) == 2


@pytest.mark.parametrize("a", [np.zeros((50, 50)), np.eye(50), np.diag([1.0] * 25 + [-1.0] * 25), -np.eye(50)])
def test_ties_are_no_matter(a, monkeypatch):
    monkeypatch.setattr(leading, "WIDE", 40)
    values, vectors = leading.leading_eigenvectors(a, 2)
    assert values[:2] == pytest.approx(np.sort(np.diag(a))[::-1][:2], abs=1e-12)
    assert np.allclose(a @ vectors[:, :2], vectors[:, :2] * values[:2], atol=1e-12)
    assert np.allclose(vectors[:, :2].T @ vectors[:, :2], np.eye(2), atol=1e-12)
