"""Factors of a rectangular matrix, such as of ratings, from a release of the power method; at no cost."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.ground import checks
from dpspectra.matrices.low_rank import LowRank
from dpspectra.mechanisms.derived_releases import derived
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import of_products

NEEDED = "release must be one of private_power_method for a rectangular matrix, with low_rank=True"


def factors(release: Release[Any], rank: int) -> Release[LowRank]:
    """Return factors of a rectangular matrix, one for its rows and one for its columns; the same claim.

    Both follow from the release alone, so both may be published. With ``relation="entry"`` the claim hides one rating,
    not all the ratings of a person. If a row is a person, release the factor of the columns alone, by
    `dpspectra.estimators.PrivateTruncatedSVD`: each person then computes her own from it and her ratings, and keeps it.

    Parameters
    ----------
    release
        The release of `private_power_method` for a rectangular ``A``, with ``low_rank=True``.
    rank
        Rank of the factors, at most half of the ``k`` of the release, in which singular values are doubled.

    Returns
    -------
    Release
        Its value is a `LowRank` near ``A``: ``left`` is ``(m, rank)`` with orthonormal columns, ``right`` is ``(rank,
        n)``, the largest singular values first. ``details``: ``singular_values`` of the last noisy product and
        ``singular_edge``, on the side where fewer stand out from noise; `remarks` compares them.

    Raises
    ------
    ValueError
        For a release of anything else, and for a ``rank`` out of range.

    Notes
    -----
    The release holds ``X`` and ``Y``, a noisy product of ``[[0, A], [A', 0]]`` with it. ``A`` is then near ``Y1 X2'``
    and near ``X1 Y2'``, where 1 are the first ``m`` rows and 2 the others. The factors are those of the mean of both.

    Examples
    --------
    >>> from dpspectra import private_power_method
    >>> ratings = 1e5 * np.outer([1.0, 2.0, 2.0], [0.6, 0.8])
    >>> release = private_power_method(ratings, 2, 1.0, 1e-6, relation="entry", iterations=3, low_rank=True, rng=0)
    >>> found = factors(release, 1)
    >>> found.value.left.shape, found.value.right.shape, found.remarks, found.claim == release.claim
    ((3, 1), (1, 2), (), True)

    """
    y, x = _pair(release)
    m = release.details["matrix_shape"][0]
    checks.integer(rank, "rank", 1, len(release.details["singular_values"]) // 2)
    left, middle = np.linalg.qr(np.hstack([y[:m], x[:m]]))
    u, values, right = np.linalg.svd(middle @ np.hstack([x[m:], y[m:]]).T / 2, full_matrices=False)
    value = LowRank(left @ u[:, :rank], values[:rank, None] * right[:rank])
    noise, laplace = release.details["noise"][-1], release.details["mu"] is None
    sides = [of_products(side, rank, noise, laplace=laplace) for side in (y[:m], y[m:])]
    weaker = min(sides, key=lambda known: np.sum(np.array(known["singular_values"]) > known["singular_edge"]))
    return derived(release, value, "factors", weaker)


def _pair(release: Release[Any]) -> tuple[Any, Any]:
    """Return the last noisy product and the block that was multiplied."""
    checks.instance(release, "release", Release)
    if not (
        "largest_entry" in release.details and "matrix_shape" in release.details and isinstance(release.value, tuple)
    ):
        raise ValueError(f"{NEEDED}, got another one")
    y, x = release.value
    return y, x
