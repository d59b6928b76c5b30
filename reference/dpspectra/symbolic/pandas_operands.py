"""Arithmetic of tables and columns of pandas with numbers that hold noise: a table of such numbers, one by one."""

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import Noisy, seen


def kinds() -> tuple[type, ...]:
    """Return the types of tables and columns, if pandas is loaded; it is never imported here."""
    pandas = sys.modules.get("pandas")
    return () if pandas is None else (pandas.Series, pandas.DataFrame)


def replacements() -> list[tuple[Any, str, Any]]:
    """Return replacements for the arithmetic of tables, which would look at noise to give a column its type."""
    name = "_arith_method"
    return [(kind, name, _followed(vars(kind)[name])) for kind in kinds() if name in vars(kind)]


def _followed(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def method(self: Any, other: Any, op: Callable[[Any, Any], Any]) -> Any:
        if type(other) is Noisy and _is_plain(self) and other.shape in ((), self.shape):
            found = op(self.to_numpy(), other)
            if type(found) is Noisy:
                return _like(self, found)
            other = seen(other)
        return real(self, other, op)

    return method


def _is_plain(table: Any) -> bool:
    """Whether all columns hold numbers of numpy."""
    types = [table.dtype] if table.ndim == 1 else list(table.dtypes)
    return type(table) in kinds() and all(isinstance(t, np.dtype) and t.kind in "iuf" for t in types)


def _like(table: Any, numbers: Noisy) -> Any:
    """Return a table with other numbers."""
    values = np.empty(table.shape, dtype=object)
    for at in np.ndindex(table.shape):
        values[at] = numbers[at]
    labels = {"name": table.name} if table.ndim == 1 else {"columns": table.columns}
    return type(table)(values, index=table.index, **labels).__finalize__(table)


def one_by_one(x: Any) -> Any:
    """Return a column that keeps an array that holds noise as its values with its numbers one by one; else the same."""
    kept = type(x) in kinds() and x.ndim == 1 and type(x._values) is Noisy
    return _like(x, x._values) if kept else x
