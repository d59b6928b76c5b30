"""Divided differences, and the functions of nodes that take their place where nodes coincide."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp


def confluent(nodes: Sequence[Any]) -> list[tuple[Any, int]]:
    """Each node with its number among its equals."""
    return [(node, nodes[:i].count(node)) for i, node in enumerate(nodes)]


def derivative(n: int, a: Any, order: int, x: Any) -> Any:
    """Return the derivative of ``x^n exp(a x)`` by the product rule."""
    return mp.exp(a * x) * mp.fsum(
        math.comb(order, i) * math.perm(n, i) * mp.mpf(x) ** (n - i) * mp.mpf(a) ** (order - i)
        for i in range(min(order, n) + 1)
    )


def divided_difference(derivative: Callable[[int, Any], Any], nodes: Sequence[Any]) -> Any:
    """Newton's divided difference over ``nodes``, ties allowed; ``derivative(n, x)`` is the n-th one at ``x``.

    Every order divides the rounding of a difference by a step of the nodes; as many digits are added, and one for the
    order.
    """
    x = sorted(map(mp.mpf, nodes))
    steps = [min((b - a for a, b in zip(x, x[n:], strict=False) if b > a), default=1) for n in range(1, len(x))]
    with mp.workdps(int(mp.dps + sum(1 + max(0, -mp.log10(step)) for step in steps))):
        column = [derivative(0, v) for v in x]
        for n in range(1, len(x)):
            column = [
                (column[i + 1] - column[i]) / (x[i + n] - x[i])
                if x[i + n] > x[i]
                else derivative(n, x[i]) / mp.factorial(n)
                for i in range(len(x) - n)
            ]
    return +column[0]


def complete(nodes: Sequence[Any], count: int) -> list[Any]:
    """Complete homogeneous symmetric polynomials of degree below ``count``, by their generating function."""
    row = [mp.mpf(1)] + [mp.mpf(0)] * (count - 1)
    for value in nodes:
        for i in range(1, count):
            row[i] += value * row[i - 1]
    return row
