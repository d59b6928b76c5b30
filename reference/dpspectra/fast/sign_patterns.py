"""Largest spread of a symmetric sign matrix with weighted entries off the diagonal, by trying them all."""

import functools
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import eigenvalues


def patterns(d: int, weight: float) -> NDArray[np.float64]:
    """Symmetric ``T`` with ``T_ii = ±1`` and ``T_ij = ±weight``, one at least of each class of equal spread.

    Reordering coordinates sorts the diagonal, changing the sign of coordinates makes the first row positive off the
    diagonal, and ``-T`` has the spread of ``T``, so that half of the diagonal or more is positive. Shape ``(m, d, d)``.
    """
    rows, columns = np.triu_indices(d, 1)
    free = len(rows) - (d - 1)
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=max(free, 0))))
    off = weight * np.concatenate([np.ones((len(signs), d - 1)), signs], axis=1)
    out = []
    for positive in range((d + 1) // 2, d + 1):
        t = np.zeros((len(signs), d, d))
        t[:, rows, columns] = t[:, columns, rows] = off
        t[:, range(d), range(d)] = np.where(np.arange(d) < positive, 1.0, -1.0)
        out.append(t)
    return np.concatenate(out)


def spread(spectrum: Any) -> Any:
    """``max(lambda_1, 0) - min(lambda_d, 0)`` of descending spectra ``(..., d)``."""
    return np.maximum(spectrum[..., 0], 0) - np.minimum(spectrum[..., -1], 0)


@functools.cache
def largest_spread(d: int, weight: float) -> float:
    """Maximum of `spread` over all `patterns`; feasible up to ``d = 6``."""
    return float(np.max(spread(eigenvalues(patterns(d, weight)))))
