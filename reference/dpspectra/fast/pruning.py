"""Making the rows of an orthonormal basis short before it is used to measure a matrix."""

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import Array, Real

BLOCK = 1024
"""Rows whose Gram matrices are formed at a time."""


def zero_entries(u: Array, threshold: float) -> Array:
    """Zero the entries above ``threshold`` in size."""
    return np.where(np.abs(u) <= threshold, u, 0.0)


def zero_rows(u: Array, tau: float) -> Array:
    """Zero the rows of norm above ``tau``."""
    return u * (np.linalg.norm(u, axis=1, keepdims=True) <= tau)


def clip_rows(u: Array, tau: float) -> Array:
    """Shorten the rows of norm above ``tau`` to ``tau``."""
    norms = np.linalg.norm(u, axis=1, keepdims=True)
    return u * np.where(norms > tau, tau / np.maximum(norms, tau), 1.0)


def costs(q: Array, columns: int, mu: float, row_norm: float) -> tuple[Real, NDArray[np.intp]]:
    """Public bounds on the mean squared error that zeroing the ``j`` longest rows causes, and the rows in that order.

    ``q`` is ``(m, width)`` with orthonormal columns and is used for a ``mu``-GDP measurement of a matrix with that many
    ``columns`` and rows of norm at most ``row_norm``: ``width columns s_j^2 / mu^2 + row_norm^2 j |Q_j|_2^2``, where
    ``s_j`` is the norm of the longest row left and ``Q_j`` the rows removed; the last ``j`` removes all. The list stops
    early where the second term alone must exceed the cost of removing nothing.
    """
    squares = np.sum(q**2, axis=1)
    order = np.argsort(-squares, kind="stable")
    noise = q.shape[1] * columns * np.append(squares[order], 0.0) / mu**2
    removed = np.arange(len(q) + 1)
    mass = np.concatenate([[0.0], np.cumsum(squares[order])])
    least = row_norm**2 * removed * mass / q.shape[1]  # |Q_j|_2^2 >= |Q_j|_F^2 / width
    kept = int(np.count_nonzero(least <= noise[0]))
    largest: list[Real] = [np.zeros(1)]
    gram = np.zeros((q.shape[1], q.shape[1]))
    for start in range(0, kept - 1, BLOCK):
        rows = q[order[start : min(start + BLOCK, kept - 1)]]
        grams = gram + np.cumsum(rows[:, :, None] * rows[:, None, :], axis=0)
        largest.append(np.linalg.eigvalsh(grams)[:, -1])
        gram = grams[-1]
    return noise[:kept] + row_norm**2 * removed[:kept] * np.concatenate(largest), order


def prune(q: Array, columns: int, mu: float, row_norm: float | None) -> Array:
    """Zero as many of the longest rows as minimises `costs`; none without a public bound on the norms of rows.

    Nothing but its arguments is used, so if ``q`` was released privately and ``row_norm`` is public, the choice costs
    no privacy.
    """
    if row_norm is None:
        return q
    each, order = costs(q, columns, mu, row_norm)
    pruned = q.copy()
    pruned[order[: int(np.argmin(each))]] = 0.0
    return pruned
