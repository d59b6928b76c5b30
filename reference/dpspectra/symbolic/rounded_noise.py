"""Numbers that hold noise, rounded: each whole number has the probability of an interval, so rounding is a decision."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.symbolic.noisy_numbers import Noisy, rows_of, seen
from dpspectra.symbolic.noisy_rows import evaluated, picked
from dpspectra.symbolic.tape import WHOLE, Event, Rows, Tape, current, place

MOST_ROUNDED = 100
"""Numbers that are rounded one by one."""
ROUNDING: dict[str, tuple[Callable[[Any], Any], Callable[[int], tuple[float, float]]]] = {
    "floor": (np.floor, lambda k: (k, k + 1)),
    "ceil": (np.ceil, lambda k: (k - 1, k)),
    "rint": (np.rint, lambda k: (k - 0.5, k + 0.5)),
    "trunc": (np.trunc, lambda k: (k - (k <= 0), k + (k >= 0))),
}
"""Ways of rounding, each with the interval that rounds to a whole number."""


def rounded(x: Noisy, way: str) -> Any:
    """Return the whole numbers that numbers round to, a look at each that holds noise; ``None`` where it is of no use.

    It is of use for numbers with one continuous draw each.
    """
    tape, rows = current(), rows_of(x)
    used = np.count_nonzero(rows.coefficient, axis=0)
    if x.size > MOST_ROUNDED or np.any(used > 1) or not np.all(np.isfinite(rows.mu)):
        return None
    noisy = used == 1
    draws = rows.draw[np.argmax(rows.coefficient != 0, axis=0), np.arange(x.size)][noisy]
    discrete = [b for b in tape.blocks if b.law.discrete]
    if any(np.any((draws >= b.start) & (draws < b.start + len(b.values))) for b in discrete):
        return None
    function, edges = ROUNDING[way]
    found = function(rows.mu)
    for k in np.flatnonzero(noisy):
        asked = picked(rows, [k])
        event = Event(WHOLE, place(), asked, edges=edges)
        found[k] = tape.look(event, functools.partial(_outcome, function, asked, tape))
    return found.reshape(x.shape)[()]


def _outcome(function: Callable[[Any], Any], asked: Rows, tape: Tape) -> int:
    return int(function(evaluated(asked, tape.omega()))[0])


def _whole(x: Noisy) -> int:
    whole = rounded(x, "trunc") if not x.ndim else None
    return int(seen(x) if whole is None else whole)


def _round(x: Noisy, digits: int | None = None) -> Any:
    whole = rounded(x, "rint") if not digits and not x.ndim else None
    return round(seen(x) if whole is None else whole, digits)


for _name in ("floor", "ceil"):
    setattr(Noisy, f"__{_name}__", lambda self, way=_name: int(getattr(np, way)(self)))
Noisy.__int__ = Noisy.__trunc__ = _whole  # type: ignore[attr-defined]
Noisy.__round__ = _round  # type: ignore[attr-defined]
