"""Data sets that commands read from files or from the command line: numbers in arrays, finite and rectangular.

Never unpickles.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.audit.betting.events import SIDES
from dpspectra.audit.calling.arguments import checked_pair
from dpspectra.commands.array_files import read_npy, read_npz
from dpspectra.ground import checks
from dpspectra.ground.checks import NUMERIC

Pair = tuple[Any, Any]
FILES = (".json", ".npy", ".npz")


def read_pair(path: Path, *, arrays: bool = True) -> Pair:
    """Read two data sets called ``first`` and ``second`` from .npz or .json.

    Nested lists of numbers become arrays, unless ``arrays`` is false: then a .json file is taken as it stands.

    Raises ``ValueError`` for anything else, and for what is no pair of data sets; ``OSError`` if the file cannot be
    read.
    """
    readers = {".npz": _npz, ".json": _json}
    if path.suffix not in readers:
        raise ValueError(f"the pair file must end in {', '.join(readers)}, got {path.name!r}")
    data = readers[path.suffix](path)
    if not isinstance(data, Mapping):
        raise ValueError(f"{path} must hold an object with first and second, got {type(data).__name__}")
    if set(data) != set(SIDES):
        absent = " and ".join(name for name in SIDES if name not in data) or "nothing"
        raise ValueError(
            f"{path} must hold first and second and nothing else, got entries: {len(data)}, {absent} lacking"
        )
    pair = data["first"], data["second"]
    if arrays:
        first, second = _data(pair[0], f"first in {path}"), _data(pair[1], f"second in {path}")
        pair = _beside(first, second), _beside(second, first)
    return checked_pair(pair)


def read_input(text: str) -> Any:
    """Read one data set from a file (.json, .npy, or .npz with one array), or from JSON that is the text itself.

    Raises ``ValueError`` for anything else, ``OSError`` if the file cannot be read.
    """
    path = Path(text)
    if path.suffix == ".json":
        return _data(_json(path), text)
    if path.suffix == ".npy":
        return _data(_numeric(read_npy(path), text), text)
    if path.suffix == ".npz":
        arrays = list(_npz(path).values())
        if len(arrays) != 1:
            raise ValueError(f"{path} must hold exactly one array, got {len(arrays)}")
        return _data(arrays[0], text)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        found = checks.shown(text) if text.replace(".", "").isalpha() else "neither"  # digits may be of data
        raise ValueError(f"the input must be JSON or a file that ends in {', '.join(FILES)}, got {found}") from None
    return _data(data, "the input")


def _npz(path: Path) -> Mapping[str, Any]:
    return {name: _numeric(array, f"{name} in {path}") for name, array in read_npz(path).items()}


def _numeric(array: Any, name: str) -> Any:
    if array.dtype.kind not in NUMERIC:
        raise ValueError(f"{name} must hold numbers, got values of type {array.dtype}")
    return array


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as problem:
        line = problem.doc.count("\n", 0, min(problem.pos, len(problem.doc.rstrip()))) + 1  # of the end, too
        raise ValueError(f"{path} must be JSON, got something else in line {line}") from None
    except (ValueError, RecursionError):
        raise ValueError(f"{path} must be JSON, got something else") from None


def _data(value: Any, name: str) -> Any:
    """Read a data set for mechanisms.

    Raises ``ValueError`` for numbers among other things, numbers that are not finite, and empty data.

    Lists of numbers become arrays of floats. Text, objects and lists of these stay what they are.
    """
    kinds = sorted({_kind(leaf) for leaf in _leaves(value)})
    if "null" in kinds or len(kinds) > 1:
        way_out = "write ids as numbers or rows as objects, or make the pair in Python"
        raise ValueError(f"{name} must hold values of one kind, got {' and '.join(kinds)}: {way_out}")
    if kinds != ["numbers"]:
        return value
    try:
        array = np.asarray(value, dtype=None if isinstance(value, np.ndarray) else float)
    except (ValueError, OverflowError):
        raise ValueError(f"{name} must be a rectangular table of finite numbers, got another one") from None
    checks.require_finite(array, name)
    return array if isinstance(value, (list, np.ndarray)) else value


def _beside(data: Any, other: Any) -> Any:
    """Return a data set, and an empty list beside an array as one without rows."""
    return other[:0] if isinstance(data, list) and not data and isinstance(other, np.ndarray) and other.ndim else data


def _leaves(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting.extend(each)
        else:
            yield each


def _kind(leaf: Any) -> str:
    """Return a word for what JSON or an array holds."""
    words = {bool: "truth values", str: "text", dict: "objects", type(None): "null"}
    return words.get(type(leaf), "numbers")
