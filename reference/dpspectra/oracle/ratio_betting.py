"""Bets against a bound on a Renyi divergence by the definition: gains from a function of a draw, and their factor."""

from collections.abc import Sequence
from typing import Any

from mpmath import mp


def won(s: Any, order: Any) -> Any:
    """``order s^(order - 1)``."""
    return mp.mpf(order) * mp.mpf(s) ** (order - 1)


def lost(s: Any, order: Any) -> Any:
    """``(order - 1) s^order``."""
    return (mp.mpf(order) - 1) * mp.mpf(s) ** order


def largest(p: Any, q: Any, order: Any) -> Any:
    """``p^order q^(1 - order)``, which no ``s`` exceeds with ``p order s^(order - 1) - q (order - 1) s^order``."""
    return mp.mpf(0) if p == 0 else mp.inf if q == 0 else mp.mpf(p) ** order * mp.mpf(q) ** (1 - order)


def factor(x: Any, y: Any, steps: Sequence[Any], order: Any, bound: Any, fraction: Any) -> Any:
    """Factor of a draw with ``s = x`` from the one law and one with ``s = y`` from the other, ``s`` among ``steps``."""
    stake = mp.mpf(fraction) / (max(lost(s, order) for s in steps) + bound)
    return 1 + stake * (won(x, order) - lost(y, order) - bound)
