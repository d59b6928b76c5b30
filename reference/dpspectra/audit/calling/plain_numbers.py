"""Samples as numbers, whatever holds them: lists, tuples, arrays and numbers of any type are one sample."""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpspectra.audit.reading.as_floats import EXACT
from dpspectra.ground.checks import NUMERIC


def as_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns what the given one does, with float64 or complex128 numbers for all numbers."""

    def sample(*args: Any, **options: Any) -> Any:
        return _numbers(function(*args, **options))

    for name in ("most_rows", "independent_rows"):
        if hasattr(function, name):
            setattr(sample, name, getattr(function, name))
    try:
        sample.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    except (TypeError, ValueError):  # some callables written in C have none
        return functools.wraps(function, updated=())(sample)
    return sample


def _numbers(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _numbers(item) for key, item in value.items()}
    if not isinstance(value, (list, tuple, np.ndarray, np.generic, int, float, complex)):
        return value
    try:
        array = np.array(value)
    except (ValueError, OverflowError):  # of several shapes, or too large
        return _each(value)
    if array.dtype.kind not in NUMERIC or array.dtype.char in "gG":
        return _each(value)
    if array.dtype.kind in "iu" and array.size and np.max(np.abs(array.astype(float))) >= EXACT:
        return array[()] if array.ndim else int(array)
    plain = array.astype(complex if array.dtype.kind == "c" else float)
    return plain if plain.ndim else plain.item()


def _each(value: Any) -> Any:
    return type(value)(map(_numbers, value)) if type(value) in (list, tuple) else value
