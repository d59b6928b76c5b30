"""Gelfand-Tsetlin patterns in float64: spectra of leading minors, the way back, and quadrature below a row.

A pattern is an array ``(..., d, d)`` whose row ``r - 1`` holds the ``r`` descending eigenvalues of the leading minor of
order ``r``, then zeros. Consecutive rows interlace, and the last one is the spectrum of the matrix.
"""

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.hciz import log_mean_exponential
from dpspectra.fast.linalg import Array, Real, adjoint, eigenvalues, hermitian_part
from dpspectra.fast.quadrature import gauss_legendre


def minors(h: Array) -> Real:
    """Pattern of the Hermitian ``(..., d, d)``."""
    d = h.shape[-1]
    out = np.zeros(h.shape)
    for r in range(1, d + 1):
        out[..., r - 1, :r] = eigenvalues(h[..., :r, :r])
    return out


def frozen(spectrum: Real) -> NDArray[np.bool_]:
    """Cells ``(d, d)`` that ties of the spectrum hold fixed, the last row included; False outside the pattern.

    Entry ``j`` of the row of length ``r`` lies between the ``j``-th and the ``(j + d - r)``-th value of the spectrum.
    """
    top, bottom = extremes(spectrum)
    return (top == bottom) & np.tri(len(spectrum), dtype=bool)


def extremes(spectrum: Real) -> tuple[Real, Real]:
    """Return the entrywise largest and smallest pattern of a spectrum, each ``(d, d)``."""
    d = len(spectrum)
    row, place = np.indices((d, d))
    inside = place <= row
    return spectrum[place] * inside, spectrum[np.where(inside, place + d - 1 - row, 0)] * inside


def interlaces(pattern: Real) -> NDArray[np.bool_]:
    """Whether every row of ``(..., d, d)`` lies between the neighbours in the next one; shape ``(...)``."""
    d = pattern.shape[-1]
    upper, lower = pattern[..., 1:, : d - 1], pattern[..., 1:, 1:]
    row = pattern[..., :-1, : d - 1]
    return np.all(((upper >= row) & (row >= lower)) | ~np.tri(d - 1, dtype=bool), axis=(-2, -1))


def bounds(pattern: Real, r: int) -> tuple[Real, Real]:
    """Smallest and largest values that the other rows leave to the entries of row ``r < d``, each ``(..., r)``."""
    low, high = pattern[..., r, 1 : r + 1].copy(), pattern[..., r, :r].copy()
    if r > 1:
        row = pattern[..., r - 2, : r - 1]
        low[..., :-1], high[..., 1:] = np.maximum(low[..., :-1], row), np.minimum(high[..., 1:], row)
    return low, high


def box(low: Real, high: Real, nodes: int) -> tuple[Real, Real]:
    """Gauss-Legendre points ``(..., N, r)`` of the box between ``low`` and ``high``, ``(..., r)``, and weights.

    The weights ``(..., N)`` sum to the volume of the box, in which sides of length 0 are left out.
    """
    u, w = gauss_legendre(nodes)
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

    By the recursion for B-splines this is a mean of what remains without the largest or without the smallest
    eigenvalue.
    """
    if spectrum[-1] >= t or spectrum[0] <= t:
        return float(spectrum[-1] >= t)
    share = (spectrum[0] - t) / (spectrum[0] - spectrum[-1])
    return share * quadratic_form_tail(spectrum[:-1], t) + (1 - share) * quadratic_form_tail(spectrum[1:], t)


def reconstruct(pattern: Real, phases: Array) -> Array:
    """Hermitian ``(..., d, d)`` with the given pattern; the borders get the phases ``(..., d - 1, d - 1)``, row by row.

    All patterns share their last row.
    """
    base, weights, vectors = decomposed(pattern, phases)
    return base * np.eye(pattern.shape[-1]) + hermitian_part((vectors * weights) @ adjoint(vectors))


def decomposed(pattern: Real, phases: Array) -> tuple[float, Real, Array]:
    """Return ``base``, ``weights`` ``(n,)`` and orthonormal columns ``X`` of ``base I + X diag(weights) X*``.

    That is the matrix of `reconstruct`; ``base`` is the most frequent value of its spectrum, and ``n`` counts others.

    The minor of order ``r + 1`` is the minor of order ``r``, diagonal ``mu`` in its eigenbasis ``V``, with a border
    ``V z`` and a corner; it is diagonal in the basis ``V diag(phases) B``, below which the last row of ``B`` stands
    (`border`). Values that ties freeze are shared by both spectra and have no part in a border now or later: their
    columns are those of ``X``. So all products are formed from the last row upwards: with ``f_r`` free cells the cost
    is ``n sum_r f_r^2``.
    """
    *batch, d, _ = pattern.shape
    if not pattern.size:
        return 0.0, np.zeros(0), np.zeros((*batch, d, 0), dtype=complex)
    levels = pattern.reshape(-1, d)[d - 1]
    known, counts = np.unique(levels, return_counts=True)
    base, free, held = known[np.argmax(counts)], ~frozen(levels), extremes(levels)[0]
    places = [np.flatnonzero(np.append(free[r - 1, :r], True)) if r else np.array([0]) for r in range(d)]
    bases = _bases(pattern, places)
    after = np.zeros((*batch, 0, 0), dtype=complex)  # what the columns of this order are in those of X
    weights, vectors = list[float](), np.zeros((*batch, d, int(np.sum(levels != base))), dtype=complex)
    for r in range(d - 1, -1, -1):  # from order r + 1 to order r
        at = places[r]
        kept, retired = free[r, at], ~free[r, at] & (held[r, at] != base)
        parts = [_times(bases[r][..., kept], after), bases[r][..., retired]]
        after = np.concatenate(parts, axis=-1) if np.any(retired) else parts[0]
        weights += (held[r, at[retired]] - base).tolist()
        vectors[..., r, : len(weights)] = after[..., -1, :]
        if r:
            after = after[..., :-1, :] * phases[..., r - 1, at[:-1], None]
    return float(base), np.array(weights), vectors


def _times(real: Real, x: Array) -> Array:
    """Product of real and complex matrices, without zeros for imaginary parts."""
    return (real @ np.ascontiguousarray(x).view(float)).view(complex) if x.size else real @ x


def _bases(pattern: Real, places: list[NDArray[np.intp]]) -> dict[int, Real]:
    """Return the eigenvectors by `border` at each order, all orders of as many free cells at once."""
    sizes, out = np.array([len(at) for at in places]), dict[int, Real]()
    for size in np.unique(sizes):
        orders = np.flatnonzero(sizes == size)
        at = np.array([places[r] for r in orders])
        mu, values = pattern[..., orders[:, None] - 1, at[:, :-1]], pattern[..., orders[:, None], at]
        found = border(mu, values)[1]
        for i, r in enumerate(orders.tolist()):
            out[r] = found[..., i, :, :]
    return out


def border(mu: Real, values: Real) -> tuple[Real, Real]:
    """Moduli ``z`` ``(..., f)`` of the border that turns the spectrum ``mu`` into ``values``, and the eigenvectors.

    ``mu`` is ``(..., f)``, ``values`` is ``(..., f + 1)``, interlacing. The characteristic polynomial of
    ``[[diag(mu), z], [z', c]]`` at ``mu_j`` gives ``z_j^2 = -prod_i (mu_j - values_i) / prod_{l != j} (mu_j - mu_l)``,
    a product of differences of given numbers, hence accurate to rounding however close they are; the eigenvector for
    ``values_i`` is ``(z_j / (values_i - mu_j), 1)`` normalised, so the columns ``(..., f + 1, f + 1)`` are orthonormal
    to rounding. Values that coincide exactly are paired off first: their ``z_j`` is 0 and their eigenvector a unit one.
    """
    paired = _paired(mu, values)
    gone, taken = np.max(paired, axis=-1, initial=False), np.max(paired, axis=-2, initial=False)
    differences = values[..., None, :] - mu[..., None]
    numerator = np.where(taken[..., None, :], 1.0, np.abs(differences))
    own = np.eye(mu.shape[-1], dtype=bool)
    steps = np.where(gone[..., None, :] | own, 1.0, np.abs(mu[..., None, :] - mu[..., None]))
    with np.errstate(divide="ignore", invalid="ignore"):  # only where paired, and replaced
        square = np.prod(numerator[..., :-1] / steps, axis=-1) * numerator[..., -1]
        z = np.where(gone, 0.0, np.sqrt(square))
        bare = gone[..., None] | taken[..., None, :]
        parts = np.where(bare, paired, z[..., None] / differences)
    last = np.where(taken, 0.0, 1.0)[..., None, :]
    basis = np.concatenate([parts, last], axis=-2)
    return z, basis / np.linalg.norm(basis, axis=-2, keepdims=True)


def _paired(mu: Real, values: Real) -> NDArray[np.bool_]:
    """Pair equal entries of the merged descending list one to one; shape ``(..., f, f + 1)``.

    Along the list an entry of ``mu`` takes its equal upper neighbour unless that one is taken, else its lower one.
    """
    out = np.zeros((*mu.shape, values.shape[-1]), dtype=bool)
    above, below = mu == values[..., :-1], mu == values[..., 1:]
    if np.any(above | below):
        taken = np.zeros(mu.shape[:-1], dtype=bool)
        for j in range(mu.shape[-1]):
            out[..., j, j] = above[..., j] & ~taken
            out[..., j, j + 1] = taken = below[..., j] & ~out[..., j, j]
    return out
