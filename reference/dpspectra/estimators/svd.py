"""The private power method as an estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

import dpspectra as dps
from dpspectra.accounting.budget import Budget
from dpspectra.estimators.base import Components
from dpspectra.ground import checks
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.reading import Reading
from dpspectra.matrices.totals import total
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.claims import UNIT

ROWS, POWER = get("laplace_covariance"), get("private_power_method")
"""A mechanism with the neighbours of this estimator, and one with its noise."""


class PrivateTruncatedSVD(Components):
    """Find leading right singular vectors of many features by `dpspectra.private_power_method`.

    No square matrix is made. The power method multiplies by ``X'X / norm_bound**2``. The replacement of a row changes
    its spectral norm by at most 1, so ``claim_`` is for rows. Rows lie in memory. The arithmetic is ideal whatever
    ``random_state`` is, as products with ``X`` and ``X'`` in turn round, and ``claim_`` says so.

    Parameters
    ----------
    n_components
        Number of components.
    epsilon, delta, norm_bound, rows, bad_rows, bounds, budget, random_state
        As for `PrivatePCA`.
    iterations
        Public number of rounds.

    Attributes
    ----------
    components_
        ``(n_components, n_features)``, orthonormal.
    claim_, release_
        The claim and the release.

    Examples
    --------
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
        bad_rows: str = "refuse",
        bounds: ColumnBounds | None = None,
        budget: Budget | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.epsilon = epsilon
        self.delta = delta
        self.iterations = iterations
        self.norm_bound = norm_bound
        self.rows = rows
        self.bad_rows = bad_rows
        self.bounds = bounds
        self.budget = budget
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the components of rows.

        Parameters
        ----------
        X
            Rows ``(n, n_features)``.
        y
            Ignored.

        Returns
        -------
        PrivateTruncatedSVD
            The object itself.

        Raises
        ------
        ValueError
            For rows that are refused, and for bad parameters.

        """
        data = self._look(X)
        width, delta = self.n_features_in_, checks.probability(self.delta, "delta", zero=True)
        checks.integer(self.n_components, "n_components", 1, width)
        checks.integer(self.iterations, "iterations", 1)
        plan = ROWS.planned(epsilon=self.epsilon, X=data, **self._reading(X))
        plan = replace(plan, **POWER.promise(plan.epsilon, delta))
        seed = self._seed()
        if self.budget is not None:
            checks.instance(self.budget, "budget", Budget).spend(plan)
        read = Reading(**self._reading(X)).whole(data)
        rows = read.tocsr() if hasattr(read, "tocsr") else checks.real_rows(read)
        total(rows, self.norm_bound)  # which refuses longer ones
        release = dps.private_power_method(
            self._square(rows),
            self.n_components,
            plan.epsilon,
            delta,
            relation="spectral",
            width=self.n_components,
            iterations=self.iterations,
            rng=seed,
        )
        assumptions = tuple(dict.fromkeys((*release.claim.assumptions, *plan.assumptions)))
        unit = {name: getattr(plan, name) for name in UNIT}
        labels = (*release.claim.labels, "DPS-KNORM")
        claim = replace(release.claim, **unit, assumptions=assumptions, labels=labels, public=plan.public)
        self.release_ = replace(release, claim=claim)
        self.components_ = np.ascontiguousarray(release.value.T)
        self.mean_ = np.zeros(width)
        self._count()
        return self

    def _square(self, rows: Any) -> LinearOperator:
        """Return the matrix ``X'X / norm_bound**2``, which is multiplied with blocks only."""
        width, square = rows.shape[1], self.norm_bound**2

        def product(block: NDArray[Any]) -> NDArray[Any]:
            return np.asarray(rows.T @ (rows @ block)) / square

        return LinearOperator((width, width), matvec=product, matmat=product, rmatvec=product, dtype=np.float64)
