"""Roots, the numbers that functions of noise are computed from: looked at, or released in their place.

A question about a number of a function looks at its roots. At the output the roots are released instead. A release that
holds the output and more loses at least as much, so that a bound explains it, and nothing refutes it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import PROTOCOLS, Noisy, raw_rows
from dpspectra.symbolic.noisy_rows import evaluated, joined, picked
from dpspectra.symbolic.questions import within
from dpspectra.symbolic.tape import NO_ROWS, REPLAY, VALUE, Event, OtherQuestions, Rows, Tape, current, is_decision


def shown(rows: Rows, tape: Tape) -> list[Any]:
    """Return what is plain in each row: all but the numbers that hold noise of draws, which are looked at."""
    mask = _functions(tape)
    found: list[Any] = []
    for k in range(len(rows)):
        used = rows.coefficient[:, k] != 0
        draws = rows.draw[used, k]
        if not len(draws):
            found.append(float(rows.mu[k]).hex())
        elif mask[draws[0]]:
            of = [_named(int(j), tape) for j in draws]
            found.append((float(rows.mu[k]).hex(), *zip(of, rows.coefficient[used, k].tolist(), strict=True)))
        else:
            found.append("noise")
    return found


def _named(draw: int, tape: Tape) -> tuple[bytes, int]:
    one = next(f for f in tape.functions if f.start <= draw < f.start + f.count)
    return one.key, draw - one.start


def _functions(tape: Tape) -> Any:
    """Which draws are numbers of functions."""
    mask = np.zeros(tape.size + 1, dtype=bool)
    for f in tape.functions:
        mask[f.start : f.start + f.count] = True
    return mask


def of_functions(rows: Rows, tape: Tape) -> tuple[Any, Any]:
    """Which rows hold numbers of functions, and which hold other noise."""
    used, mask = rows.coefficient != 0, _functions(tape)[rows.draw]
    return np.any(used & mask, axis=0), np.any(used & ~mask, axis=0)


def mixed(rows: Rows, tape: Tape) -> bool:
    """Whether a row holds a number of a function, and other noise."""
    return bool(tape.functions) and bool(np.any(np.logical_and(*of_functions(rows, tape))))


def used_in(rows: Rows, tape: Tape) -> tuple[int, ...]:
    """Return the functions whose numbers are in rows."""
    draws = rows.draw[rows.coefficient != 0]
    spans = enumerate(tape.functions)
    return tuple(k for k, f in spans if np.any((draws >= f.start) & (draws < f.start + f.count)))


def holds_functions(values: Sequence[Any]) -> bool:
    """Whether a value holds numbers of functions."""
    tape = current()
    return bool(tape.functions) and any(used_in(raw_rows(v), tape) for v in within(list(values)))


def _with_theirs(used: Sequence[int], tape: Tape) -> list[int]:
    """Return functions with all that their arguments are computed from, those first."""
    found: dict[int, None] = {}
    for k in used:
        found |= dict.fromkeys([*_with_theirs(tape.functions[k].uses, tape), k])
    return list(found)


def _roots(used: Sequence[int], tape: Tape) -> tuple[Rows, list[int]]:
    """Return the numbers that hold noise of draws among the arguments of functions, each once, and which each is."""
    several = []
    for k in used:
        rows = tape.functions[k].rows
        several.append(picked(rows, ~of_functions(rows, tape)[0]))
    whole = joined(several) if several else NO_ROWS
    first: dict[bytes, int] = {}
    which: list[int] = []
    for k in range(len(whole)):
        filled = whole.coefficient[:, k] != 0
        parts = whole.mu[k : k + 1], whole.draw[filled, k], whole.coefficient[filled, k]
        which.append(first.setdefault(b"".join(part.tobytes() for part in parts), k))
    return picked(whole, list(first.values())), which


def settled(x: Noisy) -> None:
    """Look at what numbers of functions are computed from; they are plain from then on, in all views."""
    tape = current()
    rows = raw_rows(x)
    used = used_in(rows, tape)
    if not used:
        return
    new = [k for k in _with_theirs(used, tape) if not tape.functions[k].known]
    asked, _ = _roots(new, tape)
    if len(asked):
        tape.look(Event(VALUE, tape.functions[new[-1]].where, asked), lambda: evaluated(asked, tape.omega()))
    for k in new:
        tape.functions[k].known = True
    at, mask = x.at.ravel(), _functions(tape)[rows.draw] & (rows.coefficient != 0)
    values = np.concatenate([*(b.values for b in tape.blocks), [0.0]])
    x.store.mu[at] += np.where(mask, rows.coefficient * np.where(mask, values[rows.draw], 0.0), 0.0).sum(axis=0)
    x.store.coefficient[:, at] = np.where(mask, 0.0, rows.coefficient)


def settle_output(noisy: Sequence[Noisy]) -> bool:
    """Look at what an output is computed from if that is no whole law: beside values, or beside other noise."""
    tape = current()
    if not any(used_in(raw_rows(x), tape) for x in noisy):
        return False
    if all(is_decision(e) for e in tape.events) and not any(mixed(raw_rows(x), tape) for x in noisy):
        return False
    for x in noisy:
        settled(x)
    return True


def as_known(x: Noisy) -> None:
    """Put in the numbers of functions whose roots were looked at."""
    tape = current()
    if tape.functions and all(tape.functions[k].known for k in used_in(raw_rows(x), tape)):
        settled(x)


def released(rows: Rows) -> Rows:
    """Return the roots of the numbers of functions in an output. A replay must release the same functions of them."""
    tape = current()
    used = _with_theirs(used_in(rows, tape), tape)
    if not used:
        return NO_ROWS
    found, which = _roots(used, tape)
    tape.released = repr((shown(rows, tape), which))
    if tape.mode == REPLAY and (tape.past is None or tape.past.released != tape.released):
        raise tape.stop("the two data sets release other functions of noise", OtherQuestions)
    return found


PROTOCOLS["settled"], PROTOCOLS["as known"] = settled, as_known
