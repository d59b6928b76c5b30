"""Ideal matrices of any spectrum, concentrated: patterns near the largest one, by rejection in floats or balls.

Entry ``j`` of row ``r`` of a pattern, counted from 0, is ``x_(r,j)``, and row ``d`` is the spectrum. The slacks
``x_(r+1,j) - x_(r,j)`` of free entries are independent exponentials of rates ``omega_j - omega_r``, conditioned on
every entry being above its lower neighbour ``x_(r+1,j+1)`` (`dpspectra.sampling.vertex`).
"""

from typing import Any

import numpy as np

from dpspectra.certified import ball_noise, kernels
from dpspectra.certified.entropy import KEY_BYTES, Entropy, Source, Words
from dpspectra.certified.orbit_draw import Draw, Numbers, differences
from dpspectra.certified.patterns import PatternLaw, PatternMatrix
from dpspectra.ground.array_types import Floats

NUMBERS = 2**12
"""Exponential numbers of proposals that are drawn at a time."""
PROPOSALS = 32
"""Proposals that are drawn at a time at most."""
PILOT = 2**7
"""Proposals that are looked at to see how many are accepted."""
ROUND = 2 * kernels.UNIT
"""Largest relative rounding error of one operation, also if rounding is directed."""


class Vertex(PatternLaw):
    """Sampler of the law where the rates of all free entries are positive.

    Raises ``ValueError`` for weights of which two agree that a free entry compares. The law is exact for any positive
    rates, but proposals are rejected for ever where some are small.
    """

    def __init__(self, weights: Numbers, spectrum: Floats) -> None:
        super().__init__(weights, spectrum)
        places = [(r, j) for r, row in enumerate(self.free, 1) for j, is_free in enumerate(row) if is_free]
        self.row, self.entry = np.array(places, dtype=int).reshape(-1, 2).T
        own = np.array(self.weights)
        self.rates = differences(own[self.entry], own[self.row])
        if not np.all(self.rates > 0):
            raise ValueError("the weights that free entries of a pattern compare must have gaps")
        self.batch = max(1, min(PROPOSALS, NUMBERS // max(1, self.count)))

    def share(self) -> float:
        """About the share of proposals that are accepted, always the same for a law: seen in some of a fixed key."""
        source = Entropy(bytes(KEY_BYTES))
        return float(np.mean([_Proposals(self, source).inside for _ in range(PILOT // self.batch)]))

    def draw(self, source: Source) -> Draw:
        """Draw one ideal matrix."""
        while True:
            proposals = _Proposals(self, source)
            for b in range(self.batch):
                if proposals.accepts(b):
                    return _Matrix(self, proposals, b, source.words(self.count))


class _Proposals:
    """Some patterns in floats, with bounds on their errors, and beside them in balls.

    An exponential number within `kernels.EXPONENTIAL_ERROR` over a rate within ``ROUND``, rounded, is within
    ``EXPONENTIAL_ERROR / rate + 3 ROUND slack``; at most ``d`` slacks are subtracted one after the other, which rounds
    each time, by numbers up to the sum of all slacks and the largest eigenvalue.
    """

    def __init__(self, law: Vertex, source: Source) -> None:
        self._law, count, d = law, law.batch, len(law.spectrum)
        self._words: Words = source.words(count * law.count)
        numbers, is_open = kernels.exponentials(self._words.values)
        slacks = numbers.reshape(count, -1) / law.rates
        levels = np.array(law.spectrum)
        x = np.broadcast_to(levels, (count, d + 1, d)).copy()  # rows 0 to d, of which 0 is empty
        slack = np.zeros((count, d + 1, d))
        slack[:, law.row, law.entry] = slacks
        for r in range(d - 1, 0, -1):
            x[:, r] = x[:, r + 1] - slack[:, r]
        free = law.row, law.entry
        room = x[:, free[0], free[1]] - x[:, free[0] + 1, free[1] + 1]
        size = np.max(np.abs(levels)) + np.sum(slacks, axis=1)
        fixed = float(np.sum(kernels.EXPONENTIAL_ERROR / law.rates))
        self.errors = 2.02 * (fixed + (d + 4) * ROUND * size)
        """Bounds on the errors of rooms between entries that interlace."""
        known = ~is_open.reshape(count, -1).any(axis=1)
        least = np.min(room, axis=1)
        self.inside, self._outside = known & (least > self.errors), known & (least < -self.errors)

    def accepts(self, b: int) -> bool:
        """Whether the entries of proposal ``b`` interlace."""
        if self.inside[b] or self._outside[b]:
            return bool(self.inside[b])
        return ball_noise.decided(lambda bits: self._rooms(b, bits), positive)

    def _rooms(self, b: int, bits: int) -> list[Any]:
        x = [[], *self.rows(b, bits)]
        law = self._law
        return [x[r][j] - x[r + 1][j + 1] for r, j in zip(law.row.tolist(), law.entry.tolist(), strict=True)]

    def rows(self, b: int, bits: int) -> list[list[Any]]:
        """Rows 1 to ``d`` of proposal ``b`` in balls."""
        law, d = self._law, len(self._law.spectrum)
        weights = [ball_noise.exact(x) for x in law.weights]
        rows = [[ball_noise.exact(x) for x in law.spectrum]]
        place = (b + 1) * law.count
        for r in range(d - 1, 0, -1):
            free = law.free[r - 1]
            place -= sum(free)
            row, at = [], place
            for j, is_free in enumerate(free):
                x = rows[0][j]
                if is_free:
                    x -= ball_noise.exponential(self._words, at, bits) / (weights[j] - weights[r])
                    at += 1
                row.append(x)
            rows.insert(0, row)
        return rows


def positive(rooms: list[Any]) -> bool | None:
    """Whether all numbers are positive; ``None`` if that is open."""
    signs = [ball_noise.sign(x) for x in rooms]
    return False if False in signs else None if None in signs else True


class _Matrix(PatternMatrix):
    """The matrix of a proposal."""

    def __init__(self, law: Vertex, proposals: _Proposals, b: int, phases: Words) -> None:
        self._proposals, self._b = proposals, b
        super().__init__(law, phases)

    def rows(self, bits: int) -> list[list[Any]]:
        """Rows of the proposal."""
        return self._proposals.rows(self._b, bits)
