"""Sensitivity of a power step taken row by row on quantised rows, from above in rational numbers (DPS-ROWSTEP)."""

from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.formulas.quantised_step import exact, root
from dpspectra.ledger import Relation
from dpspectra.matrices.tall_blocks import gram


def squared(v: Any, square: Fraction, relation: str, *, l1: bool) -> Fraction:
    """Square of the sensitivity of the sum over rows of squared norm at most ``square``, from above.

    ``v`` is ``(d, p)`` of multiples of ``2**-20``, for which the sums below are exact. Raises ``ValueError`` for a
    block so far from orthonormal that they could round.
    """
    d, p = v.shape
    inner = gram(v)
    norm = exact(np.max(np.sum(np.abs(inner), axis=1)))
    if relation == Relation.REPLACE:
        length, errors = min(sum((exact(s) for s in np.diagonal(inner)), Fraction()), 2 * norm), Fraction(p)
    else:
        length, errors = norm, Fraction(p, 4)
    moved = square * root(length) + root(square * errors)
    return moved**2 * (d * p if l1 else 1)
