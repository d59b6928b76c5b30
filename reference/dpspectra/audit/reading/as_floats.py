"""Numbers of Python, and of arrays of integers, as float64 numbers."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading.labels import TEXT

EXACT = 2**53
"""Integers beyond this are not all float64 numbers."""
LOW = 2**52 - 1
"""Bits of an integer that are looked at by themselves, if it is no float64 number."""
MODULI = (math.lcm(*range(1, 38)), 41 * 43 * 47 * 49 * 53 * 59 * 61 * 64)
"""By the remainders of these, which are float64 numbers, those by all numbers to 64 are known."""


def shape_of(x: Any) -> tuple[int, ...]:
    """Shape of a number or an array; that of a float is known without numpy."""
    return () if type(x) is float else np.shape(x)


def exact(x: NDArray[Any]) -> bool:
    """Whether all numbers in an array of integers are float64 numbers."""
    return x.size == 0 or float(np.max(np.abs(x.astype(float)))) <= EXACT


def parts_of(x: int) -> dict[str, Any]:
    """Return an integer that is no float64 number as several: remainders, length, and all digits if it is long."""
    bits = x.bit_length()
    found: dict[str, Any] = {".low": float(x & LOW), ".bits": float(bits)}
    found |= {f".mod {modulus}": float(x % modulus) for modulus in MODULI}
    if bits > 2 * LOW.bit_length():
        found[".high"] = float((abs(x) >> (bits - EXACT.bit_length() + 1)) * (1 if x > 0 else -1))
        digits = np.frombuffer(abs(x).to_bytes(-(-bits // 48) * 6, "little"), np.uint8).reshape(-1, 6)
        found[".digits"] = digits @ 256.0 ** np.arange(6)
    return found


def as_float(x: Any) -> float:
    """Return the nearest float64 number, or an infinity."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf
    except ValueError:  # a signalling NaN
        return math.nan


def parsed(x: str) -> float | None:
    """Return the number that a short text spells."""
    try:
        return float(x) if len(x) <= TEXT else None
    except ValueError:
        return None


def plain_array(x: Sequence[Any]) -> NDArray[Any] | None:
    """Plain numbers in nested lists of one shape as an array; ``None`` for anything else."""
    leaf: Any = x
    while isinstance(leaf, (list, tuple)) and leaf:
        leaf = leaf[0]
    if type(leaf) not in (int, float):
        return None
    try:
        array = np.array(x)
    except (ValueError, OverflowError):
        return None
    return array if array.dtype.kind in "if" and _plain(x) else None


def _plain(x: Any) -> bool:
    """Whether all numbers in nested lists are Python's own floats, and integers that are float64 numbers."""
    if isinstance(x, (list, tuple)):
        return all(map(_plain, x))
    return type(x) is float or (type(x) is int and abs(x) <= EXACT)
