"""Radii on an orbit within which counting gives the best lower bound, and the lengths of the paths in them."""

import itertools
from typing import Any

from mpmath import mp

from dpspectra.oracle.packing import ball_constant


def best(values: list[Any], epsilon: Any, field: str) -> tuple[Any, ...]:
    """Largest squared error of counting, with the pair, the squared radius and the length; all lengths are tried."""
    if values[0] == values[-1]:
        return mp.mpf(0), 1, 1, mp.mpf(0), 2
    d, found = len(values), []
    for i, j in itertools.combinations(range(1, d + 1), 2):
        square, *radius = separation(values[0] - values[-1], i, d - j + 1, epsilon, field)
        found.append(((values[i - 1] - values[j - 1]) ** 2 / 4 * square, i, d - j + 1, *radius))
    return max(found)


def separation(spread: Any, i: int, m: int, epsilon: Any, field: str) -> tuple[Any, Any, int]:
    """Squared distance of the projectors of one pair, with the squared radius and the length.

    Go through the lengths of paths upwards until a longer one cannot be better whatever its radius.
    """
    q, power, best = min(i, m), mp.mpf(i * m) / (2 if field == "real" else 1), (mp.mpf(0), mp.mpf(0), 0)
    far = ball_constant(i, m) ** 2 if field == "complex" else 0
    length = 2 * q
    while True:
        square = max(mp.mpf(length + 1 - 2 * q), mp.mpf((length // 2 * 2) ** 2) / (2 * q))
        shrunk = (1 + mp.exp(epsilon * length)) ** (-1 / power)
        value, most = (max(min(x, 2), far * min(x, 2 * q)) * shrunk for x in (square / spread**2, 2 * q))
        best = max(best, (value, square, length))
        if square >= 2 * q * spread**2 or most < best[0]:
            break
        length += 1
    if field == "real":
        square = min(best[0], 1)
        return square * mp.root(1 - square / 2, i * m), *best[1:]
    return best
