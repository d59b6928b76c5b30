"""Estimators in the manner of scikit-learn (extra ``sklearn``): for pipelines, cross-validation and data frames.

Each ``fit`` is a release of its own and spends its epsilon; so does each fold of a cross-validation, and each candidate
of a search over parameters. A fitted estimator holds what was released and nothing else of the data; its pickle may be
published with its ``claim_``. What ``transform`` gives are the rows given to it, moved: these are as private as they
were.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

import dpspectra as dps
from dpspectra import checks, extras
from dpspectra.matrices.totals import total
from dpspectra.mechanisms.choice import AUTO, smallest_noise
from dpspectra.mechanisms.release import Claim, Guarantee, Release
from dpspectra.relations import Relation

extras.load("sklearn", "sklearn", "estimators")
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin  # noqa: E402
from sklearn.utils import check_random_state  # noqa: E402
from sklearn.utils.validation import check_array, check_is_fitted, validate_data  # noqa: E402

__all__ = ["PrivateCovariance", "PrivatePCA", "PrivateTruncatedSVD"]

ROWS = ("refuse", "clip", "unit")
FLOATS = (np.float64, np.float32)


class _Released(BaseEstimator):
    """What is fitted by one release."""

    random_state: Any
    rows: str
    norm_bound: float
    release_: Release[Any]
    """The release: value, claim and details."""
    n_features_in_: int

    @property
    def claim_(self) -> Claim:
        """The privacy claim of the fit."""
        check_is_fitted(self, "release_")
        return self.release_.claim

    @property
    def guarantee_(self) -> Guarantee | None:
        """What holds of the error whatever the data; ``None`` where nothing is proved."""
        check_is_fitted(self, "release_")
        found = self.release_.details.get("guarantee")
        return found if isinstance(found, Guarantee) else None

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Rows of floats, dense or by compressed rows."""
        return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=list(FLOATS))

    def _ready(self, X: Any) -> Any:
        """Rows within the norm bound, by the choice of ``rows``."""
        if checks.choice(self.rows, "rows", ROWS) == "unit":
            return dps.unit_rows(X)
        return dps.clipped_rows(X, self.norm_bound) if self.rows == "clip" else X

    def _rng(self) -> np.random.Generator | None:
        """``None`` for certified arithmetic; else a Generator that the random state determines."""
        if self.random_state is None:
            return None
        if isinstance(self.random_state, np.random.Generator):
            return self.random_state
        seeds = check_random_state(self.random_state).randint(2**32, size=4, dtype=np.uint32)
        return np.random.default_rng(seeds)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Components(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Released):
    """Orthonormal components that rows are written in."""

    components_: NDArray[Any]
    mean_: NDArray[Any]

    def transform(self, X: Any) -> Any:
        """Coordinates ``(n, n_components)`` of rows ``(n, n_features)``; float32 stays float32."""
        check_is_fitted(self, "components_")
        rows = self._read(X, reset=False)
        components = self.components_.astype(rows.dtype, copy=False)
        return rows @ components.T - (self.mean_ @ self.components_.T).astype(rows.dtype)

    def inverse_transform(self, X: Any) -> Any:
        """The rows ``(n, n_features)`` in the space of the components that have these coordinates."""
        check_is_fitted(self, "components_")
        x = check_array(X, dtype=list(FLOATS))
        width = len(self.components_)
        if x.shape[1] != width:
            raise ValueError(f"X must have {width} columns, one for each component, got {x.shape[1]}")
        return x @ self.components_.astype(x.dtype, copy=False) + self.mean_.astype(x.dtype)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class PrivatePCA(_Components):
    """Principal components by `dpspectra.private_pca`; ``(epsilon, delta)``-DP when a row is replaced.

    ``n_components``: an integer from 1 to the number of features. ``epsilon`` (nats), ``delta``, ``norm_bound``,
    ``center`` (``"none"``, ``"mean"`` or ``"pairs"``), ``mechanism`` and ``relation`` as there. ``rows`` says what
    happens to rows of norm over the bound: ``"refuse"`` (``ValueError``), ``"clip"`` (they are shortened) or ``"unit"``
    (all rows get norm 1). With ``random_state=None`` noise comes from fresh entropy in certified arithmetic; an
    integer, a RandomState or a Generator means ideal arithmetic, for tests: two fits with one integer have the same
    noise, and both released together show differences of their data.

    After ``fit``: ``components_`` ``(n_components, n_features)``, orthonormal; ``mean_``, the private mean with
    ``center="mean"``, else zeros; ``explained_variance_``, the eigenvalues of the same noisy matrix, at no cost in
    epsilon (of second moments, with a centre of those of rows of unit length; absent for the mechanism ``"orbit"``);
    ``claim_``, which covers all of these; ``guarantee_``; ``release_``. ``fit`` also takes an iterator over chunks of
    rows, which is gone through once, with ``rows="refuse"`` and ``center="none"``. There is no ``partial_fit``: a fit
    of each chunk would be a release of each.

    >>> rows = np.random.default_rng(0).normal(size=(200, 3)) * [3, 1, 1] / 20
    >>> model = PrivatePCA(1, epsilon=2.0, rows="clip").fit(rows)
    >>> model.components_.shape, model.transform(rows).shape, model.claim_.epsilon
    ((1, 3), (200, 1), 2.0)
    """

    explained_variance_: NDArray[Any]

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
        rows: str = "refuse",
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
        if isinstance(X, Iterator):
            if self.rows != "refuse":
                raise ValueError(f"rows must be 'refuse' for chunks, got {checks.shown(self.rows)}")
            ready = X
        else:
            ready = self._ready(self._read(X, reset=True))
        self.release_ = dps.private_pca(
            ready,
            self.n_components,
            self.epsilon,
            self.delta,
            mechanism=self.mechanism,
            center=self.center,
            norm_bound=self.norm_bound,
            relation=self.relation,
            rng=self._rng(),
        )
        self.components_ = np.ascontiguousarray(self.release_.value.T)
        self.n_features_in_ = self.components_.shape[1]
        self.mean_ = np.asarray(self.release_.details.get("mean", np.zeros(self.n_features_in_)))
        if "eigenvalues" in self.release_.details:
            self.explained_variance_ = np.maximum(self.release_.details["eigenvalues"], 0.0)
        return self


class PrivateTruncatedSVD(_Components):
    """Leading right singular vectors of many features by `dpspectra.private_power_method`: no square matrix is made.

    The power method multiplies by ``X'X / norm_bound**2``, of which the replacement of a row changes the spectral norm
    by at most 1; so ``claim_`` is for rows. ``iterations`` must be public; other arguments as for `PrivatePCA`. The
    arithmetic is ideal, as products with ``X`` and ``X'`` in turn round. After ``fit``: ``components_``,
    orthonormal; ``claim_``; ``release_``.

    >>> rows = np.random.default_rng(0).normal(size=(2000, 50)) * np.r_[5.0, np.ones(49)] / 20
    >>> model = PrivateTruncatedSVD(1, epsilon=1.0, delta=1e-6, rows="clip").fit(rows)
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
        rows: str = "refuse",
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
        rows = self._ready(self._read(X, reset=True))
        bound = checks.positive(self.norm_bound, "norm_bound")
        total(rows, bound)  # which refuses longer ones

        def product(block: NDArray[Any]) -> NDArray[Any]:
            return np.asarray(rows.T @ (rows @ block)) / bound**2

        width = rows.shape[1]
        square = LinearOperator((width, width), matvec=product, matmat=product, rmatvec=product, dtype=np.float64)
        release = dps.private_power_method(
            square,
            self.n_components,
            self.epsilon,
            self.delta,
            relation="spectral",
            width=self.n_components,
            iterations=self.iterations,
            rng=self._rng(),
        )
        claim = replace(release.claim, relation=Relation.REPLACE, labels=(*release.claim.labels, "DPS-KNORM"))
        self.release_ = replace(release, claim=claim)
        self.components_ = np.ascontiguousarray(release.value.T)
        self.mean_ = np.zeros(width)
        return self


class PrivateCovariance(_Released):
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
        rows: str = "refuse",
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
        rows = self._ready(self._read(X, reset=True))
        budget = checks.positive(self.epsilon, "epsilon"), checks.probability(self.delta, "delta", zero=True)
        names = "symmetric_wishart_covariance", "knorm_covariance", "laplace_covariance", "gaussian_covariance"
        checks.choice(self.mechanism, "mechanism", (AUTO, *names))
        name = smallest_noise(rows.shape[1], *budget) if self.mechanism == AUTO else self.mechanism
        options: dict[str, Any] = {"norm_bound": self.norm_bound, "denoise": self.denoise, "rng": self._rng()}
        if name == "gaussian_covariance":
            options["delta"] = self.delta
        self.release_ = getattr(dps, name)(rows, self.epsilon, **options)
        self.covariance_ = self.release_.value
        self.location_ = np.zeros(len(self.covariance_))
        return self
