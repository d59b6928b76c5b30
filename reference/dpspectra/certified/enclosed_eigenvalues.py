"""Enclosed eigenvalues of a Hermitian matrix of floats, or of integers of any size, also with ideal Laplace noise.

If ``V`` has nearly orthonormal columns, ``delta = ||V* V - I||_F <= 1/8``, and ``W`` is real and diagonal, then the
ordered eigenvalues of ``M`` and the entries of ``W`` differ by at most
``||M V - V W||_F + .52 delta (||M||_2 + ||W||_2)``: ``V`` is that near to a unitary matrix, and Weyl's inequality does
the rest (DPS-RESIDUAL). No eigenvector need be right.
"""

import functools
import math
from typing import Any

import numpy as np
from flint import arb, fmpz_mat
from numpy.typing import NDArray

from dpspectra.certified import ball_noise, kernels, noise_on_grid
from dpspectra.certified.entropy import Source
from dpspectra.ground.array_types import Array

ORTHONORMAL = 1 / 8
"""Largest defect of a basis for which the bound is proved."""
NEAREST = 0.52
"""Bound on the distance to a unitary matrix, over the defect."""


def residual_bound(m: Array, v: Array, w: Array) -> float:
    """Bound on how far ordered eigenvalues of ``m`` are from the sorted ``w``, for a basis ``v`` of any quality.

    Rounding of the products is counted in: ``gamma`` bounds the relative error of an inner product of ``d`` terms.
    """
    d, whole = len(m), m.dtype.kind not in "fc"
    m = m.astype(float) if whole else m
    gamma = 1.01 * (d + 4) * kernels.UNIT * (3 if np.iscomplexobj(m) else 1)
    norm = 1.01 * math.sqrt(_square(m))
    size = norm + float(np.max(np.abs(w)))
    apart = defect(v)
    if not apart <= ORTHONORMAL:
        return math.inf
    residual = 1.01 * math.sqrt(_square(m @ v - v * w)) + 1.1 * gamma * size * 1.01 * math.sqrt(_square(v))
    rounding = 2 * kernels.UNIT * norm if whole else 0.0  # of integers to floats, which Weyl's inequality bounds
    return 1.01 * (residual + NEAREST * apart * size + rounding)


def defect(v: Array) -> float:
    """Bound on ``||V* V - I||_F`` of a square matrix, rounding of the product counted in."""
    d = len(v)
    gamma = 1.01 * (d + 4) * kernels.UNIT * (3 if np.iscomplexobj(v) else 1)
    return 1.01 * math.sqrt(_square(v.conj().T @ v - np.eye(d))) + 1.1 * gamma * 1.01**2 * _square(v)


def laplace(
    m: Array, values: NDArray[Any], error: float, k: int, exponent: int, ratio: float, source: Source
) -> NDArray[Any]:
    """Return the ``k`` largest eigenvalues plus Laplace noise of scale ``ratio``, as integers.

    Eigenvalues and noise are in steps of ``2**exponent``.

    ``values`` are the eigenvalues of ``m``, descending, each within ``error``.
    """
    words = source.words(k)
    drawn, is_open = kernels.exponentials(words.values)
    kernels.flip(drawn, words.values, 0)
    with np.errstate(over="ignore"):
        estimate = np.ldexp(values[:k], -exponent)
        bound = float(np.ldexp(error, -exponent)) + 4 * kernels.UNIT * np.abs(estimate)
    bound += ratio * (kernels.EXPONENTIAL_ERROR + noise_on_grid.ROUNDING) + noise_on_grid.SLACK
    lengths = max(0, math.frexp(float(np.max(np.abs(values))))[1] - exponent)

    enclosed = EigenvalueBalls(m)

    def value(i: int, bits: int) -> Any:
        return enclosed(bits + lengths)[i] * arb(2) ** -exponent + ball_noise.laplace(
            words, i, bits
        ) * ball_noise.exact(ratio)

    return noise_on_grid.rounded([(estimate + drawn * ratio, is_open, bound)], len(drawn), value)


class EigenvalueBalls:
    """Eigenvalues of a Hermitian matrix of floats or integers to any precision: roots of its characteristic polynomial.

    The entries are integers times a power of two, so that the polynomial is exact, and equal roots are known to be
    equal. A complex matrix is taken as a real one of twice the size, whose eigenvalues are the same, each twice.
    """

    def __init__(self, m: Array) -> None:
        self._copies = 1 + np.iscomplexobj(m)
        real = np.block([[m.real, -m.imag], [m.imag, m.real]]) if self._copies == 2 else m
        ratios = [x.as_integer_ratio() for x in real.ravel().tolist()]
        self._exponent = max(q for _, q in ratios).bit_length() - 1
        integers = [(p << self._exponent) // q for p, q in ratios]
        self._integers = fmpz_mat(len(real), len(real), integers)

    @functools.cached_property
    def _polynomial(self) -> Any:
        return self._integers.charpoly()

    def __call__(self, bits: int) -> list[Any]:
        """Balls around all of them, descending, with so many bits and some more."""
        with ball_noise.precision(bits + ball_noise.GUARD):
            roots = self._polynomial.complex_roots()
            found = [root.real for root, multiplicity in roots for _ in range(multiplicity // self._copies)]
            scale = arb(2) ** -self._exponent
            return sorted((x * scale for x in found), key=lambda x: x.mid(), reverse=True)


def _square(m: Array) -> float:
    """Squared Frobenius norm, by sums and products."""
    flat = np.ascontiguousarray(m).reshape(-1)
    parts = flat.view(float) if np.iscomplexobj(flat) else flat
    return float(np.einsum("i,i", parts, parts))
