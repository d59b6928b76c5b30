"""The private power method as an estimator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

import dpspectra as dps
from dpspectra.accounting.budget import Budget
from dpspectra.certified.entropy import SystemEntropy
from dpspectra.estimators.base import Components
from dpspectra.estimators.data import of_numbers
from dpspectra.ground import checks
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.float_row_sums import total
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.claims import UNIT, Claim
from dpspectra.mechanisms.power_of_rows import directions_of_rows
from dpspectra.mechanisms.release import Release

ROWS, POWER = get("laplace_covariance"), get("private_power_method")
"""A mechanism with the neighbours of this estimator, and one with its noise."""


class PrivateTruncatedSVD(Components):
    """Find leading right singular vectors of many features by the power method on ``X'X``, row by row.

    No square matrix is made: rows are read once before the first round and once in each, where they lie, and only
    blocks ``(n_features, n_components)`` come together. So rows may be an array, a sparse matrix, a table or a dask
    array. Each round sums rows times their rounded images, exactly, and the noise is what a replaced row can move that
    sum by (DPS-ROWSTEP). With a ``random_state`` the arithmetic is ideal, and rows lie in memory.

    Components are released; what ``transform`` makes of a row, such as the factor of a person by her ratings, is as
    private as the row.

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

    @of_numbers
    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the components of rows.

        Parameters
        ----------
        X
            Rows ``(n, n_features)`` that can be read again: no iterator.
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
        if isinstance(X, Iterator):
            raise ValueError("X must be rows that can be read in each round, got an iterator")
        data = self._look(X)
        width, delta = self.n_features_in_, checks.probability(self.delta, "delta", zero=True)
        checks.integer(self.n_components, "n_components", 1, width)
        checks.integer(self.iterations, "iterations", 1)
        reading = Reading(**self._reading(X))
        plan = ROWS.planned(epsilon=self.epsilon, X=data, **self._reading(X))
        plan = replace(plan, **POWER.promise(plan.epsilon, delta))
        seed = self._seed()
        if self.budget is not None:
            checks.instance(self.budget, "budget", Budget).spend(plan)
        if seed is None:
            k, rounds = self.n_components, self.iterations
            self.release_ = directions_of_rows(data, k, rounds, plan, reading, SystemEntropy())
        else:
            self.release_ = self._ideal(data, plan, reading, seed)
        self.components_ = np.ascontiguousarray(self.release_.value.T)
        self.mean_ = np.zeros(width)
        self._count(data)
        return self

    def _ideal(self, data: Any, plan: Claim, reading: Reading, seed: int) -> Release[NDArray[np.float64]]:
        """Products in floats: the replacement of a row changes ``X'X / norm_bound**2`` by a spectral norm of 1."""
        read = reading.whole(data)
        rows = read.tocsr() if hasattr(read, "tocsr") else checks.real_rows(read)
        total(rows, self.norm_bound)  # which refuses longer ones
        release = dps.private_power_method(
            self._square(rows),
            self.n_components,
            plan.epsilon,
            plan.delta,
            relation="spectral",
            width=self.n_components,
            iterations=self.iterations,
            rng=seed,
        )
        assumptions = tuple(dict.fromkeys((*release.claim.assumptions, *plan.assumptions)))
        unit = {name: getattr(plan, name) for name in UNIT}
        labels = (*release.claim.labels, "DPS-KNORM")
        claim = replace(release.claim, **unit, assumptions=assumptions, labels=labels, public=plan.public)
        return replace(release, claim=claim)

    def _square(self, rows: Any) -> LinearOperator:
        """Return the matrix ``X'X / norm_bound**2``, which is multiplied with blocks only."""
        width, square = rows.shape[1], self.norm_bound**2

        def product(block: NDArray[Any]) -> NDArray[Any]:
            return np.asarray(rows.T @ (rows @ block)) / square

        return LinearOperator((width, width), matvec=product, matmat=product, rmatvec=product, dtype=np.float64)
