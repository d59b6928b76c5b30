"""Eigenbases of matrices so large that those of floats are too coarse: found in balls, by Jacobi's rotations.

The last step of a sampler keeps a draw with a probability of ``exp(-2 e sum_i |lambda_i - c|)`` at least, where ``e``
is the error of the basis (`dpspectra.certified.correction`). Floats know a basis of a matrix ``A`` to about
``2**-50 |A|``: where that is no small number, hardly any draw would be kept, and none ever if it is 100. Nothing rests
on how near the rotations come, as the error is bounded afterwards; which basis serves changes the time only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from flint import acb, acb_mat, arb

from dpspectra.certified import ball_noise, enclosed_eigenvalues
from dpspectra.certified.eigenbasis import Eigenbasis
from dpspectra.certified.orbit_draw import Numbers
from dpspectra.ground.array_types import Array

LOSS = 1 / 4
"""Largest ``e sum_i |lambda_i - c|`` that a basis of floats may cost."""
SMALL = 2.0**-20
"""Approximate cost of a fine basis."""
GUARD = 64
"""Bits of precision beyond those that entries of that size take."""
SWEEPS = 40
"""Rounds of rotations at most, and steps of Newton's; both converge quadratically."""


def near_enough(m: Array, temperature: float, weights: Numbers, vectors: Array, levels: Numbers) -> Eigenbasis:
    """Return an `Eigenbasis` of these by which few draws are lost on the orbit of the ``levels``, of whatever size."""
    length = float(np.sum(np.abs(levels - levels[len(levels) // 2])))
    try:
        found = Eigenbasis(m, temperature, weights, vectors)
        if found.error * length <= LOSS:
            return found
    except RuntimeError:  # floats found no basis
        pass
    return FineEigenbasis(m, temperature, vectors, length)


class FineEigenbasis(Eigenbasis):
    """A basis whose ``error`` is about `SMALL` over ``length``, with weights that are fractions.

    ``vectors`` are where rotations start; if they are not nearly orthonormal, the identity is.
    """

    def __init__(self, m: Array, temperature: float, vectors: Array, length: float) -> None:
        self._m, self._temperature = m, temperature
        d, allowed = len(m), SMALL / max(length, SMALL)
        size = max(abs(Fraction(part)) for x in m.ravel().tolist() for part in (x.real, x.imag))
        with ball_noise.precision(
            GUARD + max(0, math.frexp(float(size))[1] + math.frexp(temperature * d * d / allowed)[1])
        ):
            a = self.matrix()
            start = vectors if enclosed_eigenvalues.defect(vectors) <= enclosed_eigenvalues.ORTHONORMAL else np.eye(d)
            found, values = _rotated(a, _orthonormal(start.astype(complex)), allowed / d)
            order = sorted(range(d), key=lambda i: values[i], reverse=True)
            self._found = acb_mat(found[:, order].tolist())
            self.weights = np.array([values[i] for i in order], dtype=object)
            floats = np.array([[complex(x) for x in row] for row in self._found.tolist()])
            self.vectors = floats if np.iscomplexobj(m) else np.ascontiguousarray(floats.real)
            product = self._found.conjugate().transpose() * self._found
            self._defect = _norm(product - _diagonal([1] * d))
            self.distance = enclosed_eigenvalues.NEAREST * self._defect + _norm(self._found - acb_mat(floats.tolist()))
            q = self.rows(range(d))
            self.error = _norm(a - q * _diagonal(self.weights) * q.conjugate().transpose())

    def _columns(self) -> Any:
        return self._found


def _rotated(a: Any, v: Array, small: float) -> tuple[Array, list[Fraction]]:
    """Columns that a matrix nearly leaves where they are, and their values: off the diagonal entries are ``small``.

    A rotation of two columns makes the entry between them 0, and those beside it no larger together.
    """
    basis, d = _matrix(v), len(v)
    t = _middles(_array(basis.conjugate().transpose() * a * basis))
    for _ in range(SWEEPS):
        turned = False
        for p in range(d - 1):
            for q in range(p + 1, d):
                if not abs(t[p, q]) < small:
                    turned = True
                    j = _rotation(t, p, q)
                    v[:, [p, q]] = _middles(v[:, [p, q]] @ j)
                    t[:, [p, q]] = _middles(t[:, [p, q]] @ j)
                    t[[p, q]] = _middles(_adjoint(j) @ t[[p, q]])
        if not turned:
            break
    return v, [_fraction(t[i, i].real) for i in range(d)]


def _rotation(t: Array, p: int, q: int) -> Array:
    """Return the unitary matrix of order 2 that makes the entry ``(p, q)`` zero, with the smaller angle."""
    length = abs(t[p, q])
    phase = t[p, q] / length
    ratio = (t[q, q].real - t[p, p].real) / (2 * length)
    tangent = 1 / (abs(ratio) + (1 + ratio * ratio).sqrt()) * (-1 if ratio < 0 else 1)
    cosine = 1 / (1 + tangent * tangent).sqrt()
    sine = tangent * cosine
    return np.array([[acb(cosine), phase * sine], [-phase.conjugate() * sine, acb(cosine)]], dtype=object)


def _orthonormal(v: Array) -> Array:
    """Return a nearly orthonormal basis, orthonormal to the precision in use.

    Newton's iteration finds the unitary factor.
    """
    basis, d = _matrix(v), len(v)
    for _ in range(SWEEPS):
        product = basis.conjugate().transpose() * basis
        basis = _matrix(_middles(_array(basis * (_diagonal([3] * d) - product))) / 2)
        if _norm(product - _diagonal([1] * d)) < 2.0 ** -(flint.ctx.prec // 2):
            break
    return _array(basis)


def _matrix(entries: Array) -> Any:
    return acb_mat(entries.tolist())


def _array(matrix: Any) -> Array:
    return np.array(matrix.tolist(), dtype=object)


def _middles(entries: Array) -> Array:
    """Numbers without the radii of their balls, on which nothing here depends."""
    return np.array([[acb(x.real.mid(), x.imag.mid()) for x in row] for row in entries.tolist()], dtype=object)


def _adjoint(entries: Array) -> Array:
    return np.array([[x.conjugate() for x in column] for column in entries.T.tolist()], dtype=object)


def _diagonal(values: Iterable[Any]) -> Any:
    numbers = [ball_noise.exact(x) for x in values]
    return acb_mat([[x if i == j else 0 for j in range(len(numbers))] for i, x in enumerate(numbers)])


def _norm(matrix: Any) -> float:
    """Bound on the Frobenius norm of a matrix in balls."""
    return 1.01 * float(sum((x.abs_upper() ** 2 for x in matrix.entries()), arb(0)).sqrt().upper())


def _fraction(x: Any) -> Fraction:
    """Return the midpoint of a real ball, exactly."""
    mantissa, exponent = (int(part) for part in x.mid().man_exp())
    return mantissa * Fraction(2) ** exponent
