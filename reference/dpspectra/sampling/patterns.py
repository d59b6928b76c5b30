"""Gelfand-Tsetlin patterns: spectra of the leading principal minors of a Hermitian matrix, and the way back.

A pattern is an array ``(..., d, d)`` whose row ``r - 1`` holds, in its first ``r`` places and descending, the spectrum
of the leading minor of order ``r``; the other places are 0. Consecutive rows interlace, and the last one is the
spectrum of the matrix. For a unitary orbit under the Haar law the pattern is uniform on the polytope those
inequalities cut out, and given the pattern the matrix is determined but for independent uniform phases. As the trace
of ``diag(m) H`` is ``sum_r (m_r - m_{r+1}) sum_j x_{r,j}`` plus a constant (``m_{d+1} = 0``), sampling ``H`` with a
linear exponent means sampling a pattern with a linear exponent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

RESOLUTION = 2.0**80
"""Levels are read to this fraction of 1, far below the rounding of a matrix entry, so that no quotient overflows."""


def unit_levels(spectrum: NDArray[Any]) -> tuple[NDArray[Any], float, float]:
    """``levels`` in ``[0, 1]``, ``base`` and ``spread`` with ``spectrum = base + spread levels``; ties stay ties."""
    base, spread = float(spectrum[-1]), float(spectrum[0] - spectrum[-1])
    return (spectrum - base) / (spread or 1.0), base, spread


def frozen(spectrum: NDArray[Any]) -> NDArray[np.bool_]:
    """Cells ``(d, d)`` that ties of the spectrum hold fixed, the last row included; False outside the pattern.

    Entry ``j`` of the row of length ``r`` lies between the ``j``-th and the ``(j + d - r)``-th value of the spectrum.
    """
    top, bottom = extremes(spectrum)
    return (top == bottom) & np.tri(len(spectrum), dtype=bool)


def extremes(spectrum: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The entrywise largest and least pattern of a spectrum, each ``(d, d)``."""
    d = len(spectrum)
    row, place = np.indices((d, d))
    inside = place <= row
    return spectrum[place] * inside, spectrum[np.where(inside, place + d - 1 - row, 0)] * inside


def interlaces(pattern: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether every row of ``(..., d, d)`` lies between the neighbours in the next one; shape ``(...)``."""
    d = pattern.shape[-1]
    upper, lower = pattern[..., 1:, : d - 1], pattern[..., 1:, 1:]
    row = pattern[..., :-1, : d - 1]
    return np.all(((upper >= row) & (row >= lower)) | ~np.tri(d - 1, dtype=bool), axis=(-2, -1))


def reconstruct(pattern: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Hermitian matrices ``(size, d, d)`` with the given patterns of levels in ``[0, 1]``, uniform given them.

    All patterns ``(size, d, d)`` share their last row. The minor of order ``r + 1`` is the minor of order ``r``,
    diagonal ``mu`` in its eigenbasis ``V``, with a border ``V z`` and a corner. The moduli of ``z`` follow from both
    spectra (`border`), its phases are uniform, the corner is the difference of the traces. Values that ties freeze are
    shared by both spectra, have no part in ``z`` now or later, and are left out of ``V``: the cost is
    ``sum_r r f_r^2`` for ``f_r`` free cells.
    """
    size, d = pattern.shape[:2]
    out = np.zeros((size, d, d), dtype=complex)
    free = ~frozen(pattern[0, -1]) if size else np.zeros((d, d), dtype=bool)
    pattern = np.rint(pattern * RESOLUTION) / RESOLUTION
    vectors = np.zeros((size, 0, 0), dtype=complex)
    mu = np.zeros((size, 0))
    for r in range(d):  # from order r to order r + 1
        coupled = np.append(free[r - 1, :r], True) if r else np.array([True])
        values = pattern[:, r, : r + 1][:, coupled]
        z, basis = border(mu, values)
        turned = vectors * np.exp(2j * np.pi * rng.random(mu.shape))[:, None, :]
        column = (turned @ z[:, :, None])[:, :, 0]
        out[:, :r, r], out[:, r, :r] = column, np.conj(column)
        out[:, r, r] = np.sum(values, axis=1) - np.sum(mu, axis=1)
        kept = free[r, : r + 1][coupled]
        mu = values[:, kept]
        vectors = np.concatenate([turned @ basis[:, :-1, kept], basis[:, -1:, kept]], axis=1)
    return out


def border(mu: NDArray[Any], values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Moduli ``z`` ``(size, f)`` of the border that turns the spectrum ``mu`` into ``values``, and the eigenvectors.

    ``mu`` is ``(size, f)``, ``values`` is ``(size, f + 1)``, interlacing. The characteristic polynomial of
    ``[[diag(mu), z], [z', c]]`` at ``mu_j`` gives ``z_j^2 = -prod_i (mu_j - values_i) / prod_{l != j} (mu_j - mu_l)``,
    a product of differences of given numbers, hence accurate to rounding however close they are; the eigenvector for
    ``values_i`` is ``(z_j / (values_i - mu_j), 1)`` normalised, so the columns ``(size, f + 1, f + 1)`` are orthonormal
    to rounding. Values that coincide exactly are paired off first: their ``z_j`` is 0 and their eigenvector a unit one.
    """
    paired = _paired(mu, values)
    gone, taken = np.max(paired, axis=2, initial=False), np.max(paired, axis=1, initial=False)
    differences = values[:, None, :] - mu[:, :, None]
    numerator = np.where(taken[:, None, :], 1.0, np.abs(differences))
    steps = np.where(gone[:, None, :] | np.eye(mu.shape[1], dtype=bool), 1.0, np.abs(mu[:, None, :] - mu[:, :, None]))
    with np.errstate(divide="ignore", invalid="ignore"):  # only where paired, and replaced
        square = np.prod(numerator[:, :, :-1] / steps, axis=2) * numerator[:, :, -1]
        z = np.where(gone, 0.0, np.sqrt(square))
        bare = gone[:, :, None] | taken[:, None, :]
        parts = np.where(bare, paired, z[:, :, None] / differences)
    last = np.where(taken, 0.0, 1.0)[:, None, :]
    basis = np.concatenate([parts, last], axis=1)
    return z, basis / np.linalg.norm(basis, axis=1, keepdims=True)


def _paired(mu: NDArray[Any], values: NDArray[Any]) -> NDArray[np.bool_]:
    """Pair equal entries of the merged descending list one to one; shape ``(size, f, f + 1)``.

    Along the list an entry of ``mu`` takes its equal upper neighbour unless that one is taken, else its lower one.
    """
    size, f = mu.shape
    out = np.zeros((size, f, f + 1), dtype=bool)
    above, below = mu == values[:, :-1], mu == values[:, 1:]
    if np.any(above | below):
        taken = np.zeros(size, dtype=bool)
        for j in range(f):
            out[:, j, j] = above[:, j] & ~taken
            out[:, j, j + 1] = taken = below[:, j] & ~out[:, j, j]
    return out


def on_orbit(pattern: NDArray[Any], base: float, spread: float, rng: np.random.Generator) -> NDArray[Any]:
    """Matrices ``base + spread H`` with ``H`` drawn by `reconstruct`; the last row of the patterns is `unit_levels`."""
    return base * np.eye(pattern.shape[-1]) + spread * reconstruct(pattern, rng)
