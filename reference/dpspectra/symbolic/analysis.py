"""Follow a mechanism on a pair of neighbours, in both orders, and compare what it loses with a claim."""

import contextlib
import math
import re
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from dpspectra.symbolic import called_loops, fresh_runs, output_events, whole_modules
from dpspectra.symbolic.canonical_output import is_noise
from dpspectra.symbolic.existing_generators import Earlier
from dpspectra.symbolic.fresh_runs import Event, Leaves, confirmed, differing, event_of
from dpspectra.symbolic.impossible_floats import gap
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.one_path import one_path
from dpspectra.symbolic.other_threads import at_work
from dpspectra.symbolic.plain_tests import RECORDS, tested
from dpspectra.symbolic.program_lines import forget
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.return_lines import returned_at
from dpspectra.symbolic.runner import Runner, end_of
from dpspectra.symbolic.scaling_lines import scaled_at
from dpspectra.symbolic.summing import compare_paths, summed
from dpspectra.symbolic.tape import NotFollowed, is_decision
from dpspectra.symbolic.transcripts import transcripts
from dpspectra.symbolic.verdict import EXPLAINED, FAILED, REFUTED, SCALED, Found

CHECKS = 3
"""Records whose draws are handed out again as ordinary numbers, on each data set."""
LINE = r":\d+ \("
"""How a place names a line, before its function."""
COMPILED = ("torch", "jax", "tensorflow", "numba", "opendp", "pydp", "snsql", "cupy")
"""Libraries whose draws are compiled code."""
STRUCTURES = 20
"""Runs with nothing replaced among which one must end like the followed one."""

LEAST_DELTA = 1e-15
"""Smallest delta of a claim that laws of loops explain which are not whole; it is far above what they leave out."""


def decide(it: Runner, *, bits: bool = False) -> Found:
    """Look inside in both orders, then test what no noise seems to cover.

    With ``bits``, gaps between the numbers that the running program can give count, too.
    """
    forget()
    try:
        return _decided(it, bits)
    finally:
        _put_back(it)


def _put_back(it: Runner) -> None:
    """Put back what the program keeps between calls; nothing is said of one that does, as its calls tell of others."""
    changed = sorted({*it.state.restore(), *it.beside})
    if not changed:
        return
    it.found.confirmed = None
    why = f"the program keeps state, which its calls changed and which was put back: {', '.join(changed)}"
    it.found.take_back(f"{why}; {it.whereabouts()}", transcripts=True)


def _decided(it: Runner, bits: bool) -> Found:
    before = at_work()
    loops = _once(it)
    earlier = Earlier(it.rng)
    with followed_sources(it.state.edges), earlier.stand_ins() as drawn_from, called_loops.stand_ins(loops):
        _look_both(it)
        if it.looks_again and it.found.verdict not in (EXPLAINED, REFUTED):
            it.begin_again(at_once=True)
            _look_both(it)
        _compare(it)
    for text in sorted(drawn_from):
        it.found.tell(text)
    if all(it.ends) and all(end[0] == "raised" for ends in it.ends for end in ends):
        for side in (0, 1):
            _give_up(it, side, "it raises in every run, so that there is no output to compare")
    drew = earlier.moved()
    if drew:
        why = f"a generator made before the run ({', '.join(drew)}) draws outside of what is followed"
        it.found.take_back(why, transcripts=True)
    for side in (0, 1):
        _same_structure(it, side)
    if not it.drew:
        _nothing_followed(it)
    for why in it.state.unseen.values():
        it.found.take_back(why, transcripts=True)
    if where := before or at_work():
        it.found.take_back(f"another thread is at {where}, and nobody follows what it does", transcripts=True)
    if it.left_out:
        _cover_what_is_left_out(it)
    tested(it)
    _same_modules(it)
    if it.found.verdict != REFUTED:
        _confirm(it, bits)
    if it.found.verdict == REFUTED and (where := scaled_at(it)) is not None:
        it.found.tell(f"{SCALED}, at {where}")
    if it.found.verdict == REFUTED and not it.found.calls:
        _tell_the_return(it)
    for s in it.found.sides:
        if it.found.verdict not in (EXPLAINED, REFUTED):
            s.reasons += sorted(it.hints)
        if s.reasons and not any(re.search(LINE, why) for why in s.reasons):
            s.reasons[-1] += f"; {it.whereabouts()}"
    return it.found


def _cover_what_is_left_out(it: Runner) -> None:
    """Explain nothing at a delta that does not cover what the law of a loop leaves out."""
    if min(delta for _, delta in it.question.points) >= LEAST_DELTA:
        return
    why = f"the law of a loop leaves out what hardly ever happens, and only a delta of {LEAST_DELTA:g} covers that"
    for side in it.found.sides:
        side.explained = False
        side.reasons += [why] * (side.refuted is None)


def _look_both(it: Runner) -> None:
    for side in (0, 1):
        try:
            _look(it, side)
        except (NotFollowed, Unsolved) as problem:
            failed = str(problem).startswith(FAILED)
            _give_up(it, side, (failed and _raised_anyway(it, side)) or str(problem))
        except (RecursionError, np.linalg.LinAlgError) as problem:
            _give_up(it, side, f"it cannot be solved: {problem}")


def _raised_anyway(it: Runner, side: int) -> str:
    """Say that the program raises with nothing replaced, too, if it does; else nothing."""
    with contextlib.suppress(NotFollowed, Unsolved):
        leaves = it.plain_leaves(side)
        if end_of(leaves, whole=False)[0] == "raised":
            return (
                f"it raises {leaves['output.kind'][1]} with nothing replaced, too, so that there is nothing to compare"
            )
    return ""


def _once(it: Runner) -> called_loops.Functions:
    """Run the program once on each data set before names are replaced: imports and compilers must see the real ones.

    Returns the functions with loops that it calls.
    """
    loops: called_loops.Functions = {}
    with contextlib.suppress(NotFollowed), called_loops.met(loops):  # told by the followed runs
        for side in (0, 1):
            it.plain_leaves(side)
    return loops


def _compare(it: Runner) -> None:
    """Compare all walked paths with plain runs, before anything is concluded from them."""
    if not any(s.explained or s.refuted for s in it.found.sides):
        return
    try:
        for side, law in it.laws.items():
            compare_paths(it, side)
            if law.noisy:
                it.records[side] = [it.record(side) for _ in range(RECORDS)]
    except (NotFollowed, Unsolved) as problem:
        it.found.take_back(str(problem))


def _nothing_followed(it: Runner) -> None:
    """Without a draw that was followed nothing is explained: noise of compiled code would look like none."""
    loaded = [name for name in COMPILED if name in sys.modules]
    drawn = f" (loaded: {', '.join(loaded)})" if loaded else ""
    for s in it.found.sides:
        s.explained, s.refuted = False, None
        if not s.reasons:
            s.reasons.append(f"no draw was followed; noise of compiled code{drawn} shows from outside only")


def _give_up(it: Runner, side: int, why: str) -> None:
    it.found.sides[side].reasons.append(why)
    it.found.sides[side].explained = False


def _look(it: Runner, side: int) -> None:
    mine = it.found.sides[side]
    record = it.record(side)
    replay = it.replay(side, record)
    it.check(side, record)
    for _ in range(CHECKS - 1):
        it.check(side, it.record(side))
    if "output.kind" in record.leaves and end_of(record.leaves, whole=False)[0] == "raised":
        it.found.tell(f"it raises {record.leaves['output.kind'][1]}: {record.leaves['output.text'][1]}")
    for note in record.tape.notes:
        if replay is not None and note not in replay.tape.notes:
            it.found.tell(f"{note}, on one data set only")
    if replay is not None and differing(record.leaves, replay.leaves):
        it.suspects.append((side, record.leaves, replay.leaves))
    if not record.hidden and replay is not None:
        one_path(it, side, record, replay)
    elif all(map(is_decision, record.hidden)):
        summed(it, side, record, replay)
    elif replay is not None:
        transcripts(it, side, record, replay)
    else:
        mine.reasons.append("the two data sets ask other questions, and values are looked at before the output")


def _same_structure(it: Runner, side: int) -> None:
    """One run with nothing replaced must end like the followed ones: with an output, or with the same exception."""
    mine = it.found.sides[side]
    if mine.refuted is None and not mine.explained:
        return
    try:
        for _ in range(STRUCTURES):
            leaves = it.plain_leaves(side)
            if {end_of(leaves, True), end_of(leaves, False)} & it.ends[side]:
                return
    except NotFollowed:
        pass
    it.found.take_back("runs with nothing replaced end in another way than followed ones")


def _same_modules(it: Runner) -> None:
    """Take back what is said of a program whose plain runs change modules or settings."""
    if not any(s.explained or s.refuted for s in it.found.sides):
        return
    tables = whole_modules.named(it.state.edges), whole_modules.without_file()
    before = whole_modules.Read(*tables)
    for side in (0, 1):
        with contextlib.suppress(NotFollowed):  # told by others
            it.plain_leaves(side)
        changed = before.changed(whole_modules.Read(*tables))
        if changed:
            it.found.take_back(f"each of its calls changes something in {', '.join(changed)}, which may tell of others")
            return


def _confirm(it: Runner, bits: bool) -> None:
    """Test on fresh runs the differences that no noise seems to cover and, if asked, gaps between numbers."""
    events: list[tuple[int, Callable[[], Event | None]]] = []
    if it.found.verdict != EXPLAINED:
        events += [(side, partial(_as_before, it, side, *pair)) for side, pair in _different(it).items()]
    if bits:
        events += [(side, partial(gap, it, side)) for side in (0, 1)]
    points = it.question.points
    least = min((e for e, d in points if d == 0), default=math.inf)
    lost = [side for side, s in enumerate(it.found.sides) if s.transcript and not s.explained and s.loss > least]
    risk = it.risk / (2 * max(len(events) + len(lost), 1) * len(points))
    try:
        for side, event in events:
            for point in points:
                if it.found.confirmed is None and (happening := event()) is not None:
                    _test(it, side, happening, point, risk)
        for side in lost:
            for point in points:
                if it.found.confirmed is None and (happening := _by_outputs(it, side, point[0])) is not None:
                    _test(it, side, happening, point, risk, output_events.PAIRS)
    except (NotFollowed, Unsolved) as problem:
        it.found.confirmations.append(f"not confirmed: {problem}")


def _tell_the_return(it: Runner) -> None:
    """Name a line where no draw is to be named: that at which the output is returned."""
    side = next((k for k, s in enumerate(it.found.sides) if s.refuted), 0)
    where = returned_at(it, side)
    it.found.tell(it.whereabouts() if where is None else f"its output is returned at {where}")


def _different(it: Runner) -> dict[int, tuple[Leaves, Leaves]]:
    """Return outputs that differ where no noise is, by the data set that gave the first of the two."""
    chosen: dict[int, tuple[Leaves, Leaves]] = {}
    for side, first, second in it.suspects:
        chosen.setdefault(side, (first, second))
        chosen.setdefault(1 - side, (second, first))
    return chosen


def _as_before(it: Runner, side: int, first: Leaves, second: Leaves) -> Event | None:
    """Return the event that a leaf is as it always seems to be on one data set, and not on the other."""
    path = next((p for p in differing(first, second) if not is_noise(first.get(p))), None)
    return None if path is None else event_of(path, it.plain_leaves(side), second)


def _by_outputs(it: Runner, side: int, epsilon: float) -> Event | None:
    """Return an event that tells the outputs apart, chosen by runs with nothing replaced."""
    runs = [[leaves for leaves, _ in it.plain_outcomes(s, output_events.RUNS)] for s in (side, 1 - side)]
    return output_events.separating(runs[0], runs[1], epsilon) if all(runs) else None


def _test(
    it: Runner, side: int, event: Event, point: tuple[float, float], risk: float, most: int = fresh_runs.PAIRS
) -> None:
    runs = (lambda: it.plain_leaves(side)), (lambda: it.plain_leaves(1 - side))
    test = confirmed(runs, event, *point, risk, it.rng, lambda: time.perf_counter() < it.end, most)
    it.found.confirmations.append(str(test))
    if test.refuted:
        it.found.confirmed = str(test)
