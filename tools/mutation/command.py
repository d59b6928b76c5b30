"""The command ``python -m tools.mutation`` (called by ``make mutants``): mutation testing of the checks.

It plants small faults in temporary copies of the package, runs the checks on each copy and lists the faults that no
check noticed; the working tree is never changed. Keep the exit status (1 if a fault survives) and the keys of the
``--json`` rows. With a file of results a campaign that was interrupted is resumed.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dpspectra import cli
from dpspectra.commands.arguments import argument, count, option, seed
from dpspectra.commands.options import Told
from dpspectra.ground.progress import progress
from dpspectra.ledger import papers
from dpspectra.ledger.registry import get
from dpspectra.report import command_output, files
from tools.mutation import results
from tools.mutation.campaign import Mutant, lemma_mutants, room_mutants
from tools.mutation.rooms import rooms
from tools.mutation.trial import Result, Trial
from tools.mutation.trial import run as tried

DESCRIPTION = "Plant small faults in the sources and see whether the checks notice. It works on copies."


@dataclass(frozen=True, slots=True, kw_only=True)
class MutateRequest(Told):
    """Options of ``python -m tools.mutation``."""

    names: tuple[str, ...] = argument("statements that get faults (default: all)", "LABEL|CHAPTER", default=())
    rooms: tuple[str, ...] = option(
        "rooms that get faults, such as mechanisms; each fault meets two minutes of tests at most, the quickest",
        "ROOM",
        default=(),
    )
    number: int = option("faults (default: %(default)d)", "N", type=count, default=30)
    seed: int = option("which faults (default: %(default)d)", "N", type=seed, default=0)
    jobs: int = option("faults tried at a time (default: %(default)d)", "N", type=count, default=1)
    results: Path | None = option("adds results, takes those it holds, to resume", "FILE")
    survivors: bool = option("try again what no check of --results noticed")
    tests: Path = option("the test suite, for rooms (default: %(default)s)", "FOLDER", default=Path("tests"))


def parser() -> argparse.ArgumentParser:
    """Return the grammar of the command."""
    mutate = argparse.ArgumentParser("python -m tools.mutation", description=DESCRIPTION, allow_abbrev=False)
    mutate.set_defaults(run=lambda args: run(MutateRequest.of(args)), called="mutation")
    MutateRequest.declare(mutate)
    return mutate


def main(argv: Sequence[str] | None = None) -> int:
    """Read the command line, run, and return the exit status."""
    return cli.answer(parser().parse_args(argv))


def run(asked: MutateRequest) -> int:
    """Plant faults and print what became of them; return 1 if any survives, else 0.

    A fault that ``equivalents.csv`` lists as changing nothing does not count as a survivor. Raises ``ValueError`` for
    unknown names, and if the checks already fail before a fault is planted.
    """
    files.check_outputs(asked.results)
    if asked.survivors and (asked.results is None or not asked.results.exists()):
        raise ValueError(f"results must be the file of an earlier run to try its survivors, got {asked.results}")
    mutants = _chosen(asked)
    done = {} if asked.results is None else {t.mutant: t for t in results.read(asked.results, mutants)}
    if asked.survivors:
        mutants = [mutant for mutant in mutants if mutant in done and done[mutant].result is not Result.NOTICED]
        done = {}
    with progress(total=len(mutants), description="mutate") as bar:
        for trial in done.values():
            bar.advance(str(trial.mutant.path))

        def announce(trial: Trial) -> None:
            bar.advance(str(trial.mutant.path))
            if asked.results is not None:
                results.append(asked.results, trial)
            if (
                asked.json != command_output.STDOUT
                and trial.result is not Result.NOTICED
                and not results.excused(trial)
            ):
                bar.write(f"{trial.result.value}: {trial.mutant}" + (f", {trial.said}" if trial.said else ""))

        left = [mutant for mutant in mutants if mutant not in done]
        trials = [*done.values(), *(tried(left, asked.tests.resolve(), asked.jobs, announce) if left else [])]
    command_output.say(asked.json, results.report(trials))
    command_output.put(asked.json, lambda: json.dumps([results.row(trial) for trial in trials], indent=1))
    return int(any(trial.result is Result.SURVIVED and not results.excused(trial) for trial in trials))


def _chosen(asked: MutateRequest) -> list[Mutant]:
    there = rooms() if asked.rooms else []
    for room in asked.rooms:
        if room not in there:
            outer = ", ".join(each for each in there if "/" not in each)
            raise ValueError(f"rooms must be among {outer} or lie in one, as audit/betting does, got {room!r}")
    if asked.rooms and not asked.tests.is_dir():
        raise ValueError(f"tests must be the folder of the test suite, got {asked.tests}")
    wanted = papers.select(list(asked.names))
    share = asked.number // 2 if asked.rooms and asked.names else asked.number
    mutants = room_mutants(asked.rooms, share, asked.seed) if asked.rooms else []
    if asked.names or not asked.rooms:
        entries = dict.fromkeys(get(label.label) for label in wanted)
        mutants += lemma_mutants(entries, asked.number - len(mutants), asked.seed)
    return mutants
