"""Run the checks that concern a mutant on a copy of the package that holds it.

For a mutant of an entry that is its verification. For a mutant of a room it is those tests of the room that enter the
function with the fault, the quickest first; which they are is recorded while the tests run without a fault.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from dpspectra.mutation.campaign import PACKAGE, Mutant

EXAMPLES = 20
"""Cases tried for each entry, besides its tight instances."""
SECONDS = 300.0
"""Longest time for the checks of one mutant of an entry; a mutant that runs into the limit counts as noticed."""
SLOWER = 5.0
"""Longest time for the tests of a mutant of a room, relative to their time without a fault, beside `START` seconds."""
START = 60.0
TESTS = {
    "mechanisms": (
        "mechanisms",
        "mechanism_scales",
        "row_counting",
        "orbit_mechanisms",
        "power_mechanisms",
        "range_finding",
        "wishart_mechanisms",
        "bad_input",
        "public",
    ),
    "sampling": ("sampling", "orbit_samplers", "ball_sampler", "patterns", "moments"),
    "audit": ("audit", "worst_pair", "conformance", "specimens"),
    "ledger": ("judge", "certificates", "machinery", "registry"),
    "bounds": ("bounds",),
    "profile": ("public", "wishart_mechanisms"),
    "calibrate": ("public",),
}
"""Test files, without prefix and suffix, that should notice a fault in a room."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a mutant."""

    mutant: Mutant
    noticed: bool
    seconds: float
    said: str
    """The last line that the checks printed."""


class ControlFailed(ValueError):
    """The checks fail on the package without a fault, so what they say of a mutant means nothing."""


@dataclass(frozen=True, slots=True)
class Checks:
    """A command that exits with 0 if nothing is amiss, and how long it may take."""

    command: tuple[str, ...]
    limit: float | None = SECONDS
    """Time in seconds, None for as long as it takes."""


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
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        whole = Path(folder) / PACKAGE.name
        shutil.copytree(PACKAGE, whole)
        rooms = {room: _recorded(whole, room, Path(tests or "")) for room in {m.where for m in mutants if not m.labels}}
        checks = [_verification(m) if m.labels else rooms[m.where].concerned(m) for m in mutants]
        controls = dict.fromkeys(check for check, mutant in zip(checks, mutants, strict=True) if mutant.labels)
        for control, (passed, said) in zip(controls, pool.map(lambda c: _checked(whole, c), controls), strict=True):
            if not passed:
                raise ControlFailed(f"the checks fail without a fault: {' '.join(control.command)}: {said}")
        trials = []
        for trial in pool.map(lambda mutant, check: _tried(whole, mutant, check), mutants, checks):
            trials.append(trial)
            announce(trial)
    return trials


def _tried(whole: Path, mutant: Mutant, checks: Checks) -> Trial:
    start = time.monotonic()
    passed, said = _checked(whole, checks, mutant)
    return Trial(mutant, not passed, time.monotonic() - start, said)


def _checked(whole: Path, checks: Checks, mutant: Mutant | None = None) -> tuple[bool, str]:
    """Run checks on the package as it is, or on a copy that holds a fault; whether they pass, and their last line.

    What the first run compiles is copied with the sources, so that it is not compiled again for each mutant.
    """
    if mutant is None:
        return _passed(whole.parent, checks)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / PACKAGE.name
        shutil.copytree(whole, copy)
        source = copy / mutant.path
        source.write_text(mutant.source, encoding="utf-8")
        Path(importlib.util.cache_from_source(str(source))).unlink(missing_ok=True)
        return _passed(Path(folder), checks)


def _passed(folder: Path, checks: Checks) -> tuple[bool, str]:
    try:
        done = subprocess.run(
            checks.command,
            env={**os.environ, "PYTHONPATH": str(folder)},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=checks.limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f"no answer in {checks.limit:g} s"
    lines = (done.stdout + done.stderr).strip().splitlines()
    return done.returncode == 0, lines[-1] if lines else ""


VERIFY = """
import sys
from dpspectra.ledger import examine, get
for label in sys.argv[2:]:
    if faults := examine(get(label), int(sys.argv[1]), True).faults:
        sys.exit(f"{label}: {faults[0]}")
"""


def _verification(mutant: Mutant) -> Checks:
    return Checks((sys.executable, "-c", VERIFY, str(EXAMPLES), *mutant.labels))


PYTEST = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")


@dataclass(frozen=True, slots=True)
class Record:
    """The tests of a room: how long each takes, and the functions of the package that it enters."""

    tests: dict[str, tuple[float, frozenset[tuple[str, str]]]]

    def concerned(self, mutant: Mutant) -> Checks:
        """The tests that enter the function with the fault, else those that enter its file, else all.

        A fault at module level concerns all of them.
        """
        file, function = mutant.path.as_posix(), mutant.edits[0].function
        inside = [name for name, (_, entered) in self.tests.items() if (file, function) in entered]
        near = [name for name, (_, entered) in self.tests.items() if any(place[0] == file for place in entered)]
        chosen = (inside or near or list(self.tests)) if function else list(self.tests)
        chosen.sort(key=lambda name: (name not in near, self.tests[name][0]))
        return Checks((*PYTEST, *chosen), START + SLOWER * sum(self.tests[name][0] for name in chosen))


def _recorded(whole: Path, room: str, tests: Path) -> Record:
    """Run the tests of a room on the package as it is; `ControlFailed` where they fail."""
    files = [str(tests / f"test_{name}.py") for name in TESTS[room]]
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "entered.json"
        options = ("-p", "dpspectra.mutation.entered", "--entered", str(kept))
        passed, said = _checked(whole, Checks((*PYTEST, *options, *files), None))
        if not passed:
            raise ControlFailed(f"the checks fail without a fault: the tests of {room}: {said}")
        found = json.loads(kept.read_text(encoding="utf-8"))
    return Record({name: (one["seconds"], frozenset(map(tuple, one["entered"]))) for name, one in found.items()})
