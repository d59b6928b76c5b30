"""Private principal components as an estimator."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

import dpspectra as dps
from dpspectra.accounting.composition import compose
from dpspectra.estimators.base import Components, noisy_moments
from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks
from dpspectra.mechanisms.choice import AUTO, ORBIT, smallest_noise
from dpspectra.mechanisms.directions import LEADING
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
    shortened, except with ``"pairs"``), ``"unit"`` (all rows get norm 1) or ``"refuse"`` (``ValueError``). With
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
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the components of rows ``(n, n_features)``; ``y`` is ignored. ``ValueError`` for bad input."""
        if self.center == "pairs" and self.rows == "clip":  # differences of rows of any length need no bound
            rows = self._read(X, reset=True)
        else:
            rows = self._chunks(X) if isinstance(X, Iterator) else self._ready(X)
        first = checks.positive(self.epsilon, "epsilon") * FOR_VARIANCES
        measured = self.mechanism == ORBIT and self.relation == Relation.REPLACE
        release = self._directions(rows, math.nextafter(self.epsilon - first, 0.0) if measured else self.epsilon)
        return self._fitted(self._in_order(rows, release, first) if measured else release)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Release the second moments of one more chunk of rows, and the components of all chunks so far.

        Each call is private by itself: the estimator holds a sum of noisy matrices and nothing exact. ``claim_`` stays
        that of one chunk as long as all rows are of different people. The noise adds up: for ``m`` chunks of one size
        it is ``sqrt(m)`` times that of a ``fit`` on an iterator over them, which is the better way where nothing is
        needed in between. There is no ``guarantee_``. A call after ``fit`` starts anew. Takes ``center="none"``,
        ``relation="replace"`` and the mechanisms that are noisy covariances; ``ValueError`` otherwise.
        """
        for name, needed in {"center": "none", "relation": "replace"}.items():
            if getattr(self, name) != needed:
                raise ValueError(f"{name} must be {needed!r} for partial_fit, got {checks.shown(getattr(self, name))}")
        known = self.release_.details if hasattr(self, "release_") else {}
        done = known.get("chunks", 0)
        rows = self._ready(X, reset=not done)
        n, d = rows.shape
        k = checks.integer(self.n_components, "n_components", 1, d)
        chunk = noisy_moments(
            rows, self.mechanism, self.epsilon, self.delta, norm_bound=self.norm_bound, seed=self._seed(done)
        )
        total = n + known.get("rows", 0)
        moments = chunk.value * (n / total)
        if done:
            moments = moments + known["moments"] * (known["rows"] / total)
        values, vectors = eigenvectors(moments)
        claim = replace(chunk.claim, assumptions=(*chunk.claim.assumptions, APART))
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

    def _chunks(self, X: Iterator[Any]) -> Iterator[Any]:
        """Rows of each chunk; the first one is read now, for the number of features."""
        if self.mechanism == ORBIT:
            raise ValueError(f"mechanism must be a noisy covariance or {AUTO!r} for chunks, got {ORBIT!r}")
        read = (self._ready(chunk, reset=number == 0) for number, chunk in enumerate(X))
        return itertools.chain(list(itertools.islice(read, 1)), read)

    def _directions(self, rows: Any, epsilon: float) -> Release[NDArray[np.float64]]:
        """Directions by the mechanism; where they are all there are, a covariance still puts them in order."""
        mechanism, privacy = self.mechanism, (epsilon, checks.probability(self.delta, "delta", zero=True))
        d = getattr(self, "n_features_in_", 0)  # which the first rows have set, if there are any
        if d and checks.integer(self.n_components, "n_components", 1, d) == d and mechanism == AUTO:
            mechanism = smallest_noise(d, *privacy)
        return dps.private_pca(
            rows,
            self.n_components,
            *privacy,
            mechanism=mechanism,
            center=self.center,
            norm_bound=self.norm_bound,
            relation=self.relation,
            rng=self._seed(),
        )

    def _in_order(self, rows: Any, release: Release[Any], epsilon: float) -> Release[NDArray[np.float64]]:
        """The space of a release, in the principal axes of the rows projected on it, with their variances."""
        small = noisy_moments(
            rows @ release.value, AUTO, epsilon, self.delta, norm_bound=self.norm_bound, seed=self._seed(1)
        )
        values, vectors = eigenvectors(small.value)
        claim = replace(compose([release, small], method="basic"), epsilon=float(self.epsilon))
        details = {**release.details, "epsilon_variances": epsilon, "eigenvalues": values}
        return Release(release.value @ vectors, claim, details)

    def _fitted(self, release: Release[NDArray[np.float64]]) -> Self:
        self.release_ = release
        self.components_ = np.ascontiguousarray(release.value.T)
        self.mean_ = np.asarray(release.details.get("mean", np.zeros(self.n_features_in_)))
        return self
