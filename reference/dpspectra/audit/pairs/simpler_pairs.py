"""Simpler versions of a pair of neighbouring data sets: fewer rows, fewer digits, more zeros."""

from collections.abc import Iterator

import numpy as np

from dpspectra.audit.pairs.domain import Domain
from dpspectra.ground.array_types import Floats

Version = tuple[Floats, Floats | None, Floats | None]

GRIDS = (1.0, 0.5, 0.25, 0.125)
"""Fractions of the norm bound to whose multiples numbers are rounded, coarsest first."""


def simpler(rows: Floats, before: Floats | None, after: Floats | None, domain: Domain) -> Iterator[Version]:
    """Versions that are simpler, the simplest first; each differs from the given one, and the same rows change.

    ``rows``, shape ``(n, d)``, are those that both data sets hold. The changing row stays in the domain.
    """
    for shorter in _fewer(rows):
        yield shorter, before, after
    moving = (before, after)
    for side, x in enumerate(moving):
        if x is None:
            continue
        for version in (each for each in _plainer(x, domain.norm_bound) if each in domain):
            ends = [version if side == i else other for i, other in enumerate(moving)]
            yield rows, ends[0], ends[1]


def _fewer(rows: Floats) -> Iterator[Floats]:
    """No rows; without one of the distinct rows; half as many of each."""
    distinct, kinds = np.unique(rows, axis=0, return_inverse=True)
    if len(rows):
        yield rows[:0]
    if len(distinct) > 1:
        for kind in range(len(distinct)):
            yield rows[kinds != kind]
    half = np.concatenate([np.flatnonzero(kinds == k)[::2] for k in range(len(distinct))]) if len(rows) else kinds
    if len(half) < len(rows):
        yield rows[np.sort(half)]


def _plainer(x: Floats, norm_bound: float) -> Iterator[Floats]:
    """Yield the vector on coarser grids, and then with one number less."""
    for grid in GRIDS:
        unit = grid * norm_bound
        rounded = np.round(x / unit) * unit
        if np.array_equal(rounded, x):
            return  # on this grid already, so all that follow are finer
        yield rounded
    for place in np.flatnonzero(x):
        without = x.copy()
        without[place] = 0
        yield without
