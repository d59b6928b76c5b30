"""A direction that many rows lie on, found by counting them: a mechanism that sees more than ``X'X``."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from scipy.spatial import distance

from dpspectra.ground import checks
from dpspectra.ground.array_types import Array
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee
from dpspectra.mechanisms.private_data import foreseen, opened
from dpspectra.mechanisms.release import Release, noise_source
from dpspectra.mechanisms.usefulness import STATED
from dpspectra.sampling.rejection import Proposals, accepted

COUNTING = catalogue.get("row_counting_direction")
SMALLEST_RADIUS = 1e-12
"""Smallest sine at which float64 still tells directions apart with a few digits."""
SMALLEST_SHARE = 1e-280
"""Measure of a cap below which the leading term of the incomplete Beta function stands for it."""
PAIRS = 2**22
"""Distances between lines that are held at a time."""


def row_counting_direction(
    X: ArrayLike, epsilon: float, *, aligned: int, relation: str = "replace", rng: checks.Rng = None
) -> Release[NDArray[np.float64]]:
    """Release a direction near that of many rows; ``epsilon``-DP (MWKTV-ROWEXP over the reals).

    The density relative to the uniform law is proportional to ``exp(kappa c)``. ``c`` is the number of non-zero rows
    whose angle to the line has a sine of at most ``radius``; ``kappa`` is ``epsilon / 2`` under ``"replace"`` and
    ``epsilon`` under ``"add_remove"``.

    Parameters
    ----------
    X
        Real array ``(n, d)``, one row a person, of any norm; ``d`` is at least 2.
    epsilon
        Privacy loss in nats, above 0.
    aligned
        A public guess at the number of rows on one line. ``radius`` is the smallest that catches their line with
        probability 0.95.
    relation
        ``"replace"`` or ``"add_remove"``.
    rng
        A seed or a numpy Generator; None for fresh entropy.

    Returns
    -------
    Release
        Its value is a unit vector ``(d, 1)``. Only its line is meaningful. ``details``: ``kappa``, ``radius``, and a
        ``guarantee`` on the error where all rows but zeros lie on one line, at least ``aligned`` of them.

    Raises
    ------
    ValueError
        For rows that are not finite real numbers, and for arguments out of their range.

    Notes
    -----
    It shows the cost of seeing the rows through ``X'X`` only, as `private_pca` does. With ``n`` rows on one line the
    error falls like ``exp(-kappa n / (d - 1))``, below the smallest possible one of such mechanisms
    (`dpspectra.bounds.orbit_utility`).

    It is for rows with hardly any noise: rows that are not within ``radius`` of a common line count for little. The
    exact sampler, which tries directions until it accepts one, may then take a time exponential in ``epsilon n``. So
    the time depends on the data.

    Examples
    --------
    >>> X = np.tile([[1.0, 0.0, 0.0]], (50, 1))
    >>> row_counting_direction(X, 1.0, aligned=40).value.shape
    (3, 1)

    """
    plan = COUNTING.planned(epsilon=epsilon, relation=relation, X=X)
    checks.integer(aligned, "aligned", 1)
    checks.generator(rng)
    wide = foreseen(X, _wide)
    rows = checks.real_rows(opened(X), empty=not plan.relation.counted)  # no row is a neighbour of one
    d = wide(rows.shape[1])
    kappa = plan.epsilon / 2 if plan.relation == "replace" else plan.epsilon
    radius = cap_radius(log_share(kappa * int(aligned)), d)
    value = drawn(_lines(rows), kappa, radius, 1, noise_source(rng))
    quantity = f"sine of the angle to a line that holds all rows but zeros, at least {aligned} of them"
    claim = replace(plan, labels=COUNTING.labels)
    details = {"kappa": kappa, "radius": radius, "guarantee": Guarantee(quantity, radius, CONFIDENCE)}
    details |= {STATED: ("line",), "chance": math.exp(log_cap(radius, d))}
    return Release(value.T, claim, details)


def _wide(d: int) -> int:
    if d < 2:
        raise ValueError(f"X must have 2 columns or more, got {d}")
    return d


def log_share(exponent: float) -> float:
    """Logarithm of the measure of the cap that a count with ``kappa n = exponent`` hits with `CONFIDENCE`."""
    odds = np.log(CONFIDENCE)
    return float(odds - np.logaddexp(odds, np.log1p(-CONFIDENCE) + exponent))


def cap_radius(log_measure: float, d: int) -> float:
    """Sine that bounds the angle in a cap of lines of ``R^d`` of this measure, or more: at least `SMALLEST_RADIUS`.

    The squared sine has a Beta law; where its quantile is small, the leading term gives it.
    """
    a = (d - 1) / 2
    if log_measure > np.log(SMALLEST_SHARE):
        square = special.betaincinv(a, 0.5, np.exp(log_measure))
    else:
        square = np.exp((log_measure + np.log(a) + special.betaln(a, 0.5)) / a)
    return max(float(np.sqrt(square)), SMALLEST_RADIUS)


def log_cap(radius: float, d: int) -> float:
    """Logarithm of the measure of the lines of ``R^d`` within this sine of a given one."""
    a, square = (d - 1) / 2, radius**2
    share = special.betainc(a, 0.5, square)
    if share > SMALLEST_SHARE:
        return float(np.log(share))
    return float(
        a * np.log(square) - np.log(a) - special.betaln(a, 0.5) + np.log(special.hyp2f1(a, 0.5, a + 1, square))
    )


def _lines(rows: Array) -> tuple[Array, Array]:
    """Return unit vectors ``(m, d)`` on the lines of the non-zero rows, and how many rows lie on each."""
    sizes = np.max(np.abs(rows), axis=1)
    kept = rows[sizes > 0] / sizes[sizes > 0, None]
    units = kept / np.linalg.norm(kept, axis=1)[:, None]
    first = units[np.arange(len(units)), np.argmax(units != 0, axis=1)]
    lines, counts = np.unique(units * np.sign(first)[:, None], axis=0, return_counts=True)
    return lines, counts


def _distances(one: Array, other: Array) -> Array:
    """Length of the shorter chord between lines: twice the sine of half the angle."""
    return np.minimum(distance.cdist(one, other), distance.cdist(one, -other))


def _in_cap(centres: Array, normals: Array, radius: float, rng: np.random.Generator) -> Array:
    """Uniform unit vectors within the sine ``radius`` of the lines of ``centres``, in directions that normals tell.

    The squared sine ``s`` has a density proportional to ``s^(a - 1) (1 - s)^(-1/2)``, ``a = (d - 1) / 2``.
    """
    size, d = centres.shape

    def propose(count: int) -> Proposals:
        squares = radius**2 * rng.random(count) ** (2 / (d - 1))
        return squares, rng.random(count) <= np.sqrt((1 - radius**2) / (1 - squares))

    squares = accepted(propose, size, 1)[:, None]
    across = normals - np.sum(normals * centres, axis=1)[:, None] * centres
    across /= np.linalg.norm(across, axis=1)[:, None]
    return np.sqrt(1 - squares) * centres + np.sqrt(squares) * across


def drawn(lines: tuple[Array, Array], kappa: float, radius: float, size: int, rng: np.random.Generator) -> Array:
    """Independent unit vectors ``(size, d)`` with density ``exp(kappa c)``, by rejection.

    On the cap of a line ``c`` is at most the number ``C`` of rows within twice the angle, and ``(exp(kappa c) - 1)/c``
    increases with ``c``. So ``1 + sum (exp(kappa C) - 1)/C`` over the rows that count is above the density: a mixture
    of the uniform law and uniform laws on caps.
    """
    units, counts = lines
    d, chord = units.shape[1], 2 * np.sin(np.arcsin(radius) / 2)
    step, reach = max(1, PAIRS // max(1, len(units))), 2 * radius * (1 + checks.RELATIVE_ROUNDING)
    blocks = [units[i : i + step] for i in range(0, len(units), step)]
    most = np.concatenate([np.empty(0), *((_distances(block, units) <= reach) @ counts for block in blocks)])
    heights = np.log(counts / most) + kappa * most + np.log(-np.expm1(-kappa * most))
    shares = special.softmax(np.append(heights + log_cap(radius, d), 0.0))

    def propose(count: int) -> Proposals:
        v = rng.standard_normal((count, d))
        v /= np.linalg.norm(v, axis=1)[:, None]
        chosen = rng.choice(len(shares), count, p=shares)
        capped = chosen < len(units)
        v[capped] = _in_cap(units[chosen[capped]], v[capped], radius, rng)
        counted = _distances(v, units) <= chord
        above = np.column_stack([np.where(counted, heights, -np.inf), np.zeros(count)])
        return v, np.log(rng.random(count)) <= kappa * (counted @ counts) - special.logsumexp(above, axis=1)

    return accepted(propose, size, d * (1 + len(units))) * rng.choice([-1.0, 1.0], (size, 1))
