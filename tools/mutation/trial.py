"""Run the checks that concern a mutant on a copy of the package that holds it.

A mutant of an entry of the ledger is checked by verifying that entry. A mutant of a room (a module or folder of the
package, such as ``mechanisms``) is checked by the tests of the room that enter the function with the fault, the
quickest first and as many as `BUDGET` allows. A run without a fault records which tests enter what, and their times.

`tools.mutation.command` uses `run` and `Trial`. A mutant of a room meets only the tests that lie at the path of
the room, and those of the whole (`rooms`), then the statements that use the function. A check that reaches its time
limit has noticed nothing and passed nothing.
"""

import bisect
import enum
import importlib.util
import itertools
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from dpspectra.ledger import notes
from tools.mutation.campaign import PACKAGE, Mutant
from tools.mutation.rooms import WHOLE, guards

EXAMPLES = 20
"""Cases tried for each entry, besides its tight instances; as many as the entry asks for if these show nothing."""
SECONDS = 120.0
"""Longest time for the checks of one mutant of an entry."""
PATIENCE = 10.0
"""Factor on this time for checks without a fault, which a busy machine must not make fail."""
SLOWER = 5.0
"""Factor on the time of a test without a fault; this and `START` are its longest time with a mutant of a room."""
START = 60.0
"""Seconds; a test may be the first to use what another one set up while they were recorded."""
BUDGET = 120.0
"""Seconds that the tests of one mutant of a room may have taken together without a fault; the quickest are run."""


class Result(enum.StrEnum):
    """Answers of the checks about a fault."""

    NOTICED = "noticed"
    SURVIVED = "survived"
    TIMEOUT = "time-out"
    """They gave no answer within their time."""


@dataclass(frozen=True, slots=True)
class Trial:
    """Fate of a mutant."""

    mutant: Mutant
    result: Result
    seconds: float
    said: str
    """The test that failed, or the last line that the checks printed, and how many tests a survivor in a room met."""


class ControlFailed(ValueError):
    """The checks fail on the package without a fault, so what they say of a mutant means nothing."""


@dataclass(frozen=True, slots=True)
class Checks:
    """A program that exits with 0 if nothing is amiss, and how long it may take."""

    arguments: tuple[str, ...]
    """Arguments of the interpreter."""
    limit: float
    """Time in seconds."""
    thorough: tuple[str, ...] = ()
    """Arguments for a mutant that shows nothing at first, if it is then looked at again."""
    extent: str = ""
    """How many of the tests that concern the mutant these are, to be said of a survivor."""


def run(
    mutants: Sequence[Mutant],
    tests: Path | None = None,
    jobs: int = 1,
    announce: Callable[[Trial], None] = lambda trial: None,
) -> list[Trial]:
    """Try the mutants, ``jobs`` at a time; ``tests`` is the folder of the test suite, needed for those of a room.

    The checks are first run on the package as it is; `ControlFailed` where they fail there.
    """
    if any(not mutant.labels for mutant in mutants) and tests is None:
        raise ValueError("tests must be the folder of the test suite to try mutants of a room, got None")
    with _Workshop(jobs) as shop, ThreadPoolExecutor(jobs) as pool:
        rooms = _records(shop, {m.where for m in mutants if not m.labels}, Path(tests or ""))
        checks = [_verification(m) if m.labels else rooms[m.where].concerned(m) for m in mutants]
        controls = dict.fromkeys(check for check, mutant in zip(checks, mutants, strict=True) if mutant.labels)
        patient = (replace(control, limit=PATIENCE * control.limit) for control in controls)
        for control, (result, said) in zip(controls, pool.map(shop.checked, patient), strict=True):
            if result is not Result.SURVIVED:
                raise ControlFailed(f"the checks fail without a fault: {' '.join(control.arguments)}: {said}")
        trials = []
        for trial in pool.map(shop.tried, mutants, checks):
            trials.append(trial)
            announce(trial)
    return trials


class _Workshop:
    """A copy of the package, and processes that run checks on copies of that.

    What runs on the package without a fault compiles it, so that it is not compiled again for each mutant.
    """

    def __init__(self, jobs: int) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.whole = _place(self.folder.name)
        self.idle: queue.SimpleQueue[_Server] = queue.SimpleQueue()
        self.servers = [_Server() for _ in range(jobs)]

    def __enter__(self) -> Self:
        shutil.copytree(PACKAGE, self.whole)
        for server in self.servers:
            self.idle.put(server)
        return self

    def __exit__(self, *_: object) -> None:
        for server in self.servers:
            server.close()
        self.folder.cleanup()

    def tried(self, mutant: Mutant, checks: Checks) -> Trial:
        start = time.monotonic()
        result, said = self.checked(checks, mutant)
        if result is Result.SURVIVED and checks.thorough:
            result, said = self.checked(replace(checks, arguments=checks.thorough), mutant)
        said = checks.extent + said if result is Result.SURVIVED else said
        return Trial(mutant, result, time.monotonic() - start, said)

    def checked(self, checks: Checks, mutant: Mutant | None = None) -> tuple[Result, str]:
        """Run checks on the package as it is, or with a fault; what they say of it, and their last line."""
        server = self.idle.get()
        try:
            if mutant is None:
                return server.result(self.whole.parent, checks)
            with tempfile.TemporaryDirectory() as folder:
                copy = _place(folder)
                shutil.copytree(self.whole, copy, copy_function=os.link)
                source = copy / mutant.path
                source.unlink()  # it is one file with that of the whole
                source.write_text(mutant.source(self.whole), encoding="utf-8")
                Path(importlib.util.cache_from_source(str(source))).unlink(missing_ok=True)
                return server.result(copy.parent, checks)
        finally:
            self.idle.put(server)


def _place(folder: str) -> Path:
    """Return where a copy of the package goes; the notes of a checkout are linked where the copy looks for them."""
    place = Path(folder) / "reference" / PACKAGE.name
    if isinstance(there := notes.folder(), Path) and not there.is_relative_to(PACKAGE):
        (place.parents[1] / there.name).symlink_to(there)
    return place


class _Server:
    """A process that has imported what all checks need, and forks for each of them (`tools.mutation.server`)."""

    def __init__(self) -> None:
        command = [sys.executable, str(Path(__file__).with_name("server.py"))]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def result(self, folder: Path, checks: Checks) -> tuple[Result, str]:
        """Run a program in a folder; how it ends, and the test that it names as failed or its last line."""
        print(json.dumps([str(folder), checks.arguments]), file=self.process.stdin, flush=True)
        fork, late = self._answer(), threading.Event()

        def stop() -> None:
            late.set()
            os.killpg(fork, signal.SIGKILL)

        timer = threading.Timer(checks.limit, stop)
        timer.start()
        code = self._answer()
        timer.cancel()
        if late.is_set():
            return Result.TIMEOUT, f"no answer in {checks.limit:g} s"
        lines = (folder / "said").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        named = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
        if code == -signal.SIGALRM:  # a test took longer than `tools.mutation.limits` allows
            return Result.TIMEOUT, "no answer from a test"
        return Result.NOTICED if code else Result.SURVIVED, (named or lines or [""])[-1]

    def _answer(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


VERIFY = """
import sys
from dpspectra.ledger import examine, get
for label in sys.argv[2:]:
    if faults := examine(get(label), int(sys.argv[1]) or None, True).faults:
        sys.exit(f"{label}: {faults[0]}")
"""


def _verification(mutant: Mutant) -> Checks:
    first = ("-c", VERIFY, str(EXAMPLES), *mutant.labels)
    return Checks(first, SECONDS, thorough=_statements((*mutant.labels, *mutant.users)))


def _statements(labels: Sequence[str]) -> tuple[str, ...]:
    """Arguments of the interpreter that verify entries on as many cases as each asks for."""
    return "-c", VERIFY, "0", *labels


PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Record:
    """The tests of a room: how long each takes, and the functions of the package that it enters."""

    tests: dict[str, tuple[float, frozenset[tuple[str, str]]]]

    def concerned(self, mutant: Mutant) -> Checks:
        """Return the tests that enter the function with the fault, else those that enter its file, else all.

        A fault at module level concerns all of them, first those that enter its file. So does one in a class, after
        those that enter its methods, as what it assigns may be a function from elsewhere. The quickest come first;
        those that no longer fit into `BUDGET` are left out.
        """
        file, function = mutant.path.as_posix(), mutant.edits[0].function.partition(".")[0]
        inside = {name: None for name, (_, entered) in self.tests.items() if (file, function) in entered}
        files = {name: {place[0] for place in entered} for name, (_, entered) in self.tests.items()}
        near = {name: None for name, found in files.items() if file in found}
        in_class = function.lstrip("_")[:1].isupper()
        entering = near if in_class else inside or near
        concerned: Iterable[str] = (entering or self.tests) if function else self.tests
        if mutant.users:  # statements look at the rest
            concerned = entering
            if not concerned:
                return Checks(_statements(mutant.users), SECONDS, extent="by statements alone: ")
        order = sorted(concerned, key=lambda name: (name not in inside, name not in near, self.tests[name][0]))
        spent = list(itertools.accumulate(self.tests[name][0] for name in order))
        number = max(1, bisect.bisect_right(spent, BUDGET))
        limits = json.dumps({name: START + SLOWER * self.tests[name][0] for name in order[:number]})
        arguments = (*PYTEST, "-p", "tools.mutation.limits", "--limits", limits, *order[:number])
        extent = f"after {number} of {len(order)} tests: "
        limit = START + SLOWER * spent[number - 1]
        return Checks(arguments, limit, _statements(mutant.users) if mutant.users else (), extent)


def _records(shop: _Workshop, rooms: set[str], tests: Path) -> dict[str, Record]:
    """Return the tests of each room, with those of the whole, which are run once."""
    files = {room: guards(room, tests) for room in sorted(rooms)}
    whole = _recorded(shop, WHOLE, guards(WHOLE, tests)) if files and (tests / WHOLE).exists() else Record({})
    own = {room: _recorded(shop, room, found) if found else Record({}) for room, found in files.items()}
    return {room: Record(whole.tests | record.tests) for room, record in own.items()}


def _recorded(shop: _Workshop, room: str, files: list[str]) -> Record:
    """Run the tests of a room on the package as it is; `ControlFailed` where they fail."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "entered.json"
        options = ("-p", "tools.mutation.entered_functions", "--entered", str(kept))
        result, said = shop.checked(Checks((*PYTEST, *options, *files), threading.TIMEOUT_MAX))
        if result is not Result.SURVIVED:
            raise ControlFailed(f"the checks fail without a fault: the tests of {room}: {said}")
        found = json.loads(kept.read_text(encoding="utf-8"))
    return Record({name: (one["seconds"], frozenset(map(tuple, one["entered"]))) for name, one in found.items()})
