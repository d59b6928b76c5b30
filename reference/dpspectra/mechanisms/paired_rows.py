"""Sums over differences of rows that follow each other in a random cyclic order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import Exact
from dpspectra.matrices import centring
from dpspectra.matrices.float_moments import FloatMoments
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms.claims import Claim
from dpspectra.mechanisms.covariance import moments_in
from dpspectra.mechanisms.private_data import DASK, ITERATOR, opened, outside
from dpspectra.mechanisms.randomness import Ideal, begun

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments

IN_PLACE = "the place and the chunk of a row do not depend on what rows hold"
"""Assumption of the claim about rows that are paired within their chunks."""
SEED_WORDS = 2
"""Words of 64 bits that a random order is drawn from."""


class Paired(NamedTuple):
    """Second moments of differences, and the source that is left for noise."""

    moments: FloatMoments | Exact
    draw: Source | np.random.Generator
    assumptions: tuple[str, ...]

    def claimed(self, claim: Claim) -> Claim:
        """Return a claim that also says what is assumed of the places of rows."""
        return replace(claim, assumptions=(*claim.assumptions, *self.assumptions))


def paired(
    X: Data | Moments,
    reading: Reading,
    source: Source | Ideal,
    check: Callable[[int], Any],
    longest: float | None = None,
) -> Paired:
    """Open data, and return the second moments of their differences, of unit length or shortened to ``longest``.

    ``check`` refuses a width. Called by what the function that a user calls calls.
    """
    bound = Reading() if longest is None else Reading(longest)
    if outside(X).kind in (ITERATOR, DASK):  # not at hand in any order
        draw = begun(source, depth=3)
        rings = centring.rings(opened(X), reading, _seed(draw), longest)
        return Paired(moments_in(source, rings, bound), draw, (IN_PLACE,))
    rows = centring.in_memory(reading.whole(opened(X)))
    check(int(rows.shape[1]))
    draw = begun(source, depth=3)
    order = np.random.default_rng(_seed(draw)).permutation(rows.shape[0])
    return Paired(moments_in(source, centring.differences(rows, order, longest), bound), draw, ())


def _seed(draw: Source | np.random.Generator) -> list[int]:
    """Numbers that an order of rows follows from; privacy does not need it to be secret or uniform."""
    if isinstance(draw, np.random.Generator):
        return [int(word) for word in draw.integers(0, 2**63, SEED_WORDS)]
    return [int(word) for word in draw.words(SEED_WORDS).values]
