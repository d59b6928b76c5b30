"""Functions of released second moments and covariances; each gives a release with the same claim, at no cost."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.mechanisms.claims import Guarantee
from dpspectra.mechanisms.directions import LOST
from dpspectra.mechanisms.noise_intervals import LEADING
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import STATED, of_directions, of_eigenvalues
from dpspectra.postprocessing import shares

FROBENIUS = "Frobenius error"


def precision(release: Release[Floats], floor: float | None = None) -> Release[Floats]:
    """Return the inverse of a released covariance, or of second moments; the same claim, as it is post-processing.

    Parameters
    ----------
    release
        The release of a covariance, or of second moments, ``(d, d)``.
    floor
        Eigenvalues below it are raised to it; by default ``details["visible_from"]`` of the release, as smaller ones do
        not show in the noise.

    Returns
    -------
    Release
        Its value is ``(d, d)``. ``details``: ``floor`` and ``floored``, the number of eigenvalues raised.

    Raises
    ------
    ValueError
        For a release of anything else, and without a floor.

    Examples
    --------
    >>> from dpspectra import laplace_covariance
    >>> release = laplace_covariance(np.eye(3)[[0, 1, 2] * 200], epsilon=1.0, rng=0)
    >>> precision(release).value.shape, precision(release).claim == release.claim
    ((3, 3), True)

    """
    values, vectors = _spectrum(release)
    raised, known = _raised(values, release, floor)
    return _derived(release, _symmetric(vectors / raised @ vectors.T), "inverse", known)


def whitening(release: Release[Floats], floor: float | None = None) -> Release[Floats]:
    """Return the matrix ``W`` with ``W C W' = I`` for a released covariance ``C``: ``W x`` has uncorrelated entries.

    Parameters
    ----------
    release
        The release of a covariance, or of second moments, ``(d, d)``.
    floor
        As for `precision`.

    Returns
    -------
    Release
        Its value is ``(d, d)``. Its rows are the eigenvectors, those of large eigenvalues first, over the roots of the
        eigenvalues. ``details`` as for `precision`. The claim is the same, as this is post-processing.

    Raises
    ------
    ValueError
        For a release of anything else, and without a floor.

    Examples
    --------
    >>> from dpspectra import laplace_covariance
    >>> release = laplace_covariance(np.eye(3)[[0, 1, 2] * 200], epsilon=1.0, rng=0)
    >>> w = whitening(release).value
    >>> np.allclose(w @ release.value @ w.T, np.eye(3))
    True

    """
    values, vectors = _spectrum(release)
    raised, known = _raised(values, release, floor)
    return _derived(release, (vectors / np.sqrt(raised)).T, "whitening", known)


def correlation(release: Release[Floats], floor: float | None = None) -> Release[Floats]:
    """Return the correlations of a released covariance; the same claim, as it is post-processing.

    Parameters
    ----------
    release
        The release of a covariance, or of second moments, ``(d, d)``.
    floor
        Variances below it are raised to it, in the units of the release; by default as for `precision`.

    Returns
    -------
    Release
        Its value is ``(d, d)`` with a unit diagonal. Entries beyond 1 are cut off, so all lie in [-1, 1]. ``details``
        as for `precision`.

    Raises
    ------
    ValueError
        For a release of anything else, and without a floor.

    Examples
    --------
    >>> from dpspectra import laplace_covariance
    >>> release = laplace_covariance(np.ones((600, 2)) / 2, epsilon=1.0, rng=0)
    >>> correlation(release).value.round(1)
    array([[1., 1.],
           [1., 1.]])

    """
    matrix = _matrix(release)
    variances, known = _raised(np.diagonal(matrix), release, floor)
    sizes = np.sqrt(variances)
    found = np.clip(matrix / sizes / sizes[:, None], -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return _derived(release, found, "correlations", known)


def components(release: Release[Floats], k: int | float) -> Release[Floats]:
    """Return the leading eigenvectors of a released covariance; the same claim, as it is post-processing.

    Parameters
    ----------
    release
        The release of a covariance, or of second moments, ``(d, d)``.
    k
        Number of eigenvectors; or a share between 0 and 1: then as few are taken as explain this share of the variance,
        by `explained_ratio`.

    Returns
    -------
    Release
        Its value is ``(d, k)`` with orthonormal columns. ``details``: ``eigenvalues``, ``trace``, ``strength`` and
        ``shown`` as for `dpspectra.private_pca`, and the ``guarantee`` on the lost variance, where the release has one
        on its Frobenius error.

    Raises
    ------
    ValueError
        For a release of anything else, and for a bad ``k``.

    Examples
    --------
    >>> from dpspectra import laplace_covariance
    >>> release = laplace_covariance(np.eye(3)[[0, 0, 0, 1] * 200], epsilon=1.0, rng=0)
    >>> components(release, 0.9).value.shape, components(release, 1).value.shape
    ((3, 2), (3, 1))

    """
    values, vectors = _spectrum(release)
    number = counted(k, shares(values), "k")
    known: dict[str, Any] = {"eigenvalues": values[:number], "trace": float(np.sum(values))}
    if (edge := release.details.get("noise_edge")) is not None:
        known |= of_directions(values, number, edge)
    found = release.details.get("guarantee")
    if isinstance(found, Guarantee) and found.quantity == FROBENIUS:
        bound = math.sqrt(2 * min(number, len(values) - number)) * found.bound
        known["guarantee"] = Guarantee(LOST.format("A what was released with noise"), bound, found.probability)
    return _derived(release, vectors[:, :number], LEADING, known)


def explained_ratio(release: Release[Floats]) -> Release[Floats]:
    """Return the share of the variance in each eigenvector of a released covariance, descending.

    Parameters
    ----------
    release
        The release of a covariance, or of second moments, ``(d, d)``.

    Returns
    -------
    Release
        Its value has shape ``(d,)``. Eigenvalues become the nearest ones that are not negative and keep the released
        trace; all shares are 0 where that is not positive. The claim is the same, as this is post-processing.

    Raises
    ------
    ValueError
        For a release of anything else.

    Examples
    --------
    >>> from dpspectra import laplace_covariance
    >>> release = laplace_covariance(np.eye(3)[[0, 0, 0, 1] * 200], epsilon=1.0, rng=0)
    >>> explained_ratio(release).value.round(1)
    array([0.8, 0.2, 0. ])

    """
    values, edge = _spectrum(release)[0], release.details.get("noise_edge")
    known = {} if edge is None else of_eigenvalues(values, len(values), edge)
    return _derived(release, shares(values), "shares of the variance", known)


def counted(k: int | float, explained: Floats, name: str) -> int:
    """Return a number of components: the given one, or the fewest with the given share of the variance."""
    if isinstance(k, Real) and not isinstance(k, (int, np.integer)):
        share = checks.probability(k, name)
        return min(int(np.searchsorted(np.cumsum(explained), share)) + 1, len(explained))
    return checks.integer(k, name, 1, len(explained))


def _matrix(release: Release[Floats]) -> Floats:
    """Return the released matrix; of mean and second moments the second moments."""
    checks.instance(release, "release", Release)
    value = release.value[1] if isinstance(release.value, tuple) and len(release.value) == 2 else release.value
    if np.ndim(value) != 2 or np.iscomplexobj(value) or np.shape(value)[0] != np.shape(value)[1]:
        raise ValueError("release must be one of a covariance or of second moments, got one of another value")
    return np.asarray(checks.hermitian(value, "the value of release"))


def _spectrum(release: Release[Floats]) -> tuple[Floats, Floats]:
    """Return the eigenvalues of the released matrix, descending, and its eigenvectors in columns."""
    values, vectors = eigenvectors(_matrix(release))
    return np.asarray(values, dtype=np.float64), np.asarray(vectors, dtype=np.float64)


def _raised(numbers: Floats, release: Release[Floats], floor: float | None) -> tuple[Floats, dict[str, Any]]:
    """Return eigenvalues or variances raised to a floor, by default that of the release, and details about them."""
    if floor is not None:
        least = checks.positive(floor, "floor")
    elif (found := release.details.get("visible_from")) is not None:
        least = float(found)
    else:
        raise ValueError("floor must be given for a release without details['visible_from'], got None")
    known = {STATED: ("raised",), "floor": least, "floored": int(np.sum(numbers < least)), "numbers": len(numbers)}
    return np.maximum(numbers, least), known


def _symmetric(matrix: Floats) -> Floats:
    return (matrix + matrix.T) / 2


def _derived(release: Release[Floats], value: Floats, name: str, known: dict[str, Any]) -> Release[Floats]:
    """Return a release with the same claim; what held of the error of the first value does not hold of this one."""
    before = release.details.get("postprocessing")
    kept = {key: each for key, each in release.details.items() if not isinstance(each, Guarantee) and key != STATED}
    text = name if before is None else f"{before}; {name}"
    return replace(release, value=value, details={**kept, "postprocessing": text, **known})
