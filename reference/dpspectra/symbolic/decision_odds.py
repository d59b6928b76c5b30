"""The probability of hidden decisions, one after the other, as a run takes them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from math import exp, fsum, isfinite

import numpy as np

from dpspectra.symbolic.convolutions import law_of
from dpspectra.symbolic.independent_constraints import part
from dpspectra.symbolic.interval_odds import by_rounding, log_mass
from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.likelihood import likelihood
from dpspectra.symbolic.noisy_rows import picked
from dpspectra.symbolic.observed_constraints import Unsolved, block_of, families, positive, root_of, roots, system
from dpspectra.symbolic.rounded_laws import half_integer
from dpspectra.symbolic.tape import BITS, POINT, WHOLE, Block, Event, Rows, Tape

MOST_WHOLE = 2000
"""Whole numbers on each side of 0 that are listed."""
REST = 1e-16
"""Share of a probability that may be left when whole numbers are no longer listed."""

Choice = tuple[int, float]
"""An outcome, and the log-probability of all decisions with it."""
Key = tuple[tuple[int, float], ...]
"""Draws with their coefficients in a number of a known law."""
Half = tuple[Key, float, bool]
"""A number, an edge, and whether the number lies above it."""


@dataclass
class Odds:
    """Log-probabilities of the decisions of a run so far; never below the true ones.

    As long as decisions ask about independent numbers of known laws, what is known are intervals. After that the
    likelihood of all that was decided is computed anew each time.
    """

    blocks: list[Block] = field(default_factory=list)
    of_points: float = 0.0
    of_rows: float = 0.0
    laws: dict[Key, Law] = field(default_factory=dict)
    ranges: dict[Key, tuple[float, float]] = field(default_factory=dict)
    owners: dict[int, Key] = field(default_factory=dict)
    """The number that each draw belongs to."""
    decided: list[Event] = field(default_factory=list)
    single: bool = True
    beyond: float = 0.0
    """Probability of whole numbers that are not listed."""

    def copy(self) -> Odds:
        """Return the same odds, to go on with other decisions; what is beyond belongs to the first ones."""
        tables = {name: getattr(self, name).copy() for name in ("laws", "ranges", "owners", "decided")}
        return replace(self, beyond=0.0, **tables)

    @property
    def log(self) -> float:
        """Log-probability of all decisions so far."""
        return self.of_points + self.of_rows

    def choices(self, event: Event, j: int) -> list[Choice]:
        """Return the outcomes of the ``j``-th row of an event that are possible."""
        if event.kind == POINT:
            assert event.log_probability is not None
            found = [(k, self.log + event.log_probability(k)) for k in range(event.options or 0)]
        elif event.kind == WHOLE:
            found = self._whole(event)
        else:
            count = 2 if event.kind == BITS else len(event.rows)
            found = [(k, self.of_points + self._after(_decided(event, j, k))) for k in range(count)]
        return [c for c in found if c[1] > -math.inf]

    def take(self, event: Event, j: int, outcome: int) -> None:
        """Go on with an outcome."""
        if event.kind == POINT:
            assert event.log_probability is not None
            self.of_points += event.log_probability(outcome)
            return
        one = _decided(event, j, outcome)
        self.of_rows = self._after(one)
        halves = self._halves(one) if self.single else None
        if halves is None:
            self.single = False
        else:
            self.ranges |= self._left(halves)
            self.owners |= {j: key for key, _, _ in halves for draw, _ in key for j in roots(self.blocks, draw)}
        self.decided.append(one)

    def _whole(self, event: Event) -> list[Choice]:
        assert event.edges is not None
        found: list[Choice] = []
        for n in range(MOST_WHOLE):
            for k in (n, -n) if n else (0,):
                found.append((k, self.of_points + self._after(_decided(event, 0, k))))
            if n % 8 == 7:
                ends = event.edges(n)[1], event.edges(-n)[0]
                rest = fsum(exp(self.of_points + self._after(_side(event, e, e > 0))) for e in ends)
                if rest <= REST * exp(self.log):
                    break
        self.beyond += rest
        return found

    def _after(self, one: Event) -> float:
        """Log-probability of the decisions of rows with one more."""
        halves = self._halves(one) if self.single else None
        if halves is None:
            return self._anew(one)
        found = self.of_rows
        try:
            for key, (low, high) in self._left(halves).items():
                law = self.laws[key]
                before = _log_mass(law, *self.ranges.get(key, (-math.inf, math.inf)))
                found = found - before + _log_mass(law, low, high) if before > -math.inf else -math.inf
        except Unsolved:
            return self.of_rows
        return min(found, self.of_rows)

    def _left(self, halves: list[Half]) -> dict[Key, tuple[float, float]]:
        """Intervals that are left of the numbers that are asked about."""
        left: dict[Key, tuple[float, float]] = {}
        for key, edge, above in halves:
            low, high = left.get(key, self.ranges.get(key, (-math.inf, math.inf)))
            left[key] = (max(low, edge), high) if above else (low, min(high, edge))
        return left

    def _halves(self, one: Event) -> list[Half] | None:
        """Half-lines of independent numbers that a decision is; ``None`` if it is something else."""
        rows = positive(one)
        found: list[Half] = []
        for k in range(len(rows)):
            used = rows.coefficient[:, k] != 0
            half = self._half(float(rows.mu[k]), rows.draw[used, k].tolist(), rows.coefficient[used, k].tolist())
            if half is None or any(
                self.owners.get(j, half[0]) != half[0] for draw, _ in half[0] for j in roots(self.blocks, draw)
            ):
                return None
            found.append(half)
        several = {j: key for key, _, _ in found for draw, _ in key for j in roots(self.blocks, draw)}
        apart = all(several[j] == key for key, _, _ in found for draw, _ in key for j in roots(self.blocks, draw))
        return found if apart else None

    def _half(self, mu: float, draws: list[int], factors: list[float]) -> Half | None:
        """Return the half-line that a positive row is."""
        if not draws or not isfinite(mu) or len(set(draws)) < len(draws):
            return None
        edge, above = -mu / factors[0], factors[0] > 0
        if len(draws) == 1:
            draw, edge, above = root_of(self.blocks, draws[0], edge, above)
            key: Key = ((draw, 1.0),)
            law = block_of(self.blocks, draw).law
        else:
            key = tuple(sorted((j, f / factors[0]) for j, f in zip(draws, factors, strict=True)))
            sign = np.sign(key[0][1])
            key, edge, above = tuple((j, f * sign) for j, f in key), edge * sign, above == (sign > 0)
            laws = [block_of(self.blocks, j).law for j, _ in key]
            known = law_of(laws, [f for _, f in key])
            if known is None:
                return None
            law = known
        self.laws[key] = law
        return None if law.discrete and not half_integer(edge) else (key, edge, above)

    def _anew(self, one: Event) -> float:
        """Log-probability of all that was decided, as a system; that before this decision where it is not known."""
        tape = Tape(blocks=self.blocks, events=[*self.decided, one])
        tape.size = sum(len(b.values) for b in self.blocks)
        try:
            whole = system(tape)
            parts = [part(whole, rows) for rows in families(whole)]
            total = fsum(likelihood(it, ()).value for it in parts)
        except Unsolved:
            return self.of_rows
        return min(total, self.of_rows)


def _log_mass(law: Law, low: float, high: float) -> float:
    """`log_mass`, and where edges contradict each other by rounding alone, that of all the numbers that may be left."""
    return log_mass(law, *(by_rounding(low, high) or (low, high)))


def _side(event: Event, edge: float, above: bool) -> Event:
    """Return the event that the number that is rounded lies on one side of an edge."""
    rows = Rows(event.rows.mu - edge, event.rows.draw, event.rows.coefficient)
    return Event(BITS, event.place, rows, np.array([above]))


def _decided(event: Event, j: int, outcome: int) -> Event:
    """Return an event of one row with this outcome."""
    rows = picked(event.rows, [j]) if event.kind == BITS else event.rows
    chosen = np.array([bool(outcome)]) if event.kind == BITS else outcome
    return Event(event.kind, event.place, rows, chosen, edges=event.edges)
