"""Private means and variances of columns as an estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

import dpspectra as dps
from dpspectra.accounting.budget import Budget
from dpspectra.estimators.base import Released
from dpspectra.estimators.data import numbers, of_numbers
from dpspectra.ground import checks
from dpspectra.matrices.column_bounds import ColumnBounds


class PrivateStandardScaler(OneToOneFeatureMixin, TransformerMixin, Released):
    """Scale columns by means and variances of `dpspectra.private_scaler`, to rows of norm at most 1.

    ``transform`` takes each column about its mean, clips it to ``clip`` standard deviations on either side, and divides
    by ``clip sqrt(n_features)``; so the next private step needs no other norm bound. `claim_of` says what a pipeline
    claims.

    Parameters
    ----------
    epsilon, delta, norm_bound, rows, bad_rows, budget, random_state
        As for `PrivatePCA`.
    clip
        Standard deviations on either side of the mean that are kept.
    bounds
        A `dpspectra.ColumnBounds`: public bounds of columns of any units, wider ones as a rule.

    Attributes
    ----------
    mean_, var_, scale_
        Means, variances and standard deviations, in the units of the columns.
    bounds_
        The bounds that rows are mapped by.
    claim_, guarantee_, release_
        The claim, the guarantee on the mean of rows as they are read, and the release.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(500, 2)) * [1.0, 100.0] + [5.0, 0.0]
    >>> wide = ColumnBounds([-10.0, -1000.0], [10.0, 1000.0])
    >>> model = PrivateStandardScaler(epsilon=1.0, bounds=wide).fit(rows)
    >>> bool(np.linalg.norm(model.transform(rows), axis=1).max() <= 1), model.claim_.epsilon
    (True, 1.0)

    """

    mean_: NDArray[np.float64]
    var_: NDArray[np.float64]
    bounds_: ColumnBounds

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float = 0.0,
        clip: float = 3.0,
        norm_bound: float = 1.0,
        rows: str = "clip",
        bad_rows: str = "refuse",
        bounds: ColumnBounds | None = None,
        budget: Budget | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.clip = clip
        self.norm_bound = norm_bound
        self.rows = rows
        self.bad_rows = bad_rows
        self.bounds = bounds
        self.budget = budget
        self.random_state = random_state

    @of_numbers
    def fit(self, X: Any, y: Any = None) -> Self:
        """Release means and variances of rows.

        Parameters
        ----------
        X
            Rows ``(n, n_features)``.
        y
            Ignored.

        Returns
        -------
        PrivateStandardScaler
            The object itself.

        Raises
        ------
        ValueError
            For rows that are refused, and for bad parameters.

        """
        checks.positive(self.clip, "clip")
        data = self._data(X)
        given = {"epsilon": self.epsilon, "delta": self.delta, "rng": self._seed(), **self._reading(data)}
        self.release_ = self._made(dps.private_scaler, data, **given)
        self.mean_, self.var_ = self.release_.value
        if (bounds := self._bounds) is not None:
            self.mean_, self.var_ = bounds.mean(self.mean_), self.var_ * bounds.units**2
        reach = self.clip * self.scale_
        self.bounds_ = ColumnBounds(self.mean_ - reach, self.mean_ + reach)
        self._count(data)
        return self

    @property
    def scale_(self) -> NDArray[np.float64]:
        """Standard deviations of the columns."""
        check_is_fitted(self, "release_")
        return np.sqrt(self.var_)

    def transform(self, X: Any) -> Any:
        """Return rows of norm at most 1.

        Parameters
        ----------
        X
            Rows ``(n, n_features)``.

        Returns
        -------
        array
            Dense rows ``(n, n_features)``; float32 stays float32.

        Raises
        ------
        ValueError
            For another number of columns, and for numbers that are not finite.

        """
        check_is_fitted(self, "release_")
        rows = self._numbers(X, reset=False)
        return self.bounds_.rows(rows).astype(rows.dtype)

    def inverse_transform(self, X: Any) -> Any:
        """Return the rows in the units of the columns, cut off where they were clipped.

        Parameters
        ----------
        X
            Scaled rows ``(n, n_features)``.

        Returns
        -------
        array
            Rows ``(n, n_features)``.

        Raises
        ------
        ValueError
            For another number of columns.

        """
        check_is_fitted(self, "release_")
        rows = numbers(X)
        dense = rows.toarray() if hasattr(rows, "toarray") else rows
        self.bounds_.require(dense.shape[1])
        return self.bounds_.mean(dense).astype(rows.dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
