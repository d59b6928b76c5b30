"""What all estimators share: rows, seed and claim; and components that rows are written in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

import dpspectra as dps
from dpspectra.ground import checks
from dpspectra.mechanisms.catalogue import NOISES
from dpspectra.mechanisms.choice import AUTO, smallest_noise
from dpspectra.mechanisms.claims import Claim, Guarantee
from dpspectra.mechanisms.release import Release

ROWS = ("refuse", "clip", "unit")
FLOATS = (np.float64, np.float32)
SEED_BYTES = 16


class Released(BaseEstimator):
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

    def _ready(self, X: Any, *, reset: bool = True) -> Any:
        """Rows within the norm bound, by the choice of ``rows``."""
        rows = self._read(X, reset=reset)
        if checks.choice(self.rows, "rows", ROWS) == "unit":
            return dps.unit_rows(rows)
        return dps.clipped_rows(rows, self.norm_bound) if self.rows == "clip" else rows

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class Components(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Released):
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


def noisy_moments(
    rows: Any,
    mechanism: str,
    epsilon: Any,
    delta: Any,
    *,
    norm_bound: float,
    seed: int | None,
    denoise: str | None = None,
) -> Release[NDArray[Any]]:
    """``X'X / n`` with noise of the covariance mechanism named, or of that with the least noise."""
    privacy = checks.positive(epsilon, "epsilon"), checks.probability(delta, "delta", zero=True)
    checks.choice(mechanism, "mechanism", (AUTO, *NOISES))
    name = smallest_noise(rows.shape[1], *privacy) if mechanism == AUTO else mechanism
    options: dict[str, Any] = {"norm_bound": norm_bound, "denoise": denoise, "rng": seed}
    if name == "gaussian_covariance":
        options["delta"] = delta
    release: Release[NDArray[Any]] = getattr(dps, name)(rows, epsilon, **options)
    return release
