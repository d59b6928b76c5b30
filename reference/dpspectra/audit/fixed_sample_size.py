"""Fixed-sample-size audit: Clopper-Pearson bounds with a union bound over events. A cross-check of the sequential one.

Half of the draws select events, the other half estimates their probabilities with exact binomial limits, the
risk shared out over both sides of all events. Draws and events come from where `audit` takes them;
wealth and stopping play no part. The limits need independent draws, so that a call is asked for one row, unless rows
are declared independent. If a call for many is lost then, its half is drawn again one by one; what is counted is either
the call or its replacement, so that such audits have half of the risk for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dpspectra.audit.betting.score import learn
from dpspectra.audit.betting.screening import lenses
from dpspectra.audit.betting.selection import select
from dpspectra.audit.betting.wealth import Bet
from dpspectra.audit.calling.arms import two_different_arms
from dpspectra.audit.calling.observe import Key, Observer, Piece, joined
from dpspectra.audit.calling.pool import Pool, shared_out
from dpspectra.audit.claims import CurveClaim, claim_of
from dpspectra.audit.options import Options
from dpspectra.audit.proceedings import FIRST
from dpspectra.audit.reading.features import Table
from dpspectra.fast.betting import largest_excluded
from dpspectra.fast.binomial import at_least, at_most
from dpspectra.ground import checks


@dataclass(frozen=True, slots=True)
class FixedResult:
    """Hold the outcome of `audit_fixed`; ``claim``, ``violated``, ``confidence`` and the others as in `AuditResult`."""

    claim: CurveClaim
    violated: bool
    bound: float
    """Lower bound on the parameter of the claim, wrong with probability at most ``1 - confidence``."""
    confidence: float
    witness: str
    """The event that gave the bound, in words."""
    counts: tuple[int, int, int] | None
    """Its occurrences under the first and the second data set in the second half of the draws, and draws of each."""
    draws: int
    """Draws from each data set, both halves together."""

    @property
    def epsilon_lower(self) -> float:
        """``bound``, where the parameter of the claim is epsilon (nats); NaN for other claims."""
        return self.bound if self.claim.parameter == "epsilon" else math.nan


def audit_fixed(
    mechanism: Callable[..., Any],
    pair: tuple[Any, Any],
    epsilon: float | CurveClaim,
    delta: float = 0.0,
    *,
    draws: int = 10_000,
    confidence: float = 0.999,
    statistics: Mapping[str, Callable[[Any], float]] | None = None,
    classifier: Any = None,
    snap: int = 30,
    bits: bool = False,
    independent: bool = False,
    workers: int | None = None,
    rng: Any = 0,
) -> FixedResult:
    """Try to refute a privacy claim of ``mechanism`` on ``pair`` with ``draws`` on each data set, in both orders.

    Look once: to run it again with more draws after a look is to take the risk again. There is no clock.

    Parameters
    ----------
    mechanism, pair, epsilon, delta, confidence, statistics, classifier, snap, bits, independent, workers, rng
        As in `audit`.
    draws
        Number of draws on each data set.

    Returns
    -------
    FixedResult
        ``violated`` with probability at most ``1 - confidence`` if the claim is true.

    Raises
    ------
    ValueError
        For bad arguments, before any draw.

    """
    arms, claim = two_different_arms(mechanism, pair), claim_of(epsilon, delta)
    checks.integer(draws, "draws", 4)
    options = Options(
        confidence=confidence,
        draws=draws,
        statistics=statistics,
        classifier=classifier,
        snap=snap,
        bits=bits,
        independent=independent,
        workers=workers,
        rng=rng,
    )
    return _estimated(Observer(arms, options.entropy()), claim, options)


def _estimated(observer: Observer, claim: CurveClaim, options: Options) -> FixedResult:
    """Select events on one half of the draws, estimate their probabilities on the other."""
    half, opening = options.draws // 2, min(FIRST, options.draws // 4)
    if not (options.independent or observer.independent):
        observer.one_row_a_call()
    observer, opened = observer.opened(opening, (math.inf, math.inf), options.rounding, options.own_statistics, 0)
    with shared_out(options.workers) as pool:
        rest = _drawn(observer, pool, half - opening, (0, 1))
        past = tuple(joined([seen.table, more]) for seen, more in zip(opened, rest, strict=True))
        tables = (past[0], past[1])
        several = observer.layout.numbers > 1 or options.classifier is not None
        score = learn(tables, options.classifier) if several else None
        plans = select(tables, claim.points(claim.value), score, lenses(tables, observer.layout.places))
        ways = 2 if observer.batched else 1
        fresh = _drawn(observer, pool, options.draws - half, (0, 2))
    return _judged(claim, options, [plan.settled([fresh], 1) for plan in plans], ways)


def _drawn(observer: Observer, pool: Pool[Piece], count: int, key: Key) -> tuple[Table, Table]:
    """Tables of ``count`` fresh draws from each data set; one by one if a call for many is lost."""
    for attempt in (0, 1):
        tasks = observer.tasks(count, 1, (*key, attempt), observer.batched)
        pieces = list(pool(observer.observe, [(*task, math.inf, None, True) for task in tasks]))
        if not any(piece.lost for piece in pieces):
            break
        observer.one_row_a_call()
    if any(piece.stopped for piece in pieces):
        raise KeyboardInterrupt
    first, second = (joined([piece.sides[side].table for piece in pieces]) for side in (0, 1))
    return first, second


def _judged(claim: CurveClaim, options: Options, bets: list[Bet], ways: int) -> FixedResult:
    """Read all limits at once: with probability ``confidence`` every one of them holds, drawn in either of the ways."""
    confidence, draws = options.confidence, options.draws
    risk = options.risk / (2 * ways * max(len(bets), 1))
    bounds = [_bound(claim, bet, risk) for bet in bets]
    best = max(range(len(bets)), key=bounds.__getitem__, default=None)
    if best is None:
        return FixedResult(claim, False, 0.0, confidence, "no event stood out", None, draws)
    bound, bet = bounds[best], bets[best]
    return FixedResult(claim, bound > claim.value, bound, confidence, str(bet.event), bet.hits, draws)


def _bound(claim: CurveClaim, bet: Bet, risk: float) -> float:
    """Largest value of the parameter at which the limits contradict the claim, to rounding; 0 if there is none.

    They contradict all smaller values too, as ``e^epsilon q + delta`` grows with the parameter.
    """
    counts, n = bet.hits, bet.hits[2]
    p = at_least(counts[bet.event.favoured], n, risk)
    q = at_most(counts[1 - bet.event.favoured], n, risk)

    def contradicted(value: float) -> bool:
        epsilon, delta = claim.points(value)[bet.point]
        return math.log(max(p - delta, 1e-300)) > epsilon + math.log(q)

    return largest_excluded(contradicted)
