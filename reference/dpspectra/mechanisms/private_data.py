"""Private data: what shows of them from outside is public, and `opened` is the one way in.

Every public check of a mechanism stands before it: who finds the box shut afterwards knows that nothing was learnt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dpspectra.ground.foreign_code import read
from dpspectra.matrices.foreign_data import names_of, unfit
from dpspectra.matrices.kinds import declared_type, is_lazy

if TYPE_CHECKING:
    from dpspectra.certified.reading_parameters import Terms

T = TypeVar("T")
ITERATOR, SUM, MOMENTS, SPARSE, DASK, OPERATOR, LIST, ARRAY, OTHER = (
    "iterator", "sum", "moments", "sparse", "dask", "operator", "list", "array", "other"
)  # fmt: skip
"""Kinds of data."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Public facts about data, which are read without looking at a number."""

    kind: str
    count: int | None
    """Rows, where they are known and public."""
    width: int | None
    """Columns, where they are known."""
    dtype: np.dtype[Any] | None
    """The type that is declared."""
    name: str = ""
    """Name of the type of the data."""
    norm_bound: float | None = None
    """That of a `Matrix`."""
    terms: Terms | None = None
    """Those of `Moments`."""
    parts: int = 1
    """Parts that `Moments` are made of."""
    names: tuple[str, ...] | None = None
    """Names of the columns of a table."""
    unfit: str = ""
    """Words that refuse types which are declared, and are none of numbers."""

    @property
    def shape(self) -> tuple[int, int] | None:
        """Rows and columns, where both are known."""
        return None if self.count is None or self.width is None else (self.count, self.width)

    @property
    def readable(self) -> bool:
        """Whether entries can be read exactly: not those of a ``LinearOperator``, nor long doubles."""
        long = self.dtype is not None and self.dtype.kind == "f" and self.dtype.itemsize > 8
        return self.kind != OPERATOR and not long


class Sealed:
    """A box around the data of a mechanism; ``touched`` says if it was opened."""

    __slots__ = ("_data", "outside", "touched")

    def __init__(self, data: Any, counted: bool = True) -> None:
        looked = outside(data)
        self._data, self.touched = data, False
        self.outside = looked if counted else replace(looked, count=None)

    def open(self) -> Any:
        """Return the data; the box stays open."""
        self.touched = True
        return self._data

    def __repr__(self) -> str:
        return "Sealed(private)"


def opened(data: Any) -> Any:
    """Return the data, out of their box if they are in one."""
    return data.open() if isinstance(data, Sealed) else data


def outside(data: Any) -> Outside:
    """Return the outside of data, in a box or not."""
    if isinstance(data, Sealed):
        return data.outside
    if type(data) is np.ndarray:  # the usual case, before questions that take longer
        return Outside(ARRAY, *_sizes(data.shape), declared_type(data), "ndarray", unfit=unfit(data))
    if _is_sum(data):
        count, width = data.shape
        return Outside(SUM, count, width, data.dtype, norm_bound=data.norm_bound)
    if _is_moments(data):
        return Outside(MOMENTS, data._sums.count, data.terms.width, None, "Moments", None, data.terms, data.parts)
    if isinstance(data, Iterator):
        return Outside(ITERATOR, None, None, None)
    if isinstance(data, (list, tuple)):
        widths = {_length(row) for row in data}
        return Outside(LIST, len(data), widths.pop() if len(widths) == 1 else None, None)
    if is_lazy(data):
        names = names_of(data) or ()
        return Outside(OTHER, None, len(names) or None, None, type(data).__name__, names=names, unfit=unfit(data))
    sizes = _sizes(read(lambda: getattr(data, "shape", None), "X"))
    seen = Outside(_kind(data), *sizes, declared_type(data), type(data).__name__)
    return replace(seen, names=names_of(data), unfit=unfit(data))


def _length(row: Any) -> int | None:
    """Entries of a row, none of which is looked at: one may be a list itself."""
    return len(row) if isinstance(row, (list, tuple)) or (isinstance(row, np.ndarray) and row.ndim) else None


def _is_sum(data: Any) -> bool:
    """Whether data are a `Matrix`: nobody has one who has not loaded its module."""
    module = sys.modules.get("dpspectra.matrices.summed_elsewhere")
    return module is not None and isinstance(data, module.Matrix)


def _is_moments(data: Any) -> bool:
    """Whether data are `Moments`: nobody has some who has not loaded their module."""
    module = sys.modules.get("dpspectra.certified.exact_moments")
    return module is not None and isinstance(data, module.Moments)


def _kind(data: Any) -> str:
    kind = type(data)
    if hasattr(kind, "dask"):
        return DASK
    if hasattr(kind, "tocsr"):
        return SPARSE
    if hasattr(kind, "matmat"):
        return OPERATOR
    return ARRAY if isinstance(data, np.ndarray) else OTHER  # one of a class of its own


def _sizes(shape: Any) -> tuple[int | None, int | None]:
    if not isinstance(shape, tuple) or len(shape) != 2:
        return None, None
    count, width = [int(size) if isinstance(size, (int, np.integer)) else None for size in shape]
    return count, width


def shown(data: Any, check: Callable[[tuple[int, int]], Any]) -> None:
    """Check the shape of data where it shows, so that a refusal for it is free of charge."""
    if (shape := outside(data).shape) is not None and 0 not in shape:
        check(shape)


def foreseen(data: Any, make: Callable[[int], T]) -> Callable[[int], T]:
    """Return a function of the width of data, called now for the visible width so that it refuses free of charge."""
    width = outside(data).width
    if not width:
        return make
    known = make(width)
    return lambda d: known if d == width else make(d)
