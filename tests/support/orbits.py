"""Matrices with bases of their eigenvectors, right ones and wrong ones."""

import flint
import numpy as np

from dpspectra.certified import eigenbasis


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


MATRICES = {
    "complex": np.array([[2.0, 0.5 - 0.25j, 0.0], [0.5 + 0.25j, 1.0, 1j], [0.0, -1j, -3.0]]),
    "large integers": np.array([[2**70 + 1, 3**40, 5], [3**40, -(2**69), 7], [5, 7, 11]], dtype=object),
}


def decomposed(m, temperature, library=None, module=eigenbasis):
    """The basis that a library finds; numpy's where none is given."""
    values, vectors = (library or np.linalg.eigh)(m.astype(complex if np.iscomplexobj(m) else float) * temperature)
    return module.Eigenbasis(m, temperature, values[::-1], vectors[:, ::-1])


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
