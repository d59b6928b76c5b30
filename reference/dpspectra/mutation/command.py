"""The command ``dpspectra mutate`` (called by `dpspectra.cli` and ``make mutants``): mutation testing of the checks.

It plants small faults in temporary copies of the package, runs the checks on each copy and lists the faults that no
check noticed; the working tree is never changed. Keep the exit status (1 if a fault survives) and the keys of the
``--json`` rows. With a file of results a campaign that was interrupted is resumed.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from dpspectra.ground.progress import progress
from dpspectra.ledger import papers
from dpspectra.ledger.registry import get
from dpspectra.mutation import results
from dpspectra.mutation.campaign import Mutant, lemma_mutants, room_mutants
from dpspectra.mutation.rooms import rooms
from dpspectra.mutation.trial import Result, Trial
from dpspectra.mutation.trial import run as tried
from dpspectra.report import answers, files


@dataclass(frozen=True, slots=True, kw_only=True)
class MutateRequest:
    """Request to ``dpspectra mutate``."""

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
    json: Path | None
    results: Path | None = None
    """File to which results are added, and from which those that it holds are taken."""
    survivors: bool = False
    """Whether to try again what survived or ran out of time in an earlier run; needs its ``results``."""


def run(request: MutateRequest) -> int:
    """Plant faults and print what became of them; return 1 if any survives, else 0.

    A fault that ``equivalents.csv`` lists as changing nothing does not count as a survivor. Raises ``ValueError`` for
    unknown names, and if the checks already fail before a fault is planted.
    """
    files.check_outputs(request.results)
    if request.survivors and (request.results is None or not request.results.exists()):
        raise ValueError(f"results must be the file of an earlier run to try its survivors, got {request.results}")
    mutants = _chosen(request)
    done = {} if request.results is None else {t.mutant: t for t in results.read(request.results, mutants)}
    if request.survivors:
        mutants = [mutant for mutant in mutants if mutant in done and done[mutant].result is not Result.NOTICED]
        done = {}
    with progress(total=len(mutants), description="mutate") as bar:
        for trial in done.values():
            bar.advance(str(trial.mutant.path))

        def announce(trial: Trial) -> None:
            bar.advance(str(trial.mutant.path))
            if request.results is not None:
                results.append(request.results, trial)
            if request.json != answers.STDOUT and trial.result is not Result.NOTICED and not results.excused(trial):
                bar.write(f"{trial.result.value}: {trial.mutant}" + (f", {trial.said}" if trial.said else ""))

        left = [mutant for mutant in mutants if mutant not in done]
        trials = [*done.values(), *(tried(left, request.tests.resolve(), request.jobs, announce) if left else [])]
    answers.say(request.json, results.report(trials))
    answers.put(request.json, lambda: json.dumps([results.row(trial) for trial in trials], indent=1))
    return int(any(trial.result is Result.SURVIVED and not results.excused(trial) for trial in trials))


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
