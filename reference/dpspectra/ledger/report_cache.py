"""Reports of statements that hold, kept in a folder until what they depend on changes; off unless a folder is named.

A report is kept under the hash of all that it depends on: the sources that the statement and the run reach, every file
of data in the package, versions, the options. A report that does not repeat them is computed again. The stamps
of Coq, which lie elsewhere, are read anew each time.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mpmath.libmp import BACKEND

from dpspectra.ledger import imports
from dpspectra.ledger.entry import Statement

FOLDER = "DPSPECTRA_JUDGEMENTS"
"""Name of the variable of the environment that names the folder."""
RUN = "dpspectra.ledger.runner"
LIBRARIES = "numpy", "scipy", "mpmath", "hypothesis", "python-flint"


def folder() -> Path | None:
    """Where reports are kept: nowhere without the variable, and nowhere in continuous integration."""
    named = os.environ.get(FOLDER)
    return Path(named) if named and not os.environ.get("CI") else None


def key(statement: Statement, *options: Any) -> str:
    """Hash of all that a report depends on."""
    digest = hashlib.sha256()
    for path in sorted(imports.reached([RUN, statement.module]) | _data()):
        digest.update(f"{path.relative_to(imports.HOME).as_posix()} {_hash(path)}\n".encode())
    digest.update(json.dumps([statement.id, options, _versions()]).encode())
    return digest.hexdigest()


def read(place: Path, name: str) -> dict[str, Any] | None:
    """Return the report kept under this key; ``None`` without one, or if the file was kept under another key."""
    try:
        kept = json.loads((place / f"{name}.json").read_text(encoding="utf-8"))
        return dict(kept["report"]) if kept["seal"] == _seal(name, kept["report"]) else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def keep(place: Path, name: str, report: dict[str, Any]) -> None:
    """Keep a report under a key: a whole file or none."""
    place.mkdir(parents=True, exist_ok=True)
    scratch = place / f"{name}.{os.getpid()}"
    scratch.write_text(json.dumps({"seal": _seal(name, report), "report": report}), encoding="utf-8")
    scratch.replace(place / f"{name}.json")


def faults(statement: Statement, check: Callable[[], list[str]]) -> list[str]:
    """Return what a check of a statement finds; nothing, without a run, if it is kept that it found nothing.

    The check must be one that depends on the statement alone: neither on the seed nor on the number of cases.
    """
    if (place := folder()) is None:
        return check()
    name = key(statement, check.__name__)
    if read(place, name) is not None:
        return []
    found = check()
    if not found:
        keep(place, name, {})
    return found


def _seal(name: str, report: Any) -> str:
    return hashlib.sha256(f"{name} {json.dumps(report, sort_keys=True)}".encode()).hexdigest()


@functools.cache
def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@functools.cache
def _data() -> frozenset[Path]:
    """Files of the package that are no sources."""
    others = (path for path in imports.HOME.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return frozenset(path for path in others if path.suffix != ".py")


@functools.cache
def _versions() -> tuple[str, ...]:
    return (sys.version, platform.platform(), BACKEND, *(version(name) for name in LIBRARIES))
