"""Functions of released second moments and covariances; each gives a release with the same claim, at no cost."""

from __future__ import annotations

import math
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from dpspectra.fast.linalg import eigenvalues, eigenvectors, hermitian_part, orbit_projection, to_trace
from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.mechanisms import plain_words
from dpspectra.mechanisms.claims import Guarantee
from dpspectra.mechanisms.directions import guarantee_of
from dpspectra.mechanisms.noise_intervals import LEADING, OF_MATRIX, SHORT_PAIRS
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import PER_PERSON, STATED, of_directions, of_eigenvalues
from dpspectra.postprocessing import shares

CLEAR = 3.0
"""Standard deviations of its noise from which on a variance shows."""
SHORTER = 2.0**-30
"""Part by which correlations are shortened: rounding errors are far below it, noise far above."""
_WORDS = "noise_edge gap_edge displaced visible_from largest_possible shown_from beyond_edge negative"
OF_VALUE = tuple(_WORDS.split())
"""Details in the units of the released matrix, which those derived from it do not have."""


def precision(release: Release[Floats], floor: float | None = None) -> Release[Floats]:
    """Return the inverse of a released covariance, or of second moments; the same claim, as it is post-processing.

    Parameters
    ----------
    release
        The release of a covariance, or of second moments, ``(d, d)``.
    floor
        Eigenvalues below it are raised to it. By default it is the smallest one that shows in the noise, that of the
        mean counted for a covariance: ``details["visible_from"] (1 + |mean| / constant)``.

    Returns
    -------
    Release
        Its value is ``(d, d)``, positive definite. ``details``: ``floor`` and ``floored``, the number of eigenvalues
        raised; `remarks` says so.

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
    raised, known = _raised(values, "eigenvalues", floor, _visible(release))
    return derived(release, hermitian_part(vectors / raised @ vectors.T).real, "inverse", known, OF_VALUE)


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
    raised, known = _raised(values, "eigenvalues", floor, _visible(release))
    return derived(release, (vectors / np.sqrt(raised)).T, "whitening", known, OF_VALUE)


def correlation(release: Release[Any], floor: float | None = None) -> Release[Floats]:
    """Return the correlations of a released covariance about the mean; the same claim, as it is post-processing.

    Parameters
    ----------
    release
        The release of `private_covariance`; or of `private_moments`, whose covariance ``S - m m'`` is taken.
    floor
        Variances below it are raised to it, in the units of the release. By default each has its own: three standard
        deviations of its noise, that of the mean counted.

    Returns
    -------
    Release
        Its value is ``(d, d)``, positive definite with a unit diagonal. ``details``: ``floor``, an array by default,
        and ``floored``, the number of variances raised; `remarks` says so.

    Raises
    ------
    ValueError
        For a release of anything else, second moments about zero among them, and without a floor.

    Notes
    -----
    The covariance first becomes the nearest positive semidefinite matrix of its released trace (of 0 if that is
    negative). Raised variances add a non-negative diagonal, and division by their roots on both sides keeps it
    semidefinite. At last numbers off the diagonal are shortened by ``2**-30`` of their size, so that Cholesky's method
    finds it definite, whatever the rounding.

    Examples
    --------
    >>> from dpspectra import private_covariance
    >>> release = private_covariance(np.repeat(np.eye(2), 20000, axis=0), epsilon=1.0, rng=0)
    >>> correlation(release).value.round(1)
    array([[ 1., -1.],
           [-1.,  1.]])

    """
    matrix, mean = _about_mean(release)
    nearest = orbit_projection(matrix, to_trace(eigenvalues(matrix), float(np.trace(matrix)))).real
    variances, known = _raised(np.diagonal(nearest), "variances", floor, _clear(release, mean))
    sizes = np.sqrt(variances)
    found = (1 - SHORTER) * np.clip(hermitian_part(nearest / sizes / sizes[:, None]).real, -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return derived(release, found, "correlations", known, OF_VALUE)


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
        known |= of_directions(values, number, len(values), edge)
    found = release.details.get("guarantee")
    if isinstance(found, Guarantee) and found.quantity in OF_MATRIX:
        known["guarantee"] = guarantee_of(values, number, len(values), found.bound, "A what was released with noise")
    return derived(release, vectors[:, :number], LEADING, known)


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
    return derived(release, shares(values), "shares of the variance", known)


def counted(k: int | float, explained: Floats, name: str) -> int:
    """Return a number of components: the given one, or the fewest with the given share of the variance."""
    if isinstance(k, Real) and not isinstance(k, (int, np.integer)):
        return min(int(np.searchsorted(np.cumsum(explained), checks.probability(k, name))) + 1, len(explained))
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


def _about_mean(release: Release[Any]) -> tuple[Floats, Floats]:
    """Return a released covariance, and the mean that was released for it; zeros if it was by pairs."""
    matrix = _matrix(release)
    if isinstance(release.value, tuple):
        mean = np.asarray(release.value[0])
        return matrix - np.outer(mean, mean) / release.details.get(PER_PERSON, 1), mean
    mean = np.zeros(len(matrix)) if SHORT_PAIRS in release.claim.labels else np.asarray(release.details.get("mean"))
    if mean.shape != matrix.shape[:1]:
        wanted = "release must be of a covariance about the mean for correlations, got second moments about zero"
        raise ValueError(f"{wanted}: release private_covariance or private_moments")
    return matrix, mean


def _visible(release: Release[Any]) -> float | None:
    """Return the smallest eigenvalue that shows in the noise, if the release says it.

    Noise ``e`` of a mean ``m`` moves the covariance by about ``m e' + e m'``, of norm ``|m| |e|``; it is a row of the
    noise over the constant beside the rows, about as long as what just shows in it.
    """
    found, constant = release.details.get("visible_from"), release.details.get("constant")
    if found is None or constant is None or isinstance(release.value, tuple):
        return None if found is None else float(found)
    return float(found * (1 + np.linalg.norm(release.details["mean"]) / constant))


def _clear(release: Release[Any], mean: Floats) -> Floats | None:
    """Return from where on each variance about the mean shows, `CLEAR` times its noise, if the release says it.

    Noise of second moments is at most ``visible_from / sqrt d`` off the diagonal, of the mean that over the constant.
    """
    found, constant = release.details.get("visible_from"), release.details.get("constant", None if np.any(mean) else 1)
    if found is None or constant is None:
        return None
    return np.asarray(CLEAR * found / math.sqrt(len(mean)) * np.sqrt(2 + (2 * mean / constant) ** 2))


def _raised(
    numbers: Floats, name: str, floor: float | None, own: float | Floats | None
) -> tuple[Floats, dict[str, Any]]:
    """Return eigenvalues or variances raised to a floor, by default their ``own``, and details about them."""
    why = "do not show in the noise" if floor is None else "lie below the floor"
    if (own := own if floor is None else checks.positive(floor, "floor")) is None:
        raise ValueError("floor must be given for a release without details['visible_from'], got None")
    known = {STATED: ("raised",), "floor": own, "floored": int(np.sum(numbers < own)), "raised": f"{name} {why}"}
    known["numbers"] = len(numbers)
    return np.maximum(numbers, own), known


def derived(
    release: Release[Any], value: Any, name: str, known: dict[str, Any], without: tuple[str, ...] = ()
) -> Release[Any]:
    """Return a release with the same claim; what held of the error of the first value does not hold of this one."""
    before = release.details.get("postprocessing")
    without = (*without, STATED)
    kept = {key: x for key, x in release.details.items() if not isinstance(x, Guarantee) and key not in without}
    if plain_words.COMPUTED in kept:
        kept[plain_words.COMPUTED] = f"the {name} of {kept[plain_words.COMPUTED]}"
    text = name if before is None else f"{before}; {name}"
    return replace(release, value=value, details={**kept, "postprocessing": text, **known})
