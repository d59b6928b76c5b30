"""Products of a matrix of rows with public blocks, plus normal noise, in ideal and in certified arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from dpspectra.certified import calibrate, grid, noise_on_grid, sketch
from dpspectra.certified.entropy import Entropy, Source
from dpspectra.certified.grid import Integers
from dpspectra.certified.products import ExactProduct, exact_product
from dpspectra.fast.noisy_sketch_profile import noise_for
from dpspectra.formulas.leverage import leverage_sensitivity
from dpspectra.ground.array_types import Array
from dpspectra.matrices.kinds import Matrix
from dpspectra.matrices.products import Product, product
from dpspectra.matrices.tall_blocks import pieces
from dpspectra.mechanisms.added_noise import FINE
from dpspectra.mechanisms.claims import CERTIFIED, IDEAL
from dpspectra.mechanisms.private_data import opened, outside
from dpspectra.mechanisms.randomness import Ideal, Rng, randomness

CHANGE_BITS = 20
"""Real entries are rounded to a unit of at most ``row_change * 2**(1 - CHANGE_BITS)``."""
EXTREME = 250
"""Base-2 logarithm of the largest change of a row, and minus that of the smallest."""


class Measurements(Protocol):
    """A matrix of which one row may change, measured through products with blocks that are public or released.

    Noise comes from ``draw``: a numpy Generator, or a `Source` for certified arithmetic.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        ...

    def sketch_noise(self, width: int, epsilon: float, delta: float, mu: float = 0.0) -> float:
        """Smallest noise, or nearly, for a random sketch and a ``mu``-GDP measurement chosen from it."""
        ...

    def sketch(self, width: int, scale: float, draw: Any) -> Array:
        """Return ``A Omega + N``, ``(m, width)``, with a standard normal ``Omega`` and noise of this scale."""
        ...

    def noise(self, basis: Array, mu: float) -> float:
        """Noise that makes `project` for this ``(m, k)`` basis ``mu``-GDP, and `entries` for the basis ``[[1]]``."""
        ...

    def project(self, basis: Array, scale: float, draw: Any) -> Array:
        """Return ``A' basis + N``, ``(n, k)``."""
        ...

    def entries(self, scale: float, draw: Any) -> Array:
        """Return ``A + N``, ``(m, n)``."""
        ...

    def grid(self, scale: float, name: str = "step") -> dict[str, float]:
        """Details: the step of the grid on which noise of this scale is released, if there is one."""
        ...


def measured(A: Matrix, row_change: float, source: Source | Ideal) -> Measurements:
    """Read a matrix in the arithmetic of ``source``. Raises ``ValueError`` for bad input; draws nothing."""
    if isinstance(source, Ideal):
        return IdealMeasurements(product(opened(A)), row_change)
    if not 2.0**-EXTREME < row_change < 2.0**EXTREME:
        raise ValueError(f"row_change must lie between 2**-{EXTREME} and 2**{EXTREME}, got {row_change:g}")
    # the exponent is 0 where integers are declared, and nowhere else
    matrix = exact_product(opened(A), max(1, CHANGE_BITS - math.frexp(row_change)[1]))
    change = float(row_change)
    if matrix.exponent == 0:
        return CertifiedMeasurements(matrix, Fraction(change))
    return CertifiedMeasurements(matrix, sketch.rounded_change(change, matrix.shape[1], matrix.exponent))


def readable(A: Matrix, rng: Rng, arithmetic: str | None) -> Source | Ideal:
    """Choose as `randomness` does, but ideal arithmetic for a matrix whose entries cannot be read.

    Raises ``ValueError`` where certified arithmetic was asked for such a matrix, be it by an `Entropy`.
    """
    source = randomness(rng, arithmetic)
    looked = outside(A)
    if isinstance(source, Ideal) or looked.readable:
        return source
    if arithmetic == CERTIFIED or isinstance(rng, Entropy):
        raise ValueError(f"A must have entries that can be read for certified arithmetic, got {looked.name}")
    return randomness(rng, IDEAL)


@dataclass(frozen=True, slots=True)
class IdealMeasurements:
    """Products in floats, and noise of numpy."""

    matrix: Product
    row_change: float

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.matrix.shape

    def sketch_noise(self, width: int, epsilon: float, delta: float, mu: float = 0.0) -> float:
        """Smallest noise, found in floats."""
        return self.row_change * noise_for(epsilon, delta, width, mu)

    def sketch(self, width: int, scale: float, draw: Any) -> Array:
        """Return ``A Omega + N``."""
        return self._noisy(self.matrix.forward(draw.standard_normal((self.shape[1], width))), scale, draw)

    def noise(self, basis: Array, mu: float) -> float:
        """In proportion to the longest row of the basis."""
        return self.row_change * leverage_sensitivity(basis) / mu

    def project(self, basis: Array, scale: float, draw: Any) -> Array:
        """Return ``A' basis + N``."""
        return self._noisy(self.matrix.backward(basis), scale, draw)

    def entries(self, scale: float, draw: Any) -> Array:
        """Return ``A + N``."""
        return self._noisy(self.matrix.forward(np.eye(self.shape[1])), scale, draw)

    def grid(self, scale: float, name: str = "step") -> dict[str, float]:
        """None."""
        return {}

    def _noisy(self, rows: Array, scale: float, draw: np.random.Generator) -> Array:
        for part in pieces(rows):
            rows[part] += scale * draw.standard_normal(rows[part].shape)
        return rows


@dataclass(frozen=True, slots=True)
class CertifiedMeasurements:
    """Exact products, and ideal noise, correctly rounded to a grid (DPS-SHIFTED, DPS-TOWARDZERO)."""

    matrix: ExactProduct
    change: Fraction
    """Bound on the change of a row, after its entries were rounded."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.matrix.shape

    def sketch_noise(self, width: int, epsilon: float, delta: float, mu: float = 0.0) -> float:
        """Smallest noise, or nearly, for a test matrix that is rounded; certified."""
        longer = sketch.lengthening(self.shape[1], width)
        candidate = noise_for(epsilon, delta, width, mu, float(longer))
        scale = Fraction(sketch.noise_scale(epsilon, delta, width, mu, longer, candidate)) * self.change
        return calibrate.least(lambda s: s >= scale, scale)

    def sketch(self, width: int, scale: float, draw: Any) -> Array:
        """Return ``A Omega + N``, ``Omega`` rounded."""
        omega = sketch.test_matrix(self.shape[1], width, draw)
        return self.noisy(self.matrix.forward(omega), sketch.GRID, scale, draw)

    def noise(self, basis: Array, mu: float) -> float:
        """In proportion to the longest row of the basis cut off, rounded upward; 0 if that is 0."""
        return sketch.projection_noise(sketch.cut(basis), self.change, mu)

    def project(self, basis: Array, scale: float, draw: Any) -> Array:
        """Return ``A' basis + N``, the basis cut off after `sketch.GRID` binary digits."""
        return self.noisy(self.matrix.backward(sketch.cut(basis)), sketch.GRID, scale, draw)

    def entries(self, scale: float, draw: Any) -> Array:
        """Return ``A + N``."""
        return self.noisy(self.matrix.forward(np.eye(self.shape[1], dtype=np.int64)), 0, scale, draw)

    def grid(self, scale: float, name: str = "step") -> dict[str, float]:
        """Return the step, a power of two; finer than the noise by `FINE` binary digits."""
        return {name: math.ldexp(1.0, grid.step_exponent(scale, FINE))}

    def noisy(self, rows: Integers, digits: int, scale: float, draw: Source) -> Array:
        """Integers in units of ``2**-digits`` times that of the matrix, with noise."""
        return noisy(rows, self.matrix.exponent + digits, scale, draw)


def noisy(rows: Integers, digits: int, scale: float, draw: Source) -> Array:
    """Return integers ``(., p)`` in units of ``2**-digits`` with normal noise, correctly rounded to the grid for it.

    The result takes the place of the integers where they are of int64, so that nothing of that size is allocated.
    """
    exponent, narrow = grid.step_exponent(scale, FINE), rows.dtype == np.int64 and rows.flags.c_contiguous
    out = rows.view(np.float64) if narrow else np.empty(rows.shape)
    for part in pieces(rows):
        steps = grid.Steps.of(rows[part].ravel(), -digits - exponent)
        drawn = noise_on_grid.gaussian(steps, math.ldexp(scale, -exponent), draw)
        out[part] = grid.over(drawn, exponent, 1).reshape(rows[part].shape)
    return out
