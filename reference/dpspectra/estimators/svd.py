"""The private power method as an estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

import dpspectra as dps
from dpspectra.estimators.base import Components
from dpspectra.ground import checks
from dpspectra.matrices.totals import total
from dpspectra.relations import Relation


class PrivateTruncatedSVD(Components):
    """Leading right singular vectors of many features by `dpspectra.private_power_method`: no square matrix is made.

    The power method multiplies by ``X'X / norm_bound**2``, of which the replacement of a row changes the spectral norm
    by at most 1; so ``claim_`` is for rows. ``iterations`` must be public; other arguments as for `PrivatePCA`. The
    arithmetic is ideal, as products with ``X`` and ``X'`` in turn round. After ``fit``: ``components_``,
    orthonormal; ``claim_``; ``release_``.

    >>> rows = np.random.default_rng(0).normal(size=(2000, 50)) * np.r_[5.0, np.ones(49)] / 20
    >>> model = PrivateTruncatedSVD(1, epsilon=1.0, delta=1e-6).fit(rows)
    >>> model.components_.shape, str(model.claim_.relation)
    ((1, 50), 'replace')
    """

    def __init__(
        self,
        n_components: int,
        *,
        epsilon: float,
        delta: float = 0.0,
        iterations: int = 5,
        norm_bound: float = 1.0,
        rows: str = "clip",
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.epsilon = epsilon
        self.delta = delta
        self.iterations = iterations
        self.norm_bound = norm_bound
        self.rows = rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the components of rows ``(n, n_features)``; ``y`` is ignored. ``ValueError`` for bad input."""
        rows = self._ready(X)
        bound = checks.positive(self.norm_bound, "norm_bound")
        total(rows, bound)  # which refuses longer ones

        def product(block: NDArray[Any]) -> NDArray[Any]:
            return np.asarray(rows.T @ (rows @ block)) / bound**2

        width = rows.shape[1]
        checks.integer(self.n_components, "n_components", 1, width)
        square = LinearOperator((width, width), matvec=product, matmat=product, rmatvec=product, dtype=np.float64)
        release = dps.private_power_method(
            square,
            self.n_components,
            self.epsilon,
            self.delta,
            relation="spectral",
            width=self.n_components,
            iterations=self.iterations,
            rng=self._seed(),
        )
        claim = replace(
            release.claim,
            relation=Relation.REPLACE,
            change=None,
            norm_bound=bound,
            domain=(),
            labels=(*release.claim.labels, "DPS-KNORM"),
        )
        self.release_ = replace(release, claim=claim)
        self.components_ = np.ascontiguousarray(release.value.T)
        self.mean_ = np.zeros(width)
        return self
