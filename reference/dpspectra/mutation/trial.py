"""Run the checks that concern a mutant on a copy of the package that holds it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
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


def run(
    mutants: Iterable[Mutant],
    tests: Path | None = None,
    jobs: int = 1,
    announce: Callable[[Trial], None] = lambda trial: None,
) -> list[Trial]:
    """Try the mutants, ``jobs`` at a time; ``tests`` is the folder of the test suite, needed for those of a room."""
    with ThreadPoolExecutor(jobs) as pool:
        trials = []
        for trial in pool.map(lambda mutant: _tried(mutant, tests), mutants):
            trials.append(trial)
            announce(trial)
    return trials


def _tried(mutant: Mutant, tests: Path | None) -> Trial:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / PACKAGE.name
        shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
        (copy / mutant.path).write_text(mutant.source, encoding="utf-8")
        start = time.monotonic()
        try:
            done = subprocess.run(
                _command(mutant, tests),
                env={**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"},
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            noticed, lines = done.returncode != 0, (done.stdout + done.stderr).strip().splitlines()
        except subprocess.TimeoutExpired:
            noticed, lines = True, [f"no answer in {SECONDS:g} s"]
        return Trial(mutant, noticed, time.monotonic() - start, lines[-1] if lines else "")


def _command(mutant: Mutant, tests: Path | None) -> list[str]:
    if mutant.labels:
        checked = (
            f"raise SystemExit(main(['verify', *{list(mutant.labels)!r}, '--challenge', '--examples', '{EXAMPLES}']))"
        )
        return [sys.executable, "-c", f"from dpspectra.cli import main; {checked}"]
    if tests is None:
        raise ValueError(f"tests must be the folder of the test suite to try mutants of a room, got {tests}")
    names = [str(tests / f"test_{name}.py") for name in TESTS[mutant.where]]
    return [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--rootdir={tests.parent}", *names]
