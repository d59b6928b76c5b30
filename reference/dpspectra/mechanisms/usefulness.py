"""Numbers by which `remarks` tell whether what a release returns stands out from what noise alone would return.

Each record of the catalogue names the laws of its noise, and each release states their numbers in its details.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast.linalg import is_definite
from dpspectra.mechanisms.claims import Claim

if TYPE_CHECKING:
    from dpspectra.fast.spectral_noise import SpectralNoise

FALSE_ALARM = 0.01
"""Probability, about, with which noise alone exceeds what it is compared with."""
MARGIN = 2.0
"""Noise alone exceeds its edge by a share of this times ``d**(-2/3)`` in about one draw of a hundred, or fewer."""
GAP = 5.5
"""Standard deviations of an entry of the noise by which an eigenvalue must be apart from others.

Noise parts two equal eigenvalues by ``g`` standard deviations or more with probability ``exp(-g^2 / 8)``, for normal
noise, and turns their directions by more than 60 degrees in a third of all cases: together .8 percent.
"""
TINY = 1e-9
"""Part of the largest entry of a matrix that is rounding, and no negative eigenvalue."""
WRONG = ArithmeticError, AttributeError, LookupError, TypeError, ValueError
"""Exceptions of numbers that a file does not tell, or not as they must be."""
STATED = "noise_alone"
"""The detail that names the laws of a release."""
PER_PERSON = "rows_per_person"
"""The detail that says how many rows of a person are added up, if several are."""


def of_noise(noise: SpectralNoise, d: int, largest: float | None, displaced: float = 0.0) -> dict[str, Any]:
    """Details of noise on second moments: the largest eigenvalue of noise alone, and the smallest one that shows.

    ``largest`` is the largest value that any data have; ``None`` where there is none. The noise of a mean displaces the
    matrix by one of rank one of this size, at most.
    """
    found = {"noise_edge": noise.displaced(displaced), "visible_from": noise.threshold}
    found["gap_edge"] = GAP * math.sqrt(noise.mean_square) / d + displaced
    found |= {"displaced": displaced} if displaced else {}
    return found if largest is None else {**found, "largest_possible": largest}


def of_matrix(noisy: NDArray[Any], edge: float) -> dict[str, Any]:
    """Details of a noisy matrix, beside `of_noise`: whether any eigenvalue is beyond the edge, or negative."""
    d, small = len(noisy), TINY * float(np.max(np.abs(noisy)))
    beyond = not is_definite(above(edge, d) * np.eye(d) - noisy)
    return {"shown_from": above(edge, d), "beyond_edge": beyond, "negative": not is_definite(noisy + small * np.eye(d))}


def described(value: Any, details: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return details with what laws compare of the value itself; as they are if there is none, or another one.

    It is not computed with the release, so that whoever audits a mechanism from inside sees its value alone.
    """
    stated = details.get(STATED) or ()
    found: dict[str, Any] = {}
    mean, matrix = (value[0], value[-1]) if isinstance(value, tuple) else (value, value)
    with contextlib.suppress(*WRONG):
        if "mean" in stated:
            found["mean_length"] = float(np.linalg.norm(mean))
        if "matrix" in stated and "negative" not in details:
            found |= of_matrix(matrix, details["noise_edge"])
        if "singular values" in stated and "singular_values" not in details:
            found["singular_values"] = tuple(np.linalg.svd(value.right, compute_uv=False).tolist())
    return {**details, **found}


def of_eigenvalues(eigenvalues: NDArray[Any], d: int, edge: float) -> dict[str, Any]:
    """Details of released eigenvalues, descending, of noisy ``(d, d)`` second moments.

    ``strength`` is the last one over the edge of the noise; ``shown`` how many are above ``shown_from``, the edge and
    its margin.
    """
    strength, least = float(eigenvalues[-1] / edge), above(edge, d)
    found = {STATED: ("eigenvalues",), "eigenvalues": eigenvalues, "strength": strength}
    return {**found, "shown_from": least, "shown": int(np.sum(eigenvalues > least))}


def of_directions(eigenvalues: NDArray[Any], k: int, d: int, edge: float) -> dict[str, Any]:
    """Details of the first ``k`` eigenvectors of a noisy matrix, from its leading eigenvalues, ``k + 1`` or all ``d``.

    Besides those of `of_eigenvalues`, ``gaps`` say how far an eigenvalue is from the nearest other one.
    """
    found = of_eigenvalues(eigenvalues[:k], d, edge)
    if d == 1:
        return found
    between = np.concatenate([[np.inf], -np.diff(eigenvalues), [np.inf]])
    return {**found, STATED: ("eigenvalues", "directions"), "gaps": np.minimum(between[:-1], between[1:])[:k]}


def of_singular_values(
    values: Sequence[float] | NDArray[Any], shape: tuple[int, int], scale: float, laplace: bool = False
) -> dict[str, Any]:
    """Details of singular values, descending, of an array of this shape whose entries have noise of this scale."""
    edge = singular_edge(shape, scale, laplace)
    return {STATED: ("singular values",), "singular_values": tuple(map(float, values)), "singular_edge": edge}


def singular_edge(shape: tuple[int, int], scale: float, laplace: bool = False) -> float:
    """Return what the largest singular value of noise alone hardly ever exceeds, for `of_singular_values`.

    Normal noise alone has none above ``scale (sqrt m + sqrt n + t)`` but with probability ``exp(-t^2 / 2)``. To
    Laplace noise, of a standard deviation of ``sqrt 2`` times its scale, the size of its largest entry is added.
    """
    m, n = shape
    tail = math.log(m * n / FALSE_ALARM) if laplace else math.sqrt(-2 * math.log(FALSE_ALARM))
    root = math.sqrt(2) if laplace else 1.0
    return scale * (root * (math.sqrt(m) + math.sqrt(n)) + tail)


def of_products(y: NDArray[Any], k: int, scale: float, *, laplace: bool = False, unit: float = 1.0) -> dict[str, Any]:
    """Details of the ``k`` largest singular values of products with a block, ``(m, p)``, with noise of this scale.

    They are divided by ``unit``.
    """
    values = np.linalg.svd(y, compute_uv=False)[:k]
    return of_singular_values(values / unit, y.shape, scale / unit, laplace)


def of_laplace_spectrum(eigenvalues: NDArray[Any], scale: float) -> dict[str, Any]:
    """Details of released eigenvalues that have independent Laplace noise of this scale."""
    edge = scale * math.log(len(eigenvalues) / 2 / FALSE_ALARM)
    shown = int(np.sum(eigenvalues > edge))
    return {STATED: ("eigenvalues",), "eigenvalues": eigenvalues, "noise_edge": edge, "shown": shown}


def above(edge: float, d: int) -> float:
    """Return the edge of noise and its margin in this dimension."""
    return edge * (1 + MARGIN * d ** (-2 / 3))


def standing(details: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Tell of each direction whether its eigenvalue shows in the noise, apart from all others."""
    apart = np.asarray(details["gaps"]) > gap_edges(details)
    return apart & (np.arange(len(apart)) < details["shown"])


def standing_after(details: Mapping[str, Any], scaled: Sequence[Mapping[str, Any]]) -> NDArray[np.bool_]:
    """Tell of each direction whether it stands out from the noise of what scaled the rows, too.

    Means that are off add a rank one of a known share of the trace. Variances that are off by a share ``s`` of
    themselves are an entry of at most ``s (a + b) / 2`` between directions of eigenvalues ``a`` and ``b``.
    """
    gaps, values = np.asarray(details["gaps"]), np.maximum(details["eigenvalues"], 0.0)
    squares, off = (
        sum(each[name] ** power for each in scaled) for name, power in (("mean_off", 2), ("variances_off", 1))
    )
    displaced = details["trace"] * squares / (1 + squares)
    above_it = np.concatenate([[np.inf], -np.diff(values)]) <= gaps
    middles = values + np.where(above_it, 0.5, -0.5) * np.where(gaps < np.inf, gaps, 0.0)  # between it and the nearest
    apart = gaps > gap_edges(details) + displaced + off * middles
    edge = details["shown_from"] * (1 + displaced / details["noise_edge"])
    return np.asarray(standing(details) & apart & (values > edge))


def gap_edges(details: Mapping[str, Any]) -> NDArray[Any]:
    """Gaps below which noise makes directions arbitrary.

    The order of rows that are paired is noise, too: an entry between directions of eigenvalues ``a`` and ``b`` then has
    a variance of about ``a b / (2 n)``. Twice as much is allowed for.
    """
    gaps = np.asarray(details["gaps"])
    edges = np.full(len(gaps), float(details["gap_edge"]))
    if "paired_rows" not in details:
        return edges
    values = np.maximum(details["eigenvalues"], 0.0)
    products = values * (values + np.where(gaps < np.inf, gaps, 0.0))
    return np.asarray(np.hypot(edges, GAP * np.sqrt(products / details["paired_rows"])))


def with_rows(claim: Claim, rows: int) -> dict[str, int]:
    """Details of the number of rows, where it is public and a delta is promised that should be below one over it."""
    return {"rows": rows} if claim.delta and claim.relation.of_rows and claim.relation.counted else {}
