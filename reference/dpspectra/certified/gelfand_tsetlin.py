"""Ideal matrices of any spectrum on the complex orbit, by their patterns: in balls, from bits that are read lazily.

The spectra of the leading minors are drawn entry by entry, each the quantile of a uniform number
(`dpspectra.ball.gelfand_tsetlin`). Nothing is rejected.

Of a uniform number ``n`` bits leave an interval. A chain of quantiles at its lower ends, rounded down, and one at the
upper ends, rounded up, enclose the pattern, as quantiles increase with the uniform and with all entries before
(DPS-GTMONO).

The time grows with the product of the spreads of weights and spectrum, to which the power series are proportional: of
those weights that a row and the rows below it have. So weights may be taken in ascending order, which changes the order
of rows and columns of the matrix. Where a few of them are far above all others these count in the longest rows only.
"""

import itertools
from typing import Any

import flint
from flint import acb_mat, arb

from dpspectra.ball.gelfand_tsetlin import enclosed, laws_of_rows
from dpspectra.ball.pattern_rows import Imprecise, Row
from dpspectra.certified import ball_noise
from dpspectra.certified.entropy import WORD, Source
from dpspectra.certified.orbit_draw import Draw, Numbers
from dpspectra.certified.patterns import RELATIVE, PatternLaw, PatternMatrix
from dpspectra.ground.array_types import Floats

SAVING = 2
"""How many times smaller the sum of spreads must be for weights in ascending order, so that others repeat by a key."""


class GelfandTsetlin(PatternLaw):
    """Sampler of the law, for any weights and any spectrum."""

    def __init__(self, weights: Numbers, spectrum: Floats) -> None:
        super().__init__(weights, spectrum)
        self._rows: dict[int, list[Row]] = {}
        highest, lowest = self.weights[0], self.weights[-1]
        spreads = sum(x - lowest for x in self.weights), sum(highest - x for x in self.weights)
        self.ascending = SAVING * spreads[0] < spreads[1]
        """Whether the weights are taken in ascending order."""
        self.tilt = float(spreads[not self.ascending]) / len(weights) * (self.spectrum[0] - self.spectrum[-1])
        """Mean exponent of a row, to which the time of a draw is proportional."""

    def rows(self) -> list[Row]:
        """Return the functions of all rows, of the precision in use, which no draw changes."""
        if flint.ctx.prec not in self._rows:
            weights = [ball_noise.exact(x) for x in self.weights[:: -1 if self.ascending else 1]]
            self._rows[flint.ctx.prec] = laws_of_rows(weights, self.spectrum)
        return self._rows[flint.ctx.prec]

    def oriented(self, h: Any) -> Any:
        """Return the matrix in the order of the weights that were given."""
        return super().oriented(acb_mat([row[::-1] for row in h.tolist()[::-1]]) if self.ascending else h)

    def draw(self, source: Source) -> Draw:
        """Draw one ideal matrix."""
        return _Matrix(self, source)


class _Matrix(PatternMatrix):
    """A matrix of a uniform number and a phase for each free cell, one word each."""

    def __init__(self, law: GelfandTsetlin, source: Source) -> None:
        self._functions, self._uniforms = law.rows, source.words(law.count)
        super().__init__(law, source.words(law.count))

    def rows(self, bits: int) -> list[list[Any]]:
        """Rows of quantiles, no wider than they may be: the trace of a minor is the sum of its row."""
        spectrum, (least, most) = self._law.spectrum, (self._ends(end, bits) for end in (0, 1))
        limit = len(spectrum) * RELATIVE * max(map(abs, spectrum))
        rows: list[list[Any]] = enclosed(self._functions(), spectrum, least, most, limit)
        return rows

    def _ends(self, end: int, bits: int) -> list[list[Any]]:
        """Lower (``end = 0``) or upper (1) ends of the intervals of the uniform numbers, by cells.

        An interval that reaches 0 or 1 has no quantile inside there: it is `Imprecise`.
        """
        place = itertools.count()
        return [[self._end(next(place), end, bits) if free else None for free in row] for row in self._law.free]

    def _end(self, i: int, end: int, bits: int) -> Any:
        known = int(self._uniforms.values[i]) << bits | self._uniforms.beyond(i, bits)
        if not 0 < known + end < 1 << (WORD + bits):
            raise Imprecise
        return arb(known + end) * arb(2) ** -(WORD + bits)
