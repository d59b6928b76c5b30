"""Base of all estimators: rows, seed, budget and claim; and components that rows are written in."""

from __future__ import annotations

import inspect
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

import dpspectra as dps
from dpspectra.accounting.budget import Budget
from dpspectra.estimators.data import Tallied, numbers, require_rows, rows_in
from dpspectra.ground import checks
from dpspectra.ground.foreign_code import Chunks, read
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.kinds import is_sparse
from dpspectra.mechanisms.catalogue import NOISES
from dpspectra.mechanisms.choice import AUTO, smallest_noise
from dpspectra.mechanisms.claims import Claim, Guarantee
from dpspectra.mechanisms.planning import READING, agreed
from dpspectra.mechanisms.release import Release
from dpspectra.relations import Relation

SEED_BYTES = 16


class RepeatedFitWarning(UserWarning):
    """An estimator and its clones were fitted more than once without a budget; each fit spent its epsilon."""


class Fits:
    """How often an estimator and its clones were fitted in this process."""

    def __init__(self) -> None:
        self.number = 0


class Released(BaseEstimator):
    """Attributes that are fitted by releases."""

    epsilon: float
    delta: float
    random_state: Any
    rows: str
    bad_rows: str
    norm_bound: float
    bounds: ColumnBounds | None
    budget: Budget | None
    release_: Release[Any]
    """The release: value, claim and details."""
    n_features_in_: int
    _fits: Fits
    _rows: int | None = None

    @property
    def claim_(self) -> Claim:
        """The privacy claim of the fit."""
        check_is_fitted(self, "release_")
        return self.release_.claim

    @property
    def guarantee_(self) -> Guarantee | None:
        """Return the bound on the error for any data; ``None`` where nothing is proved."""
        check_is_fitted(self, "release_")
        found = self.release_.details.get("guarantee")
        return found if isinstance(found, Guarantee) else None

    @property
    def remarks_(self) -> tuple[str, ...]:
        """Return warnings about the fit, in words: directions that are likely noise, say."""
        check_is_fitted(self, "release_")
        return self.release_.remarks

    @property
    def n_samples_(self) -> int:
        """Return the number of rows where it is public: not under ``"add_remove"``. Of people `Moments` count these."""
        check_is_fitted(self, "release_")
        if self._rows is None:
            raise AttributeError("there is no n_samples_, as the number of rows is private or unknown")
        return self._rows

    def _reading(self, X: Any) -> dict[str, Any]:
        """How rows are read, as arguments of a mechanism: none for `Moments`, which must be read as was asked for."""
        given = {name: getattr(self, name) for name in READING} | {"bounds": self._bounds}
        if not isinstance(X, dps.Moments):
            return given
        parameters = inspect.signature(type(self)).parameters
        agreed(given, {name: parameters[name].default for name in READING}, X.terms)
        return {}

    @property
    def _bounds(self) -> ColumnBounds | None:
        """The bounds in the order of the columns of the fit."""
        if not isinstance(self.bounds, ColumnBounds):
            return self.bounds
        names = getattr(self, "feature_names_in_", None)
        return self.bounds.of_columns(None if names is None else tuple(names))

    def _made(
        self, function: Callable[..., Release[Any]], X: Any, /, *, paid: bool = False, **given: Any
    ) -> Release[Any]:
        """Make the release of a mechanism.

        If it is not paid for and there is a budget, the budget opens the data.
        """
        if paid or self.budget is None:
            return function(X, **given)
        return checks.instance(self.budget, "budget", Budget).release(function, X, **given)

    def _count(self, data: Any, depth: int = 1) -> None:
        """Count a fit, and its rows if their number is public.

        Warn of the second fit without a budget, in the name of who called ``depth`` calls above.
        """
        self._rows = rows_in(data) if self.release_.claim.relation == Relation.REPLACE else None
        if self.budget is not None:
            return
        fits = self._shared()
        fits.number += 1
        if fits.number > 1:
            told = f"{fits.number} fits, each spent epsilon {self.epsilon:g}: of one data set a Budget (budget=) counts"
            warnings.warn(told, RepeatedFitWarning, stacklevel=depth + 3)

    def _shared(self) -> Fits:
        if not hasattr(self, "_fits"):
            self._fits = Fits()
        return self._fits

    def __sklearn_clone__(self) -> Self:
        made: Self = super().__sklearn_clone__()
        made._fits = self._shared()
        return made

    def _look(self, X: Any, *, reset: bool = True) -> Any:
        """Return the data; only their names and shape were looked at."""
        if isinstance(X, dps.Moments):
            raise ValueError("X must be rows for what looks at them more than once, got Moments")
        if not isinstance(X, (list, tuple)) and read(lambda: getattr(X, "shape", None), "X") is None:
            X = read(lambda: np.asarray(X), "X")  # sklearn would, too
        require_rows(X)
        if not is_sparse(X):  # whose length is an error
            read(lambda: (getattr(X, "columns", 0), len(X) if hasattr(type(X), "__len__") else 0), "X")  # sklearn asks
        validate_data(self, X, reset=reset, skip_check_array=True)
        shape = getattr(X, "shape", (1, self.n_features_in_))
        if shape[1] == 0:
            raise ValueError(f"Found array with 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is required.")
        return X

    def _numbers(self, X: Any, *, reset: bool) -> Any:
        """Rows of floats, dense or by compressed rows; of anything else only the place is told."""
        self._look(X, reset=reset)
        return numbers(X)

    def _mapped(self, X: Any) -> Any:
        """Rows of floats that are not those of a fit, mapped by the bounds if there are any."""
        rows = self._numbers(X, reset=False)
        return rows if self._bounds is None else self._bounds.rows(rows).astype(rows.dtype)

    def _chunks(self, X: Iterator[Any]) -> Iterator[Any]:
        """Chunks of rows as they come, all of one width; the first one is taken now, for the number of features."""
        looked = (self._look(chunk, reset=number == 0) for number, chunk in enumerate(Chunks.of(X, "X")))
        first = list(itertools.islice(looked, 1))
        if not first:
            raise ValueError("X must not be empty, got no chunks")
        return Tallied(itertools.chain(first, looked), "X", ours=True)

    def _data(self, X: Any) -> Any:
        """Return the data for a mechanism, unread."""
        if isinstance(X, dps.Moments):
            self.n_features_in_ = X.terms.width
            if X.terms.columns is not None:
                self.feature_names_in_ = np.array(X.terms.columns, dtype=object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
            return X
        return self._chunks(X) if isinstance(X, Iterator) else self._look(X)

    def _seed(self, number: int = 0) -> int | None:
        """Seed of a release, by its ``number`` if a fit needs several; ``None`` for certified arithmetic.

        Always a seed, never the generator itself: clones hold copies of that, and would share noise without a warning.
        """
        state = self.random_state
        if state is None:
            return None
        if isinstance(state, (np.random.Generator, np.random.RandomState)):
            return int.from_bytes(state.bytes(SEED_BYTES), "big")
        if isinstance(state, bool) or not isinstance(state, (int, np.integer)) or state < 0:
            wanted = "None, a non-negative integer, a Generator or a RandomState"
            raise ValueError(f"random_state must be {wanted}, got {checks.shown(state)}")
        if number == 0:
            return int(state)
        words = np.random.SeedSequence(int(state), spawn_key=(number,)).generate_state(SEED_BYTES // 4)
        return int.from_bytes(words.tobytes(), "big")

    def _moments(
        self, X: Any, epsilon: float, *, width: int, mechanism: str = AUTO, seed: int | None = None, **given: Any
    ) -> Release[NDArray[Any]]:
        """``X'X / n`` with noise of the covariance mechanism named, or of that with the least noise."""
        delta = checks.probability(self.delta, "delta", zero=True)
        privacy = checks.positive(epsilon, "epsilon"), delta
        checks.choice(mechanism, "mechanism", (AUTO, *NOISES))
        name = smallest_noise(width, *privacy) if mechanism == AUTO else mechanism
        if name == "gaussian_covariance":
            given["delta"] = delta
        return self._made(getattr(dps, name), X, epsilon=epsilon, rng=seed, **{**self._reading(X), **given})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Components(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Released):
    """Orthonormal components that rows are written in."""

    components_: NDArray[Any]
    mean_: NDArray[Any]

    def transform(self, X: Any) -> Any:
        """Coordinates ``(n, n_components)`` of rows ``(n, n_features)``, once mapped by ``bounds``; float32 stays."""
        check_is_fitted(self, "components_")
        rows = self._mapped(X)
        components = self.components_.astype(rows.dtype, copy=False)
        return rows @ components.T - (self.mean_ @ self.components_.T).astype(rows.dtype)

    def inverse_transform(self, X: Any) -> Any:
        """Return the rows ``(n, n_features)`` that have these coordinates in the components' space, in their units."""
        check_is_fitted(self, "components_")
        x = numbers(X)
        self._require_coordinates(x)
        rows = x @ self.components_.astype(x.dtype, copy=False) + self.mean_.astype(x.dtype)
        return rows if self._bounds is None else self._bounds.mean(rows).astype(x.dtype)

    def _require_coordinates(self, x: Any) -> None:
        if x.shape[1] != (width := len(self.components_)):
            raise ValueError(f"X must have {width} columns, one for each component, got {x.shape[1]}")

    @property
    def n_components_(self) -> int:
        """Number of components."""
        check_is_fitted(self, "components_")
        return len(self.components_)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
