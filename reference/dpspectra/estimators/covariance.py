"""Second moments with noise as an estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dpspectra.estimators.base import Released, noisy_moments
from dpspectra.mechanisms.choice import AUTO


class PrivateCovariance(Released):
    """Second moments ``X'X / n`` with noise, by the covariance mechanism with the least noise, or the one named.

    ``mechanism``: ``"auto"`` or the name of a covariance of dpspectra; ``denoise``: ``None``, ``"psd"`` or
    ``"shrink"``; other arguments as for `PrivatePCA`. Nothing is centred. After ``fit``: ``covariance_`` ``(n_features,
    n_features)``, symmetric; ``location_``, zeros; ``claim_``, ``guarantee_``, ``release_``.

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
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.norm_bound = norm_bound
        self.mechanism = mechanism
        self.denoise = denoise
        self.rows = rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the second moments of rows ``(n, n_features)``; ``y`` is ignored. ``ValueError`` for bad input."""
        self.release_ = noisy_moments(
            self._ready(X),
            self.mechanism,
            self.epsilon,
            self.delta,
            norm_bound=self.norm_bound,
            seed=self._seed(),
            denoise=self.denoise,
        )
        self.covariance_ = self.release_.value
        self.location_ = np.zeros(len(self.covariance_))
        return self
