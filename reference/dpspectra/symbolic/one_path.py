"""A program that looks at nothing before its output has one path: its tape is the law of the output."""

import contextlib
import functools
import math
import time
from collections.abc import Callable
from math import fsum, isfinite, isinf, log

import numpy as np

from dpspectra.fast import gaussian_profile
from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.decision_paths import Path
from dpspectra.symbolic.faithful_runs import compute, faithful, omega_of, solved
from dpspectra.symbolic.fresh_runs import differing
from dpspectra.symbolic.hockey_stick import alike, number_of, of_numbers
from dpspectra.symbolic.independent_constraints import Loss, Term
from dpspectra.symbolic.log_ratios import compared
from dpspectra.symbolic.loss_bets import LossBets
from dpspectra.symbolic.noisy_rows import evaluated, of_each_draw
from dpspectra.symbolic.observed_constraints import Unsolved, system
from dpspectra.symbolic.one_run import Run
from dpspectra.symbolic.program_lines import excerpt
from dpspectra.symbolic.rounded_laws import RoundedLaw
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.single_numbers import Number
from dpspectra.symbolic.tape import NotFollowed
from dpspectra.symbolic.verdict import FUNCTIONS, SLACK, Call
from dpspectra.symbolic.whole_hockey_stick import delta_of_whole

SAMPLES = 4000
"""Losses sampled from the forms of a program with one path."""
AIMS = (4.0, 25.0)
"""Scales from the location at which a loss is looked at, beside the sampled ones."""


def no_noise(it: Runner, side: int, record: Run, replay: Run) -> bool:
    """Whether something plain differs; noted as a finding."""
    where = differing(record.leaves, replay.leaves)
    if where:
        it.found.tell(f"no noise that was followed: {where[0]} differs where all of it is the same")
        it.found.sides[side].reasons.append(f"{where[0]} is covered by no noise that was followed")
    return bool(where)


def one_path(it: Runner, side: int, record: Run, replay: Run) -> None:
    """Nothing was looked at before the output: the tape is the law of the output."""
    mine = it.found.sides[side]
    it.one_path[side] = record
    if no_noise(it, side, record, replay):
        return
    if record.roots:
        _of_functions(it, side, record, replay)
        return
    first, second = system(record.tape), system(replay.tape)
    terms = compared(first, second)
    mine.how = "closed form" if terms else "the same law on both data sets"
    mine.bound = sum(t.bound for t in terms)
    mine.mu = math.hypot(*(t.mu for t in terms)) if terms else 0.0
    within = it.question.by_loss(mine.bound) or it.question.by_mu(mine.mu)
    sharp = mine.mu if all(t.sharp for t in terms) else math.inf
    if sharp == math.inf and not within and any(d > 0 for _, d in it.question.points):
        with contextlib.suppress(Unsolved):  # then losses are sampled
            _one_number(it, side, record, replay, terms)
    _bets_on_forms(it, side, record, replay, terms, sharp)
    note_calls(it, terms, record.values if record.rows is not None else np.zeros(0))
    if sharp < math.inf:
        epsilon = it.question.points[0][0]
        exact = float(gaussian_profile.profile(epsilon, sharp))
        mine.delta = exact, exact
    mine.explained = mine.explained or it.question.by_loss(mine.bound) or it.question.by_mu(mine.mu)
    if mine.refuted is None and not mine.explained:
        mine.reasons.append(_beyond(terms))


def _of_functions(it: Runner, side: int, record: Run, replay: Run) -> None:
    """Bound the loss of an output by that of the numbers that it is computed from, and refute nothing."""
    mine = it.found.sides[side]
    first, second = system(record.tape), system(replay.tape)
    terms = compared(first, second)
    mine.transcript, mine.how = True, FUNCTIONS
    mine.bound = sum(t.bound for t in terms)
    mine.mu = math.hypot(*(t.mu for t in terms)) if terms else 0.0
    mine.loss = total(terms, first.y).value
    note_calls(it, terms, first.y)
    mine.explained = it.question.by_loss(mine.bound) or it.question.by_mu(mine.mu)
    if not mine.explained:
        mine.exceeded = it.question.is_exceeded_by(mine.loss)
        mine.reasons.append(f"the output is computed from numbers of which this is known: {_beyond(terms)}")


def _one_number(it: Runner, side: int, record: Run, replay: Run, terms: list[Term]) -> None:
    """Find the exact delta if one number holds noise that differs."""
    if len(terms) != 1 or len(terms[0].equations) != 1:
        return
    mine, among = it.found.sides[side], terms[0].equations
    first, second = number_of(Path(record), among), number_of(Path(replay), among)
    exact: Callable[[float], float] | None
    exact = functools.partial(of_numbers, first, second) if first and second and alike(first, second) else None
    met = record.values
    if first and second and exact:
        met = _possible(first, second, record.values, among[0])
    elif terms[0].whole is not None:
        exact = delta_of_whole(*terms[0].whole)
    if exact is None:
        return
    told = exact(it.question.points[0][0])
    mine.delta = told, told
    mine.explained = it.question.by_curve(exact)
    for epsilon, delta in it.question.points:
        if delta > 0 and exact(epsilon) > delta * (1 + SLACK) + 1e-13:
            _witnessed(it, side, record, replay, met, "closed form")


def _possible(first: Number, second: Number, met: Floats, k: int = 0) -> Floats:
    """Return values that both data sets can give, if there are any: those that were met, or one between the ends."""
    low, high = (f(a, b) for f, a, b in zip((max, min), first.ends, second.ends, strict=True))
    if not (low < met[k] < high or not isfinite(low + high)):
        met = met.copy()
        met[k] = (low + high) / 2
    return met


def _bets_on_forms(it: Runner, side: int, record: Run, replay: Run, terms: list[Term], mu: float) -> None:
    """Losses at aimed and at sampled outputs: from the forms alone, as the program has one path.

    ``mu`` is the distance in standard deviations, if nothing but normal noise is seen.
    """
    if not terms or record.rows is None:
        return
    mine = it.found.sides[side]
    if mu < math.inf and it.question.false_at_mu(mu):
        _witnessed(it, side, record, replay, record.values, "closed form")
    bets = [LossBets(e, d) for e, d in it.question.points if d > 0]
    aims = _aims(it, record)
    within = mine.explained or it.question.by_loss(mine.bound) or it.question.by_mu(mine.mu)
    count = 30 if within or mu < math.inf or not bets else SAMPLES
    sampled, rng = [record.tape.omega()] if count == 30 else [], it.fresh()
    for k in range(len(aims) + count):
        aimed = k < len(aims)
        omega = aims[k] if aimed else sampled.pop() if sampled else omega_of(record.tape, rng)
        y = evaluated(record.rows, omega)
        try:
            loss = total(terms, y)
        except Unsolved:
            if aimed or within:
                continue
            raise
        if not (aimed and isinf(loss.value)) and loss.value > mine.loss:
            mine.loss = loss.value
            note_calls(it, terms, y)
        if mine.refuted is None and it.question.is_exceeded_by(loss.value - loss.error):
            if isinf(loss.value) and not aimed:
                mine.refuted = "an output of one data set is impossible on the other"
            elif isfinite(loss.value):
                _witnessed(it, side, record, replay, y, "an output that loses more than the claim", omega)
        if aimed:
            continue
        for bet in bets:
            bet.take(loss.value, loss.error)
        if mine.refuted is None and any(b.log_wealth > log(len(bets) * 4 / it.risk) for b in bets):
            mine.refuted = f"bets on {k + 1 - len(aims)} losses"
        if time.perf_counter() > it.end or (mine.refuted is not None and not k < len(aims) + 5):
            break


def _aims(it: Runner, record: Run) -> list[Floats]:
    """Draws far out, with distinct multiples, in directions that may show the largest loss."""
    tape = record.tape
    if not tape.size:
        return []
    spread = 1 + 0.1 * np.linspace(0, 1, tape.size)
    two_sided = of_each_draw(tape.blocks, lambda b: b.law.support == (-math.inf, math.inf))
    if any((b.computed is not None or b.law.discrete) and not isinstance(b.law, RoundedLaw) for b in tape.blocks):
        return []
    base = tape.omega()
    aims = [np.where(two_sided, s * a * spread, base) for a in AIMS for s in (1.0, -1.0)]
    for block in tape.blocks:
        for aim in aims:
            compute(block, aim)
    return aims


def _witnessed(
    it: Runner, side: int, record: Run, replay: Run, y: Floats, how: str, omega: Floats | None = None
) -> None:
    """Reproduce a refuting output with a finite loss by plain runs on both data sets, or refuse it."""
    mine = it.found.sides[side]
    try:
        for s, r, draws in ((side, record, omega), (1 - side, replay, None)):
            z = solved(r.tape, y, it.rng) if draws is None else draws
            where = faithful(record, it.plain(s, r.tape, z).leaves, y)
            if where is not None:
                mine.reasons.append(f"the witness of a loss is not reproduced by a plain run, at {where}")
                return
    except (NotFollowed, Unsolved) as problem:
        mine.reasons.append(f"no witness of a loss: {problem}")
        return
    mine.refuted = how


def note_calls(it: Runner, terms: list[Term], y: Floats) -> None:
    """Add up, for each line, what its draws lose at given values, move and hide."""
    met: dict[str, list[Term]] = {}
    for t in terms:
        met.setdefault(t.place, []).append(t)
    for place, several in met.items():
        law = "+".join(dict.fromkeys(t.law for t in several))
        call = it.found.calls.setdefault(place, Call(place, law, source=excerpt(place, 3, 2)))
        try:
            loss = sum(t.loss(y).value for t in several)
        except Unsolved:
            loss = 0.0
        call.loss = max(call.loss, loss)
        call.bound = max(call.bound, sum(t.bound for t in several))
        call.mu = max(call.mu, math.hypot(*(t.mu for t in several)))
        call.move = max(call.move, float(sum(np.sum(np.abs(t.move)) for t in several)))
        call.stretch = max(call.stretch, *(t.stretch for t in several))
        call.between = call.between or any(t.between for t in several)
        call.scale = min([call.scale, *(float(np.min(t.scale)) for t in several if len(t.scale))])


def total(terms: list[Term], y: Floats) -> Loss:
    """Return the loss of all parts together."""
    losses = [t.loss(y) for t in terms]
    if any(isinf(x.value) for x in losses):
        return Loss(math.inf)
    return Loss(fsum(x.value for x in losses), fsum(x.error for x in losses))


def _beyond(terms: list[Term]) -> str:
    worst = max(terms, key=lambda t: t.bound)
    return f"no loss beyond the claim was met, and no bound implies it: {worst.law} noise of {worst.place}"
