"""A bound on the norms of rows, from a noisy histogram of them."""

from __future__ import annotations

import math
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dpspectra.certified import calibrate
from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.matrices.float_row_sums import Total
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.prepared_rows import norms
from dpspectra.matrices.reading_rule import Reading
from dpspectra.matrices.sums_over_chunks import Block, summed
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee
from dpspectra.mechanisms.mean import Sum, laplace
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import opened
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import STATED

if TYPE_CHECKING:
    from dpspectra.matrices.column_bounds import ColumnBounds

NORMS = catalogue.get("private_norm_bound")
STEPS = 4
"""Bounds that are tried between a number and its double."""
BLOCK = 2**20
"""Numbers of an array that are measured at a time."""
WIDEST = 200
"""Base-2 logarithm of the largest ratio of the last bound and the first one."""


def private_norm_bound(
    X: Data,
    epsilon: float,
    lower: float,
    upper: float,
    *,
    quantile: float = 0.95,
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[tuple[float, Floats]]:
    """Release a bound on the norms of rows that about a share ``quantile`` of them keeps; ``epsilon``-DP.

    Rows are counted by their norms in a histogram of which the replacement of a row moves two numbers by 1; Laplace
    noise of scale ``2 / epsilon`` hides that, ``1 / epsilon`` a row that appears or goes (JXZ-T1). The bound is the
    smallest of ``lower 2**(j / 4)``, up to ``upper``, below which the noisy counts hold the share of the rows. It may
    then be the ``norm_bound`` of mechanisms with ``rows="clip"``; claims add up (`dpspectra.compose`), and nothing is
    taken as known, as the bound was released. No row is refused for its norm.

    Parameters
    ----------
    X, bad_rows, bounds, relation, arithmetic, rng
        As in `laplace_covariance`; with ``bounds`` the norms are those of mapped rows.
    epsilon
        Privacy loss in nats.
    lower, upper
        The smallest and the largest bound that is tried, both public.
    quantile
        Share of the rows that the bound should not shorten, between 0 and 1.

    Returns
    -------
    Release
        Its value is a pair: the bound, and the noisy counts of rows up to each bound that was tried and above the one
        before, the last of rows above all. ``details``: ``scale``, ``step``, and ``guarantee`` on the number of rows by
        which the noisy count of those within any bound is off.

    Raises
    ------
    ValueError
        For bad input.

    Examples
    --------
    >>> rows = np.outer(np.arange(1, 1001) / 100, [0.6, 0.8])
    >>> bound, counts = private_norm_bound(rows, 1.0, 0.1, 100.0, rng=0).value
    >>> 9 < bound < 12, len(counts)
    (True, 42)

    """
    low, high = checks.positive(lower, "lower"), checks.positive(upper, "upper")
    if not low < high < low * 2.0**WIDEST:
        raise ValueError(f"upper must be above lower, {low:g}, and below 2**{WIDEST} times it, got {high:g}")
    share = checks.probability(quantile, "quantile")
    reading = reading_of(X, bad_rows=bad_rows, bounds=bounds)
    plan = NORMS.planned(epsilon=epsilon, relation=relation, X=X, **asdict(reading))
    source = randomness(rng, arithmetic)
    tried = low * 2.0 ** (np.arange(math.ceil(STEPS * math.log2(high / low)) + 1) / STEPS)
    tried[-1] = high
    exact = Fraction(2 if plan.relation.counted else 1) / Fraction(plan.epsilon)
    law = laplace(calibrate.least(lambda b: b >= exact, exact), NORMS.labels)
    part = partial(_counts, tried, reading)
    empty = not plan.relation.counted
    total = summed(opened(X), "X", part, part, empty=empty, total=reading.total)
    digits = None if isinstance(source, Ideal) else 0
    counts, details = Sum(total.vector, 1, digits).noisy_mean(law, begun(source))
    rows = float(total.count) if plan.relation.counted else max(float(np.sum(counts)), 0.0)
    within = np.flatnonzero(np.cumsum(counts[:-1]) >= share * rows)
    bound = float(tried[within[0]] if len(within) else high)
    off = details["scale"] * math.sqrt(2 * len(counts) / (1 - CONFIDENCE))  # Kolmogorov's inequality for partial sums
    guarantee = Guarantee("rows by which a count of those within a bound is off", off, CONFIDENCE)
    details |= {STATED: ("counts",), "count_edge": off, "rows_to_tell": min(share, 1 - share) * rows}
    return Release((bound, counts), promised(plan, source, law.labels, ()), {**details, "guarantee": guarantee})


def _counts(tried: Floats, reading: Reading, block: Block, start: int) -> Total:
    """How many rows are up to each bound and above the one before, and above all."""
    counts = np.zeros(len(tried) + 1, dtype=np.int64)
    for first, part in block.parts(max(1, BLOCK // block.rows.shape[1])):
        rows = reading.changed(part.rows, "X", start + first, part.counts)
        counts += np.bincount(np.searchsorted(tried, norms(rows, start + first)), minlength=len(counts))
    return Total(counts, block.size)
