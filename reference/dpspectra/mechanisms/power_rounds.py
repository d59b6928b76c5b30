"""One round of the private power method, in ideal and in certified arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike

from dpspectra.certified import grid, noise_on_grid
from dpspectra.certified.entropy import Source
from dpspectra.certified.products import ExactProduct
from dpspectra.formulas.quantised_step import BITS, WHOLE
from dpspectra.ground.array_types import Array
from dpspectra.matrices.kinds import Matrix
from dpspectra.matrices.products import Product
from dpspectra.matrices.tall_blocks import Key, add_noise, pieces, stream
from dpspectra.mechanisms.added_noise import FINE
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.power_plan import PowerPlan, PowerState
from dpspectra.mechanisms.private_data import outside
from dpspectra.mechanisms.randomness import Ideal, Rng, where_possible
from dpspectra.mechanisms.randomness import promised as assumed
from dpspectra.relations import Relation

PUBLIC_START = "the given start does not depend on the data"
DIGITS = 20
"""Smallest number of digits after the point of entries that are not integers."""


class Rounds(Protocol):
    """Noise for the start and for each round, and the matrix that is multiplied."""

    def normal(self, shape: tuple[int, int], dtype: DTypeLike) -> Array:
        """Return the standard normal numbers for the start, free of data."""
        ...

    def release(self, number: int, x: Array, largest: float) -> tuple[Array, float]:
        """Return the noisy product with ``x`` in round ``number``, and its scale of noise; see `PowerPlan.noise`."""
        ...


@dataclass(frozen=True, slots=True)
class IdealRounds:
    """Products in floats, and noise of numpy, each round's from a stream of its own."""

    matrix: Product
    plan: PowerPlan
    key: Key

    def normal(self, shape: tuple[int, int], dtype: DTypeLike) -> Array:
        """Return the standard normal numbers for the start."""
        return add_noise(np.zeros(shape, dtype), 1.0, stream(self.key, 0))

    def release(self, number: int, x: Array, largest: float) -> tuple[Array, float]:
        """Return the noisy product, in floats."""
        scale = self.plan.noise(x, largest)
        return add_noise(self.matrix.forward(x), scale, stream(self.key, number), laplace=self.plan.mu is None), scale


@dataclass(frozen=True, slots=True)
class CertifiedRounds:
    """Exact products, and ideal noise, rounded to a grid; each round takes as many calls of the source as a start."""

    matrix: ExactProduct
    plan: PowerPlan
    source: Source

    def skip(self, x: Array, rounds: int) -> None:
        """Leave out what the source is to give so many rounds of blocks such as ``x``, the start being the first."""
        for _ in range(rounds * len(list(pieces(x)))):
            self.source.words(0)

    def normal(self, shape: tuple[int, int], dtype: DTypeLike) -> Array:
        """Return the standard normal numbers for the start."""
        x = np.empty(shape)
        for part in pieces(x):
            x[part] = noise_on_grid.Normals(x[part].shape, self.source).values
        return x

    def release(self, number: int, x: Array, largest: float) -> tuple[Array, float]:
        """Return the noisy product with ``x``, which is cut off after `BITS` digits.

        The product is correctly rounded to a multiple of its step.
        """
        cut = np.trunc(x * 2.0**BITS)
        unit = Fraction(2) ** -self.matrix.exponent if self.matrix.exponent else WHOLE
        scale = self.plan.noise(cut * 2.0**-BITS, largest, unit)
        exponent = grid.step_exponent(scale, FINE)
        exact, y = self.matrix.forward(cut), cut
        law = noise_on_grid.laplace if self.plan.mu is None else noise_on_grid.gaussian
        for part in pieces(y):
            steps = grid.Steps.of(exact[part].ravel(), -(self.matrix.exponent + BITS) - exponent)
            noisy = law(steps, math.ldexp(scale, -exponent), self.source)
            y[part] = grid.over(noisy, exponent, 1).reshape(y[part].shape)
        return y, scale


def steps(scales: list[float]) -> tuple[float, ...]:
    """Return the grids on which products with noise of these scales are released."""
    return tuple(math.ldexp(1.0, grid.step_exponent(scale, FINE)) for scale in scales)


def digits(shape: tuple[int, int] | None, relation: Relation) -> int:
    """Digits after the point of the entries of a matrix that is not one of integers.

    The sensitivity to a change in all entries grows by rounding in the proportion ``d 2**-digits`` at most.
    """
    every = relation in (Relation.SPECTRAL, Relation.RANK_ONE)
    return max(DIGITS, 10 + sum(shape or ()).bit_length()) if every else DIGITS


def arithmetic_for(a: Matrix, dtype: DTypeLike, rng: Rng, arithmetic: str | None) -> Source | Ideal:
    """Choose as `randomness` does; ideal by default where products cannot be exact, which is refused if asked for."""
    looked = outside(a)
    found = f"products in {np.dtype(dtype)}" if looked.readable else looked.name
    return where_possible(
        looked.readable and np.dtype(dtype) == np.float64,
        "A must have entries of at most 64 bits, multiplied in float64,",
        found,
        rng,
        arithmetic,
    )


def basis(
    source: Source | Ideal, inner: Relation, started: bool, resume: PowerState | None, promised: Claim
) -> dict[str, Any]:
    """Return the further assumptions of claims; a run that goes on rests on what it began with."""
    first = "HP-K4.2P" if inner == Relation.PAIR else "HP-L4.5"
    claim = assumed(promised, source, (first, "HP-SENS"), ("DPS-CONTRACTION", "DPS-QUANTISEDSTEP"))
    found = {name: getattr(claim, name) for name in ("assumptions", "labels", "arithmetic")}
    if started or (resume is not None and PUBLIC_START in resume.plan.assumptions):
        found["assumptions"] += (PUBLIC_START,)
    return found
