"""A program with hidden decisions: the law of its output is a sum over all of their outcomes."""

import contextlib
import functools
import math
from math import exp, expm1, fsum, isinf, log
from typing import Any

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic import decision_paths, path_walks, witnesses
from dpspectra.symbolic.aligned_draws import length_of_shift
from dpspectra.symbolic.faithful_runs import faithful, led, solved
from dpspectra.symbolic.hockey_stick import Matched, excess
from dpspectra.symbolic.independent_constraints import Loss
from dpspectra.symbolic.loss_bets import LossBets
from dpspectra.symbolic.noisy_rows import evaluated
from dpspectra.symbolic.observed_constraints import Unsolved, points
from dpspectra.symbolic.one_run import Run
from dpspectra.symbolic.paths_by_output import matched_by_output, matched_by_whole_numbers
from dpspectra.symbolic.rejected_rounds import log_factor
from dpspectra.symbolic.rounds_of_run import Rounds
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.tape import FORCED, REPLAY, NotFollowed, OtherQuestions
from dpspectra.symbolic.transcripts import lost, transcripts
from dpspectra.symbolic.verdict import FUNCTIONS, SLACK

ENOUGH = 1e-7
"""Share of the claim's delta that the probability of paths that are not walked may have."""
SMALL = 1e-10
"""Probability of those paths that is small enough if it is below a quarter of delta."""
BY_ROUNDING = 1e-12
"""Probability of a path that rounding may make up, so that no draws lead there."""
SHARES, SHARES_OF_TWO = (0.1, 0.25), (0.02, 0.1)
"""Shares of the time after which paths are left that hardly matter, and all others; those of a first look of two."""
WELL_KNOWN = 1e-6
"""Error of the loss of an output up to which it is told."""


def _law(it: Runner, side: int) -> decision_paths.Law:
    """Return the law of the output on one data set; its paths are walked once, all that the claim's delta needs."""
    if side not in it.laws:
        delta = min(d for _, d in it.question.points)
        enough = min(delta / 4, max(ENOUGH * delta, SMALL))
        walk = _walk(it, side, enough)
        if not walk.runs:
            raise Unsolved(f"no path was walked to its end: {walk.why or 'each begins another round'}")
        it.laws[side] = decision_paths.Law(walk)
    return it.laws[side]


def _walk(it: Runner, side: int, enough: float) -> path_walks.Walk:
    """Walk the paths of one data set, those of one round of a loop if no round leaves anything to the next one."""
    shares = SHARES_OF_TWO if it.looks_again else SHARES
    seconds = (it.seconds * shares[0], it.seconds * shares[1])
    with contextlib.suppress(Unsolved):  # the probability of another round is not known
        walk = path_walks.walked(lambda c: it.run(side, mode=FORCED, chooser=c.choose), enough, seconds)
        if not walk.again:
            return walk
        if not walk.rest:
            path_walks.renew(walk)
            return walk
    return path_walks.walked(
        lambda c: it.run(side, mode=FORCED, chooser=c.choose, rounds=Rounds(cut=False)), enough, seconds
    )


def summed(it: Runner, side: int, record: Run, replay: Run | None) -> None:
    """Decisions are hidden: the law of the output is a sum over all of their outcomes."""
    mine = it.found.sides[side]
    here, there = (_law(it, s) for s in (side, 1 - side))
    mine.how = f"summed over {len(here.runs)} outcomes of hidden decisions"
    if here.rest:
        mine.how += f"; the others have probability {here.rest:.2g}"
    if not here.noisy and not there.noisy:
        try:
            _listed(it, side, here, there)
        except Unsolved:  # the probability of an output is not known
            if not _explained(it, side, here, there):
                raise
        return
    functions = here.of_functions or there.of_functions
    if _explained(it, side, here, there):
        with contextlib.suppress(Unsolved):
            mine.loss = max(0.0, decision_paths.loss_at(here, there, record.leaves, record.values).value)
        if functions:
            mine.transcript, mine.how = True, f"{FUNCTIONS}, {mine.how}"
            with contextlib.suppress(Unsolved):
                mine.loss = max(0.0, lost(record, replay)[1]) if replay is not None else 0.0
        return
    if functions or here.rest or there.rest:  # the loss of an output is not known: what was seen is all that there is
        if here.rest or there.rest:
            mine.reasons.append(_not_walked(here, there))
        else:
            mine.reasons.append(_no_bound(here))
        if replay is not None:
            transcripts(it, side, record, replay)
        return
    bets = [LossBets(e, d) for e, d in it.question.points if d > 0]
    worst, most = record, -math.inf
    for k in range(max(1, it.runs // 4)):
        loss = decision_paths.loss_at(here, there, record.leaves, record.values)
        mine.loss = max(mine.loss, loss.value)
        if loss.value > most:
            worst, most = record, loss.value
        for bet in bets:
            bet.take(loss.value, loss.error)
        _refute_pure(it, side, record.leaves, record.values, loss)
        if any(b.log_wealth > log(len(bets) * 4 / it.risk) for b in bets):
            mine.refuted = f"bets on {k + 1} losses, {mine.how}"
        if mine.refuted:
            break
        record = it.record(side)
    leaves, values = worst.leaves, worst.values
    for rare in witnesses.rare_outputs(it, side, here) if mine.refuted is None and not bets else ():
        with contextlib.suppress(Unsolved):
            loss = decision_paths.loss_at(here, there, *rare)
            mine.loss, most, (leaves, values) = max(mine.loss, loss.value), loss.value, rare
            _refute_pure(it, side, leaves, values, loss)
        if mine.refuted is not None:
            break
    if mine.refuted is not None:
        mine_there = here.at(leaves, values)[0]
        witnesses.tell(it, side, here, leaves, values, (mine_there, mine_there - most))
    else:
        mine.reasons.append(_no_bound(here))


def _refute_pure(it: Runner, side: int, leaves: dict[str, Any], values: Floats, loss: Loss) -> None:
    """Refute a pure claim if an output loses more."""
    if it.question.is_exceeded_by(loss.value - loss.error):
        if isinf(loss.value):
            it.found.sides[side].refuted = "an output of one data set is impossible on the other"
        else:
            _witness_of_paths(it, side, leaves, values, it.found.sides[side].how)


def _explained(it: Runner, side: int, here: decision_paths.Law, there: decision_paths.Law) -> bool:
    """Whether losses of all paths imply the claim: against their replays, or against paths that give their output."""
    mine = it.found.sides[side]
    ways = (
        functools.partial(matched_by_output, here, there),
        functools.partial(_matched, it, side, here, there),
        functools.partial(matched_by_output, here, there, fold=True),
        functools.partial(matched_by_whole_numbers, here, there),
    )
    for way in ways:
        with contextlib.suppress(Unsolved):
            matched = way()
            if not here.rest:
                mine.bound = min(mine.bound, max((bound for _, _, bound in matched), default=math.inf))
            mine.explained = it.question.by_loss(mine.bound) or it.question.by_curve(
                functools.partial(_at_most, here.rest, matched)
            )
        if mine.explained:
            return True
    if not (here.rest or here.again or there.again) and all(d > 0 for _, d in it.question.points):
        with contextlib.suppress(Unsolved):
            mine.mu = length_of_shift(_matched(it, side, here, there))
            mine.explained = it.question.by_mu(mine.mu)
    return mine.explained


def _at_most(rest: float, matched: list[Matched], epsilon: float) -> float:
    return rest + excess(matched, epsilon)


def compare_paths(it: Runner, side: int) -> None:
    """Require of each walked path that a plain run, led there by draws, gives what was followed.

    Raises `NotFollowed` if one gives something else, or if no draws are found that lead there.
    """
    law = it.laws[side]
    for r, chance in zip(law.runs, law.chances, strict=True):
        if points(r.tape) == -math.inf:
            continue
        where = r.hidden[0].place if r.hidden else "the program"
        try:
            z = led(r, it.rng)
        except Unsolved as problem:
            if chance < BY_ROUNDING:
                continue
            raise NotFollowed(f"a path of {where} cannot be compared with a plain run: {problem}") from None
        y = r.values if r.rows is None else evaluated(r.rows, z)
        differs = faithful(r, it.plain(side, r.tape, z).leaves, y)
        if differs is not None:
            raise NotFollowed(f"a path of {where} gives another output with ordinary numbers, at {differs}")


def _matched(it: Runner, side: int, here: decision_paths.Law, there: decision_paths.Law) -> list[Matched]:
    """Return each path with its replay on the other data set and the largest loss of both, decisions included."""
    found: list[Matched] = []
    for path in here.paths:
        theirs, bound = None, math.inf
        with contextlib.suppress(OtherQuestions, Unsolved):
            replay = it.run(1 - side, mode=REPLAY, past=path.run.tape)
            replay.tape.rounds.log = log_factor(replay.tape, there.again)
            bound = decision_paths.bound_of(path.run, replay)
            theirs = decision_paths.Path(replay)
        found.append((path, theirs, bound))
        if bound == math.inf and not any(d > 0 for _, d in it.question.points):
            raise Unsolved("a path has no bound")
    return found


def _listed(it: Runner, side: int, here: decision_paths.Law, there: decision_paths.Law) -> None:
    """No output holds noise: all outputs and their probabilities are known."""
    mine = it.found.sides[side]
    p, q = here.masses(), there.masses()
    losses = {
        k: (v - q[k][0] if k in q else math.inf, e + (q[k][1] if k in q else 0.0))
        for k, (v, e) in p.items()
        if v > -math.inf
    }
    sure = [loss for loss, e in losses.values() if e < WELL_KNOWN and (loss < math.inf or not there.rest)]
    mine.loss = max([0.0, *sure])
    mine.bound = math.inf if here.rest else mine.loss

    def over_claim(k: decision_paths.Key, epsilon: float, sign: float) -> float:
        """Return what an output adds to delta, at most (1) or at least (-1)."""
        loss, error = losses[k]
        log = min(p[k][0] + sign * p[k][1], 0.0)
        return exp(log) * -expm1(min(epsilon - loss - sign * (error + 1e-12), 0.0))

    def delta(epsilon: float, sign: float = 1.0) -> float:
        return fsum(over_claim(k, epsilon, sign) for k in losses)

    def missing(epsilon: float) -> float:
        return delta(epsilon) + here.rest

    first = it.question.points[0][0]
    mine.delta = max(delta(first, -1.0) - exp(first) * there.rest, 0.0), missing(first)
    worst = max(loss + error for loss, error in losses.values()) + 1e-12

    def divergence(order: float) -> float:
        """Bound the Renyi divergence from above, if no path is left out."""
        logs = [min(p[k][0] + p[k][1], 0.0) + (order - 1) * (loss + error) for k, (loss, error) in losses.items()]
        return float(np.logaddexp.reduce(logs)) / (order - 1)

    whole = not here.rest and (it.question.by_loss(worst) or it.question.by_divergence(divergence, worst))
    mine.explained = whole or it.question.by_curve(missing)
    for epsilon, wanted in it.question.points:
        if delta(epsilon, -1.0) - exp(epsilon) * there.rest > wanted * (1 + SLACK) + 1e-9:
            over = max(losses, key=lambda k: over_claim(k, epsilon, -1.0))
            least = p[over][0] - np.logaddexp(q[over][0] if over in q else -math.inf, _log(there.rest))
            if wanted == 0 and least - losses[over][1] <= epsilon * (1 + SLACK):
                continue
            if isinf(losses[over][0]):
                mine.refuted = f"an output of one data set is impossible on the other, {mine.how}"
            else:
                _witness_of_paths(it, side, dict(over), np.zeros(0), mine.how)
            if not here.rest and not there.rest:
                over = max(losses, key=lambda k: (round(losses[k][0], 9), p[k][0]))
            witnesses.tell(it, side, here, dict(over), np.zeros(0), (p[over][0], p[over][0] - losses[over][0]))
            break
    if mine.refuted is None and not mine.explained and not mine.reasons:
        left = f"; {_not_walked(here, there)}" if here.rest or there.rest else ""
        mine.reasons.append(f"the claim is neither implied nor denied by the list of outputs{left}")


def _no_bound(here: decision_paths.Law) -> str:
    where = next((r.hidden[0].place for r in here.runs if r.hidden), "the program")
    return f"no bound holds on all {len(here.runs)} paths of {where}"


def _not_walked(here: decision_paths.Law, there: decision_paths.Law) -> str:
    where = next((r.hidden[0].place for r in here.runs if r.hidden), "the program")
    why = here.why or there.why or "its outcomes have no end"
    return f"paths of probability {max(here.rest, there.rest):.3g} of {where} are not walked: {why}"


def _log(x: float) -> float:
    return log(x) if x > 0 else -math.inf


def _witness_of_paths(it: Runner, side: int, leaves: dict[str, Any], y: Floats, how: str) -> None:
    """Plain runs on both data sets must give an output whose loss refutes."""
    mine, wanted = it.found.sides[side], decision_paths.key(leaves)
    for s in (side, 1 - side):
        problem = "no path of it has draws"
        for r in _law(it, s).runs:
            if decision_paths.key(r.leaves) != wanted or points(r.tape) == -math.inf:
                continue
            try:
                z = led(r, it.rng) if r.rows is None else solved(r.tape, y, it.rng, witnesses.led_if_known(r, it.rng))
                where = faithful(r, it.plain(s, r.tape, z).leaves, y)
            except (NotFollowed, Unsolved) as why:
                problem = str(why)
                continue
            if where is not None:
                mine.reasons.append(f"the witness of a loss is not reproduced by a plain run, at {where}")
                return
            break
        else:
            mine.reasons.append(f"no witness of a loss: {problem}")
            return
    mine.refuted = how
