"""Results of a campaign on disk, one line of JSON each, so that it can be resumed; and what they amount to.

A line is written when its fault has been tried. A fault is known again by file, line, place and edit: whoever changes
the sources begins a new file.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tools.mutation.campaign import Mutant
from tools.mutation.excuses import excuse
from tools.mutation.trial import Result, Trial

NORMAL = 1.959963984540054
"""Quantile of the normal law for intervals of 95 %."""


def row(trial: Trial) -> dict[str, Any]:
    """Return a trial as JSON-ready data; whoever reads campaigns relies on the keys."""
    return {
        "file": trial.mutant.path.as_posix(),
        "lines": [one.line for one in trial.mutant.edits],
        "where": trial.mutant.where,
        "edit": str(trial.mutant.edits[0]),
        "result": trial.result.value,
        "excuse": excuse(trial.mutant),
        "seconds": round(trial.seconds, 2),
        "said": trial.said,
    }


def key(mutant: Mutant) -> str:
    """Return what a fault is known by."""
    return str(mutant)


def read(path: Path, mutants: Iterable[Mutant]) -> list[Trial]:
    """Return the trials of these mutants that a file holds, the last one of each; none if there is no file."""
    if not path.exists():
        return []
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    found = {line["key"]: line for line in lines}
    return [
        Trial(mutant, Result(line["result"]), line["seconds"], line["said"])
        for mutant in mutants
        if (line := found.get(key(mutant))) is not None
    ]


def append(path: Path, trial: Trial) -> None:
    """Add a trial to a file, in a folder that is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        print(json.dumps({"key": key(trial.mutant), **row(trial)}), file=file, flush=True)


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's interval of 95 % for a share.

    >>> [round(end, 3) for end in wilson(95, 100)]
    [0.888, 0.978]
    """
    if not of:
        return 0.0, 1.0
    share, square = count / of, NORMAL**2 / of
    middle, half = share + square / 2, NORMAL * math.sqrt(share * (1 - share) / of + square / (4 * of))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


def report(trials: Iterable[Trial]) -> str:
    """Return how many faults were noticed, excused, late and missed, and the share of those that are not excused."""
    counts = Counter("excused" if excused(trial) else trial.result.value for trial in trials)
    return "\n".join([_line(counts), _shares(counts)])


def excused(trial: Trial) -> bool:
    """Whether a fault was missed, and is known to change nothing."""
    return trial.result is Result.SURVIVED and excuse(trial.mutant) is not None


def _line(counts: Mapping[str, int]) -> str:
    return (
        f"{sum(counts.values())} faults: {counts['noticed']} noticed, {counts['excused']} known to change nothing, "
        f"{counts['time-out']} ran out of time, {counts['survived']} survived"
    )


def _shares(counts: Mapping[str, int]) -> str:
    judged, told = counts["noticed"] + counts["survived"], []
    for name, count, of in (
        ("noticed of what is judged and not excused", counts["noticed"], judged),
        ("excused of all", counts["excused"], sum(counts.values())),
    ):
        low, high = wilson(count, of)
        told.append(f"{name}: {count} of {of}, between {100 * low:.1f} % and {100 * high:.1f} % (Wilson, 95 %)")
    return "\n".join(told)
