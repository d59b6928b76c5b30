"""The evidence of an audit: bets that were settled, and what they say about every value of the claim's parameter.

An epoch shares its wealth out over bets; each bets on an event, at a point of the claimed curve, with several fractions
of the stake. The unit of a bet is a pair of calls, one on each data set: what counts is the share of the rows of each
that are in the event, so that nothing rests on how the rows of a call depend on each other (DPS-CALLS). Epochs
multiply. All of it was decided before the epoch's draws, so that the product has mean at most 1 under the claim at any
time (DPS-EPROCESS, DPS-PREDICT), and reaches ``1 / risk`` with probability at most ``risk`` (DPS-VILLE). As counts are
kept, it can be computed for claims that nobody had in mind (DPS-LOWER).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.counting import Cells
from dpspectra.audit.betting.events import Event, event_from
from dpspectra.audit.claims import CurveClaim
from dpspectra.fast.betting import (
    BELOW,
    FRACTIONS,
    Wealth,
    bound_by_bisection,
    bound_on_grid,
    log_factors,
    log_factors_one_sided,
)
from dpspectra.ground import checks, records


@dataclass(frozen=True, slots=True)
class Bet:
    """A bet on one event during one epoch, and how its pairs of calls came out."""

    event: Event
    point: int
    """Index of the point of the claim's curve."""
    share: float
    """Share of the epoch's wealth."""
    fraction: int
    """Index of the fraction of the stake on which most of the share is put."""
    counts: tuple[tuple[int, int, int, int], ...]
    """The cells, each with the number of its pairs of calls: ``(rows, favoured hits, other hits, pairs)``."""
    one_sided: bool = False
    """Whether the event is declared impossible for the other draw."""

    @classmethod
    def of(cls, event: Event, point: int, share: float, fraction: int, cells: Cells, one_sided: bool = False) -> Bet:
        """Bet with such cells."""
        counts = tuple((*cell, calls) for cell, calls in sorted(cells.items()))
        return cls(event, point, share, fraction, counts, one_sided)

    @property
    def cells(self) -> Cells:
        """Pairs of calls by what they showed."""
        return {(rows, first, second): calls for rows, first, second, calls in self.counts}

    @property
    def hits(self) -> tuple[int, int, int]:
        """Occurrences under the first and under the second data set, and draws of each."""
        rows, favoured, other = (sum(cell[i] * cell[3] for cell in self.counts) for i in range(3))
        return (favoured, other, rows) if self.event.favoured == 0 else (other, favoured, rows)

    def with_more(self, *others: Bet) -> Bet:
        """Return the bet with the counts of further pairs added."""
        cells = self.cells
        for other in others:
            for rows, first, second, calls in other.counts:
                cell = rows, first, second
                cells[cell] = cells.get(cell, 0) + calls
        return self.of(self.event, self.point, self.share, self.fraction, cells, self.one_sided)

    def to_dict(self) -> dict[str, Any]:
        """JSON form, read by `bet_from`."""
        return {name: getattr(self, name) for name in ("point", "share", "fraction", "counts", "one_sided")} | {
            "event": self.event.to_dict()
        }


def bet_from(data: Mapping[str, Any]) -> Bet:
    """Read `Bet.to_dict` back."""
    found = BET(data)
    cells = {(rows, first, second): calls for rows, first, second, calls in found["counts"] if calls}
    return Bet.of(found["event"], found["point"], found["share"], found["fraction"], cells, found["one_sided"])


COUNT = records.whole(0, checks.LARGEST_INTEGER)
SMALLEST_SHARE = 1e-200
"""Share of a bet in a record, at least: the logarithm of its parts is finite. Audits bet far more."""
BET = records.record(
    {
        "event": event_from,
        "point": COUNT,
        "share": records.number(SMALLEST_SHARE),
        "fraction": COUNT,
        "counts": records.listed(records.tupled(COUNT, COUNT, COUNT, COUNT)),
        "one_sided": records.flag,
    }
)
"""Fields of a bet in a record."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Settled bets by epoch, and the log of the wealth they began with."""

    epochs: tuple[tuple[Bet, ...], ...] = ()
    start: float = 0.0
    late: tuple[Bet, ...] = ()
    """The bets on calls that were begun and never finished, as if all were lost. They count if the audit goes on."""

    def log_wealth(self, claim: CurveClaim, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log of the wealth against the claim with each value of its parameter; shape as ``values``, ``(n,)``."""
        return self.start + log_wealth(self.epochs, claim)(values)

    def with_epoch(self, bets: tuple[Bet, ...]) -> Evidence:
        """Evidence with one more epoch, unless the last one is empty."""
        epochs = self.epochs[:-1] if self.epochs and not self.epochs[-1] else self.epochs
        return replace(self, epochs=(*epochs, bets))

    def going_on(self) -> Evidence:
        """Evidence to which more may be added. Whether a call is late may depend on what it would show."""
        return replace(self.with_bets(self.late), late=()) if self.late else self

    def with_bets(self, *blocks: Sequence[Bet]) -> Evidence:
        """Evidence with more pairs in the last epoch, of the same bets."""
        *epochs, last = self.epochs
        each = zip(*([last] if last else []), *blocks, strict=True)
        return replace(self, epochs=(*epochs, tuple(first.with_more(*others) for first, *others in each)))

    def best_bet(self, claim: CurveClaim) -> Bet | None:
        """Return the bet that gained most on its own; ``None`` if there is none."""
        bets = [bet for epoch in self.epochs for bet in epoch]
        return max(bets, key=lambda bet: Evidence(((replace(bet, share=1.0),),)).against(claim), default=None)

    def against(self, claim: CurveClaim) -> float:
        """Log of the wealth against the claim itself."""
        return float(self.log_wealth(claim, np.array([claim.value]))[0])

    def lower_bound(self, claim: CurveClaim, risk: float) -> float:
        """Return a number that exceeds the true parameter with probability at most ``risk``; 0 without evidence."""
        settled = log_wealth(self.epochs, claim)

        def wealth(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return self.start + settled(values)

        return bound_by_bisection(wealth, risk) if claim.monotone else bound_on_grid(wealth, claim.value, risk)

    def verdict(self, claim: CurveClaim, risk: float) -> tuple[bool, float]:
        """Whether the claim is refuted, and a lower bound on its parameter that exceeds the claimed value exactly then.

        Rounding is not allowed to let the two contradict each other. With probability at least ``1 - risk`` neither a
        refutation nor the bound is wrong.
        """
        violated, bound = self.against(claim) >= log_threshold(claim, risk), self.lower_bound(claim, risk)
        return violated, max(bound, math.nextafter(claim.value, math.inf)) if violated else min(bound, claim.value)

    def to_dict(self) -> dict[str, Any]:
        """JSON form, read by `evidence_from`."""
        epochs = [[bet.to_dict() for bet in epoch] for epoch in self.epochs]
        return {"epochs": epochs, "start": self.start, "late": [bet.to_dict() for bet in self.late]}


def evidence_from(data: Mapping[str, Any]) -> Evidence:
    """Read `Evidence.to_dict` back."""
    return Evidence(**EVIDENCE(data))


BETS = records.listed(bet_from)
EVIDENCE = records.record({"epochs": records.listed(BETS), "start": records.extended, "late": BETS})
"""Fields of the evidence in a record."""


@dataclass(slots=True)
class RunningWealth:
    """Evidence that grows, and its wealth against a claim; what was settled before is not looked at again."""

    claim: CurveClaim
    _evidence: Evidence
    _blocks: list[Sequence[Bet]] = field(default_factory=list)
    """Bets of the last epoch that were settled since, by block; they are added up when somebody asks."""
    _curve: NDArray[np.float64] = field(init=False)
    over: float = field(init=False)
    """The log of the wealth at the end of the last epoch."""
    _gained: NDArray[np.float64] | None = None
    """Logarithms of the gain of each bet of this epoch with each fraction, times its share; ``(bets, fractions)``."""

    def __post_init__(self) -> None:
        self._curve = _curves(self.claim, [self.claim.value])
        self.over = self._evidence.against(self.claim)

    @property
    def evidence(self) -> Evidence:
        """All bets that were settled."""
        if self._blocks:
            self._evidence, self._blocks = self._evidence.with_bets(*self._blocks), []
        return self._evidence

    def new_epoch(self) -> None:
        """Share the wealth out anew."""
        self.over, self._gained = self.value, None
        self._evidence = self.evidence.with_epoch(())

    def settle(self, bets: Sequence[Bet]) -> None:
        """Add further pairs of the bets of this epoch."""
        self._blocks.append(bets)
        gained = _gained(_flat(bets), self._curve)[0]
        self._gained = gained + (np.log(_shares(bets)) if self._gained is None else self._gained)

    @property
    def value(self) -> float:
        """The log of the wealth."""
        return self.over + (0.0 if self._gained is None else float(np.logaddexp.reduce(self._gained, axis=None)))


def log_wealth(epochs: Sequence[Sequence[Bet]], claim: CurveClaim) -> Wealth:
    """Log of the product over epochs of the average over their bets, as a function of the values of the parameter."""
    epochs = [epoch for epoch in epochs if epoch]
    bets = [bet for epoch in epochs for bet in epoch]
    if not bets:
        return lambda values: np.zeros(len(values))
    table, shares = _flat(bets), np.log(_shares(bets))
    ends = itertools.accumulate(map(len, epochs), initial=0)
    places = [slice(*pair) for pair in itertools.pairwise(ends)]

    def wealth(values: NDArray[np.float64]) -> NDArray[np.float64]:
        gained = _gained(table, _curves(claim, values)) + shares
        total = np.zeros(len(values))
        for place in places:
            total += np.logaddexp.reduce(gained[:, place].reshape(len(values), -1), axis=1)
        return total

    return wealth


def _curves(claim: CurveClaim, values: Iterable[float]) -> NDArray[np.float64]:
    """Points of the claim with each value of its parameter, ``(n, points, 2)``."""
    return np.array([claim.points(float(value)) for value in values])


def _gained(table: _Flat, curves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log of what bets multiply their wealth by, on each curve and with each fraction: ``(n, bets, fractions)``."""
    epsilon, delta = np.moveaxis(curves[:, table.point], -1, 0)  # (n, cells)
    logs = log_factors(table.shares, epsilon, delta)
    if table.one_sided.any():
        which = table.one_sided
        logs[:, which] = log_factors_one_sided(table.shares[which, 0], delta[:, which])
    gained = np.where(table.calls[:, None] > 0, table.calls[:, None] * logs, 0.0)
    return np.asarray(np.add.reduceat(gained, table.starts, axis=1))


@dataclass(frozen=True, slots=True)
class _Flat:
    """The cells of many bets under each other."""

    shares: NDArray[np.float64]
    calls: NDArray[np.float64]
    point: NDArray[np.int_]
    one_sided: NDArray[np.bool_]
    starts: NDArray[np.int_]
    """Where each bet begins."""


def _flat(bets: Sequence[Bet]) -> _Flat:
    cells = [bet.counts or ((0, 0, 0, 0),) for bet in bets]
    lengths = [len(each) for each in cells]
    numbers = itertools.chain.from_iterable(itertools.chain.from_iterable(cells))
    rows, first, second, calls = np.fromiter(numbers, dtype=float).reshape(-1, 4).T
    lost = rows == 0
    rows = np.where(lost, 1.0, rows)
    return _Flat(
        np.stack([first / rows, np.where(lost, 1.0, second / rows)], axis=1),
        calls,
        np.repeat([bet.point for bet in bets], lengths),
        np.repeat([bet.one_sided for bet in bets], lengths),
        np.cumsum([0, *lengths[:-1]]),
    )


def log_threshold(claim: CurveClaim, risk: float) -> float:
    """Log of the wealth at which the claim is refuted."""
    return -math.log(risk if claim.monotone else (1 - BELOW) * risk)


def _shares(bets: Sequence[Bet]) -> NDArray[np.float64]:
    """Shares of each bet on each fraction; they halve with every step from the best guess."""
    steps = np.abs(np.arange(len(FRACTIONS)) - np.array([[bet.fraction] for bet in bets]))
    weights = np.exp2(-steps)
    return weights / weights.sum(axis=1, keepdims=True) * np.array([[bet.share] for bet in bets])
