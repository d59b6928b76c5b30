"""The kinds of data that mechanisms read, as types; structural, so that neither scipy nor dask needs stubs."""

import sys
from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dpspectra.ground.foreign_code import read


class SparseMatrix(Protocol):
    """A scipy sparse matrix or array."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        ...

    def tocsr(self) -> Any:
        """Return the matrix by compressed rows."""
        ...


class LinearOperator(Protocol):
    """A real matrix known by its products with blocks of columns, such as scipy's ``LinearOperator``."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        ...

    def matmat(self, X: Any, /) -> Any:
        """Return the matrix times ``X``."""
        ...

    def rmatmat(self, X: Any, /) -> Any:
        """Return the transposed matrix times ``X``."""
        ...


class DaskArray(Protocol):
    """A dask array (extra ``outofcore``)."""

    @property
    def dask(self) -> Any:
        """The graph of tasks."""
        ...

    @property
    def chunks(self) -> Any:
        """Lengths of the chunks along each axis."""
        ...


Rows: TypeAlias = ArrayLike | SparseMatrix | DaskArray
"""Rows of data that lie together: ``(n, d)``."""
Data: TypeAlias = Rows | Iterator[Rows]
"""Rows of data, or an iterator over chunks of rows, which is gone through once."""
Matrix: TypeAlias = ArrayLike | SparseMatrix | LinearOperator | DaskArray
"""A matrix of which only products with thin blocks are needed."""


def declared_type(a: object) -> np.dtype[Any] | None:
    """Return the type of numbers that an array, a scipy sparse matrix or a dask array declares; ``None`` where none is.

    That of a list, of objects or of a data frame is a function of the entries, and must decide nothing.
    """
    if not (isinstance(a, (np.ndarray, np.generic)) or hasattr(type(a), "dask") or hasattr(type(a), "tocsr")):
        return None
    dtype = read(lambda: getattr(a, "dtype", None), "the data")
    return dtype if isinstance(dtype, np.dtype) and dtype.kind in "biufc" else None


def is_sparse(data: Any) -> bool:
    """Whether ``data`` is a scipy sparse matrix or array: nobody has one who has not loaded ``scipy.sparse``."""
    known = getattr(sys.modules.get("scipy.sparse"), "issparse", None)
    return known is not None and bool(known(data))


def is_frame(data: Any) -> bool:
    """Whether ``data`` is a table of pandas, polars or Arrow, or a batch of Arrow: by what its type can do."""
    kind = type(data)
    if hasattr(kind, "dask"):
        return False
    return hasattr(kind, "column_names") or (hasattr(kind, "columns") and hasattr(kind, "dtypes"))


def is_dask_frame(data: Any) -> bool:
    """Whether ``data`` is a data frame of dask."""
    return hasattr(type(data), "dask") and hasattr(type(data), "columns")


def is_lazy(data: Any) -> bool:
    """Whether ``data`` is a table of polars that is still to be made: a ``LazyFrame``."""
    return hasattr(type(data), "collect") and hasattr(type(data), "collect_schema")
