"""A program that looks at values before its output: what was seen loses at least as much as the output.

Such a transcript refutes nothing, and as it shows the paths that were met only, it explains nothing either.
"""

import math
from dataclasses import replace

from dpspectra.symbolic.independent_constraints import Term
from dpspectra.symbolic.log_ratios import compared
from dpspectra.symbolic.observed_constraints import points, system
from dpspectra.symbolic.one_path import no_noise, note_calls, total
from dpspectra.symbolic.one_run import Run
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.tape import OUTPUT

TRANSCRIPTS = 6
"""Records of a program that looks at values before the output."""


def lost(record: Run, replay: Run) -> tuple[list[Term], float, float]:
    """Return the parts of what a run looked at that differ, what all of it loses, and a bound on that."""
    of_points = points(record.tape) - points(replay.tape)
    first = system(record.tape)
    terms = compared(first, system(replay.tape))
    return terms, of_points + total(terms, first.y).value, of_points + sum(t.bound for t in terms)


def _apart(record: Run, replay: Run) -> float:
    """Return the larger loss of what was looked at before the output, and of the output."""
    found = []
    for output in (False, True):
        first, second = (
            system(replace(r.tape, events=[e for e in r.tape.events if (e.place == OUTPUT) == output]))
            for r in (record, replay)
        )
        found.append(total(compared(first, second), first.y).value)
    return points(record.tape) - points(replay.tape) + max(found)


def transcripts(it: Runner, side: int, record: Run, replay: Run) -> None:
    """Values are looked at before the output: all that was looked at loses at least as much as the output alone."""
    mine = it.found.sides[side]
    mine.transcript = True
    mine.how = "transcripts"
    pure = [e for e, d in it.question.points if d == 0]
    mine.bound = mine.mu = sure = 0.0
    for k in range(TRANSCRIPTS):
        if k:
            record = it.record(side)
            other = it.replay(side, record)
            if other is None:
                mine.reasons.append("the two data sets ask other questions")
                return
            replay = other
        if no_noise(it, side, record, replay):
            if (side, record.leaves, replay.leaves) not in it.suspects:
                it.suspects.append((side, record.leaves, replay.leaves))
            return
        terms, loss, bound = lost(record, replay)
        mine.loss, mine.bound = max(mine.loss, loss), max(mine.bound, bound)
        sure = max(sure, _apart(record, replay) if math.isinf(loss) else loss)
        mine.mu = max(mine.mu, math.hypot(*(t.mu for t in terms)))
        note_calls(it, terms, system(record.tape).y)
    where = record.hidden[0].place
    fine = it.question.by_loss(mine.bound) or it.question.by_mu(mine.mu)
    mine.exceeded = not fine and it.question.is_exceeded_by(sure)
    so_far = f"at most {mine.bound:.6g}" if mine.bound < math.inf else f"mu {mine.mu:.6g}"
    if fine:
        word = f"bounded so far ({so_far})"
    elif pure and math.isinf(mine.loss) and not mine.exceeded:
        word = "what was seen and the output lose more than the claim together, and each alone does not,"
    elif pure or min(mine.bound, mine.mu) < math.inf:
        word = "more than the claim"
    else:
        word = f"losses of up to {mine.loss:.6g}, of which the claim's delta may allow some,"
    mine.reasons.append(f"noise is looked at before the output, at {where}: {word} on {TRANSCRIPTS} transcripts")
