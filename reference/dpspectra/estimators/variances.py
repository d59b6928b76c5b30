"""Variances along components and beside them, as far as a noisy matrix was released."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from dpspectra.estimators.base import Components
from dpspectra.estimators.data import log_likelihood
from dpspectra.mechanisms.choice import NONE, ORBIT
from dpspectra.relations import Relation


def _has_likelihood(model: Any) -> bool:
    """Whether rows have a likelihood: their own second moments were released with noise."""
    return bool(model.center == NONE and model.mechanism != ORBIT and model.relation == Relation.REPLACE)


class Variances(Components):
    """Components with the variances of one release."""

    @property
    def explained_variance_(self) -> NDArray[np.float64]:
        """Variances along the components, ``(n_components,)``; ``AttributeError`` where none are released."""
        check_is_fitted(self, "release_")
        if self.release_.claim.relation != Relation.REPLACE:
            raise AttributeError("there is no explained_variance_, as the number of rows is private")
        return np.maximum(self.release_.details["eigenvalues"], 0.0)

    @property
    def explained_variance_ratio_(self) -> NDArray[np.float64]:
        """Shares of the released variance, ``(n_components,)``; ``AttributeError`` where no noisy matrix was."""
        return np.asarray(self._of_matrix("explained_ratio"))

    @property
    def singular_values_(self) -> NDArray[np.float64]:
        """Singular values of the rows (with a centre, of those of unit length), as `explained_variance_` has them.

        Under ``"add_remove"`` these are roots of eigenvalues of the noisy ``X'X``.
        """
        values = np.maximum(self._of_matrix("eigenvalues"), 0.0)
        return np.sqrt(values * (self.n_samples_ if self.release_.claim.relation == Relation.REPLACE else 1))

    @property
    def noise_variance_(self) -> float:
        """The released variance in each direction beside the components: not that of the added noise."""
        left = self.n_features_in_ - len(self.components_)
        return max(self._of_matrix("trace") - float(np.sum(self.explained_variance_)), 0.0) / left if left else 0.0

    def get_covariance(self) -> NDArray[np.float64]:
        """Return second moments of this many components, and `noise_variance_` beside them.

        Returns
        -------
        array
            ``(n_features, n_features)``.

        """
        return self._modelled(self.explained_variance_, self.noise_variance_)

    def get_precision(self) -> NDArray[np.float64]:
        """Return the inverse of `get_covariance`, once variances are raised that do not show in the noise.

        Returns
        -------
        array
            ``(n_features, n_features)``.

        """
        large, rest = self._raised
        return self._modelled(1 / large, 1 / rest)

    @property
    def _raised(self) -> tuple[NDArray[np.float64], float]:
        """Variances along the components and beside them, raised to the smallest one that shows in the noise."""
        least = float(self._of_matrix("visible_from"))
        return np.maximum(self.explained_variance_, least), max(self.noise_variance_, least)

    @available_if(_has_likelihood)  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of rows, normal about zero with `get_covariance`.

        Variances that do not show in the noise are raised to what does. It is an exact function of the rows given, and
        no release: of private rows it is not private.

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
        rows, (large, rest) = self._mapped(X), self._raised
        k, d = self.components_.shape
        squares = np.einsum("ij,jk,ik->i", rows, self.get_precision(), rows)
        return log_likelihood(squares, d, float(np.sum(np.log(large))) + (d - k) * math.log(rest))

    def _modelled(self, large: NDArray[np.float64], rest: float) -> NDArray[np.float64]:
        return (self.components_.T * (large - rest)) @ self.components_ + rest * np.eye(self.n_features_in_)

    def _of_matrix(self, name: str) -> Any:
        check_is_fitted(self, "release_")
        if (found := self.release_.details.get(name)) is None:
            raise AttributeError(f"there is no {name.replace('_', ' ')}, as no noisy matrix was released by one noise")
        return found
