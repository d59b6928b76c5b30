"""Random matrices on an orbit from their Gelfand-Tsetlin patterns (`dpspectra.fast.patterns`).

For a unitary orbit under the Haar law the pattern is uniform on the polytope that the interlacing inequalities cut
out, and given the pattern the matrix is determined up to independent uniform phases. As the trace of ``diag(m) H`` is
``sum_r (m_r - m_{r+1}) sum_j x_{r,j}`` (``m_{d+1} = 0``), sampling ``H`` with a linear exponent means sampling a
pattern with a linear exponent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.patterns import decomposed, frozen
from dpspectra.sampling.identity_plus_low_rank import Decomposition

RESOLUTION = 2.0**80
"""Levels are read to this fraction of 1, far below the rounding of a matrix entry, so that no quotient overflows."""

BATCH = 2**19
"""Largest number of cells of patterns from which matrices are made at a time."""


def unit_levels(spectrum: NDArray[Any]) -> tuple[NDArray[Any], float, float]:
    """``levels`` in ``[0, 1]``, ``base`` and ``spread`` with ``spectrum = base + spread levels``; ties stay ties."""
    base, spread = float(spectrum[-1]), float(spectrum[0] - spectrum[-1])
    return (spectrum - base) / (spread or 1.0), base, spread


def on_orbit(pattern: NDArray[Any], base: float, spread: float, rng: np.random.Generator) -> Decomposition:
    """Matrices ``base + spread H``, uniform given the pattern ``(size, d, d)`` of ``H``, whose last row is levels."""
    size, d, _ = pattern.shape
    free = np.tri(d - 1, dtype=bool) & ~frozen(pattern[0, -1])[:-1, :-1] if size else np.zeros((d - 1, d - 1), bool)
    share, parts = max(1, BATCH // d**2), list[tuple[float, NDArray[Any], NDArray[Any]]]()
    for start in range(0, max(1, size), share):
        part = pattern[start : start + share]
        phases = np.ones((len(part), d - 1, d - 1), dtype=complex)
        phases[:, free] = np.exp(2j * np.pi * rng.random((len(part), int(np.sum(free)))))
        parts.append(decomposed(np.rint(part * RESOLUTION) / RESOLUTION, phases))
    own, weights, _ = parts[0]
    return Decomposition(base + spread * own, spread * weights, np.concatenate([vectors for *_, vectors in parts]))
