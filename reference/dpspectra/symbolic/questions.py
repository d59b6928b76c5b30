"""Questions of code about numbers that hold noise: signs, the largest, functions of looked-at numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import Noisy, made, rows_of, seen
from dpspectra.symbolic.noisy_rows import evaluated, noisy_rows, picked
from dpspectra.symbolic.number_kinds import is_whole, of_kind
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.tape import BITS, LARGEST, Event, Tape, current
from dpspectra.symbolic.whole_numbers import half_way, of_discrete


def constant(x: Any) -> Noisy:
    """Return a plain array into which noise can be written."""
    mu = np.array(x, dtype=float)
    found = made(current(), mu, np.zeros((1, *mu.shape), dtype=np.int64), np.zeros((1, *mu.shape)))
    return of_kind(found, is_whole(x), False)


def fresh(tape: Tape, first: int, shape: tuple[int, ...]) -> Noisy:
    """Return new draws, from number ``first`` on."""
    count = int(np.prod(shape))
    return made(
        tape,
        np.zeros(shape),
        np.arange(first, first + count).reshape(1, *shape),
        np.ones((1, *shape)),
    )


def signs(difference: Noisy, ties: bool = False) -> Any:
    """Whether numbers are positive, or with ``ties`` not negative: a look at those that hold noise."""
    tape, rows = current(), rows_of(difference)
    noisy = noisy_rows(rows, tape.size)
    positive = rows.mu >= 0 if ties else rows.mu > 0
    if np.any(noisy):
        asked = half_way(picked(rows, noisy), tape, ties)
        positive[noisy] = tape.look(Event(BITS, place(), asked), lambda: evaluated(asked, tape.omega()) > 0)
    return positive.reshape(difference.shape), noisy.reshape(difference.shape)


def largest(x: Noisy) -> int:
    """Index of the largest of several numbers, a look if any of them holds noise."""
    tape, rows = current(), rows_of(x)
    if np.any(of_discrete(rows, tape)):  # which may tie
        return int(np.argmax(seen(x)))
    if not np.any(noisy_rows(rows, tape.size)):
        return int(np.argmax(rows.mu))
    return int(tape.look(Event(LARGEST, place(), rows), lambda: int(np.argmax(evaluated(rows, tape.omega())))))


WRITERS = frozenset(("put", "place", "putmask", "fill_diagonal", "copyto", "put_along_axis"))
"""Functions of numpy that change their first argument."""


def called_on_numbers(function: Callable[..., Any], args: Any, options: Any) -> Any:
    """Call a function on numbers that are looked at, and write back what it changes; none may be given as a view."""
    if function.__name__ in WRITERS and any(type(a) is Noisy and not a.ndim for a in args[:1]):
        raise current().stop(f"a single number is written to at {place()}")
    plain = [seen(a) for a in args]
    named = {k: seen(v) for k, v in options.items()}
    given = [(a, p) for a, p in zip([*args, *options.values()], [*plain, *named.values()], strict=True)]
    arrays = [(a, p, p.copy()) for a, p in given if type(a) is Noisy and type(p) is np.ndarray]
    with np.errstate(all="ignore"):
        result = function(*plain, **named)
    for noisy, after, before in arrays:
        if after.tobytes() != before.tobytes():
            noisy[...] = after
    several = result if isinstance(result, (list, tuple)) else [result]
    for found in several:
        if isinstance(found, np.ndarray) and any(np.shares_memory(found, p) for _, p, _ in arrays):
            raise current().stop(f"{function.__name__} gives a view of noise that is looked at, at {place()}")
    return result


def within(x: Any) -> list[Noisy]:
    """Return the values in an argument, in lists and tuples, too."""
    if type(x) is Noisy:
        return [x]
    return [v for item in x for v in within(item)] if type(x) in (list, tuple) else []
