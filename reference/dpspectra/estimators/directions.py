"""Directions of rows by a mechanism, in their order: what `PrivatePCA` releases."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpspectra as dps
from dpspectra.accounting.budget import Budget
from dpspectra.accounting.composition import compose
from dpspectra.estimators.releases import unit_of
from dpspectra.estimators.variances import Variances
from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.choice import AUTO, ORBIT, PAIRS, center_of, smallest_noise
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.pca import PCA
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import STATED, of_directions
from dpspectra.relations import Relation


class Directions(Variances):
    """Components by the mechanisms of `dpspectra.private_pca`."""

    n_components: int | float | None
    center: str
    mechanism: str
    relation: str
    whiten: bool

    @property
    def _center(self) -> str:
        """Word that ``center`` stands for."""
        return center_of(self.center, self.mechanism, self.relation)

    def _wanted(self) -> int:
        """Return the number of components to be released: all, where as few are wanted as explain a share."""
        d, n = self.n_features_in_, self.n_components
        checks.flag(self.whiten, "whiten")
        by_matrix = self.mechanism != ORBIT and self.relation == Relation.REPLACE
        if self.whiten and not by_matrix:
            raise ValueError("whiten must be False without released variances of a noisy covariance, got True")
        if n is None:
            return d
        if isinstance(n, Real) and not isinstance(n, (int, np.integer)):
            checks.probability(n, "n_components")
            if not by_matrix:
                raise ValueError(f"n_components must be an integer without a noisy covariance, got {checks.shown(n)}")
            return d
        return checks.integer(n, "n_components", 1, d)

    def _directions(
        self, data: Any, k: int, epsilon: float, seed: int | None, *, paid: bool = False
    ) -> Release[NDArray[np.float64]]:
        """Directions by the mechanism; where they are all there are, a covariance still puts them in order."""
        mechanism, privacy = self.mechanism, (epsilon, checks.probability(self.delta, "delta", zero=True))
        d = self.n_features_in_
        if k == d and mechanism == AUTO:
            mechanism = smallest_noise(d, *privacy)
        reading = self._reading(data)
        if self._center == PAIRS and Reading(**reading).rows == "clip":  # differences of any length need no bound
            reading = {**reading, "norm_bound": 1.0, "rows": "refuse"}
        given = {"k": k, "mechanism": mechanism, "center": self.center, "relation": self.relation}
        return self._made(
            dps.private_pca, data, paid=paid, epsilon=epsilon, delta=privacy[1], rng=seed, **given, **reading
        )

    def _measured(self, data: Any, k: int, epsilon: float, rest: float) -> Release[NDArray[np.float64]]:
        """Directions of the orbit in their order, by two releases with one charge: what both will claim together.

        It comes before the data are opened, and after all checks that need the arguments only.
        """
        seeds = self._seed(), self._seed(1)
        if self.budget is not None:
            delta = checks.probability(self.delta, "delta", zero=True)
            reading = self._reading(data)
            one = PCA.planned(X=data, k=k, epsilon=epsilon, mechanism=ORBIT, **reading)  # which takes no delta
            two = get(smallest_noise(k, rest, delta)).planned(epsilon=rest, delta=delta, **reading)
            checks.instance(self.budget, "budget", Budget).spend(self._together(one, two))
        return self._in_order(data, self._directions(data, k, epsilon, seeds[0], paid=True), rest, seeds[1])

    def _together(self, directions: Claim, variances: Claim) -> Claim:
        """Return the claim of two releases of the same rows: their epsilons are shares of that of the fit."""
        together = compose([directions, replace(variances, **unit_of(directions))], method="basic")
        return replace(together, epsilon=float(self.epsilon))

    def _in_order(
        self, data: Any, release: Release[Any], epsilon: float, seed: int | None
    ) -> Release[NDArray[np.float64]]:
        """Return the space of a release, in the principal axes of the rows projected on it, with their variances.

        A row is read as before and projected by itself, so that it stays one row; rounding is cut off by clipping.
        """
        read = Reading(**self._reading(data)).whole(data)
        projected = (read if hasattr(read, "tocsr") else checks.plain(read, "X")) @ release.value
        given: dict[str, Any] = {"width": projected.shape[1], "seed": seed, "rows": "clip", "bounds": None}
        small = self._moments(projected, epsilon, **given, paid=True)
        values, vectors = eigenvectors(small.value)
        edges = {name: small.details[name] for name in ("noise_edge", "gap_edge")}
        details = {**release.details, "epsilon_variances": epsilon, **edges}
        details |= of_directions(values, len(values), len(values), edges["noise_edge"])
        details[STATED] += release.details[STATED]
        return Release(release.value @ vectors, self._together(release.claim, small.claim), details)
