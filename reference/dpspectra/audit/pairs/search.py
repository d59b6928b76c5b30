"""Which pair of neighbouring data sets shows most? A search whose draws have no part in the verdict.

The loss of a spectral mechanism depends on the pair through few things: where the spectrum of the rest of the data has
its gaps, and how the row that changes lies to it. So the search starts from all combinations of some bases with some
changes, and keeps those that refute soonest or certify most, fewer in each round and with four times the draws; it
climbs from the winner by small moves of the changing row, makes the pair shorter as long as it shows nearly as much,
and audits it with fresh draws. Wealth is measured against a *reduced* claim at first, since against the claim itself
nothing but noise can be ranked until something violates it; the reduction fades, because what shows a small loss
soonest need not have the largest. Many changes show equally much on every base, so a round keeps only a few pairs with
one change. A loss that is spread thinly over many numbers is in no single event of few draws: pairs that a linear score
tells apart best reach the second round, too.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from dpspectra.audit.betting.score import separation
from dpspectra.audit.calling.arguments import checked_function
from dpspectra.audit.calling.arms import two_arms
from dpspectra.audit.calling.caller import Caller
from dpspectra.audit.calling.observe import Observer
from dpspectra.audit.claim_arguments import claim_of
from dpspectra.audit.claims import CurveClaim
from dpspectra.audit.engine import contest
from dpspectra.audit.options import Options
from dpspectra.audit.pairs.attempts import Attempt, Round
from dpspectra.audit.pairs.domain import Domain
from dpspectra.audit.pairs.neighbours import FORMS, Neighbours, checked_candidates, counted, shown, structured_pairs
from dpspectra.audit.pairs.simpler_pairs import simpler
from dpspectra.audit.result import UNREAD, AuditResult
from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.ground.deadlines import TimeIsOver

ROUNDS = (Round(2**-8, 0.5, 14, 2), Round(2**-6, 0.75, 5, 1), Round(2**-4, 0.875, 2, 1), Round(2**-2, 1.0, 1, 1))
REFINED = Round(2**-4, 0.875, 1, 1)
"""An attempt of the climb and of the shortening."""
STEPS = 12
"""Moves tried by the climb."""
STRIDE = 0.3
"""Size of its first move, relative to the norm bound."""
NEARLY = 0.75
"""Factor by which a simpler pair may gain wealth slower than the one it stands for."""
SPREAD = 3
"""Pairs that reach the second round because a linear score tells their outputs apart best."""
SEEN = 256
"""Draws on each data set by which it does."""
SIGNAL = 3.0
"""Log of the wealth below which a pair has shown nothing."""


class WorstPair(NamedTuple):
    """Hold the result of `worst_pair`: ``name``, ``pair``, ``neighbours`` and ``result`` of the survivor; ``log``."""

    name: str
    pair: tuple[Any, Any]
    result: AuditResult
    """The audit of the pair on draws that the search has not seen."""
    log: tuple[Attempt, ...]
    neighbours: Neighbours

    def __str__(self) -> str:
        claim, result = self.result.claim, self.result
        lines = [
            f"{claim}: {result.verdict}, certified {claim.parameter} >= {result.bound:.4g}",
            f"pair: {self.name} ({len(self.log)} audits in the search)",
            f"rows in both data sets: {counted(self.neighbours.rows)}",
            f"only in the first: {shown(self.neighbours.before)}; only in the second: {shown(self.neighbours.after)}",
            f"witness: {result.witness}",
        ]
        return "\n".join(lines)


def worst_pair(
    mechanism: Callable[..., Any],
    epsilon: float | CurveClaim,
    delta: float = 0.0,
    *,
    dimension: int,
    relation: str,
    domain: str,
    form: str = "rows",
    norm_bound: float = 1.0,
    candidates: Sequence[Neighbours] | None = None,
    confidence: float = 0.999,
    draws: int = 100_000,
    seconds: float = 60.0,
    statistics: Mapping[str, Callable[[Any], float]] | None = None,
    support: Callable[[Any, Any], Any] | None = None,
    classifier: Any = None,
    snap: int = 30,
    bits: bool = False,
    independent: bool = False,
    workers: int | None = None,
    require_power: float | str | None = None,
    accept_unread: float = UNREAD,
    rng: Any = 0,
) -> WorstPair:
    """Search for the neighbours on which ``mechanism`` breaks its claim most visibly, and audit them.

    The claim must be about this relation, and about all rows of the ``domain``, as a pair of others refutes what nobody
    claimed.

    Parameters
    ----------
    mechanism, epsilon, delta
        As in `audit`.
    dimension
        Number of columns.
    relation
        One row of the data sets changes (``"replace"``), appears or not (``"add_remove"``), or is zero or not
        (``"zero_out"``).
    domain
        Its rows, as in `structured_pairs`: ``"ball"`` (norm at most ``norm_bound``), ``"box"`` (numbers from 0 to 1),
        ``"cube"`` (from -1 to 1), ``"signs"`` (-1 and 1), or ``"one-hot"`` (one 1, else zeros).
    form
        How the mechanism is given them: ``"rows"`` ``(n, d)``, their ``"sum"`` (a histogram), or the ``"matrix"`` ``(d,
        d)`` that is the sum of ``x x'``.
    norm_bound
        Radius of the ball.
    candidates
        Pairs to start from, in place of `structured_pairs`.
    confidence, draws
        Those of the audit of the survivor, whose draws are fresh. The search makes two or three times as many draws.
    seconds
        Time of both; the search takes at most half of it. The first call on each data set of the first pair that is
        tried, which may load or compile, does not count.
    statistics, support, classifier, snap, bits, independent, workers, require_power, accept_unread, rng
        As in `audit`.

    Returns
    -------
    WorstPair
        A sound mechanism is called violated with probability at most ``1 - confidence``, however long the search.

    Raises
    ------
    ValueError
        As `audit`, and for another relation, domain or form.

    Notes
    -----
    No search finds the worst pair for certain. A pair whose loss is the largest, but does not show in the draws of a
    round, neither in one event nor in a linear score, gives way to one that shows.

    """
    start = time.perf_counter()
    checks.choice(form, "form", FORMS)
    checks.positive(seconds, "seconds")
    known = structured_pairs(dimension, relation, domain, norm_bound)
    rows = Domain.checked(domain, dimension, norm_bound)
    starts = known if candidates is None else checked_candidates(candidates, dimension)
    Caller.checked(checked_function(mechanism, "mechanism"), "mechanism", *starts[0].pair(form))
    claim = claim_of(epsilon, delta)
    checks.integer(draws, "draws", 2**9)
    options = Options(
        confidence=confidence,
        draws=draws,
        seconds=seconds,
        statistics=statistics,
        support=support,
        classifier=classifier,
        snap=snap,
        bits=bits,
        independent=independent,
        workers=workers,
        require_power=require_power,
        accept_unread=accept_unread,
        rng=checks.generator(rng),
    )
    search = _Search(mechanism, claim, form, rows, relation, options, start + seconds / 2)
    best = search.shortened(search.climbed(search.halved(starts)))
    pair = best.pair(form)
    left = max(seconds / 2, search.deadline + seconds / 2 - time.perf_counter())
    result = contest(two_arms(mechanism, pair), search.claim, replace(options, seconds=left, rng=options.entropy()))
    return WorstPair(best.name, pair, result, tuple(search.log), best)


@dataclass(slots=True)
class _Search:
    """Audits against reduced claims, and what came of them."""

    mechanism: Callable[..., Any]
    claim: CurveClaim
    form: str
    rows: Domain
    """Rows that are allowed."""
    relation: str
    options: Options
    """Those of the last audit. Their ``rng`` is a Generator, from which the search takes its randomness too."""
    deadline: float
    """Time at which the search ends (`time.perf_counter`), later by what the first calls of its first audit took."""
    log: list[Attempt] = field(default_factory=list)

    def halved(self, candidates: Sequence[Neighbours]) -> Neighbours:
        """Return the best of the last round; where time runs out, of those that were tried."""
        left = list(candidates)
        for stage in ROUNDS:
            if len(left) == 1 or self._late:
                break
            tried = []
            for pair in left:
                if not self._late:
                    tried.append((self._attempt("round", pair, stage).merit, pair))
            tried.sort(key=lambda entry: entry[0], reverse=True)  # stable: of equals, the first
            left, seen = [], Counter[str]()
            for _, pair in tried:
                if len(left) < stage.kept and seen[pair.change] < stage.alike:
                    left.append(pair)
                    seen[pair.change] += 1
            if stage is ROUNDS[0]:
                left += self._spread([pair for _, pair in tried if not any(pair is other for other in left)])
        return left[0]

    def _spread(self, candidates: Sequence[Neighbours]) -> list[Neighbours]:
        """Those of some pairs whose outputs a linear score tells apart best."""
        apart = [(self._separation(pair), i) for i, pair in enumerate(candidates) if not self._late]
        return [candidates[i] for value, i in sorted(apart, reverse=True)[:SPREAD] if value > 0]

    def _separation(self, neighbours: Neighbours) -> float:
        arms, options = two_arms(self.mechanism, neighbours.pair(self.form)), self.options
        observer = Observer(arms, options.entropy())
        deadlines = (self.deadline, self.deadline)
        own = options.own_statistics
        try:
            first, second = observer.opened(SEEN, deadlines, options.rounding, own, 0, self.deadline)[1]
        except TimeIsOver:
            return 0.0
        return separation((first.table, second.table))

    def climbed(self, best: Neighbours) -> Neighbours:
        """Move the changing row where that shows more, unless the claim as it stands is refuted already."""
        refuted = -math.log(self.options.risk)
        if self._late or self._attempt("check", best, ROUNDS[-1]).log_e_value >= refuted:
            return best
        merit, stride = self._attempt("climb", best, REFINED).merit, STRIDE
        origin = best.change
        for _ in range(STEPS):
            if self._late:
                break
            before = self._moved(best.before, stride)
            after = best.after if self.relation == "zero_out" else self._moved(best.after, stride)
            moved = replace(best, change=f"near {origin}", before=before, after=after)
            reached = self._attempt("climb", moved, REFINED).merit
            if reached > merit:
                best, merit = moved, reached
            else:
                stride *= NEARLY
        return best

    def shortened(self, best: Neighbours) -> Neighbours:
        """Return the simplest version found that gains wealth nearly as fast."""
        if self._late:
            return best
        attempt = self._attempt("shrink", best, REFINED)
        if attempt.log_e_value < SIGNAL:
            return best
        goal, origin, shorter = NEARLY * attempt.growth, best.name, True
        while shorter:
            shorter = False
            for rows, before, after in simpler(best.rows, best.before, best.after, self.rows):
                if self._late:
                    return best
                tried = Neighbours("shortened", origin, rows, before, after)
                if self._attempt("shrink", tried, REFINED).growth >= goal:
                    best, shorter = tried, True
                    break
        return best

    @property
    def _late(self) -> bool:
        return time.perf_counter() >= self.deadline

    def _attempt(self, stage: str, neighbours: Neighbours, size: Round) -> Attempt:
        claim = replace(self.claim, **{self.claim.parameter: size.claim * self.claim.value})  # type: ignore[type-var]
        options = replace(
            self.options,
            draws=math.ceil(size.draws * self.options.draws),
            seconds=max(self.deadline - time.perf_counter(), 1e-3),
            independent=True,  # a ranking needs no guarantee, and short attempts no long proof
            rng=self.options.entropy(),
        )
        arms = two_arms(self.mechanism, neighbours.pair(self.form))
        result = contest(arms, claim, options, first_calls_count=bool(self.log))
        self.deadline += result.first_calls
        if result.stopped == "interrupted":
            raise KeyboardInterrupt
        shown = (result.draws, result.log_e_value, result.violated, result.bound)
        self.log.append(Attempt(stage, neighbours.name, claim, *shown))
        return self.log[-1]

    def _moved(self, x: Floats | None, stride: float) -> Floats | None:
        return None if x is None else self.rows.moved(x, stride, self.options.rng)
