"""The rooms that get faults, folders and modules of the package, and where their tests lie: at the same path."""

from pathlib import Path

from tools.mutation.campaign import PACKAGE

WHOLE = "whole"
"""Folder of the tests that concern all rooms."""


def rooms() -> list[str]:
    """Return the paths of all folders and modules of the package, relative to it and without suffix."""
    paths = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    found = {(path.parent if path.stem == "__init__" else path.with_suffix("")).as_posix() for path in paths}
    return sorted(found - {"."})


def guards(room: str, tests: Path) -> list[str]:
    """Return the folder and the file that hold the tests of a room, or of `WHOLE`, where they exist."""
    place = tests / room
    found = [str(path) for path in (place, place.with_name(f"test_{place.name}.py")) if path.exists()]
    if not found and not (tests / WHOLE).exists():
        raise ValueError(f"tests must be the folder of the test suite, got {tests}, which holds none of {room}")
    return found
