"""Integrals by Gauss-Legendre rules with a growing number of nodes, in balls of python-flint.

A ball is a number with a bound on its rounding errors, and is many times as quick as a number of mpmath. Integrands
take balls and return balls, so they are written with the methods of these; where a rule meets a root or a kink at an
end, substitute first. A power of a ball that holds 0 is no number: write ``x * x`` where ``x`` may vanish. Nothing here
knows what it integrates.
"""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import flint
from flint import arb
from mpmath import mp

Ball = Any
FIRST, LAST = 12, 384
"""Numbers of nodes of the coarsest and of the finest rule."""
HALVINGS = 8
"""Times that an interval is halved on which the finest rule does not settle."""
GUARD = 20
"""Bits beyond the precision of mpmath."""


@contextmanager
def working() -> Iterator[None]:
    """Let balls have the precision of mpmath and some bits more."""
    with flint.ctx.workprec(mp.prec + GUARD):
        yield


def integral(function: Callable[[Ball], Ball], ends: Sequence[Any]) -> Ball:
    """Integral of a function that is analytic between consecutive ends, and near them.

    The error of a rule is about the square of that of one with half the nodes. So two of them need to agree only to
    seven tenths of the digits, relative to the integral of the modulus. Where the finest rule does not, the interval is
    halved. Raises ``ValueError`` if that does not help.
    """
    with working():
        panels = [(low, high) for low, high in itertools.pairwise(map(arb, ends)) if low < high]
        coarse = [_sums(function, *panel, FIRST) for panel in panels]
        near = arb(10) ** (-7 * mp.dps // 10) * sum((size for _, size in coarse), arb(0)).mid()
        return sum(
            (_settled(function, *panel, before, near) for panel, (before, _) in zip(panels, coarse, strict=True)),
            arb(0),
        )


def _settled(
    function: Callable[[Ball], Ball], low: Ball, high: Ball, before: Ball, near: Ball, halvings: int = HALVINGS
) -> Ball:
    count = FIRST
    while count < LAST:
        count *= 2
        total, _ = _sums(function, low, high, count)
        if abs((total - before).mid()) <= near:
            return total
        before = total
    if not halvings:
        raise ValueError(f"an integrand must be analytic near its interval, got one that {LAST} nodes do not resolve")
    middle = (low + high) / 2
    halves = ((*half, _sums(function, *half, FIRST)[0]) for half in ((low, middle), (middle, high)))
    return sum((_settled(function, *half, near, halvings - 1) for half in halves), arb(0))


def _sums(function: Callable[[Ball], Ball], low: Ball, high: Ball, count: int) -> tuple[Ball, Ball]:
    """Integrals of the function and of its modulus."""
    middle, half = (low + high) / 2, (high - low) / 2
    terms = [weight * function(middle + half * node) for node, weight in rule(count)]
    return half * sum(terms, arb(0)), half * sum(map(abs, terms), arb(0))


def rule(count: int) -> list[tuple[Ball, Ball]]:
    """Nodes in ``(-1, 1)`` and weights, at the precision of balls."""
    return _rule(count, flint.ctx.prec)


@functools.cache
def _rule(count: int, _precision: int) -> list[tuple[Ball, Ball]]:
    return [arb.legendre_p_root(count, k, weight=True) for k in range(count)]
