"""Second moments with noise as an estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import dpspectra as dps
from dpspectra.accounting.budget import Budget
from dpspectra.estimators.base import Released
from dpspectra.estimators.data import log_likelihood, of_numbers
from dpspectra.ground import checks
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.mechanisms.choice import AUTO
from dpspectra.mechanisms.usefulness import PER_PERSON


class PrivateCovariance(Released):
    """Release second moments ``X'X / n`` with noise, by the covariance with the least noise, or the one named.

    Parameters
    ----------
    epsilon, delta, norm_bound, rows, bad_rows, bounds, budget, random_state
        As for `PrivatePCA`.
    mechanism
        ``"auto"`` or the name of a covariance of dpspectra.
    denoise
        ``None``, ``"psd"`` or ``"shrink"``.
    center
        ``"none"``, or ``"mean"`` for `dpspectra.private_covariance`.

    Attributes
    ----------
    covariance_
        Symmetric ``(n_features, n_features)``: second moments about ``location_`` in the units of the columns.
    location_
        The released mean, or zero, or with ``bounds`` their middle.
    precision_
        The inverse of ``covariance_``, with variances raised that do not show in the noise.
    claim_, guarantee_, release_
        The claim, the guarantee (of mapped rows), and the release.

    Examples
    --------
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
        center: str = "none",
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
        self.center = center
        self.rows = rows
        self.bad_rows = bad_rows
        self.bounds = bounds
        self.budget = budget
        self.random_state = random_state

    @of_numbers
    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the second moments of rows.

        Parameters
        ----------
        X
            Rows ``(n, n_features)``.
        y
            Ignored.

        Returns
        -------
        PrivateCovariance
            The object itself.

        Raises
        ------
        ValueError
            For rows that are refused, and for bad parameters.

        """
        data, seed = self._data(X), self._seed()
        checks.choice(self.center, "center", ("none", "mean"))
        if self.center == "mean":
            given: dict[str, Any] = {
                "epsilon": self.epsilon,
                "delta": self.delta,
                "mechanism": self.mechanism,
                "denoise": self.denoise,
            }
            self.release_ = self._made(dps.private_covariance, data, rng=seed, **given, **self._reading(data))
        else:
            self.release_ = self._moments(
                data,
                self.epsilon,
                width=self.n_features_in_,
                mechanism=self.mechanism,
                seed=seed,
                denoise=self.denoise,
            )
        self.covariance_ = self.release_.value / self._rows_per_person
        centred = self.center == "mean"
        self.location_ = self.release_.details["mean"] if centred else np.zeros(len(self.covariance_))
        self.location_ = self.location_ / self._rows_per_person
        if (bounds := self._bounds) is not None:
            self.covariance_, self.location_ = bounds.moments(self.covariance_), bounds.mean(self.location_)
        self._count(data)
        return self

    @property
    def _rows_per_person(self) -> int:
        """How many rows of a person a release about the mean adds up."""
        return int(self.release_.details.get(PER_PERSON, 1))

    @property
    def precision_(self) -> NDArray[np.float64]:
        """The inverse of ``covariance_`` by `dpspectra.precision`, in the units of the columns."""
        check_is_fitted(self, "release_")
        found = dps.precision(self.release_).value * self._rows_per_person
        return found if (bounds := self._bounds) is None else found / np.outer(bounds.units, bounds.units)

    def get_precision(self) -> NDArray[np.float64]:
        """Return ``precision_``, by the name that scikit-learn has.

        Returns
        -------
        array
            ``(n_features, n_features)``.

        """
        return self.precision_

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of rows, normal with ``location_`` and ``precision_``.

        It is an exact function of the rows given, and no release: of private rows it is not private.

        Parameters
        ----------
        X
            ``(n, n_features)``.
        y
            Ignored.

        Returns
        -------
        float
            In nats a row.

        """
        precision = self.precision_
        return log_likelihood(self.mahalanobis(X), len(precision), -float(np.linalg.slogdet(precision)[1]))

    def mahalanobis(self, X: Any) -> NDArray[np.float64]:
        """Return squared Mahalanobis distances of rows from ``location_``, by ``precision_``.

        They are exact functions of the rows given, and no release: of private rows they are not private.

        Parameters
        ----------
        X
            Rows ``(n, n_features)``.

        Returns
        -------
        array
            ``(n,)``.

        Raises
        ------
        ValueError
            For another number of columns, and for numbers that are not finite.

        """
        check_is_fitted(self, "release_")
        rows = self._numbers(X, reset=False)
        about = (rows.toarray() if hasattr(rows, "toarray") else rows) - self.location_
        return np.asarray(np.einsum("ij,jk,ik->i", about, self.precision_, about))
