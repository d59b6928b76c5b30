"""Run the checks that concern a mutant on a copy of the package that holds it."""

from __future__ import annotations

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
"""Time limit for the checks of one mutant; a mutant that runs into it counts as noticed."""
TESTS = {
    "mechanisms": (
        "mechanisms",
        "orbit_mechanisms",
        "power_mechanisms",
        "range_finding",
        "wishart_mechanisms",
        "public",
    ),
    "sampling": ("sampling", "orbit_samplers", "moments"),
    "audit": ("audit", "worst_pair", "conformance", "specimens"),
    "ledger": ("judge", "certificates", "machinery"),
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


class ControlFailed(RuntimeError):
    """The checks fail on the package without a fault, so what they say of a mutant means nothing."""


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
    commands = [_command(mutant, tests) for mutant in mutants]
    with ThreadPoolExecutor(jobs) as pool:
        for command, (passed, said) in zip(
            commands, pool.map(_checked, dict.fromkeys(map(tuple, commands))), strict=False
        ):
            if not passed:
                raise ControlFailed(f"the checks fail without a fault: {' '.join(command)}: {said}")
        trials = []
        for trial in pool.map(_tried, mutants, commands):
            trials.append(trial)
            announce(trial)
    return trials


def _tried(mutant: Mutant, command: Sequence[str]) -> Trial:
    start = time.monotonic()
    passed, said = _checked(command, mutant)
    return Trial(mutant, not passed, time.monotonic() - start, said)


def _checked(command: Sequence[str], mutant: Mutant | None = None) -> tuple[bool, str]:
    """Run checks on a copy of the package, with a fault or as it is; whether they pass, and their last line."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / PACKAGE.name
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        if mutant is not None:
            (copy / mutant.path).write_text(mutant.source, encoding="utf-8")
        try:
            done = subprocess.run(
                command,
                env={**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"},
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False, f"no answer in {SECONDS:g} s"
        lines = (done.stdout + done.stderr).strip().splitlines()
        return done.returncode == 0, lines[-1] if lines else ""


VERIFY = """
import sys
from dpspectra.ledger import examine, get
for label in sys.argv[2:]:
    if faults := examine(get(label), int(sys.argv[1]), True).faults:
        sys.exit(f"{label}: {faults[0]}")
"""


def _command(mutant: Mutant, tests: Path | None) -> list[str]:
    if mutant.labels:
        return [sys.executable, "-c", VERIFY, str(EXAMPLES), *mutant.labels]
    names = [str(Path(tests or "") / f"test_{name}.py") for name in TESTS[mutant.where]]
    return [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *names]
