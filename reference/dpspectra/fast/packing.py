"""Packings of finite metric spaces and of balls of the Grassmannian, and the volumes that bound their size.

A packing is a set of points with pairwise distances strictly above the separation. The Grassmannian is that of the
``i``-dimensional subspaces of ``i + m`` dimensions; the distance of two subspaces is that of their projectors in
Frobenius norm, and balls are centred at the span of the first ``i`` axes.
"""

import functools
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from dpspectra.fast.linalg import Array, adjoint, spectral_norm
from dpspectra.fast.quadrature import gauss_legendre

BITS = 12
"""Binary places to which sampled bases are rounded."""


def packing_number(distances: Array, separation: float) -> int:
    """Size of a largest packing, from the ``(n, n)`` matrix of distances, by trying all ``2^n`` subsets."""
    subsets = _subsets(len(distances))
    near = (distances <= separation) & ~np.eye(len(distances), dtype=bool)
    allowed = ~np.any(subsets & (subsets @ near), axis=-1)
    return int(np.max(np.sum(subsets[allowed], axis=-1)))


def covering_number(distances: Array, radius: float) -> int:
    """Smallest number of closed balls centred at points of the space that cover it; all ``2^n`` subsets are tried."""
    subsets = _subsets(len(distances))
    covering = np.all(subsets @ (distances <= radius), axis=-1)
    return int(np.min(np.sum(subsets[covering], axis=-1)))


def _subsets(n: int) -> NDArray[np.bool_]:
    """Return indicators of all subsets of ``n`` points, as rows."""
    return (np.arange(2**n)[:, None] >> np.arange(n)) & 1 == 1


def greedy_packing(points: Array, separation: float) -> NDArray[np.int64]:
    """Places of the points kept by going through ``(n, a, b)`` in order and dropping those within ``separation``.

    The distance is Frobenius. The packing cannot be enlarged by any of the points.
    """
    flat = points.reshape(len(points), -1)
    left, kept = np.arange(len(points)), list[int]()
    while len(left):
        kept.append(int(left[0]))
        squares = np.sum(np.abs(flat[left] - flat[left[0]]) ** 2, axis=-1)
        left = left[squares > separation**2]
    return np.array(kept, dtype=np.int64)


def projectors(bases: Array) -> Array:
    """Orthogonal projectors on the column spans of ``(..., d, i)``."""
    q = np.linalg.qr(bases)[0]
    return q @ adjoint(q)


def ball_points(i: int, m: int, radius: float, count: int, field: str, rng: np.random.Generator) -> Array:
    """Integer bases ``(n, i + m, i)`` of ``n <= count`` subspaces within ``radius`` of the first, the first axes.

    The others are free: uniform in the ball over the complex numbers, up to rounding, as the lower block of the basis
    that is Hermitian above is uniform in Lebesgue measure. Points that rounding pushed out are dropped.
    """
    y: Array = np.zeros((1, m, i))
    reach = min(radius / np.sqrt(2), np.sqrt(min(i, m)))
    while len(y) < count:
        shape = (count, m, i)
        g = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if field == "complex" else 0)
        lengths = reach * rng.random(count) ** (1 / ((1 + (field == "complex")) * i * m))
        g *= (lengths / np.sqrt(np.sum(np.abs(g) ** 2, axis=(-2, -1))))[:, None, None]
        y = np.concatenate([y, g[spectral_norm(g) < 1]])
    squares, vectors = np.linalg.eigh(adjoint(y) @ y)
    root = (vectors * np.sqrt(1 - squares)[..., None, :]) @ adjoint(vectors)
    bases = np.round(np.concatenate([root, y], axis=-2)[:count] * 2**BITS)
    moved = np.sum(np.abs(projectors(bases) - np.diag(np.arange(i + m) < i)) ** 2, axis=(-2, -1))
    return bases[moved <= radius**2]


def log_tableaux(k: Any, l: Any) -> Any:  # noqa: E741
    """Logarithm of the number of standard Young tableaux of a ``k`` by ``l`` rectangle, by hook lengths."""
    low, high = np.minimum(k, l), np.maximum(k, l)
    sums = _log_superfactorials(int(np.max(high + low, initial=1)).bit_length())
    return gammaln(1.0 * high * low + 1) + sums[low] - sums[high + low] + sums[high]


@functools.lru_cache(maxsize=2)
def _log_superfactorials(bits: int) -> Any:
    """Logarithms of ``0! 1! .. (n - 1)!`` for ``n`` below ``2**bits``."""
    return np.concatenate([[0.0], np.cumsum(gammaln(np.arange(1.0, 2**bits)))])


def ball_constant(i: Any, m: Any) -> Any:
    """Loss ``c`` of volume in a large ball: the root of the number of tableaux, of order ``2 i m``, over ``sqrt(q)``.

    ``q = min(i, m)``. It is 1 for ``q = 1`` and above ``e^(1/4) / 2 = 0.642`` always.
    """
    return np.exp(log_tableaux(i, m) / (2 * i * m)) / np.sqrt(np.minimum(i, m))


def log_local_packing(i: int, m: int, radius: Any, separation: Any, field: str = "complex") -> Any:
    """Lower bound on the logarithm of the packing number of a ball of the Grassmannian; 0 where it says nothing.

    Both radii must be positive. Over the reals nothing is gained from a radius beyond ``sqrt(2)``, and the bound is 0
    for separations from there on.
    """
    near = np.minimum(radius, np.sqrt(2.0))
    if field == "real":
        shrunk = np.maximum(1 - np.square(separation) / 2, np.finfo(float).tiny)
        return np.maximum(i * m * np.log(near / separation) + np.log(shrunk) / 2, 0.0)
    far = ball_constant(i, m) * np.minimum(radius, np.sqrt(2.0 * min(i, m)))
    return np.maximum(2 * i * m * np.log(np.maximum(near, far) / separation), 0.0)


def ball_measure(i: int, m: int, radius: float) -> float:
    """Share of the complex Grassmannian in a ball, for ``min(i, m) <= 2``, from the density of the angles.

    The squared sines ``y`` of the principal angles have a density proportional to
    ``prod y^|m - i| prod_(a<b) (y_a - y_b)^2`` on the unit cube, and the ball is ``2 sum y <= radius^2``.
    """
    s, power, q = radius**2 / 2, abs(m - i), min(i, m)
    if q == 1:
        return min(s, 1.0) ** (power + 1)
    nodes, weights = gauss_legendre(power + 4)  # exact: the integrands are polynomials in pieces
    nodes, weights = (nodes + 1) / 2, weights / 2

    def integral(total: float) -> float:
        cuts = sorted({0.0, min(max(total - 1, 0.0), 1.0), min(total, 1.0)})
        value = 0.0
        for low, high in itertools.pairwise(cuts):
            y = low + (high - low) * nodes
            width = np.minimum(total - y, 1.0)
            z = width[:, None] * nodes
            inner = np.sum(z**power * (y[:, None] - z) ** 2 * weights, axis=-1) * width
            value += (high - low) * float(np.sum(y**power * inner * weights))
        return value

    return integral(s) / integral(2.0)
