"""Private principal components as an estimator."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

import dpspectra as dps
from dpspectra.accounting.budget import Budget
from dpspectra.accounting.parallel_composition import Series, of_chunk, release_chunk
from dpspectra.estimators.base import numbers
from dpspectra.estimators.directions import Directions
from dpspectra.estimators.releases import with_fewer
from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.mechanisms.choice import AUTO, ORBIT
from dpspectra.mechanisms.derived_releases import counted
from dpspectra.mechanisms.noise_intervals import LEADING
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import of_directions
from dpspectra.postprocessing import shares
from dpspectra.relations import Relation

FOR_VARIANCES = 0.25
"""Share of epsilon for the variances along components that do not come from a noisy covariance."""


def _has_likelihood(model: Any) -> bool:
    """Whether rows have a likelihood: their own second moments were released with noise."""
    return bool(model.center == "none" and model.mechanism != ORBIT and model.relation == Relation.REPLACE)


class PrivatePCA(Directions):
    """Find principal components by `dpspectra.private_pca`; ``(epsilon, delta)``-DP when a row is replaced.

    ``fit`` takes rows, an iterator over chunks of rows, which is gone through once, or `dpspectra.Moments`, which say
    themselves how rows were read: one release, of all of them.

    Parameters
    ----------
    n_components
        An integer from 1 to the number of features; ``None`` for all of these; or a share between 0 and 1: as few as
        explain this share of the released variance, by a noisy covariance.
    epsilon, delta, norm_bound, center, mechanism, relation
        As in `dpspectra.private_pca`, but ``"auto"`` is always a noisy covariance.
    rows
        What happens to rows of norm over the bound: ``"clip"`` (they are shortened, except with ``"pairs"``),
        ``"unit"`` (all rows get norm 1) or ``"refuse"`` (``ValueError``).
    bad_rows
        What happens to rows with an entry that is no finite number: ``"refuse"`` or ``"zero"``.
    bounds
        A `dpspectra.ColumnBounds`: maps rows of columns of any units to norm 1, in ``fit`` and in ``transform``, and
        back in ``inverse_transform``. Components, mean and variances are then of mapped rows.
    whiten
        Whether coordinates are divided by the roots of their released variances. Variances that do not show in the
        noise are raised to the smallest one that does.
    budget
        A `dpspectra.Budget`: each fit is paid before the rows are opened, and a clone has the same one. Without one, a
        second fit warns.
    random_state
        None: fresh entropy in certified arithmetic. An integer, a RandomState or a Generator means ideal arithmetic,
        for tests. Two fits with one integer have the same noise, and both released together show differences of their
        data.

    Attributes
    ----------
    components_
        ``(n_components, n_features)``, orthonormal.
    mean_
        The private mean with ``center="mean"``, else zeros.
    explained_variance_, explained_variance_ratio_
        Eigenvalues of the same noisy matrix, not negative, at no cost in epsilon: of second moments about zero, with a
        centre of those of rows of unit length. For the mechanism ``"orbit"`` a quarter of epsilon goes to second
        moments along its directions, which are put in their order. Under ``"add_remove"`` there are none, as the number
        of rows is private.
    claim_, guarantee_, release_
        The claim, which covers all of these; the guarantee, none for a share; and the release.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(200, 3)) * [3, 1, 1] / 20
    >>> model = PrivatePCA(1, epsilon=2.0).fit(rows)
    >>> model.components_.shape, model.transform(rows).shape, model.claim_.epsilon
    ((1, 3), (200, 1), 2.0)

    """

    def __init__(
        self,
        n_components: int | float | None = None,
        *,
        epsilon: float,
        delta: float = 0.0,
        norm_bound: float = 1.0,
        center: str = "none",
        mechanism: str = AUTO,
        relation: str = "replace",
        rows: str = "clip",
        bad_rows: str = "refuse",
        bounds: ColumnBounds | None = None,
        whiten: bool = False,
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
        self.bounds = bounds
        self.whiten = whiten
        self.budget = budget
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Release the components of rows.

        Parameters
        ----------
        X
            Rows ``(n, n_features)``, an iterator over chunks of rows, or `dpspectra.Moments`.
        y
            Ignored.

        Returns
        -------
        PrivatePCA
            The object itself.

        Raises
        ------
        ValueError
            For rows that are refused, and for bad parameters.

        """
        data = self._data(X)
        if isinstance(X, (Iterator, dps.Moments)) and self.mechanism == ORBIT:
            raise ValueError(f"mechanism must be a noisy covariance or {AUTO!r} for chunks, got {ORBIT!r}")
        first = checks.positive(self.epsilon, "epsilon") * FOR_VARIANCES
        k = self._wanted()
        if self.mechanism == ORBIT and self.relation == Relation.REPLACE and self.center == "none":
            release = self._measured(data, k, math.nextafter(self.epsilon - first, 0.0), first)
        else:
            release = self._directions(data, k, self.epsilon, self._seed())
            if k != self.n_components and self.n_components is not None:
                release = with_fewer(release, self.n_components)
        self._fitted(release)
        self._count()
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Release the second moments of one more chunk of rows, and the components of all chunks so far.

        Each call is private by itself: the estimator holds a sum of noisy matrices and nothing exact. A call after
        ``fit`` starts anew.

        Parameters
        ----------
        X
            Rows ``(n, n_features)``, of people who are in no other chunk.
        y
            Ignored.

        Returns
        -------
        PrivatePCA
            The object itself. ``claim_`` is that of the chunk with the largest loss, and this is what all chunks
            together take from a ``budget``: its claims then hold for people who stay in their chunk. A copy of the
            estimator, and one that comes from a pickle, pays for itself. There is no ``guarantee_``.

        Raises
        ------
        ValueError
            Unless ``center="none"``, ``relation="replace"`` and the mechanism is a noisy covariance; and for refused
            rows.

        Notes
        -----
        The noise adds up: for ``m`` chunks of one size it is ``sqrt(m)`` times that of a ``fit`` on an iterator over
        them, which is the better way where nothing is needed in between.

        """
        for name, needed in {"center": "none", "relation": "replace"}.items():
            if getattr(self, name) != needed:
                raise ValueError(f"{name} must be {needed!r} for partial_fit, got {checks.shown(getattr(self, name))}")
        known = self.release_.details if hasattr(self, "release_") else {}
        done = known.get("chunks", 0)
        data = self._look(X, reset=not done)
        n, d = data.shape[0] if hasattr(data, "shape") else len(data), self.n_features_in_
        self._wanted()
        if not done:
            self._series = Series()
        chunk = self._moments(
            data, self.epsilon, width=d, mechanism=self.mechanism, seed=self._seed(done), series=self._series
        )
        total = n + known.get("rows", 0)
        moments = chunk.value * (n / total)
        if done:
            moments = moments + known["moments"] * (known["rows"] / total)
        values, vectors = eigenvectors(moments)
        k = counted(d if self.n_components is None else self.n_components, shares(values), "n_components")
        claim = of_chunk(chunk.claim, self.release_.claim if done else None)
        details = {"chunks": done + 1, "rows": total, "moments": moments}
        for name in ("noise_edge", "gap_edge"):  # noises of chunks are independent
            details[name] = math.hypot(chunk.details[name] * n, known.get(name, 0.0) * (total - n)) / total
        details |= of_directions(values, k, details["noise_edge"])
        details |= {"trace": float(np.trace(moments)), "explained_ratio": shares(values)[:k]}
        frame: NDArray[np.float64] = np.asarray(vectors[:, :k], dtype=np.float64)
        return self._fitted(Release(frame, claim, {**details, "postprocessing": LEADING}))

    def _made(
        self, function: Callable[..., Release[Any]], X: Any, /, *, series: Series | None = None, **given: Any
    ) -> Release[Any]:
        """Make the release of a mechanism; chunks of one series share an entry of the budget."""
        if series is None or self.budget is None:
            return super()._made(function, X, **given)
        return release_chunk(checks.instance(self.budget, "budget", Budget), series, function.__name__, X, **given)

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

    @available_if(_has_likelihood)  # type: ignore[untyped-decorator]
    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of rows ``(n, n_features)``, normal about zero with `get_covariance`; ``y`` is ignored.

        Variances that do not show in the noise are raised to what does. It is an exact function of the rows given, and
        no release: of private rows it is not private.
        """
        rows, least = self._mapped(X), float(self._of_matrix("visible_from"))
        k, d = self.components_.shape
        large, rest = np.maximum(self.explained_variance_, least), max(self.noise_variance_, least)
        precision = self._modelled(1 / large, 1 / rest)
        squares = np.einsum("ij,jk,ik->i", rows, precision, rows)
        spread = d * math.log(2 * math.pi) + float(np.sum(np.log(large))) + (d - k) * math.log(rest)
        return -(float(np.mean(squares)) + spread) / 2

    def transform(self, X: Any) -> Any:
        """Coordinates ``(n, n_components)`` of rows ``(n, n_features)``, whitened if asked for; float32 stays."""
        found = super().transform(X)
        return found / self._sizes.astype(found.dtype) if self.whiten else found

    def inverse_transform(self, X: Any) -> Any:
        """Return the rows ``(n, n_features)`` that have these coordinates in the components' space, in their units."""
        if not self.whiten:
            return super().inverse_transform(X)
        x = numbers(X)
        self._require_coordinates(x)
        return super().inverse_transform(x * self._sizes.astype(x.dtype))

    @property
    def _sizes(self) -> NDArray[np.float64]:
        """Roots of variances, by which coordinates are whitened."""
        return np.sqrt(np.maximum(self.explained_variance_, self._of_matrix("visible_from")))

    def _modelled(self, large: NDArray[np.float64], rest: float) -> NDArray[np.float64]:
        return (self.components_.T * (large - rest)) @ self.components_ + rest * np.eye(self.n_features_in_)

    def _of_matrix(self, name: str) -> Any:
        check_is_fitted(self, "release_")
        if (found := self.release_.details.get(name)) is None:
            raise AttributeError(f"there is no {name.replace('_', ' ')}, as no noisy matrix was released by one noise")
        return found

    def _fitted(self, release: Release[NDArray[np.float64]]) -> Self:
        self.release_ = release
        self.components_ = np.ascontiguousarray(release.value.T)
        self.mean_ = np.asarray(release.details.get("mean", np.zeros(self.n_features_in_)))
        return self
