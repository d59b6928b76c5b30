"""Instances of a counterexample that are moved, one number at a time, to leave what was printed."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

MOVES = ((-1, -1), (0, 0), (1000, 1000), (-1000, -1000), (1, 1), (1, -1), (2, 0), (0.5, 0), (0.001, 0))
"""Factors and summands that make another number of one."""


def moved(value: Any) -> Iterator[Any]:
    """Yield the value with one of its numbers changed, for each number and each of `MOVES`."""
    if isinstance(value, np.ndarray):
        for place in np.ndindex(value.shape):
            for new in moved(value[place].item()):
                other = value.astype(np.result_type(value, type(new)))
                other[place] = new
                yield other
    elif isinstance(value, tuple | list):
        for at, inner in enumerate(value):
            for new in moved(inner):
                rest = [new if i == at else x for i, x in enumerate(value)]
                yield type(value)(*rest) if hasattr(value, "_fields") else type(value)(rest)
    elif isinstance(value, int | float | Fraction | mp.mpf) and not isinstance(value, bool):
        yield from (type(value)(value * type(value)(factor) + summand) for factor, summand in MOVES)
