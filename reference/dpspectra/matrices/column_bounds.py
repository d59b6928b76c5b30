"""Columns of any units with public bounds: rows of norm at most 1, and results back in these units (DPS-COLUMNS)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.matrices.foreign_data import names_of, numbers
from dpspectra.matrices.kinds import is_sparse
from dpspectra.matrices.prepared_rows import unit_rows
from dpspectra.matrices.text_lines import ONE_FIELD


class ColumnBounds:
    """Map rows of columns within public bounds to rows of norm at most 1, and results back to the user's units.

    Column ``j`` becomes ``z_j = a_j clip((x_j - m_j) / h_j, -1, 1)`` with the middle ``m_j = (lower_j + upper_j) / 2``,
    the half width ``h_j = (upper_j - lower_j) / 2`` and ``a_j = weights_j / |weights|``. Every row of finite numbers,
    within the bounds or not, gets a norm of at most 1, exactly and in float64.

    Give an object to ``bounds=`` of a mechanism or an estimator. Values are then of rows ``z``, and `mean`, `moments`
    and `axes` say what they are in the user's units; bounds by name are put in the order of the columns first, by
    `of_columns`.

    Parameters
    ----------
    lower, upper
        Vectors ``(d,)``: the bounds of each column, in its units. They must be public: bounds that were found in the
        data are not. Or one dictionary ``{name: (lower, upper)}``: then data must be tables with columns of these
        names, in any order.
    weights
        Public positive vector ``(d,)``, in the order of the bounds; all equal by default.

    Raises
    ------
    ValueError
        Unless each half width is above 0 in float64, and weights are positive; and for names that are no texts.

    Notes
    -----
    An entry ``i, j`` of second moments costs ``h_i h_j / (a_i a_j)`` times the noise for rows of norm 1: with equal
    weights ``d`` times the product of the half widths.

    Examples
    --------
    >>> bounds = ColumnBounds([0, 0], [100, 50_000])
    >>> bounds.rows([[50, 50_000], [200, 25_000]]).round(3)
    array([[0.   , 0.707],
           [0.707, 0.   ]])
    >>> bounds.mean([0.0, 0.7071]).round(0)
    array([   50., 50000.])
    >>> named = ColumnBounds({"age": (0, 100), "income": (0, 50_000)})
    >>> named.of_columns(("income", "age")).upper
    array([50000.,   100.])

    """

    __slots__ = ("_factors", "_half", "lower", "middle", "names", "upper", "weights")

    def __init__(
        self,
        lower: ArrayLike | Mapping[str, tuple[float, float]],
        upper: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        self.names: tuple[str, ...] | None = None
        """Names of the columns, if they were given with their bounds."""
        if isinstance(lower, Mapping):
            self.names, lower, upper = _named(lower, upper)
        elif upper is None:
            raise ValueError("upper must be given with lower, unless that is a dictionary {name: (lower, upper)}")
        self.lower = checks.real_vector(lower, "lower")
        """Lower bounds of the columns."""
        self.upper = _long_as(self.lower, upper, "upper")
        """Upper bounds."""
        self.weights = np.ones(len(self.lower)) if weights is None else _long_as(self.lower, weights, "weights")
        """How much of the norm each column may have, up to a factor."""
        self.middle = self.lower / 2 + self.upper / 2
        """The row that becomes zero."""
        self._half = self.upper / 2 - self.lower / 2
        if np.any(bad := ~(self._half > 0)):
            raise ValueError(f"upper must exceed lower by more than rounding, but {checks.entry(bad)} does not")
        if np.any(bad := ~(self.weights > 0)):
            raise ValueError(f"weights must be positive, but {checks.entry(bad)} is not")
        self._factors = unit_rows(self.weights[None])[0]
        if np.any(bad := self._factors < np.finfo(float).tiny):
            raise ValueError(f"weights must be of similar size, but {checks.entry(bad)} vanishes beside others")

    def __repr__(self) -> str:
        return f"ColumnBounds({len(self)} columns{'' if self.names is None else ' by name'})"

    def __len__(self) -> int:
        return len(self.lower)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ColumnBounds):
            return NotImplemented
        return self.names == other.names and np.array_equal(self.table, other.table)

    def __hash__(self) -> int:
        return hash(self.table.tobytes())

    @property
    def table(self) -> Floats:
        """Lower bounds, upper bounds and weights, ``(3, d)``."""
        return np.stack([self.lower, self.upper, self.weights])

    @property
    def units(self) -> Floats:
        """The change of each column, in the user's units, for a change of 1 in ``z``."""
        return np.asarray(self._half / self._factors)

    def of_columns(self, columns: Sequence[str] | None) -> ColumnBounds:
        """Return the bounds in the order of some columns; those without names as they are.

        Parameters
        ----------
        columns
            Names of the columns of the data, or None if they have none.

        Returns
        -------
        ColumnBounds
            Bounds without names, to be taken in this order.

        Raises
        ------
        ValueError
            Unless each column has bounds by its name, and nothing else has.

        """
        if self.names is None:
            return self
        if columns is None:
            way_out = "give lower and upper in the order of the columns"
            raise ValueError(f"bounds must have no names for data without names of columns, got some: {way_out}")
        if sorted(columns) != sorted(self.names):
            way_out = "name those that are read (--columns), or bound all"
            way_out += ONE_FIELD if len(columns) == 1 and re.search(r"[;\t|]", columns[0]) else ""
            raise ValueError(
                f"bounds must be of the columns of the data, {_differences(columns, self.names)}: {way_out}"
            )
        order = [self.names.index(column) for column in columns]
        return ColumnBounds(self.lower[order], self.upper[order], self.weights[order])

    def rows(self, X: Any) -> Any:
        """Return rows mapped to norm at most 1.

        Parameters
        ----------
        X
            Real rows ``(n, d)``: an array, a scipy sparse matrix, or a dask array.

        Returns
        -------
        array
            Float64 rows ``(n, d)``. A sparse matrix becomes dense, a dask array stays one.

        Raises
        ------
        ValueError
            For another number of columns, and for anything but rows of finite real numbers.

        """
        if hasattr(type(X), "dask"):
            aligned = self.of_columns(names_of(X))
            aligned.require(int(X.shape[1]))
            return X.rechunk({1: -1}).map_blocks(aligned.rows, dtype=float, meta=np.empty((0, 0)))
        aligned = self.of_columns(names_of(X))
        found = numbers(X)
        rows = checks.real_rows(found.toarray() if is_sparse(found) else found)
        aligned.require(rows.shape[1])
        return aligned.scaled(rows)

    def require(self, width: int, name: str = "X") -> None:
        """Raise an error unless rows of ``width`` columns have bounds.

        Parameters
        ----------
        width
            Number of columns.
        name
            Name of the argument, for the message.

        Raises
        ------
        ValueError
            For another number of columns.

        """
        if width != len(self):
            raise ValueError(f"{name} must have as many columns as bounds, {len(self)}, got {width}")

    def scaled(self, values: Floats) -> Floats:
        """Return rows of float64, mapped; check nothing.

        The quotient is clipped, not the number. So it is at most 1 in spite of rounding, and its product with a factor
        is at most that factor. The squares of the factors add up to at most 1, exactly.

        Parameters
        ----------
        values
            Rows ``(n, d)`` in float64.

        Returns
        -------
        array
            Float64 rows ``(n, d)`` of norm at most 1.

        """
        with np.errstate(over="ignore"):
            return np.asarray(np.clip((values - self.middle) / self._half, -1.0, 1.0) * self._factors)

    def mean(self, value: ArrayLike) -> Floats:
        """Return a mean of rows ``z``, or rows themselves, in the user's units: ``m + D z``, ``D`` the `units`.

        Parameters
        ----------
        value
            A mean ``(d,)``, or rows ``(n, d)``.

        Returns
        -------
        array
            Float64, of the shape of ``value``.

        Raises
        ------
        ValueError
            For another number of columns, and for bounds by name (see `of_columns`).

        """
        return np.asarray(self.middle + self._of_all(value, "mean", -1) * self.units)

    def moments(self, value: ArrayLike) -> Floats:
        """Return second moments of rows ``z``, or their covariance, in the user's units: ``D S D``.

        Parameters
        ----------
        value
            Symmetric ``(d, d)`` matrix.

        Returns
        -------
        array
            Float64 ``(d, d)``. Second moments are then those about the `middle`.

        Raises
        ------
        ValueError
            For another shape, and for bounds by name (see `of_columns`).

        """
        found = checks.hermitian(self._of_all(value, "moments", 0), "value")
        return np.asarray(found * self.units * self.units[:, None])

    def axes(self, value: ArrayLike) -> Floats:
        """Return directions of rows ``z`` in the user's units: ``D v``, ``D`` the `units`.

        Parameters
        ----------
        value
            Directions ``(d, k)``, or one ``(d,)``.

        Returns
        -------
        array
            Float64, of the shape of ``value``.

        Raises
        ------
        ValueError
            For another number of rows, and for bounds by name (see `of_columns`).

        """
        return np.asarray((self._of_all(value, "axes", 0).T * self.units).T)

    def _of_all(self, value: ArrayLike, name: str, axis: int) -> Floats:
        """Return a value with a number for each column along an axis.

        Raises an error for any other, and for bounds by name: what was released has no names, and the table may have
        another order.
        """
        if self.names is not None:
            way_out = f"call bounds.of_columns(columns).{name} with the columns of the table that was released"
            raise ValueError(f"bounds must be in the order of the value's columns, got bounds by name: {way_out}")
        found = checks.real(value, "value")
        if found.ndim not in (1, 2) or found.shape[axis] != len(self):
            raise ValueError(f"value must have a number for each of {len(self)} columns with bounds, got {found.shape}")
        return found


def _long_as(lower: Floats, values: ArrayLike, name: str) -> Floats:
    found = checks.real_vector(values, name)
    if len(found) != len(lower):
        raise ValueError(f"{name} must have length {len(lower)}, as lower has, got {len(found)}")
    return found


def _named(pairs: Mapping[Any, Any], upper: object) -> tuple[tuple[str, ...], list[Any], list[Any]]:
    """Names, lower and upper bounds of a dictionary."""
    if upper is not None:
        raise ValueError("upper must be left out if lower is a dictionary {name: (lower, upper)}, got some")
    if bad := [name for name in pairs if not isinstance(name, str)]:
        raise ValueError(f"bounds must have names that are texts, got {checks.shown(bad[0])}")
    for name, pair in pairs.items():
        if not isinstance(pair, (list, tuple, np.ndarray)) or len(pair) != 2:
            raise ValueError(f"bounds must be (lower, upper) for each column, got something else for {name!r}")
    return tuple(pairs), [pair[0] for pair in pairs.values()], [pair[1] for pair in pairs.values()]


def _differences(columns: Sequence[str], names: Sequence[str]) -> str:
    """Say which columns have no bounds, and which bounds no column."""
    without, beyond = sorted(set(columns) - set(names)), sorted(set(names) - set(columns))
    told = [f"none for {checks.shown(without)}"] if without else []
    told += [f"some for {checks.shown(beyond)} too"] if beyond else []
    return "got " + (" and ".join(told) or "a column twice")
