"""Noise on symmetric matrices whose law treats the trace by itself, in float64."""

import math

import numpy as np

from dpspectra.fast.linalg import mirror
from dpspectra.ground.array_types import Floats


def gaussian(d: int, scale: float, rng: np.random.Generator) -> Floats:
    """Draw ``scale (Z - tr Z / d I + sqrt(2 / d (d + 1)) g I)`` for the Gaussian orthogonal ensemble ``Z``.

    ``Z`` has the variances 1 off the diagonal and 2 on it, ``g`` is standard normal. On the diagonal that is normal of
    covariance ``2 I - 2 / (d + 1) J``, ``J`` of ones, whose root is ``sqrt 2 (I - (1 - 1/sqrt(d + 1)) J / d)``.
    """
    z: Floats = np.asarray(mirror(rng.normal(scale=scale, size=d * (d + 1) // 2), d), dtype=np.float64)
    g = np.diagonal(z)
    np.fill_diagonal(z, math.sqrt(2) * (g - (1 - 1 / math.sqrt(d + 1)) * np.mean(g)))
    return z


def gaussian_moments(d: int) -> tuple[float, float]:
    """Mean and variance of the squared Frobenius norm of `gaussian` noise of scale 1.

    It is ``2 chi2(D - 1) + 2 / (d + 1) chi2(1)``, ``D = d (d + 1) / 2``.
    """
    free = d * (d + 1) / 2 - 1
    return 2 * free + 2 / (d + 1), 8 * free + 8 / (d + 1) ** 2


def tilted_wishart(d: int, scale: float, rng: np.random.Generator) -> Floats:
    """Draw from a density proportional to ``g(M) exp(-|tr M| / 2 scale)``, ``g`` that of ``W - W'`` (DPS-TILT).

    ``W`` and ``W'`` are Wishart matrices of ``d + 1`` degrees of freedom and this scale. Their directions are
    independent of their traces. Of the traces, after the tilt, the larger one is Gamma of shape ``2 D``, and the
    smaller one is the larger one times ``U**(1/D)``, ``D = d (d + 1) / 2``.
    """
    (larger,), (smaller,) = traces(d, 1, rng)
    total = np.zeros((d, d))
    for trace in rng.choice([-scale, scale]) * np.array([larger, -smaller]):
        g = rng.standard_normal((d, d + 1))
        total += trace / np.sum(g**2) * (g @ g.T)
    return total


def traces(d: int, size: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return the larger and the smaller trace of two tilted Wishart matrices of scale 1, ``size`` of each."""
    dimension = d * (d + 1) // 2
    larger = rng.gamma(2 * dimension, size=size)
    return larger, larger * rng.random(size) ** (1 / dimension)


def tilted_wishart_moments(d: int) -> tuple[float, float]:
    """Mean and variance of the squared Frobenius norm of `tilted_wishart` noise of scale 1.

    With the larger trace ``T``, the ratio ``u`` of the traces and the directions ``A``, ``B`` it is
    ``T**2 (|A|**2 + u**2 |B|**2 - 2 u <A, B>)``. Given the lengths of ``A - I/d`` and ``B - I/d``, their product has
    the mean square ``|A - I/d|**2 |B - I/d|**2 / (D - 1)``, because rotations act irreducibly there.
    """
    n = d * (d + 1)
    dimension = n / 2
    square = (2 * d + 2) / (n + 2)
    fourth = (36 * d**2 + 76 * d + 48 + 4 * n * (d + 1) ** 2) / ((n + 2) * (n + 4) * (n + 6))
    inner = 1 / d**2 + ((square - 1 / d) ** 2 / (dimension - 1) if d > 1 else 0.0)
    first, second, third, last = (dimension / (dimension + k) for k in (1, 2, 3, 4))
    trace_square, trace_fourth = n * (n + 1.0), n * (n + 1.0) * (n + 2) * (n + 3)
    mean = trace_square * (square * (1 + second) - 2 * first / d)
    squares = fourth * (1 + last) + 4 * second * inner + 2 * second * square**2
    return mean, trace_fourth * (squares - 4 * square / d * (first + third)) - mean**2


def tilted_off_diagonal_variance(d: int) -> float:
    """Variance of an entry off the diagonal of `tilted_wishart` noise of scale 1, for ``d`` of 2 and more.

    Without the tilt it is ``2 (d + 1)``.

    The part without the trace is invariant under rotations, so that its squared norm is shared equally by ``D - 1``
    directions; an entry has half of one.
    """
    dimension = d * (d + 1) / 2
    first, second = dimension / (dimension + 1), dimension / (dimension + 2)
    trace = 2 * dimension * (2 * dimension + 1) * (1 - 2 * first + second)
    return (tilted_wishart_moments(d)[0] - trace / d) / (2 * (dimension - 1))
