"""Sensitivity of a product with a quantised matrix, from above in rational numbers (DPS-QUANTISEDSTEP)."""

from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.certified import calibrate
from dpspectra.formulas.power_step import entrywise
from dpspectra.ledger import Relation
from dpspectra.matrices.tall_blocks import gram, largest_rows

BITS = 20
"""Digits after the point of the entries of a block."""


EXACT = 2.0 ** (53 - 2 * BITS)
"""Bound on sums of squares of such entries that are exact."""


WHOLE = Fraction(0)
"""Unit of entries that are not rounded."""


def squared(x: Any, relation: str, *, l1: bool, unit: Fraction = WHOLE) -> Fraction:
    """Square of the sensitivity of ``A -> q(A) X`` in Frobenius or l1 norm, from above.

    ``x`` is ``(d, p)``, in certified arithmetic of multiples of ``2**-BITS``, for which all sums below are exact;
    ``relation`` is ``"pair"``, ``"spectral"`` or ``"rank_one"``, and ``unit`` that of the entries, 0 if they are not
    rounded. Raises ``ValueError`` for a block so far from orthonormal that sums could round.
    """
    d, p = x.shape
    if relation == Relation.PAIR:
        size = Fraction(entrywise([exact(size) for size in largest_rows(x, l1=l1)], relation))
        return size**2 if l1 else size
    inner = gram(x)
    norm = exact(np.max(np.sum(np.abs(inner), axis=1)))
    square = sum((exact(s) for s in np.diagonal(inner)), Fraction()) if relation == Relation.SPECTRAL else norm
    square *= d * p if l1 else 1
    if not unit:
        return square
    excess = d * unit * (exact(np.sum(np.abs(x)), 2.0**BITS * EXACT) if l1 else root(norm))
    return square + excess * (2 * root(square) + excess)


def root(square: Fraction) -> Fraction:
    """The square root, or a little more."""
    return Fraction(calibrate.at_least_root(square, 1.0)) if square else Fraction()


def exact(size: Any, bound: float = EXACT) -> Fraction:
    """A sum of numbers that are not negative: of multiples of a unit, it is exact if found to be below the bound."""
    if not size < bound:
        raise ValueError("the columns of a block must be orthonormal up to rounding, and these are not")
    return Fraction(float(size))
