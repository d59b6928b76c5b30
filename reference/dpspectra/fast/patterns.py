"""Gelfand-Tsetlin patterns in float64: spectra of leading minors, and quadrature over the patterns below a row.

A pattern is an array ``(..., d, d)`` whose row ``r - 1`` holds the ``r`` descending eigenvalues of the leading minor of
order ``r``, then zeros.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.special import gammaln, xlogy

from dpspectra.fast.hciz import log_mean_exponential
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


def box(low: Real, high: Real, nodes: int) -> tuple[Real, Real]:
    """Gauss-Legendre points ``(..., N, r)`` of the box between ``low`` and ``high``, ``(..., r)``, and weights.

    The weights ``(..., N)`` sum to the volume of the box, in which sides of length 0 are left out.
    """
    u, w = np.polynomial.legendre.leggauss(nodes)
    grid, product = (np.stack(np.meshgrid(*[v] * low.shape[-1]), axis=-1).reshape(-1, low.shape[-1]) for v in (u, w))
    sides = np.where(high > low, high - low, 1.0)
    points = low[..., None, :] + (high - low)[..., None, :] * (grid + 1) / 2
    return points, np.prod(product / 2, axis=-1) * np.prod(sides, axis=-1)[..., None]


def vandermonde(row: Real, spectrum: Real) -> Real:
    """Product of the differences in a row ``(..., r)`` of the patterns below ``spectrum``, ``(..., d)``.

    Pairs that a tie of the spectrum holds together count as 1. The volume of the patterns below the row is a multiple.
    """
    r, over = row.shape[-1], spectrum.shape[-1] - row.shape[-1]
    out = np.ones(row.shape[:-1])
    for i, j in itertools.combinations(range(r), 2):
        tied = spectrum[..., i] == spectrum[..., j + over]
        out = out * np.where(tied, 1.0, row[..., i] - row[..., j])
    return out


def corners(spectrum: Real, nodes: int = 12) -> tuple[Real, Real]:
    """Points ``(..., N, d - 1)`` of the row below ``spectrum``, and weights ``(..., N)`` of sum 1: a uniform pattern.

    Means of polynomials of low degree come out exact.
    """
    points, weights = box(spectrum[..., 1:], spectrum[..., :-1], nodes)
    weights = weights * vandermonde(points, spectrum[..., None, :])
    return points, weights / np.sum(weights, axis=-1, keepdims=True)


def tilted_mass(m: Real, kappa: float, above: Real, low: Real, high: Real, nodes: int = 7) -> Any:
    """Integral of ``exp(kappa <diag(m), H>)`` over patterns with the row below ``above`` from ``low`` to ``high``.

    Up to a constant that depends on ``m`` and ``above`` only. Places where ``low`` and ``high`` agree are points. Seven
    nodes to an axis give ten digits up to ``kappa`` times both spreads of 4.
    """
    r = len(above) - 1
    rows, weights = box(low, high, nodes)
    logs = log_mean_exponential(m[:r], rows, kappa, nodes) - kappa * m[r] * np.sum(rows, axis=-1)
    return np.sum(weights * vandermonde(rows, above) * np.exp(logs))


def mean_square(spectrum: Real, r: int) -> Any:
    """Mean of the sum of squares of row ``r``, for a uniform pattern with last row ``(..., d)``; ``1 <= r <= d``."""
    if r == spectrum.shape[-1]:
        return np.sum(spectrum**2, axis=-1)
    points, weights = corners(spectrum, nodes=4)
    return np.sum(weights * mean_square(points, r), axis=-1)


def signed_gaps(gamma: Real, spectrum: Real) -> tuple[Real, Real]:
    """Sign, and value of ``max <M, .> - <M, H>``, of every ``H`` that commutes with ``M``, one per permutation."""
    orders = np.array(list(itertools.permutations(range(len(spectrum)))))
    i, j = np.triu_indices(len(spectrum), 1)
    inversions = np.sum(orders[:, i] > orders[:, j], axis=1)
    return np.where(inversions % 2, -1.0, 1.0), gamma @ spectrum - spectrum[orders] @ gamma


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


def exponential_differences(nodes: Real, t: Real, order: int = 0) -> Real:
    """Divided differences of ``x^order exp(t x)`` over the first ``i`` nodes, all ``i``; shape ``(..., r)``.

    They are the first row of a function of the bidiagonal matrix with the nodes on its diagonal (Opitz).
    """
    b = np.diag(nodes) + np.eye(len(nodes), k=1)
    return (expm(np.asarray(t)[..., None, None] * b) @ np.linalg.matrix_power(b, order))[..., 0, :]


def exponential_series(nodes: Real, t: Real, order: int = 0, first: int = 0, terms: int = 120) -> Real:
    """The same for non-negative nodes, order by order in ``t`` from ``q = first`` on: only positive terms.

    The divided difference over ``i`` nodes is ``sum_q h_q t^(i-1+q) / (i-1+q)!``, ``h`` complete homogeneous, of which
    the ``order``-th derivative in ``t`` is taken.
    """
    t = np.asarray(t, dtype=float)
    out, complete = np.zeros((*t.shape, len(nodes))), np.eye(1, terms)[0]
    for i, node in enumerate(nodes):
        for q in range(1, terms):
            complete[q] += node * complete[q - 1]
        power = np.arange(first, terms) + i - order
        with np.errstate(divide="ignore"):
            logs = xlogy(power, t[..., None]) - gammaln(power + 1)
        out[..., i] = np.sum(np.where(power >= 0, complete[first:] * np.exp(logs), 0.0), axis=-1)
    return out
