"""Hermitian linear algebra on float64 arrays, batched over leading axes.

Hermitian means real symmetric for real arrays. Spectra are descending. Rows of a data array are people: row ``i`` is
the vector ``x_i`` and `gram` is the sum of ``x_i x_i*``.
"""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

INDEXED = 100
"""Dimensions up to which places in a matrix are remembered; beyond, they would take as much room as the matrix."""

Array = NDArray[np.inexact]
Real = NDArray[np.floating[Any]]


def adjoint(a: Array) -> Array:
    """Conjugate transpose of ``(..., m, n)``."""
    return np.conj(np.swapaxes(a, -1, -2))


def hermitian_part(a: Array) -> Array:
    """Return ``(a + a*) / 2``, exactly Hermitian, while a computed product may be so only up to rounding."""
    return (a + adjoint(a)) / 2


def gram(rows: Array) -> Array:
    """Sum of ``x x*`` over the rows of ``(..., n, d)``; shape ``(..., d, d)``."""
    return np.swapaxes(rows, -1, -2) @ np.conj(rows)


def outer(x: Array) -> Array:
    """Rank-one matrix ``x x*`` of ``(..., d)``."""
    return x[..., :, None] * np.conj(x[..., None, :])


def inner(a: Array, b: Array) -> Real:
    """Real part of ``Tr(a* b)``, over the last two axes."""
    return np.real(np.sum(np.conj(a) * b, axis=(-2, -1)))


def quadratic(a: Array, x: Array) -> Real:
    """Real part of ``x* a x`` for ``a`` of shape ``(..., d, d)`` and ``x`` of shape ``(..., d)``."""
    return np.real(np.einsum("...i,...ij,...j->...", np.conj(x), a, x))


def eigenvalues(a: Array) -> Real:
    """Spectrum of a Hermitian matrix, descending."""
    return np.linalg.eigvalsh(a)[..., ::-1]


def eigenvectors(a: Array) -> tuple[Real, Array]:
    """Spectrum, descending, and orthonormal eigenvectors as columns in the same order."""
    values, vectors = np.linalg.eigh(a)
    return values[..., ::-1], vectors[..., ::-1]


def is_definite(a: Array) -> bool:
    """Whether a Hermitian matrix has a Cholesky factor, as positive definite ones have, up to rounding."""
    try:
        np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return False
    return True


def top_projector(a: Array, k: int) -> Array:
    """Projector on the span of eigenvectors of the ``k`` largest eigenvalues (any such span at a tie)."""
    top = eigenvectors(a)[1][..., :k]
    return top @ adjoint(top)


def singular_values(a: Array) -> Real:
    """Singular values, descending."""
    return np.linalg.svd(a, compute_uv=False)


def spectral_norm(a: Array) -> Real:
    """Largest singular value."""
    return singular_values(a)[..., 0]


def frobenius_norm(a: Array) -> Real:
    """Root of the sum of squared moduli of the entries."""
    return np.sqrt(np.sum(np.abs(a) ** 2, axis=(-2, -1)))


def least_distance(points: Array) -> float:
    """Smallest Frobenius distance of two of several matrices."""
    a, b = np.triu_indices(len(points), 1)
    return float(np.min(frobenius_norm(points[a] - points[b])))


def larger_sum(values: Real) -> float:
    """Return the sum of the positive numbers, or that of the moduli of the negative ones if it is larger."""
    return float(max(np.sum(values[values > 0]), -np.sum(values[values < 0])))


def nuclear_norm(a: Array) -> Real:
    """Sum of the singular values."""
    return np.sum(singular_values(a), axis=-1)


def upper_triangle(a: Array) -> Array:
    """Entries on and above the diagonal, row by row; shape ``(..., d (d + 1) / 2)``."""
    i, j = _triangle(a.shape[-1])
    return a[..., i, j]


def mirror(upper: Array, d: int) -> Array:
    """Rebuild the real symmetric ``(..., d, d)`` from `upper_triangle`."""
    out = np.zeros((*upper.shape[:-1], d, d), dtype=upper.dtype)
    if d <= INDEXED:
        i, j = _triangle(d)
        out[..., i, j] = out[..., j, i] = upper
        return out
    first = 0
    for row in range(d):
        out[..., row, row:] = out[..., row:, row] = upper[..., first : (first := first + d - row)]
    return out


@functools.lru_cache(maxsize=1)
def _triangle(d: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the entries on and above the diagonal; a mechanism asks twice."""
    places = np.triu_indices(d)
    for indices in places:
        indices.flags.writeable = False
    return places


def principal_angles(u: Array, v: Array) -> Real:
    """Principal angles between column spans, ascending, in radians.

    ``u`` is ``(..., d, k)`` and ``v`` is ``(..., d, l)`` with orthonormal columns; ``min(k, l)`` angles come back. Both
    cosines (singular values of ``u* v``) and sines (of the part of the smaller frame outside the larger span) are used,
    so that tiny and near-right angles keep full relative accuracy.
    """
    if u.shape[-1] < v.shape[-1]:
        u, v = v, u
    cosines = singular_values(adjoint(u) @ v)
    sines = singular_values(v - u @ (adjoint(u) @ v))[..., ::-1]
    return np.arctan2(sines, cosines)


def polar_factor(a: Array) -> Array:
    """Nearest matrix with orthonormal columns to ``(..., d, k)``, ``d >= k`` (one of them where the rank is short)."""
    left, _, right = np.linalg.svd(a, full_matrices=False)
    return left @ right


def psd_projection(h: Array) -> Array:
    """Frobenius-nearest positive semidefinite matrix to Hermitian ``(..., d, d)``: negative eigenvalues become 0."""
    values, vectors = eigenvectors(h)
    return _semidefinite(np.maximum(values, 0.0), vectors)


def _semidefinite(values: Array, vectors: Array) -> Array:
    """Matrix with these eigenvalues, none of them negative, and eigenvectors."""
    roots = vectors * np.sqrt(values)[..., None, :]
    return hermitian_part(roots @ adjoint(roots))


def to_trace(values: Real, total: float) -> Real:
    """Return the non-negative vector of sum ``total`` nearest to a descending one.

    One number is subtracted from all entries, and the rest is clipped at 0.
    """
    excess = (np.cumsum(values) - total) / np.arange(1, len(values) + 1)
    kept = np.flatnonzero(values >= excess)  # the first always, also where the sum is lost in rounding
    return np.maximum(values - excess[kept[-1]], 0.0) if total > 0 else np.zeros(len(values))


def trace_projection(h: Array, trace: float) -> Array:
    """Frobenius-nearest positive semidefinite matrix of trace at most ``trace`` to Hermitian ``(d, d)``."""
    values, vectors = eigenvectors(h)
    nearest = np.maximum(values, 0.0)
    return _semidefinite(nearest if np.sum(nearest) <= trace else to_trace(values, trace), vectors)


def orbit_projection(h: Array, spectrum: Array) -> Array:
    """Frobenius-nearest matrix to ``h`` with the given descending ``spectrum``: same eigenvectors, new eigenvalues.

    The Hermitian part is taken first. A tie among eigenvalues of ``h`` is broken as LAPACK orders the vectors.
    """
    _, vectors = eigenvectors(hermitian_part(h))
    return hermitian_part((vectors * spectrum[..., None, :]) @ adjoint(vectors))
