"""Arrays in JSON: the type, the shape, and the real numbers one by one; complex ones are pairs.

Do not change lightly: claims, records of audits and states of the power method are read by later versions.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks, records

LONGEST = 2**8192
"""Integers in arrays of Python objects are below this in modulus."""
OBJECTS = "|O"
"""Type of arrays of Python integers."""
DTYPES = {np.dtype(order + code).str for order in "<>" for code in ("?", *np.typecodes["AllInteger"], *"efdFD")}
"""Types of numbers that JSON holds exactly."""
NUMBERS = {
    "b": records.flag,
    "i": records.whole(),
    "u": records.whole(0),
    "f": records.number(),
    "O": records.whole(1 - LONGEST, LONGEST - 1),
}
"""Real numbers of arrays, by the kind of their type."""


def plain(array: NDArray[Any]) -> dict[str, Any]:
    """Return an array as JSON holds it."""
    numbers = np.ascontiguousarray(array).reshape(-1)
    real = numbers.view(numbers.real.dtype) if numbers.dtype.kind == "c" else numbers
    return {"dtype": array.dtype.str, "shape": list(array.shape), "values": real.tolist()}


def read(value: Any, dtypes: Collection[str] = frozenset(DTYPES)) -> NDArray[Any]:
    """Return the array of one of these types that `plain` wrote; raises ``ValueError`` or ``OverflowError``."""
    found = ARRAY(value)
    dtype, shape = np.dtype(records.among(*dtypes)(found["dtype"])), found["shape"]
    part = np.empty(0, dtype).real.dtype
    numbers = list(map(NUMBERS[part.kind], found["values"]))
    if math.prod(shape) * (1 + (dtype.kind == "c")) != len(numbers):
        raise records.Misfit("an array must have as many numbers as its shape says, got others")
    with np.errstate(all="ignore"):  # what is too large for a small type is told apart below
        array = np.array(numbers, part)
    if dtype.str != OBJECTS and not np.isfinite(array).all():
        raise records.Misfit("an array must hold numbers of its type, got larger ones")
    return (array.view(dtype) if dtype.kind == "c" else array).reshape(shape)


ARRAY = records.record(
    {
        "dtype": records.text,
        "shape": records.listed(records.whole(0, checks.LARGEST_INTEGER)),
        "values": records.listed(records.kept),
    }
)
"""Fields of an array."""
