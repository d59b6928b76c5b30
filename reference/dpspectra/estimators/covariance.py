"""Second moments with noise as an estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dpspectra.accounting.budget import Budget
from dpspectra.estimators.base import Released
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.mechanisms.choice import AUTO


class PrivateCovariance(Released):
    """Second moments ``X'X / n`` with noise, by the covariance mechanism with the least noise, or the one named.

    ``mechanism``: ``"auto"`` or the name of a covariance of dpspectra; ``denoise``: ``None``, ``"psd"`` or
    ``"shrink"``; other arguments as for `PrivatePCA`. Nothing is centred. After ``fit``: ``covariance_`` ``(n_features,
    n_features)``, symmetric, second moments about ``location_``: about zero, or with ``bounds`` about their middle, in
    the units of the columns; ``claim_``, ``guarantee_`` (of mapped rows), ``release_``.

    >>> model = PrivateCovariance(epsilon=1.0, denoise="psd").fit(np.eye(4) / 2)
    >>> model.covariance_.shape, model.claim_.epsilon
    ((4, 4), 1.0)
    """

    covariance_: NDArray[Any]
    location_: NDArray[Any]

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float = 0.0,
        norm_bound: float = 1.0,
        mechanism: str = AUTO,
        denoise: str | None = None,
        rows: str = "clip",
        bad_rows: str = "refuse",
        bounds: ColumnBounds | None = None,
        budget: Budget | None = None,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.norm_bound = norm_bound
        self.mechanism = mechanism
        self.denoise = denoise
        self.rows = rows
        self.bad_rows = bad_rows
        self.bounds = bounds
        self.budget = budget
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the second moments of rows ``(n, n_features)``; ``y`` is ignored. ``ValueError`` for bad input."""
        data = self._data(X)
        self.release_ = self._moments(
            data,
            self.epsilon,
            width=self.n_features_in_,
            mechanism=self.mechanism,
            seed=self._seed(),
            denoise=self.denoise,
        )
        self.covariance_ = self.release_.value
        self.location_ = np.zeros(len(self.covariance_))
        if self.bounds is not None:
            self.covariance_, self.location_ = self.bounds.moments(self.covariance_), self.bounds.middle
        self._count()
        return self
