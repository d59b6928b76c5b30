"""A program with hidden decisions: the law of its output is a sum over all of their outcomes."""

import math
from typing import Any

import numpy as np
from scipy.special import bdtr, bdtrc

from dpspectra.symbolic import paths
from dpspectra.symbolic.bets import LossBets
from dpspectra.symbolic.checking import faithful, solved
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.running import Run
from dpspectra.symbolic.systems import Unsolved, points
from dpspectra.symbolic.tape import FORCED, REPLAY, Floats, NotFollowed, OtherQuestions
from dpspectra.symbolic.verdict import SLACK

PLAIN_RUNS = 400
"""Runs with nothing replaced on each data set that are compared with a law of few outputs."""
UNLIKELY = 5e-4
"""Probability of a count below which it contradicts the law."""


def _walked(it: Runner, side: int) -> list[Run]:
    return paths.walked(lambda decisions: it.run(side, mode=FORCED, decisions=list(decisions)))


def _law(it: Runner, side: int) -> paths.Law:
    """Return the law of the output on one data set; all of its paths are walked once."""
    if side not in it.laws:
        it.laws[side] = paths.Law(_walked(it, side))
    return it.laws[side]


def summed(it: Runner, side: int, record: Run) -> None:
    """Decisions are hidden: the law of the output is a sum over all of their outcomes."""
    mine = it.found.sides[side]
    here, there = (_law(it, s) for s in (side, 1 - side))
    mine.how = f"summed over {len(here.runs)} outcomes of hidden decisions"
    if not here.noisy and not there.noisy:
        _listed(it, side, here, there)
        return
    mine.bound = _path_bound(it, side, here)
    mine.explained = it.question.by_loss(mine.bound)
    pure = [e for e, d in it.question.points if d == 0]
    bets = [LossBets(e, d) for e, d in it.question.points if d > 0]
    for k in range(max(1, it.runs // 4)):
        loss = paths.loss_at(here, there, record.leaves, record.values)
        mine.loss = max(mine.loss, loss.value)
        for bet in bets:
            bet.take(loss.value, loss.error)
        if any(loss.value - loss.error > e * (1 + SLACK) + 1e-12 for e in pure):
            if math.isinf(loss.value):
                mine.refuted = "an output of one data set is impossible on the other"
            else:
                _witness_of_paths(it, side, record.leaves, record.values, mine.how)
        if any(b.log_wealth > math.log(len(bets) * 4 / it.risk) for b in bets):
            mine.refuted = f"bets on {k + 1} losses, {mine.how}"
        if mine.refuted or mine.explained:
            break
        record = it.record(side)
    if mine.refuted is None and not mine.explained:
        where = next((r.hidden[0].place for r in here.runs if r.hidden), "the program")
        mine.reasons.append(f"no bound holds on all {len(here.runs)} paths of {where}")


def _path_bound(it: Runner, side: int, here: paths.Law) -> float:
    """Largest loss of all paths, decisions included."""
    worst = -math.inf
    for mine in here.runs:
        try:
            theirs = it.run(1 - side, mode=REPLAY, past=mine.tape)
            worst = max(worst, paths.bound_of(mine, theirs))
        except (OtherQuestions, Unsolved):
            return math.inf
        if worst == math.inf:
            break
    return worst


def _listed(it: Runner, side: int, here: paths.Law, there: paths.Law) -> None:
    """No output holds noise: all outputs and their probabilities are known."""
    mine = it.found.sides[side]
    p, q = here.masses(), there.masses()
    losses = {
        k: (v - q[k][0] if k in q else math.inf, e + (q[k][1] if k in q else 0.0))
        for k, (v, e) in p.items()
        if v > -math.inf
    }
    mine.loss = mine.bound = max(0.0, *(loss for loss, _ in losses.values()))
    error = max(e for _, e in losses.values()) + 1e-12

    def delta(epsilon: float) -> float:
        excess = [math.exp(p[k][0]) * -math.expm1(min(epsilon - loss, 0.0)) for k, (loss, _) in losses.items()]
        return math.fsum(excess)

    first = delta(it.question.points[0][0])
    mine.delta = first, first
    mine.explained = it.question.by_loss(mine.bound + error) or it.question.by_curve(delta)
    for epsilon, wanted in it.question.points:
        if delta(epsilon) > wanted * (1 + SLACK) + 2 * error + 1e-9:
            over = max(losses, key=lambda k: math.exp(p[k][0]) * -math.expm1(min(epsilon - losses[k][0], 0.0)))
            if wanted == 0 and losses[over][0] - losses[over][1] <= epsilon * (1 + SLACK):
                continue
            it.pending[side] = [k for k, (loss, _) in losses.items() if loss > epsilon], (p, q)
            if math.isinf(losses[over][0]):
                mine.refuted = f"an output of one data set is impossible on the other, {mine.how}"
            else:
                _witness_of_paths(it, side, dict(over), np.zeros(0), mine.how)
            break
    if mine.refuted is None and not mine.explained and not mine.reasons:
        mine.reasons.append("the claim is neither implied nor denied by the list of outputs")


def as_often(it: Runner, side: int) -> bool:
    """Whether runs with nothing replaced give the outputs that refute as often as the laws of both data sets say.

    Noise that nobody followed would show here, as few outputs hide it from a comparison of single runs. The answer is
    "undecided" in one of 500 cases although all is well.
    """
    if side not in it.pending:
        return True
    outputs, laws = it.pending[side]
    wanted = set(outputs)
    for s, law in zip((side, 1 - side), laws, strict=True):
        chance = min(1.0, math.fsum(math.exp(law[k][0]) for k in wanted if k in law))
        hits = sum(paths.key(it.plain_leaves(s)) in wanted for _ in range(PLAIN_RUNS))
        tails = bdtr(hits, PLAIN_RUNS, chance), bdtrc(hits - 1, PLAIN_RUNS, chance)
        if min(tails) < UNLIKELY:
            return False
    return True


def _witness_of_paths(it: Runner, side: int, leaves: dict[str, Any], y: Floats, how: str) -> None:
    """Plain runs on both data sets must give an output whose loss refutes."""
    mine, wanted = it.found.sides[side], paths.key(leaves)
    for s in (side, 1 - side):
        problem = "no path of it has draws"
        for r in _law(it, s).runs:
            if paths.key(r.leaves) != wanted or points(r.tape) == -math.inf:
                continue
            try:
                z = solved(r.tape, y, it.rng)
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
