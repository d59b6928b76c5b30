"""Whether what a release returns stands out from what noise alone would return, by public numbers.

Each record of the catalogue names the `LAWS` of its noise, and each release states their numbers in its details.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.mechanisms.claims import Claim, Guarantee

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
UNKNOWN = "how large noise alone would be is not known: what is returned may be noise"
TINY = 1e-9
"""Part of the largest entry of a matrix that is rounding, and no negative eigenvalue."""
STATED = "noise_alone"
"""The detail that names the laws of a release."""


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
    beyond = not _is_definite(above(edge, d) * np.eye(d) - noisy)
    return {STATED: ("matrix",), "beyond_edge": beyond, "negative": not _is_definite(noisy + small * np.eye(d))}


def described(value: Any, details: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return details with what laws compare of the value itself; as they are where there is no value.

    It is not computed with the release, so that whoever audits a mechanism from inside sees its value alone.
    """
    if value is None or not isinstance(stated := details.get(STATED), (tuple, list)):
        return details
    found: dict[str, Any] = {}
    mean, matrix = value if isinstance(value, tuple) else (value, value)
    if "mean" in stated:
        found["mean_length"] = float(np.linalg.norm(mean))
    if "matrix" in stated and "negative" not in details:
        found |= of_matrix(matrix, details["noise_edge"])
    if "singular values" in stated and "singular_values" not in details:
        found["singular_values"] = tuple(np.linalg.svd(value.right, compute_uv=False).tolist())
    return {**details, **found, STATED: stated}


def _is_definite(matrix: NDArray[Any]) -> bool:
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


def of_eigenvalues(eigenvalues: NDArray[Any], d: int, edge: float) -> dict[str, Any]:
    """Details of released eigenvalues, descending, of noisy ``(d, d)`` second moments.

    ``strength`` is the last one over the edge of the noise; ``shown`` how many are above the edge and its margin.
    """
    strength, shown = float(eigenvalues[-1] / edge), int(np.sum(eigenvalues > above(edge, d)))
    return {STATED: ("eigenvalues",), "eigenvalues": eigenvalues, "strength": strength, "shown": shown}


def of_directions(eigenvalues: NDArray[Any], k: int, edge: float) -> dict[str, Any]:
    """Details of the first ``k`` eigenvectors of a noisy matrix, from all of its eigenvalues, descending.

    Besides those of `of_eigenvalues`, ``gaps`` say how far an eigenvalue is from the nearest other one.
    """
    found = of_eigenvalues(eigenvalues[:k], len(eigenvalues), edge)
    if len(eigenvalues) == 1:
        return found
    between = np.concatenate([[np.inf], -np.diff(eigenvalues), [np.inf]])
    return {**found, STATED: ("eigenvalues", "directions"), "gaps": np.minimum(between[:-1], between[1:])[:k]}


def of_singular_values(
    values: Sequence[float] | NDArray[Any], shape: tuple[int, int], scale: float, laplace: bool = False
) -> dict[str, Any]:
    """Details of singular values, descending, of an array of this shape whose entries have noise of this scale.

    Normal noise alone has none above ``scale (sqrt m + sqrt n + t)`` but with probability ``exp(-t^2 / 2)``. To
    Laplace noise, of a standard deviation of ``sqrt 2`` times its scale, the size of its largest entry is added.
    """
    m, n = shape
    tail = math.log(m * n / FALSE_ALARM) if laplace else math.sqrt(-2 * math.log(FALSE_ALARM))
    root = math.sqrt(2) if laplace else 1.0
    edge = scale * (root * (math.sqrt(m) + math.sqrt(n)) + tail)
    return {STATED: ("singular values",), "singular_values": tuple(map(float, values)), "singular_edge": edge}


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
    apart = np.asarray(details["gaps"]) > _gap_edges(details)
    return apart & (np.arange(len(apart)) < details["shown"])


def _gap_edges(details: Mapping[str, Any]) -> NDArray[Any]:
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


def remarks(claim: Claim | None, details: Mapping[str, Any]) -> tuple[str, ...]:
    """Say in words what does not stand out from noise, and which promises say nothing; by public numbers alone."""
    stated = details.get(STATED)
    names = stated if stated and isinstance(stated, (tuple, list)) else [None]
    said = [_told(law, details) for law in (_guarantee, partial(_delta, claim), *(LAWS.get(str(n)) for n in names))]
    return tuple(dict.fromkeys(line for line in said if line))


def _told(law: Callable[[Mapping[str, Any]], str] | None, details: Mapping[str, Any]) -> str:
    """Compare by one law; what a file does not tell, or not as it must be, is not known."""
    try:
        return UNKNOWN if law is None else law(details)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return UNKNOWN


def _guarantee(details: Mapping[str, Any]) -> str:
    guarantee, largest = details.get("guarantee"), details.get("largest_possible")
    if not isinstance(guarantee, Guarantee) or largest is None or guarantee.bound <= largest:
        return ""
    return f"the guarantee {guarantee.bound:.3g} exceeds the largest possible value {largest:.3g}: it says nothing"


def _delta(claim: Claim | None, details: Mapping[str, Any]) -> str:
    rows = details.get("rows")
    if claim is None or not rows or claim.delta * rows <= 1:
        return ""
    return f"delta {claim.delta:.3g} is above 1/{rows}, one over the number of rows: it allows to publish one of them"


def _matrix(details: Mapping[str, Any]) -> str:
    """Say so if no eigenvalue stands out, and if some are negative."""
    said = [] if details["beyond_edge"] else [f"no eigenvalue stands out from noise, whose edge is {_edge(details)}"]
    said += ["some eigenvalues are negative, which is noise alone: denoise mends it"] if details["negative"] else []
    return "; ".join(said)


def _edge(details: Mapping[str, Any]) -> str:
    return f"{details['noise_edge']:.3g}" + (" with that of the mean" if "displaced" in details else "")


def _eigenvalues(details: Mapping[str, Any]) -> str:
    values, shown = details["eigenvalues"], int(details["shown"])
    of = _edge(details)
    return "" if shown >= len(values) else _hidden("eigenvalue", values, shown, of, "gaps" in details)


def _singular_values(details: Mapping[str, Any]) -> str:
    values, edge = np.asarray(details["singular_values"], dtype=float), details["singular_edge"]
    shown = int(np.sum(values > edge))
    return "" if shown >= len(values) else _hidden("singular value", values, shown, f"{edge:.3g}", directions=True)


def _hidden(name: str, values: NDArray[Any], shown: int, edge: str, directions: bool) -> str:
    k = len(values)
    if shown == k - 1:
        which, verb, whose = f"{name} {k} of {k}, {values[shown]:.3g},", "does", "its direction is"
        whose = whose if directions else "it is"
    else:
        which, verb = f"{name}s {shown + 1} to {k} of {k}, {values[shown]:.3g} and less,", "do"
        whose = "their directions are" if directions else "they are"
    return f"{which} {verb} not stand out from noise, whose edge is {edge}: {whose} likely noise"


def _directions(details: Mapping[str, Any]) -> str:
    """Those whose eigenvalue shows, and is not apart from others."""
    close = np.flatnonzero(~standing(details)[: details["shown"]])
    if not len(close):
        return ""
    gap, edge, one = np.asarray(details["gaps"])[close[0]], _gap_edges(details)[close[0]], len(close) == 1
    which = f"direction {close[0] + 1} is" if one else f"directions {', '.join(str(j + 1) for j in close)} are"
    whose = "its eigenvalue has" if one else "their eigenvalues have"
    return f"{which} arbitrary: {whose} another one as near as {gap:.3g}, and noise parts them by up to {edge:.3g}"


def _mean(details: Mapping[str, Any]) -> str:
    length, edge = details["mean_length"], details["mean_edge"]
    said = f"the mean, of length {length:.3g}, does not stand out from noise, which is as long as {edge:.3g}"
    return "" if length > edge else said


def _variances(details: Mapping[str, Any]) -> str:
    d, shown, off, said = details["columns"], details["shown"], details["mean_off"], []
    if shown < d:
        said.append(f"{d - shown} of {d} variances do not stand out from noise")
    if d * off**2 > 1:  # in units of the mean of the eigenvalues of scaled rows
        said.append(f"means are off by up to {off:.2g} standard deviations: scaled rows show this as a direction")
    return "; ".join(said)


def _raised(details: Mapping[str, Any]) -> str:
    number, of = details["floored"], details["numbers"]
    return f"{number} of {of} {details['raised']} and were raised to the floor" if number else ""


def _counts(details: Mapping[str, Any]) -> str:
    rows, edge = details["rows_to_tell"], details["count_edge"]
    said = f"the bound is to be told by {rows:.3g} rows, and noise counts up to {edge:.3g}: it is likely noise"
    return "" if rows > edge else said


def _cells(details: Mapping[str, Any]) -> str:
    said = f"no count stands out from noise, which reaches {details['visible_from']:.3g}: all may be noise"
    return "" if details["cells_shown"] else said


def _line(details: Mapping[str, Any]) -> str:
    chance = details["chance"]
    said = f"a line drawn at random is as near with probability {chance:.2g}: the direction is likely noise"
    return "" if chance <= FALSE_ALARM else said


def _loss(details: Mapping[str, Any]) -> str:
    """Where no eigenvalue is released, the guarantee alone can say that the value is no noise."""
    guarantee, largest = details.get("guarantee"), details.get("largest_possible")
    if guarantee is None or largest is None:
        return "no eigenvalue was released, and no largest possible value is known: nothing tells this from noise"
    said = f"the guarantee {guarantee.bound:.3g} is not below half of the largest possible value: this may be noise"
    return "" if guarantee.bound <= largest / 2 else said


LAWS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "matrix": _matrix,
    "eigenvalues": _eigenvalues,
    "directions": _directions,
    "singular values": _singular_values,
    "mean": _mean,
    "variances": _variances,
    "raised": _raised,
    "counts": _counts,
    "cells": _cells,
    "line": _line,
    "loss": _loss,
}
"""Comparisons with noise alone, by the names that records and releases give them: each returns a remark or nothing."""
