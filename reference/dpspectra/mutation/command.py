"""The command ``dpspectra mutate`` (called by `dpspectra.cli` and ``make mutants``): mutation testing of the checks.

It plants small faults in temporary copies of the package, runs the checks on each copy and lists the faults that no
check noticed; the working tree is never changed. Keep the exit status (1 if a fault survives) and the keys of the
``--json`` rows. ``equivalents.csv`` excuses faults that change nothing, by file, function and text of the edit without
its line: one row excuses every equal edit in that function.
"""

from __future__ import annotations

import csv
import functools
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from dpspectra.ground.progress import progress
from dpspectra.ledger import papers
from dpspectra.ledger.registry import get
from dpspectra.mutation.campaign import Mutant, lemma_mutants, room_mutants
from dpspectra.mutation.rooms import rooms
from dpspectra.mutation.trial import Trial
from dpspectra.mutation.trial import run as tried


@dataclass(frozen=True, slots=True, kw_only=True)
class MutateRequest:
    """What ``dpspectra mutate`` was asked for."""

    names: tuple[str, ...]
    """Labels and chapters whose modules get faults; if neither these nor ``rooms`` are given, every label."""
    rooms: tuple[str, ...]
    """Rooms whose modules get faults, judged by the test suite."""
    number: int
    """Largest number of faults to plant."""
    seed: int
    tests: Path
    """Folder of the test suite, for faults in rooms."""
    jobs: int
    """Mutants tried at the same time."""
    json: bool


def run(request: MutateRequest) -> int:
    """Plant faults and print what became of them; return 1 if any survives, else 0.

    A fault that ``equivalents.csv`` lists as changing nothing does not count as a survivor. Raises ``ValueError`` for
    unknown names, and if the checks already fail before a fault is planted.
    """
    mutants = _chosen(request)
    with progress(total=len(mutants), description="mutate") as bar:

        def announce(trial: Trial) -> None:
            bar.advance(str(trial.mutant.path))
            if not request.json and not trial.noticed and known(trial.mutant) is None:
                bar.write(f"survived: {trial.mutant}" + (f", {trial.said}" if trial.said else ""))

        trials = tried(mutants, request.tests.resolve(), request.jobs, announce)
    survivors = [trial.mutant for trial in trials if not trial.noticed and known(trial.mutant) is None]
    if request.json:
        print(json.dumps([_row(trial) for trial in trials], indent=1))
    else:
        equal = sum(not trial.noticed for trial in trials) - len(survivors)
        noticed = len(trials) - equal - len(survivors)
        print(f"{len(trials)} faults: {noticed} noticed, {equal} known to change nothing, {len(survivors)} survived")
    return int(bool(survivors))


def _chosen(request: MutateRequest) -> list[Mutant]:
    there = rooms() if request.rooms else []
    for room in request.rooms:
        if room not in there:
            outer = ", ".join(each for each in there if "/" not in each)
            raise ValueError(f"rooms must be among {outer} or lie in one, as audit/betting does, got {room!r}")
    if request.rooms and not request.tests.is_dir():
        raise ValueError(f"tests must be the folder of the test suite, got {request.tests}")
    wanted = papers.select(list(request.names))
    share = request.number // 2 if request.rooms and request.names else request.number
    mutants = room_mutants(request.rooms, share, request.seed) if request.rooms else []
    if request.names or not request.rooms:
        entries = dict.fromkeys(get(label.label) for label in wanted)
        mutants += lemma_mutants(entries, request.number - len(mutants), request.seed)
    return mutants


@functools.cache
def _equivalents() -> dict[tuple[str, str, str], str]:
    """Reasons why faults change nothing, by file, function and edit."""
    text = resources.files("dpspectra.mutation").joinpath("equivalents.csv").read_text(encoding="utf-8")
    return {(row["file"], row["function"], row["edit"]): row["reason"] for row in csv.DictReader(text.splitlines())}


def known(mutant: Mutant) -> str | None:
    """Return why a fault is known to change nothing, if it is."""
    first = mutant.edits[0]
    return _equivalents().get((mutant.path.as_posix(), first.function, str(first)))


def _row(trial: Trial) -> dict[str, object]:
    edit = trial.mutant.edits[0]
    return {
        "file": trial.mutant.path.as_posix(),
        "lines": [one.line for one in trial.mutant.edits],
        "where": trial.mutant.where,
        "edit": str(edit),
        "noticed": trial.noticed,
        "equivalent": known(trial.mutant),
        "seconds": round(trial.seconds, 2),
        "said": trial.said,
    }
