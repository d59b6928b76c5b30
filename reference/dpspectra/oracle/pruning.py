"""Making the rows of a basis short: the same names as `dpspectra.fast.pruning`, entry by entry."""

from typing import Any

from mpmath import mp

from dpspectra.oracle.linalg import Matrix, inner, spectral_norm


def zero_entries(u: Matrix, threshold: Any) -> Matrix:
    """Zero the entries above ``threshold`` in size."""
    return u.apply(lambda x: x if abs(x) <= threshold else mp.mpf(0))


def scale_rows(u: Matrix, factors: Any) -> Matrix:
    """Multiply each row by a number."""
    return mp.diag(list(factors)) * u


def row_norms(u: Matrix) -> list[Any]:
    """Norms of the rows."""
    return [mp.sqrt(inner(u[i, :], u[i, :])) for i in range(u.rows)]


def zero_rows(u: Matrix, tau: Any) -> Matrix:
    """Zero the rows of norm above ``tau``."""
    return scale_rows(u, [mp.mpf(norm <= tau) for norm in row_norms(u)])


def clip_rows(u: Matrix, tau: Any) -> Matrix:
    """Shorten the rows of norm above ``tau`` to ``tau``."""
    return scale_rows(u, [min(1, tau / norm) if norm > 0 else mp.mpf(1) for norm in row_norms(u)])


def costs(q: Matrix, columns: int, mu: Any, row_norm: Any) -> list[Any]:
    """Bounds on the squared error when the ``j`` longest rows are zeroed, for every ``j`` from 0 to all."""
    norms = row_norms(q)
    order = sorted(range(q.rows), key=lambda i: -norms[i])
    costs = []
    for j in range(q.rows + 1):
        left = norms[order[j]] if j < q.rows else mp.mpf(0)
        removed = scale_rows(q, [mp.mpf(i in order[:j]) for i in range(q.rows)])
        costs.append(q.cols * columns * (left / mu) ** 2 + row_norm**2 * j * spectral_norm(removed) ** 2)
    return costs


def prune(q: Matrix, columns: int, mu: Any, row_norm: Any) -> Matrix:
    """Zero as many of the longest rows as minimises `costs`; fewer, where costs agree to 18 places."""
    each, norms = costs(q, columns, mu, row_norm), row_norms(q)
    count = min(range(len(each)), key=lambda j: (mp.nint(each[j] * 2**60), j))
    kept = sorted(range(q.rows), key=lambda i: -norms[i])[count:]
    return scale_rows(q, [mp.mpf(i in kept) for i in range(q.rows)])
