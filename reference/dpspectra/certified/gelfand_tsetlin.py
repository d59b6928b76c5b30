"""Ideal matrices of any spectrum on the complex orbit, by their patterns: in balls, from bits that are read lazily.

The spectra of the leading minors are drawn entry by entry, each the quantile of a uniform number
(`dpspectra.ball.gelfand_tsetlin`). Nothing is rejected.

Of a uniform number ``n`` bits leave an interval. A chain of quantiles at its lower ends, rounded down, and one at the
upper ends, rounded up, enclose the pattern, as quantiles increase with the uniform and with all entries before
(DPS-GTMONO).

The time grows with the product of the spreads of weights and spectrum, to which the power series are proportional.
"""

from __future__ import annotations

import itertools
from typing import Any

from flint import arb

from dpspectra.ball.gelfand_tsetlin import Undecided, enclosed
from dpspectra.certified import balls
from dpspectra.certified.entropy import WORD, Source
from dpspectra.certified.orbit_draw import Draw
from dpspectra.certified.patterns import PatternLaw, PatternMatrix


class GelfandTsetlin(PatternLaw):
    """Sampler of the law, for any weights and any spectrum."""

    def draw(self, source: Source) -> Draw:
        """Draw one ideal matrix."""
        return _Matrix(self, source)


class _Matrix(PatternMatrix):
    """A matrix of a uniform number and a phase for each free cell, one word each."""

    def __init__(self, law: PatternLaw, source: Source) -> None:
        self._uniforms = source.words(law.count)
        super().__init__(law, source.words(law.count))

    def rows(self, bits: int) -> list[list[Any]]:
        """Rows of quantiles."""
        weights = [balls.exact(x) for x in self._law.weights]
        rows: list[list[Any]] = enclosed(weights, self._law.spectrum, *(self._ends(end, bits) for end in (0, 1)))
        return rows

    def _ends(self, end: int, bits: int) -> list[list[Any]]:
        """Lower (``end = 0``) or upper (1) ends of the intervals of the uniform numbers, by cells.

        An interval that reaches 0 or 1 has no quantile inside there: it is `Undecided`.
        """
        place = itertools.count()
        return [[self._end(next(place), end, bits) if free else None for free in row] for row in self._law.free]

    def _end(self, i: int, end: int, bits: int) -> Any:
        known = int(self._uniforms.values[i]) << bits | self._uniforms.beyond(i, bits)
        if not 0 < known + end < 1 << (WORD + bits):
            raise Undecided
        return arb(known + end) * arb(2) ** -(WORD + bits)
