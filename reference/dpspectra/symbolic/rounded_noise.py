"""Numbers that hold noise, rounded: whole numbers with a law of their own, which is that of the cells of the noise.

They stay symbolic as long as nobody looks. Where a plain whole number must be given, or rounding is decided at once,
each whole number has the probability of an interval, so rounding is a decision.
"""

import dis
import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.laws import BESSEL
from dpspectra.symbolic.noisy_numbers import Noisy, made, rows_of, seen
from dpspectra.symbolic.noisy_rows import evaluated, picked
from dpspectra.symbolic.number_kinds import KINDS, of_kind
from dpspectra.symbolic.origins import Origin, law_of
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.rounded_laws import ROUNDING, RoundedLaw, rounded_law
from dpspectra.symbolic.tape import WHOLE, Event, Rows, Tape, current
from dpspectra.symbolic.whole_numbers import are_whole

MOST_DIGITS = 12
"""Decimals that are rounded to."""
LARGEST = 1e8
"""Size of numbers that are rounded: the cells of larger ones are too narrow for the precision of floats."""
MOST_ROUNDED, MOST_AT_ONCE = 1000, 100
"""Numbers that are rounded one by one, and those that are decided."""


def rounded(x: Noisy, way: str, plain: bool = False) -> Any:
    """Return the whole numbers that numbers round to; ``None`` where it is of no use.

    It is of use for numbers with one continuous draw each. They stay symbolic unless they must be ``plain``: then there
    is a look at each that holds noise.
    """
    tape, rows = current(), rows_of(x)
    plain = plain or tape.at_once
    whole = are_whole(rows, tape)
    used = np.where(whole, 0, np.count_nonzero(rows.coefficient, axis=0))
    sizes = np.abs(rows.mu) + 64 * np.sum(np.abs(rows.coefficient), axis=0)
    if np.any(sizes[used == 1] > LARGEST):
        return None
    if x.size > (MOST_AT_ONCE if plain else MOST_ROUNDED) or np.any(used > 1) or not np.all(np.isfinite(rows.mu)):
        return None
    if plain and np.any(whole):
        return None
    noisy = np.flatnonzero(used == 1)
    slots = np.argmax(rows.coefficient != 0, axis=0)
    blocks = [law_of(tape, int(rows.draw[slots[k], k])) for k in noisy]
    if any(b.law.discrete or b.law.joint is not None for b in blocks):
        return None
    if plain or any(b.law is BESSEL for b in blocks):
        return _at_once(x, way, rows, noisy)
    mu, draw, coefficient = (part.copy() for part in (rows.mu, rows.draw, rows.coefficient))
    free = used == 0
    mu[free & ~whole] = ROUNDING[way][0](mu[free & ~whole])
    for k, block in zip(noisy, blocks, strict=True):
        slot = slots[k]
        j, place_, scale = int(draw[slot, k]), float(mu[k]), float(coefficient[slot, k])
        law = rounded_law(block.law, way, place_, scale)
        origin = _origin(law, j)
        value = np.array([origin.forward(block.values[j - block.start])])
        mu[k], draw[slot, k], coefficient[slot, k] = 0.0, tape.block(law, value, origin), 1.0
        tape.blocks[-1].place = block.place
    tape.rounded = True
    shape = x.shape
    return made(tape, mu.reshape(shape), draw.reshape(-1, *shape), coefficient.reshape(-1, *shape))


def _origin(law: RoundedLaw, root: int) -> Origin:
    function, _ = ROUNDING[law.way]

    def forward(value: Any) -> float:
        return float(function(law.at + law.scale * value))

    def backward(edge: float) -> tuple[float, ...]:
        """Return where what rounds to more than an edge between whole numbers ends; of one, a draw that gives it."""
        if abs(edge - round(edge)) > 0.25:
            return ((ROUNDING[law.way][1](int(np.floor(edge)))[1] - law.at) / law.scale,)
        low, high = law.cell(round(edge))
        low, high = max(low, law.root.support[0]), min(high, law.root.support[1])
        return (low + (high - low) / 2,)

    return Origin(("rounded", law.way, law.at, law.scale), (root,), forward, backward, law.scale > 0)


def _at_once(x: Noisy, way: str, rows: Rows, noisy: Any) -> Any:
    """Decide what each number rounds to."""
    tape = current()
    function, edges = ROUNDING[way]
    found = function(rows.mu)
    for k in noisy:
        asked = picked(rows, [k])
        event = Event(WHOLE, place(), asked, edges=edges)
        found[k] = tape.look(event, functools.partial(_outcome, function, asked, tape))
    return found.reshape(x.shape)[()]


def _outcome(function: Callable[[Any], Any], asked: Rows, tape: Tape) -> int:
    return int(function(evaluated(asked, tape.omega()))[0])


def _whole(x: Noisy) -> int:
    frame: Any = sys._getframe(1)
    if dis.opname[frame.f_code.co_code[frame.f_lasti]] == "STORE_SUBSCR":  # what a list or dictionary never asks for
        current().hints.add(f"noise is written into an array of whole numbers at {place()}, and rounded at once")
    whole = rounded(x, "trunc", plain=True) if not x.ndim else None
    return int(seen(x) if whole is None else whole)


def _round(x: Noisy, digits: Any = None) -> Any:
    if x.ndim or x.whole:
        return x if x.whole and digits is None and not x.ndim else round(seen(x), digits)
    if type(digits) not in (int, type(None)):
        return round(seen(x), digits)
    whole = to_digits(x, digits) if digits else rounded(x, "rint")
    if type(whole) is Noisy:
        return of_kind(whole, digits is None, digits is None or x.python)
    return round(seen(x), digits) if whole is None else _plain(whole, digits, x)


def _plain(whole: Any, digits: Any, x: Noisy) -> Any:
    """Return a number that was rounded at once, of the kind that ``round`` gives."""
    return int(whole) if digits is None else KINDS[False, x.python](whole)


def whole_part(x: Noisy) -> Any:
    """Return a single number without its fraction, as a whole number of Python."""
    return _to("trunc")(x)


def to_digits(x: Noisy, digits: Any) -> Noisy | None:
    """Return numbers rounded to some decimals, as multiples of whole numbers; ``None`` where that is of no use."""
    if current().at_once or type(digits) is not int or abs(digits) > MOST_DIGITS:
        return None
    whole = rounded(x * 10.0**digits, "rint")
    return whole / 10.0**digits if type(whole) is Noisy else None


def _to(way: str) -> Callable[[Noisy], Any]:
    def called(x: Noisy) -> Any:
        if x.whole:
            return of_kind(x.copy(), True, True)
        whole = rounded(x, way)
        if type(whole) is Noisy:
            return of_kind(whole, True, True)
        return int(ROUNDING[way][0](seen(x)) if whole is None else whole)

    return called


for _name in ("floor", "ceil", "trunc"):
    setattr(Noisy, f"__{_name}__", _to(_name))
Noisy.__int__ = _whole  # type: ignore[attr-defined]
Noisy.__index__ = lambda x: operator.index(seen(x))  # type: ignore[attr-defined]
Noisy.__round__ = _round  # type: ignore[attr-defined]
