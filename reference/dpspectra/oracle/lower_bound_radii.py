"""Radii on an orbit within which counting gives the best lower bound, and the lengths of the paths in them."""

import itertools
from collections.abc import Callable
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.packing import ball_constant
from dpspectra.oracle.quadrature import working


def best(values: list[Any], epsilon: Any, field: str) -> tuple[Any, ...]:
    """Largest squared error of counting, with the pair, the squared radius and the length; all lengths are tried."""
    if values[0] == values[-1]:
        return mp.mpf(0), 1, 1, mp.mpf(0), 2
    d, found = len(values), []
    for i, j in itertools.combinations(range(1, d + 1), 2):
        square, *radius = separation(values[0] - values[-1], i, d - j + 1, epsilon, field)
        found.append(((values[i - 1] - values[j - 1]) ** 2 / 4 * square, i, d - j + 1, *radius))
    return max(found)


def separation(spread: Any, i: int, m: int, epsilon: Any, field: str, *, uniform: bool = False) -> tuple[Any, Any, int]:
    """Squared distance of the projectors of one pair, with the squared radius and the length.

    If ``uniform``, the squared radius of a ball of projectors that one output may answer, instead of the distance. Go
    through the even lengths of paths upwards until a longer one cannot be better whatever its radius.
    """
    q, best = min(i, m), (mp.mpf(0), mp.mpf(0), 0)
    far = ball_constant(i, m) ** 2 if field == "complex" else 0
    widest, top = spread**2, max(mp.mpf(2), far * 2 * q)
    shrunk = _shrinking(epsilon, mp.mpf(i * m) / (2 if field == "real" else 1), uniform)
    length = 2 * q
    while True:
        square = mp.mpf(length**2) / (2 * q)
        near, factor = square / widest, shrunk(length)
        best = max(best, (max(min(near, 2), far * min(near, 2 * q)) * factor, square, length))
        if square >= 2 * q * widest or top * factor < best[0]:
            break
        length += 2
    if field == "real":
        square = min(best[0], 1)
        return square * mp.root(1 - square / 2, i * m), *best[1:]
    return best


def _shrinking(epsilon: Any, power: Any, uniform: bool) -> Callable[[int], Any]:
    """Return what privacy leaves of a square by the length: ``1 + exp(epsilon length)`` to the power ``-1 / power``.

    If ``uniform``, ``2 exp(epsilon length)`` to this power.
    """
    with working():
        rate, exponent = arb(epsilon), -1 / arb(power)

    def shrunk(length: int) -> Any:
        with working():
            points = (rate * length).exp()
            return mp.mpf((2 * points if uniform else points + 1) ** exponent)

    return shrunk
