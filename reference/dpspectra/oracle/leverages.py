"""How evenly mass is spread over rows; leverages after adding noise directions.

The same names as `dpspectra.fast.leverages`, from projectors and integrals.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.linalg import Matrix, inner
from dpspectra.oracle.quadrature import integral, working
from dpspectra.oracle.roots import bisect


def projector(columns: Matrix) -> Matrix:
    """Projector on the span of independent columns, from the normal equations."""
    return columns * (columns.H * columns) ** -1 * columns.H


def leverages(columns: Matrix) -> list[Any]:
    """Diagonal of the projector on the span of independent columns."""
    p = projector(columns)
    return [mp.re(p[i, i]) for i in range(p.rows)]


def row_coherence(a: Matrix) -> Any:
    """Smallest ``C`` for which every row has ``|A_i|^2 <= C |A|_F^2 / m``; 1 for the zero matrix."""
    total = inner(a, a)
    if total == 0:
        return mp.mpf(1)
    return max(a.rows * inner(a[i, :], a[i, :]) / total for i in range(a.rows))


def range_coherence(columns: Matrix) -> Any:
    """Largest leverage relative to the average one, ``r / m``."""
    each = leverages(columns)
    return max(each) * len(each) / mp.fsum(each)


def exceedance(before: Sequence[Any], width: int, level: Any) -> list[Any]:
    """For each row, the probability that its leverage exceeds ``level`` once ``width`` random directions are added.

    The new leverage is ``1 - (1 - l) sin^2 t``; the angle ``t`` between a fixed vector of the free space and the random
    subspace has a density proportional to ``cos^(width - 1) t sin^(rest - 1) t``.
    """
    rest = _rest(before, width)
    with working():
        values = {start: mp.mpf(_above(arb(start), rest, width, arb(level))) for start in set(before)}
    return [values[start] for start in before]


def _rest(before: Sequence[Any], width: int) -> int:
    """Dimensions that are left over."""
    return len(before) - int(mp.nint(mp.fsum(before))) - width


def _above(start: Any, rest: int, width: int, level: Any) -> Any:
    """`exceedance` of one row, in balls."""
    if level < start:
        return arb(1)
    if start >= 1 or rest == 0:
        return arb(level < 1)
    return ((1 - level) / (1 - start)).beta_lower(arb(rest) / 2, arb(width) / 2, regularized=1)


def _union(before: Sequence[Any], width: int) -> Callable[[Any], Any]:
    """Sum of `exceedance` as a function of the level, in balls."""
    rest, counts = _rest(before, width), [(arb(start), count) for start, count in Counter(before).items()]
    return lambda level: sum((count * _above(start, rest, width, level) for start, count in counts), arb(0))


def leverage_quantile(before: Sequence[Any], width: int, beta: Any) -> Any:
    """Level at which the sum of `exceedance` is ``beta``, by bisection to 20 digits."""
    low, high = max(before), mp.mpf(1)
    if low >= 1 or _rest(before, width) == 0:
        return mp.mpf(1)
    with working():
        union, beta = _union(before, width), arb(beta)
        return bisect(lambda level: bool(union(arb(level)) > beta), low, high, mp.mpf(10) ** -20)[1]


def mean_largest_leverage(before: Sequence[Any], width: int) -> Any:
    """Integral of the smaller of 1 and the sum of `exceedance`."""
    start = leverage_quantile(before, width, 1)
    if start >= 1:
        return mp.mpf(1)
    inside = sorted({x for x in before if start < x < 1})
    with working():
        union = _union(before, width)

        def between(low: Any, high: Any) -> Any:
            """Integral over the square of a sine, as there may be roots at both ends."""
            return integral(
                lambda t: union(low + (high - low) * t.sin() ** 2) * (high - low) * (2 * t).sin(), [0, mp.pi / 2]
            )

        panels = itertools.pairwise(map(arb, [start, *inside, 1]))
        return start + mp.mpf(sum((between(*panel) for panel in panels), arb(0)))
