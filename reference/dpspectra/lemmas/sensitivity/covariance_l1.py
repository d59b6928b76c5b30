"""The upper triangle of ``v v' - w w'`` has l1 norm at most ``S_d ~ d / sqrt 2`` for ``v, w`` in the unit ball.

The norm is the largest ``<T, v v' - w w'>`` over symmetric ``T`` with ``T_ii = ±1``, ``T_ij = ±1/2``, so its maximum is
the largest ``max(lambda_1(T), 0) - min(lambda_d(T), 0)``. For ``d <= 6`` every ``T`` is tried; the maximum is attained
by two blocks of axes, of sizes as equal as possible, with ``T_ij`` negative if ``i`` and ``j`` both lie in the second.
For larger ``d``, Cauchy-Schwarz with the diagonal treated apart gives a proved bound. With all entries counted
(``T_ij = ±1``) the maximum is ``sqrt 2 d`` instead; in l2 it is ``sqrt 2``. Outside the unit ball there is no bound.

``laplace_covariance`` and ``gaussian_covariance`` scale their noise by `upper_triangle_l1` and `upper_triangle_l2`:
never lower these. The references of the auditor and ``laplace_input`` use them too.
"""

import math
from fractions import Fraction

from dpspectra.ledger import Relation, Statement, Verdict

EXHAUSTED = 6
"""Largest dimension in which every sign pattern is tried."""

lemma = Statement(
    labels=("JXZ-L2-X",),
    claim=r"\sum_{i\le j}|(vv^\top-ww^\top)_{ij}|\le S_d,\quad S_d^2=\begin{cases}(d^2+2d+2)/2&d\in\{2,4,6\}\\"
    r"(2d^2+4d+3)/4&d\in\{3,5\}\end{cases},\quad S_d\le2+\sqrt{\tfrac{(d-1)(d-2)}2}\ (d\ge3)",
    verdict=Verdict.NEW,
    relation=(Relation.REPLACE,),
    uses=("JXZ-D5",),
    exact=("maximum with all entries",),  # both sides are rounded correctly, for three dimensions
    note="sensitivity.md#covariance-in-l1",
    examples=85,
)


def block_square(d: int) -> float:
    """Square of the l1 norm that two blocks of sizes ``ceil(d/2)`` and ``floor(d/2)`` attain; exact in float64."""
    if d == 1:
        return 1.0
    return (2 * d * d + 4 * d + 3) / 4 if d % 2 else (d * d + 2 * d + 2) / 2


def proved_bound(d: int) -> float:
    """Bound for every dimension, from the Frobenius norm of ``T``, or (``d >= 3``) with its diagonal treated apart."""
    if d == 1:
        return 1.0
    whole = math.sqrt(d * (d + 3) / 2)
    return whole if d == 2 else min(whole, 2 + math.sqrt((d - 1) * (d - 2) / 2))


def upper_triangle_l1(d: int) -> float:
    """``n`` times the l1 sensitivity of the upper triangle of ``X'X / n`` when one unit-ball row is replaced.

    Exact for ``d`` up to `EXHAUSTED`; a proved bound for larger ``d``.
    """
    return math.sqrt(block_square(d)) if d <= EXHAUSTED else proved_bound(d)


def covers_l1(x: Fraction, d: int) -> bool:
    """Whether ``x`` is at least what `upper_triangle_l1` is without rounding, decided in rational numbers."""
    if x <= 0:
        return False
    if d <= EXHAUSTED:
        return x**2 >= Fraction(block_square(d))
    rest = x - 2
    return 2 * x**2 >= d * (d + 3) or (rest >= 0 and 2 * rest**2 >= (d - 1) * (d - 2))


def upper_triangle_l2(d: int) -> float:
    """``n`` times the l2 sensitivity of the upper triangle, or of the whole matrix: ``sqrt 2``; 1 if ``d = 1``."""
    return math.sqrt(min(d, 2))


def full_l1(d: int) -> float:
    """``n`` times the l1 sensitivity with all entries counted: exact if ``d`` is even or at most 5, else a bound."""
    return math.sqrt(2 * d * d - (d % 2 if d <= 5 else 0))
