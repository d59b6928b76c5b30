"""Private principal components as an estimator."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import dpspectra as dps
from dpspectra.accounting.budget import Budget
from dpspectra.accounting.composition import compose
from dpspectra.estimators.base import Components
from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks
from dpspectra.matrices.reading import Reading
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.choice import AUTO, ORBIT, smallest_noise
from dpspectra.mechanisms.claims import CERTIFIED, UNIT, Claim
from dpspectra.mechanisms.directions import LEADING
from dpspectra.mechanisms.pca import PCA
from dpspectra.mechanisms.release import Release
from dpspectra.relations import Relation

FOR_VARIANCES = 0.25
"""Share of epsilon for the variances along components that do not come from a noisy covariance."""
APART = "chunks hold rows of different people, and in which chunk a person's row would be is public"


class PrivatePCA(Components):
    """Principal components by `dpspectra.private_pca`; ``(epsilon, delta)``-DP when a row is replaced.

    ``n_components``: an integer from 1 to the number of features. ``epsilon`` (nats), ``delta``, ``norm_bound``,
    ``center`` (``"none"``, ``"mean"`` or ``"pairs"``), ``mechanism`` and ``relation`` as there, but ``"auto"`` is
    always a noisy covariance. ``rows`` says what happens to rows of norm over the bound: ``"clip"`` (they are
    shortened, except with ``"pairs"``), ``"unit"`` (all rows get norm 1) or ``"refuse"`` (``ValueError``), and
    ``bad_rows`` to those with an entry that is no finite number: ``"refuse"`` or ``"zero"``. From a ``budget`` each fit
    is paid before the rows are opened, and a clone has the same one; without, a second fit warns. With
    ``random_state=None`` noise comes from fresh entropy in certified arithmetic; an integer, a RandomState or a
    Generator means ideal arithmetic, for tests: two fits with one integer have the same noise, and both released
    together show differences of their data.

    After ``fit``: ``components_`` ``(n_components, n_features)``, orthonormal; ``mean_``, the private mean with
    ``center="mean"``, else zeros; ``explained_variance_``, not negative; ``claim_``, which covers all of these;
    ``guarantee_``; ``release_``. The variances are eigenvalues of the same noisy matrix, at no cost in epsilon: of
    second moments about zero, with a centre of those of rows of unit length. For the mechanism ``"orbit"`` a quarter of
    epsilon goes to second moments along its directions, which are put in their order. Under ``"add_remove"`` there are
    none, as the number of rows is private.

    ``fit`` also takes an iterator over chunks of rows, which is gone through once: one release, of all of them.

    >>> rows = np.random.default_rng(0).normal(size=(200, 3)) * [3, 1, 1] / 20
    >>> model = PrivatePCA(1, epsilon=2.0).fit(rows)
    >>> model.components_.shape, model.transform(rows).shape, model.claim_.epsilon
    ((1, 3), (200, 1), 2.0)
    """

    def __init__(
        self,
        n_components: int,
        *,
        epsilon: float,
        delta: float = 0.0,
        norm_bound: float = 1.0,
        center: str = "none",
        mechanism: str = AUTO,
        relation: str = "replace",
        rows: str = "clip",
        bad_rows: str = "refuse",
        budget: Budget | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.epsilon = epsilon
        self.delta = delta
        self.norm_bound = norm_bound
        self.center = center
        self.mechanism = mechanism
        self.relation = relation
        self.rows = rows
        self.bad_rows = bad_rows
        self.budget = budget
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the components of rows ``(n, n_features)``; ``y`` is ignored. ``ValueError`` for bad input."""
        data = self._data(X)
        if isinstance(X, Iterator) and self.mechanism == ORBIT:
            raise ValueError(f"mechanism must be a noisy covariance or {AUTO!r} for chunks, got {ORBIT!r}")
        first = checks.positive(self.epsilon, "epsilon") * FOR_VARIANCES
        measured = self.mechanism == ORBIT and self.relation == Relation.REPLACE and self.center == "none"
        rest = math.nextafter(self.epsilon - first, 0.0)
        fit = self._measured(data, rest, first) if measured else self._directions(data, self.epsilon, self._seed())
        self._fitted(fit)
        self._count()
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Release the second moments of one more chunk of rows, and the components of all chunks so far.

        Each call is private by itself: the estimator holds a sum of noisy matrices and nothing exact. ``claim_`` is
        that of the chunk with the largest loss: all rows must be of different people. The noise adds up: for ``m``
        chunks of one size it is ``sqrt(m)`` times that of a ``fit`` on an iterator over them, which is the better way
        where nothing is needed in between. There is no ``guarantee_``. A call after ``fit`` starts anew. Takes
        ``center="none"``, ``relation="replace"`` and noisy covariances; ``ValueError`` otherwise.
        """
        for name, needed in {"center": "none", "relation": "replace"}.items():
            if getattr(self, name) != needed:
                raise ValueError(f"{name} must be {needed!r} for partial_fit, got {checks.shown(getattr(self, name))}")
        known = self.release_.details if hasattr(self, "release_") else {}
        done = known.get("chunks", 0)
        data = self._look(X, reset=not done)
        n, d = data.shape[0] if hasattr(data, "shape") else len(data), self.n_features_in_
        k = checks.integer(self.n_components, "n_components", 1, d)
        chunk = self._moments(data, self.epsilon, width=d, mechanism=self.mechanism, seed=self._seed(done))
        total = n + known.get("rows", 0)
        moments = chunk.value * (n / total)
        if done:
            moments = moments + known["moments"] * (known["rows"] / total)
        values, vectors = eigenvectors(moments)
        claim = replace(chunk.claim, people=APART)
        if done:
            claim = worst(self.release_.claim, claim)
        details = {"chunks": done + 1, "rows": total, "moments": moments, "eigenvalues": values[:k]}
        frame: NDArray[np.float64] = np.asarray(vectors[:, :k], dtype=np.float64)
        return self._fitted(Release(frame, claim, {**details, "postprocessing": LEADING}))

    @property
    def explained_variance_(self) -> NDArray[np.float64]:
        """Variances along the components, ``(n_components,)``; ``AttributeError`` where none are released."""
        check_is_fitted(self, "release_")
        if self.release_.claim.relation != Relation.REPLACE:
            raise AttributeError("there is no explained_variance_, as the number of rows is private")
        return np.maximum(self.release_.details["eigenvalues"], 0.0)

    def _directions(
        self, data: Any, epsilon: float, seed: int | None, *, paid: bool = False
    ) -> Release[NDArray[np.float64]]:
        """Directions by the mechanism; where they are all there are, a covariance still puts them in order."""
        mechanism, privacy = self.mechanism, (epsilon, checks.probability(self.delta, "delta", zero=True))
        d = self.n_features_in_
        if checks.integer(self.n_components, "n_components", 1, d) == d and mechanism == AUTO:
            mechanism = smallest_noise(d, *privacy)
        reading = self._reading
        if self.center == "pairs" and self.rows == "clip":  # differences of rows of any length need no bound
            reading = {**reading, "norm_bound": 1.0, "rows": "refuse"}
        given = {"k": self.n_components, "mechanism": mechanism, "center": self.center, "relation": self.relation}
        return self._made(
            dps.private_pca, data, paid=paid, epsilon=epsilon, delta=privacy[1], rng=seed, **given, **reading
        )

    def _measured(self, data: Any, epsilon: float, rest: float) -> Release[NDArray[np.float64]]:
        """Directions of the orbit in their order, by two releases with one charge: what both will claim together.

        It comes before the data are opened, and after all checks that need the arguments only.
        """
        seeds = self._seed(), self._seed(1)
        if self.budget is not None:
            k = checks.integer(self.n_components, "n_components", 1, self.n_features_in_)
            delta = checks.probability(self.delta, "delta", zero=True)
            one = PCA.planned(X=data, k=k, epsilon=epsilon, mechanism=ORBIT, **self._reading)  # which takes no delta
            two = get(smallest_noise(k, rest, delta)).planned(epsilon=rest, delta=delta, **self._reading)
            checks.instance(self.budget, "budget", Budget).spend(self._together(one, two))
        return self._in_order(data, self._directions(data, epsilon, seeds[0], paid=True), rest, seeds[1])

    def _together(self, directions: Claim, variances: Claim) -> Claim:
        """What two releases of the same rows claim: their epsilons are shares of that of the fit."""
        together = compose([directions, replace(variances, **unit_of(directions))], method="basic")
        return replace(together, epsilon=float(self.epsilon))

    def _in_order(
        self, data: Any, release: Release[Any], epsilon: float, seed: int | None
    ) -> Release[NDArray[np.float64]]:
        """The space of a release, in the principal axes of the rows projected on it, with their variances.

        A row is read as before and projected by itself, so that it stays one row; rounding is cut off by clipping.
        """
        read = Reading(**self._reading).whole(data)
        projected = (read if hasattr(read, "tocsr") else checks.plain(read, "X")) @ release.value
        small = self._moments(projected, epsilon, width=projected.shape[1], seed=seed, rows="clip", paid=True)
        values, vectors = eigenvectors(small.value)
        details = {**release.details, "epsilon_variances": epsilon, "eigenvalues": values}
        return Release(release.value @ vectors, self._together(release.claim, small.claim), details)

    def _fitted(self, release: Release[NDArray[np.float64]]) -> Self:
        self.release_ = release
        self.components_ = np.ascontiguousarray(release.value.T)
        self.mean_ = np.asarray(release.details.get("mean", np.zeros(self.n_features_in_)))
        return self


def unit_of(claim: Claim) -> dict[str, Any]:
    """Which data sets are neighbours, as fields of a claim."""
    return {name: getattr(claim, name) for name in UNIT}


def worst(one: Claim, two: Claim) -> Claim:
    """What holds for a person who is in one of two chunks, and nobody may say in which: the larger loss of both."""
    mus = (one.gdp_mu, two.gdp_mu)
    unit = one.unit.meet(two.unit)
    return replace(
        two,
        epsilon=max(one.epsilon, two.epsilon),
        delta=max(one.delta, two.delta),
        gdp_mu=None if None in mus else max(mu for mu in mus if mu is not None),
        assumptions=tuple(dict.fromkeys((*one.assumptions, *two.assumptions))),
        labels=tuple(dict.fromkeys((*one.labels, *two.labels))),
        arithmetic=two.arithmetic if one.arithmetic == CERTIFIED else one.arithmetic,
        public=tuple(dict.fromkeys((*one.public, *two.public))),
        **{name: getattr(unit, name) for name in UNIT},
    )
