"""The line by which noise has one scale on one data set, and another on the other."""

from typing import Any

import numpy as np

from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.runner import Runner
from dpspectra.symbolic.tape import REPLAY, NotFollowed
from dpspectra.symbolic.verdict import STRETCHED


def scaled_at(it: Runner) -> str | None:
    """Return the first place that multiplies or divides noise by another number on the other data set, if one is found.

    It is looked for where scales differ. Runs whose places differ, too, are not compared any further.
    """
    if all(call.stretch <= 1 + STRETCHED for call in it.found.calls.values()):
        return None
    try:
        record = it.run(0, scalings=[])
        replay = it.run(1, mode=REPLAY, past=record.tape, scalings=[])
    except (NotFollowed, Unsolved):
        return None
    for (where, mine), (there, theirs) in zip(_of(record), _of(replay), strict=False):
        if where != there:
            return None
        if not all(map(np.array_equal, mine, theirs)):
            return where
    return None


def _of(run: Any) -> list[tuple[str, list[Any]]]:
    return run.tape.scalings or []
