"""Private principal components as an estimator."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if

import dpspectra as dps
from dpspectra.accounting.budget import Budget
from dpspectra.accounting.disjoint_claims import of_chunk
from dpspectra.accounting.parallel_composition import Series, release_chunk
from dpspectra.estimators.data import numbers, of_numbers
from dpspectra.estimators.directions import Directions
from dpspectra.estimators.releases import with_fewer
from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.mechanisms.choice import AUTO, NONE, ORBIT
from dpspectra.mechanisms.derived_releases import counted
from dpspectra.mechanisms.noise_intervals import LEADING
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import of_directions
from dpspectra.postprocessing import shares
from dpspectra.relations import Relation

PARTIAL = (
    (
        "center",
        NONE,
        ": it adds up moments about zero, or the middle of bounds; fit an iterator over the chunks for components "
        "about the mean",
    ),
    ("relation", "replace", ""),
)
"""Options that ``partial_fit`` needs, and what to do instead."""
FOR_VARIANCES = 0.25
"""Share of epsilon for the variances along components that do not come from a noisy covariance."""


def _takes_chunks(model: Any) -> bool:
    """Whether chunks may come one by one; else say why not, which scikit-learn gives as a cause."""
    for name, needed, instead in PARTIAL:
        if (found := getattr(model, name)) != needed:
            raise ValueError(f"{name} must be {needed!r} for partial_fit, got {checks.shown(found)}{instead}")
    if model.mechanism == ORBIT:
        raise ValueError(f"mechanism must be a noisy covariance or {AUTO!r} for partial_fit, got {ORBIT!r}")
    return True


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
        As in `dpspectra.private_pca`, but the mechanism ``"auto"`` is always a noisy covariance.
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
        The private mean with ``center="mean"``, else zeros: pairs need no mean, so that ``transform`` gives coordinates
        of rows as they are, and ``inverse_transform`` what the components hold of them, about zero.
    explained_variance_, explained_variance_ratio_
        Eigenvalues of the same noisy matrix, not negative, at no cost in epsilon: with a centre of second moments of
        rows of unit length, so that they are shares, and with ``center="none"`` of those about zero. For the mechanism
        ``"orbit"`` a quarter of epsilon goes to second moments along its directions, which are put in their order.
        Under ``"add_remove"`` there are none, as the number of rows is private.
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
        center: str = AUTO,
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

    @of_numbers
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
        if self.mechanism == ORBIT and self.relation == Relation.REPLACE and self._center == NONE:
            release = self._measured(data, k, math.nextafter(self.epsilon - first, 0.0), first)
        else:
            release = self._directions(data, k, self.epsilon, self._seed())
            if k != self.n_components and self.n_components is not None:
                release = with_fewer(release, self.n_components)
        self._fitted(release)
        self._count(data)
        return self

    @available_if(_takes_chunks)  # type: ignore[untyped-decorator]
    @of_numbers
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
            For rows that are refused, and for bad parameters.
        AttributeError
            Unless ``center="none"``, ``relation="replace"`` and the mechanism is a noisy covariance. For
            components about the mean ``fit`` an iterator over the chunks.

        Notes
        -----
        The noise adds up: for ``m`` chunks of one size it is ``sqrt(m)`` times that of a ``fit`` on an iterator over
        them, which is the better way where nothing is needed in between.

        """
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
        details |= of_directions(values, k, d, details["noise_edge"])
        details |= {"trace": float(np.trace(moments)), "explained_ratio": shares(values)[:k]}
        frame: NDArray[np.float64] = np.asarray(vectors[:, :k], dtype=np.float64)
        self._rows = total
        return self._fitted(Release(frame, claim, {**details, "postprocessing": LEADING}))

    def _made(
        self, function: Callable[..., Release[Any]], X: Any, /, *, series: Series | None = None, **given: Any
    ) -> Release[Any]:
        """Make the release of a mechanism; chunks of one series share an entry of the budget."""
        if series is None or self.budget is None:
            return super()._made(function, X, **given)
        return release_chunk(checks.instance(self.budget, "budget", Budget), series, function.__name__, X, **given)

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

    def _fitted(self, release: Release[NDArray[np.float64]]) -> Self:
        self.release_ = release
        self.components_ = np.ascontiguousarray(release.value.T)
        self.mean_ = np.asarray(release.details.get("mean", np.zeros(self.n_features_in_)))
        return self
