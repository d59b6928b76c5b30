"""DPS-QUANTISEDSTEP: how far a product ``q(A) X`` moves, for quantised entries and any public block ``X``.

Entries are ``q(a) = h floor(a / h + 1/2)``. If one pair of entries changes by at most 1, so do the quantised ones
(DPS-CONTRACTION), and the product moves by rows of ``X`` as it is, whatever has been cut off. A change ``E`` of
spectral norm at most 1, or ``vv'``, moves many entries, and their errors differ by at most ``h`` each, by a matrix
``R``. With ``N`` the largest row sum of ``|X'X|``, which bounds ``|X|_2^2``, the product moves by at most ``|X|_F``,
or ``sqrt N`` for ``vv'``, and by ``|R X|_F <= d h sqrt N``; in l1 by ``sqrt(d p)`` times as much, and ``d h sum |X|``.
``X`` need not be orthonormal. Without the term in ``h`` an error of rounding in each entry may move more than ``E``.
The term is absent where both matrices are of integers, so that no entry is rounded: their type must declare it. That
one of them is of integers is not enough: from ``A = 0`` to 1/2 everywhere, with ``h = 1``, the product with a flat
column of norm ``1/sqrt 2`` moves by ``sqrt 2``.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.certified import calibrate
from dpspectra.ledger import Relation, Statement, Verdict
from dpspectra.lemmas.sensitivity.power_step import entrywise
from dpspectra.matrices.blocks import gram, largest_rows

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


lemma = Statement(
    labels=("DPS-QUANTISEDSTEP",),
    claim=r"\lVert(q(A')-q(A))X\rVert_F\le\sqrt{x_{(1)}+x_{(2)}}\text{ (pair)},\ \lVert X\rVert_F+dh\sqrt N"
    r"\text{ (spectral)},\ (1+dh)\sqrt N\text{ (rank one)},\quad N=\max_i\textstyle\sum_j|X^\top X|_{ij};"
    r"\qquad\text{in }\ell_1:\ \lVert X\rVert_{2,1}^{(1)}+\lVert X\rVert_{2,1}^{(2)},"
    r"\ \sqrt{dp}\lVert X\rVert_F+dh\textstyle\sum|X|,\ \sqrt{dpN}+dh\textstyle\sum|X|",
    verdict=Verdict.NEW,
    relation=(Relation.PAIR, Relation.SPECTRAL, Relation.RANK_ONE),
    uses=("DPS-CONTRACTION", "HP-SENS"),
    exact=("sum of the product",),
    note="arithmetic.md#a-step-of-the-power-method-in-integers",
)
