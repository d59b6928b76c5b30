"""DPS-ROWSTEP: how far ``sum q t(q)'`` moves with one row, ``t(q) = floor(q V + 1/2)``, for a public block ``V``.

Rows ``q`` are of integers, of norm at most ``R``; entries of ``t(q)`` are those of ``q V`` to the nearest integer. So
``q t(q)'`` is ``q q' V`` and an error ``q e'`` with ``|e| <= sqrt(p) / 2``. One row for another moves ``q q'`` by at
most ``R^2`` in the spectral norm and ``sqrt 2 R^2`` in the Frobenius norm, and ``N``, the largest row sum of
``|V'V|``, bounds ``|V|_2^2``: the sum moves by at most ``R^2 min(|V|_F, sqrt(2 N)) + R sqrt p``; if a row is added, by
at most ``R^2 sqrt N + R sqrt(p) / 2``; in l1 by ``sqrt(d p)`` times as much. ``V`` need not be orthonormal. That its
columns have norm 1 would not do in the place of ``N``: digits cut off from orthonormal columns can raise the spectral
norm.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.ledger import Relation, Statement, Verdict
from dpspectra.lemmas.arithmetic.quantised_step import exact, root
from dpspectra.matrices.blocks import gram


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


lemma = Statement(
    labels=("DPS-ROWSTEP",),
    claim=r"\lVert q\,t(q)^\top-r\,t(r)^\top\rVert_F\le R^2\min(\lVert V\rVert_F,\sqrt{2N})+R\sqrt p"
    r"\text{ (replace)},\quad\lVert q\,t(q)^\top\rVert_F\le R^2\sqrt N+\tfrac12R\sqrt p\text{ (add, remove)},"
    r"\quad t(q)=\lfloor V^\top q+\tfrac12\rfloor,\ N=\max_i\textstyle\sum_j|V^\top V|_{ij};"
    r"\qquad\text{in }\ell_1:\ \sqrt{dp}\text{ times as much}",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE, Relation.ADD_REMOVE),
    uses=("DPS-QUANTISER",),
    exact=("sum of the product",),
    note="arithmetic.md#a-step-of-the-power-method-by-rows",
)
