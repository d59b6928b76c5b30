"""Lines of a program: which of them drew or looked, outside of numeric libraries and of Python, and their source."""

from __future__ import annotations

import functools
import linecache
import sys
import sysconfig
from pathlib import Path
from typing import Any

FILES: dict[str, str] = {}
"""The file of each line that was named."""
NAMES: dict[str, str] = {}
"""Names of files, which differ; a file is called by its own name, where no other was before."""


def forget() -> None:
    """Forget what was named, so that what one audit says does not depend on another."""
    FILES.clear()
    NAMES.clear()


def excerpt(where: str, before: int = 0, after: int = 0) -> tuple[tuple[int, str], ...]:
    """Numbered source lines around the innermost line of a place; empty if its file cannot be read."""
    line = where.split(" ")[0]
    number = int(line.rsplit(":", 1)[1]) if line in FILES else 0
    numbers = range(number - before, number + after + 1) if number else ()
    return tuple((n, text) for n in numbers if (text := linecache.getline(FILES[line], n).rstrip()))


def shown(where: str) -> str:
    """Return a place with its source line, if that can be read."""
    return " ".join([where, *(f"`{text.strip()}`" for _, text in excerpt(where))])


SKIPPED = ("numpy", "scipy", "sklearn", "pandas", "joblib")
"""Packages whose own arrays stay plain."""
NAMELESS = (*SKIPPED, "torch")
"""Packages whose lines are not named."""


def _folders() -> tuple[str, ...]:
    return _folders_of(tuple(map(sys.modules.__contains__, NAMELESS)))


@functools.cache
def _folders_of(loaded: tuple[bool, ...]) -> tuple[str, ...]:
    library = sysconfig.get_paths()["stdlib"]
    found = [str(Path(__file__).parent), *(str(Path(library) / name) for name in ("random.py", "secrets.py"))]
    modules = map(sys.modules.get, NAMELESS)
    found += [str(Path(m.__file__).parent) for m in modules if m is not None and m.__file__]
    return (*found, "<frozen", "<__array_function__")


def _foreign(file: str) -> bool:
    return _within(file, _folders())


@functools.cache
def _within(file: str, folders: tuple[str, ...]) -> bool:
    return any(file == folder or file.startswith((folder + "/", folder + "\\")) for folder in folders)


@functools.cache
def is_of_python(file: str) -> bool:
    """Whether a file is a module of Python."""
    return file.startswith(sysconfig.get_paths()["stdlib"]) and "-packages" not in file


def is_of_program(line: str) -> bool:
    """Whether a line, as `place` names it, lies in no module of Python."""
    return line in FILES and not is_of_python(FILES[line])


def _is_where_a_run_begins(frame: Any) -> bool:
    return bool(frame.f_code.co_name == "_called") and frame.f_globals.get("__package__") == __package__


def place() -> str:
    """Return the line that asked for noise or looked at it, and its callers outside of numeric libraries and Python."""
    frame: Any = sys._getframe(1)
    folders = _folders()
    while frame.f_back is not None:
        file = frame.f_code.co_filename
        typed = file == "<string>" or file.startswith("<stdin")
        if typed or not (_within(file, folders) or file.startswith("<")):
            break
        frame = frame.f_back
    lines: list[str] = []
    named = False  # whether one of them is the program's own
    while frame is not None and len(lines) < 4 and not _is_where_a_run_begins(frame):
        file = frame.f_code.co_filename
        own = not is_of_python(file)
        if file.startswith(folders):
            if named:
                break
        elif own or not lines:
            lines.append(line_of(frame))
            named = named or own
        frame = frame.f_back
    return " < ".join(lines) or "a library"


def line_of(frame: Any) -> str:
    """Return the line that a frame is at."""
    return line_in(frame.f_code, frame.f_lineno)


def line_in(code: Any, number: int) -> str:
    """Return a line of the file of some code, with the name of that code."""
    file = code.co_filename
    if file not in NAMES:
        parts = Path(file).parts
        ends = ["/".join(parts[-n:]) for n in range(1, len(parts) + 1)]
        NAMES[file] = next((end for end in ends if end not in NAMES.values()), file)
    line = f"{NAMES[file]}:{number}"
    FILES[line] = file
    return f"{line} ({code.co_name})"


def is_program(frame: Any) -> bool:
    """Whether a frame belongs to no numeric library, and is not ours."""
    return not _foreign(frame.f_code.co_filename)
