"""Gelfand-Tsetlin patterns in float64: spectra of leading minors, and quadrature over the patterns below a row.

A pattern is an array ``(..., d, d)`` whose row ``r - 1`` holds the ``r`` descending eigenvalues of the leading minor of
order ``r``, then zeros.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import Array, Real, adjoint, eigenvalues


def minors(h: Array) -> Real:
    """Pattern of the Hermitian ``(..., d, d)``."""
    d = h.shape[-1]
    out = np.zeros(h.shape)
    for r in range(1, d + 1):
        out[..., r - 1, :r] = eigenvalues(h[..., :r, :r])
    return out


def bounds(pattern: Real, r: int) -> tuple[Real, Real]:
    """Least and largest values that the other rows leave to the entries of row ``r < d``, each ``(..., r)``."""
    low, high = pattern[..., r, 1 : r + 1].copy(), pattern[..., r, :r].copy()
    if r > 1:
        row = pattern[..., r - 2, : r - 1]
        low[..., :-1], high[..., 1:] = np.maximum(low[..., :-1], row), np.minimum(high[..., 1:], row)
    return low, high


def corners(spectrum: Real, nodes: int = 12) -> tuple[Real, Real]:
    """Gauss-Legendre points ``(..., N, d - 1)`` for the row below ``spectrum``, and weights ``(..., N)`` of sum 1.

    The weights are those of the uniform law on all patterns: the volume below a row is proportional to its Vandermonde
    product, in which pairs held together by a tie of ``spectrum`` count as 1. Exact for polynomials of low degree.
    """
    d = spectrum.shape[-1]
    u, w = np.polynomial.legendre.leggauss(nodes)
    grid, product = (np.stack(np.meshgrid(*[v] * (d - 1)), axis=-1).reshape(-1, d - 1) for v in ((u + 1) / 2, w))
    low, high = spectrum[..., None, 1:], spectrum[..., None, :-1]
    points, weights = low + (high - low) * grid, np.prod(product, axis=-1)
    for i, j in itertools.combinations(range(d - 1), 2):
        tied = spectrum[..., i, None] == spectrum[..., j + 1, None]
        weights = weights * np.where(tied, 1.0, points[..., i] - points[..., j])
    return points, weights / np.sum(weights, axis=-1, keepdims=True)


def mean_square(spectrum: Real, r: int) -> Any:
    """Mean of the sum of squares of row ``r``, for a uniform pattern with last row ``(..., d)``; ``1 <= r <= d``."""
    if r == spectrum.shape[-1]:
        return np.sum(spectrum**2, axis=-1)
    points, weights = corners(spectrum, nodes=4)
    return np.sum(weights * mean_square(points, r), axis=-1)


def quadratic_form_tail(spectrum: NDArray[Any], t: float) -> float:
    """Probability that ``u* diag(spectrum) u > t`` for a uniform complex unit vector ``u``; descending eigenvalues.

    By the recursion for B-splines this is a mean of what remains without the largest or without the least eigenvalue.
    """
    if spectrum[-1] >= t or spectrum[0] <= t:
        return float(spectrum[-1] >= t)
    share = (spectrum[0] - t) / (spectrum[0] - spectrum[-1])
    return share * quadratic_form_tail(spectrum[:-1], t) + (1 - share) * quadratic_form_tail(spectrum[1:], t)


def reconstruct(pattern: Real, phases: Array) -> Array:
    """Hermitian ``(..., d, d)`` with the given pattern; the borders get the phases ``(..., d - 1, d - 1)``, row by row.

    In the eigenbasis of the minor of order ``r`` the next one is ``[[diag(mu), z], [z*, c]]``. Entries of ``mu`` that
    the next row repeats have ``z_j = 0``; the others and what is left of the next row interlace strictly.
    """
    d = pattern.shape[-1]
    h = np.zeros(pattern.shape, dtype=complex)
    h[..., 0, 0] = pattern[..., 0, 0]
    for r in range(1, d):
        mu, values = pattern[..., r - 1, :r], pattern[..., r, : r + 1]
        _, vectors = np.linalg.eigh(h[..., :r, :r])
        z = np.sqrt(border_squares(mu, values)) * phases[..., r - 1, :r]
        column = (vectors[..., ::-1] @ z[..., None])[..., 0]
        h[..., :r, r], h[..., r, :r] = column, np.conj(column)
        h[..., r, r] = np.sum(values, axis=-1) - np.sum(mu, axis=-1)
    return (h + adjoint(h)) / 2


def border_squares(mu: Real, values: Real) -> Real:
    """Squared moduli of the border: residues ``-prod_i (mu_j - values_i) / prod_(l != j) (mu_j - mu_l)``.

    Equal factors of numerator and denominator cancel. What a repeated entry of ``mu`` is owed goes to its first copy.
    """
    numerator, denominator = mu[..., :, None] - values[..., None, :], mu[..., :, None] - mu[..., None, :]
    zeros, copies = np.sum(numerator == 0, axis=-1), np.sum(denominator == 0, axis=-1)
    first = ~np.any(np.tril(denominator == 0, -1), axis=-1)
    residue = np.prod(np.where(numerator == 0, 1.0, np.abs(numerator)), axis=-1)
    residue = residue / np.prod(np.where(denominator == 0, 1.0, np.abs(denominator)), axis=-1)
    return np.where(first & (zeros == copies - 1), residue, 0.0)
