"""Rows as estimators are given them: whether they have two dimensions, how many there are, and their numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

import dpspectra as dps
from dpspectra.certified.exact_moments import sums_of
from dpspectra.ground import checks
from dpspectra.ground.foreign_code import Chunks, read

FLOATS = (np.float64, np.float32)
P = ParamSpec("P")
T = TypeVar("T")


class Tallied(Chunks):
    """Chunks of rows that count the rows which were handed out."""

    number = 0

    def __next__(self) -> Any:
        """Return the next chunk."""
        chunk = super().__next__()
        self.number += rows_in(chunk) or 0
        return chunk


def _is_row(first: Any) -> bool:
    """Whether this is a row in which some entry is no list; none is looked at besides."""
    return isinstance(first, (list, tuple)) and not all(isinstance(entry, (list, tuple)) for entry in first)


def rows_in(data: Any) -> int | None:
    """Return the number of rows, of people in `Moments` of these; ``None`` where it would have to be computed."""
    if isinstance(data, Tallied):
        return data.number
    if isinstance(data, dps.Moments):
        return sums_of(data, True).count
    number = data.shape[0] if hasattr(data, "shape") else len(data)
    return int(number) if isinstance(number, (int, np.integer)) else None


def log_likelihood(squares: NDArray[Any], d: int, log_determinant: float) -> float:
    """Mean log-likelihood of normal rows, by their squared distances and the log-determinant of the covariance."""
    return -(float(np.mean(squares)) + d * math.log(2 * math.pi) + log_determinant) / 2


def of_numbers(fit: Callable[P, T]) -> Callable[P, T]:
    """Refuse an object that is no number by a ``TypeError``, as scikit-learn does, in words that do not quote it."""

    @functools.wraps(fit)
    def fitted(*given: P.args, **named: P.kwargs) -> T:
        try:
            return fit(*given, **named)
        except checks.NoNumber as problem:
            said = str(problem)
        raise TypeError(f"{said}; an argument must be free of every string and of all else that is no number")

    return fitted


def require_rows(X: Any) -> None:
    """Raise ``ValueError`` for what has not two dimensions, or is complex; of the data only the shape is told."""
    if isinstance(X, (list, tuple)):
        dimensions = 2 if not len(X) or _is_row(X[0]) else 1 + read(lambda: np.ndim(X[0]), "X")
    else:
        dimensions = 0 if np.isscalar(X) else len(read(lambda: getattr(X, "shape", (0, 0)), "X"))
    if dimensions != 2:
        kind = {0: "scalar", 1: "1D"}.get(dimensions, f"{dimensions}D")
        raise ValueError(f"Expected 2D array, got {kind} array: X must have shape (n, d). Reshape your data")
    if read(lambda: getattr(getattr(X, "dtype", None), "kind", ""), "X") == "c":
        raise ValueError("Complex data not supported: X must be real")


def numbers(X: Any) -> Any:
    """Rows of floats, dense or by compressed rows; of an entry that is no number the place alone is told."""
    require_rows(X)
    plain = X if hasattr(X, "tocsr") else checks.plain(X, "X")
    require_rows(plain)
    return check_array(plain, accept_sparse="csr", dtype=list(FLOATS))
