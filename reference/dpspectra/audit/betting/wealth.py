"""The evidence of an audit: bets that were settled, and what they say about every value of the claim's parameter.

An epoch shares its wealth out over bets; each bets on an event, at a point of the claimed curve, with several fractions
of the stake, or on a likelihood ratio, against a moment that the claim bounds (DPS-RENYIBET). The unit of a
bet is a pair of calls, one on each data set: what counts is the share of the rows of each that are in the event, so
that nothing rests on how the rows of a call depend on each other (DPS-CALLS). Epochs multiply. All of it was decided
before the epoch's draws, so that the product has mean at most 1 under the claim at any time (DPS-EPROCESS,
DPS-PREDICT), and reaches ``1 / risk`` with probability at most ``risk`` (DPS-VILLE). As counts are kept, it can be
computed for claims that nobody had in mind (DPS-LOWER).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.bet import Bet, bet_from
from dpspectra.audit.betting.gained import Curves, flat, gained
from dpspectra.audit.claims import CurveClaim
from dpspectra.fast.betting import BELOW, Wealth, bound_by_bisection, bound_on_grid
from dpspectra.ground import records


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
    _curves: Curves = field(init=False)
    over: float = field(init=False)
    """The log of the wealth at the end of the last epoch."""
    _gained: NDArray[np.float64] | None = None
    """Logarithms of the gain of each bet of this epoch with each fraction, times its share; ``(bets, fractions)``."""

    def __post_init__(self) -> None:
        self._curves = Curves.of(self.claim, [self.claim.value])
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
        table = flat(bets)
        logs = gained(table, self._curves)[0]
        self._gained = logs + (np.log(table.shares) if self._gained is None else self._gained)

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
    table = flat(bets)
    ends = itertools.accumulate(map(len, epochs), initial=0)
    places = [slice(*pair) for pair in itertools.pairwise(ends)]

    def wealth(values: NDArray[np.float64]) -> NDArray[np.float64]:
        logs = gained(table, Curves.of(claim, values)) + np.log(table.shares)
        total = np.zeros(len(values))
        for place in places:
            total += np.logaddexp.reduce(logs[:, place].reshape(len(values), -1), axis=1)
        return total

    return wealth


def log_threshold(claim: CurveClaim, risk: float) -> float:
    """Log of the wealth at which the claim is refuted."""
    return -math.log(risk if claim.monotone else (1 - BELOW) * risk)
