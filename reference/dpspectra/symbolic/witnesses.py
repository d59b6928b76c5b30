"""Witnesses of a refutation that sums over decisions: an output with its probabilities, and draws that lead there.

Several paths may lead to an output; the losses of draws are those on the likeliest one.
"""

import contextlib
import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.canonical_output import is_noise
from dpspectra.symbolic.decision_paths import Law, Path, key
from dpspectra.symbolic.faithful_runs import faithful, led, value_of
from dpspectra.symbolic.independent_constraints import Loss, Term
from dpspectra.symbolic.log_ratios import compared
from dpspectra.symbolic.noisy_rows import evaluated, matrix
from dpspectra.symbolic.observed_constraints import Unsolved, system
from dpspectra.symbolic.one_path import note_calls
from dpspectra.symbolic.one_run import Run
from dpspectra.symbolic.program_lines import excerpt
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.tape import POINT, REPLAY, NotFollowed, Tape
from dpspectra.symbolic.verdict import Call, Witness

MOST = 8
"""Parts of an output that are written out."""
LONGEST = 40
"""Characters of a part that are written out."""
RARE, MOST_RARE = 1e-9, 64
"""Probability of a path up to which its output is not looked at unless it is met; paths of which one is."""
LAYOUT = ("list", "tuple", "dict", "array", "class")
"""Leaves that say how an output is built."""


def tell(it: Runner, side: int, here: Law, leaves: dict[str, Any], y: Floats, logs: tuple[float, float]) -> None:
    """Note an output of ``side`` with its log-probabilities, that on its own side first, and draws that lead to it."""
    density = any(is_noise(leaf) for leaf in leaves.values())
    in_order = logs if side == 0 else (logs[1], logs[0])
    it.found.sides[side].witness = Witness(in_words(leaves, y), in_order, density)
    wanted = key(leaves)
    paths = [(_likelihood(path, y), k) for k, path in enumerate(here.paths) if path.leaves == wanted]
    if paths:
        _tell_draws(it, side, here.paths[max(paths)[1]].run, y, logs[1] > -math.inf)


def rare_outputs(it: Runner, side: int, here: Law) -> Iterator[tuple[dict[str, Any], Floats]]:
    """Yield outputs of paths, as plain runs that are led there give them, but none that rounding may make up."""
    for r, chance in list(zip(here.runs, here.chances, strict=True))[-MOST_RARE:]:
        with contextlib.suppress(Unsolved, NotFollowed):
            z = led(r, it.rng) if chance > RARE else None
            y = r.values if r.rows is None or z is None else evaluated(r.rows, z)
            if z is not None and faithful(r, it.plain(side, r.tape, z).leaves, y) is None:
                yield r.leaves, y


def led_if_known(r: Run, rng: np.random.Generator) -> Floats | None:
    """Return draws that take the decisions of a run, if some are found."""
    with contextlib.suppress(Unsolved):
        return led(r, rng)
    return None


def _likelihood(path: Path, y: Floats) -> float:
    with contextlib.suppress(Unsolved):
        return path.at(y)[0]
    return -math.inf


def _tell_draws(it: Runner, side: int, path: Run, y: Floats, finite: bool) -> None:
    """Note what the draws of a path lose, as far as its replay on the other data set tells.

    If the loss of the output is finite, an infinite one of a path is none: other paths lead there.
    """
    try:
        replay = it.run(1 - side, mode=REPLAY, past=path.tape)
        terms = [*compared(system(path.tape), system(replay.tape)), *of_points(path.tape, replay.tape)]
    except (NotFollowed, Unsolved):
        terms = []
    known = [t for t in terms if _is_known(t, y, finite)]
    note_calls(it, known, y)
    places = {place for t in terms for place in (t.place, *t.places)}
    for place, law, scale in _drawn(path.tape):
        if place in places or not terms:
            one = Call(place, law, scale=scale, source=excerpt(place, 3, 2), alone=False)
            it.found.calls.setdefault(place, one)


def _is_known(term: Term, y: Floats, finite: bool) -> bool:
    with contextlib.suppress(Unsolved):
        loss = term.loss(y).value
        return math.isfinite(loss) or not finite
    return False


def of_points(first: Tape, second: Tape) -> list[Term]:
    """Return what points lose that have another probability on the other data set."""
    terms = []
    mine, theirs = ([e for e in tape.events if e.kind == POINT] for tape in (first, second))
    if len(mine) != len(theirs):
        raise Unsolved("the two data sets make other choices")
    for e, f in zip(mine, theirs, strict=True):
        assert e.log_probability is not None
        assert f.log_probability is not None
        loss = e.log_probability(e.outcome) - f.log_probability(e.outcome)
        if loss:
            none = np.zeros(0)
            terms.append(Term(e.place, e.law, partial(_always, Loss(loss)), abs(loss), math.inf, none, none))
    return terms


def _always(loss: Loss, y: Floats) -> Loss:
    return loss


def _drawn(tape: Tape) -> list[tuple[str, str, float]]:
    """Lines that drew on a tape, each with its law and the smallest factor of its draws in what was looked at."""
    factors = np.full(tape.size, math.inf)
    for event in tape.events:
        B = abs(matrix(event.rows, tape.size)).tocoo()
        np.minimum.at(factors, B.col[B.data > 0], B.data[B.data > 0])
    found = [
        (b.place, b.law.name, float(np.min(factors[b.start : b.start + len(b.values)], initial=math.inf)))
        for b in tape.blocks
        if b.computed is None
    ]
    return found + [(e.place, e.law, math.inf) for e in tape.events if e.kind == POINT]


def in_words(leaves: dict[str, Any], y: Floats) -> str:
    """Return an output in words: its first parts with their paths."""
    values, found, layout = iter(y), [], []
    for path, leaf in leaves.items():
        if is_noise(leaf):
            found.append(f"{path} = {next(values):.6g}")
        elif leaf[0] in LAYOUT:
            layout.append(f"{path}: {leaf[0]}")
        elif ".key" not in path:
            number = value_of(leaf)
            text = repr(_plain(leaf)) if number is None else f"{number:.6g}"
            found.append(f"{path} = {text if len(text) <= LONGEST else text[:LONGEST] + '...'}")
    more = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
    return ", ".join([*found[:MOST], *more]) or f"{layout[0]}, with nothing in it"


def _plain(leaf: Any) -> Any:
    """Return what a leaf holds; text of numpy is text."""
    return np.frombuffer(leaf[1], dtype=leaf[0]).item() if leaf[0][:2] in ("<U", ">U") else leaf[1]
