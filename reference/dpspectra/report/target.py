"""The subject of ``dpspectra audit``: a mechanism imported by name, or a program, and a pair of data sets.

Used by `dpspectra.report.audit`. `Subject.description` and `fingerprint` are written into records and compared by
``--resume``: if either changes, older records can no longer be resumed. `default_pair` must stay a pair of neighbours
under every relation, so that no claim is refuted by a pair it does not cover; `write_pair` must round-trip through
`read_pair`, which never unpickles. `imported` runs the user's module and puts the current folder on ``sys.path``.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import json
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra import checks
from dpspectra.audit import GDP, ApproxDP, CurveClaim, PureDP
from dpspectra.audit.adapters import from_command
from dpspectra.audit.pairs import FORMS
from dpspectra.fast.linalg import gram
from dpspectra.report.files import write_text

Pair = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of an audit: a mechanism, a pair of data sets, and the declared support, if any."""

    name: str
    identity: Mapping[str, Any]
    """What the mechanism is known by: its name and arguments, or a program's command and own name."""
    support_name: str | None
    mechanism: Callable[..., Any]
    support: Callable[[Any, Any], Any] | None
    pair: Pair

    @property
    def description(self) -> dict[str, Any]:
        """JSON object that identifies the subject: names, arguments and hashes of the two data sets."""
        pair = [fingerprint(data) for data in self.pair]
        return {**self.identity, "support": self.support_name, "pair": pair}


def subject(name: str, claim: CurveClaim, arguments: Sequence[str], pair: Pair, support: str | None) -> Subject:
    """Find a mechanism and bind its arguments (``NAME=VALUE``).

    Required arguments called ``epsilon``, ``delta`` or ``mu`` are set to the value in the claim, if it has one. Raises
    ``ValueError`` if a name cannot be imported or an argument is malformed.
    """
    mechanism = imported(name)
    numbers = asdict(claim) if isinstance(claim, (PureDP, ApproxDP, GDP)) else {}
    claimed = {key: value for key, value in numbers.items() if key in _required(mechanism)}
    bound = claimed | dict(map(_argument, arguments))
    with_arguments = functools.partial(mechanism, **bound) if bound else mechanism
    return Subject(name, {"mechanism": name, "arguments": bound}, support, with_arguments, _support(support), pair)


@contextmanager
def program_subject(command: str, pair: Pair, support: str | None) -> Iterator[Subject]:
    """Start a program that speaks the line protocol, and end it at the end.

    Raises ``ValueError`` if it cannot be run, or says anything that the protocol does not allow.
    """
    declared = _support(support)
    with from_command(command, pair) as mechanism:
        yield Subject(command, {"command": command, "program": mechanism.name}, support, mechanism, declared, pair)


def _support(name: str | None) -> Any:
    return None if name is None else imported(name)


def imported(name: str) -> Any:
    """Import ``package.module:attribute``; the attribute may be dotted, and the current folder is searched too."""
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        raise ValueError(f"a callable must be named package.module:callable, got {name!r}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        thing = functools.reduce(getattr, path.split("."), importlib.import_module(module_name))
    except Exception as problem:  # whatever a module does when it is imported
        raise ValueError(f"{name} must be importable, got {type(problem).__name__}: {problem}") from None
    if not callable(thing):
        raise ValueError(f"{name} must be callable, got {type(thing).__name__}")
    return thing


def _required(mechanism: Callable[..., Any]) -> list[str]:
    try:
        parameters = inspect.signature(mechanism).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in list(parameters)[1:] if p.default is inspect.Parameter.empty]


def _argument(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not (name.isidentifier() and equals):
        raise ValueError(f"an argument must be given as NAME=VALUE, got {text!r}")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def default_pair(dimension: int, form: str = "rows") -> Pair:
    """Two rows of length 1 in the given dimension, of which the second becomes zero; or their Gram matrices.

    The two are neighbours under replacement, removal and zeroing of a row alike, so no claim is refuted by a pair that
    it does not cover. Their second moments differ by a matrix of rank one and norm one.
    """
    first = np.zeros((2, checks.integer(dimension, "dimension", 1)))
    first[0, 0] = first[1, -1] = 1.0
    second = first.copy()
    second[1] = 0.0
    return (first, second) if checks.choice(form, "form", FORMS) == "rows" else (gram(first), gram(second))


def read_pair(path: Path, *, arrays: bool = True) -> Pair:
    """Read two data sets called ``first`` and ``second`` from .npz or .json.

    Nested lists of numbers become arrays, unless ``arrays`` is false: then a .json file is read as it stands.

    Raises ``ValueError`` for anything else, ``OSError`` if the file cannot be read.
    """
    readers: dict[str, Callable[[Path], Mapping[str, Any]]] = {".npz": _npz, ".json": _json_arrays if arrays else _json}
    if path.suffix not in readers:
        raise ValueError(f"the pair file must end in {', '.join(readers)}, got {path.name!r}")
    data = readers[path.suffix](path)
    if set(data) != {"first", "second"}:
        raise ValueError(f"the pair file must hold first and second, got {', '.join(sorted(data)) or 'nothing'}")
    return data["first"], data["second"]


def write_pair(path: Path, pair: Pair) -> None:
    """Write two arrays so that `read_pair` reads them back exactly."""
    first, second = (np.asarray(data).tolist() for data in pair)
    write_text(path, json.dumps({"first": first, "second": second}) + "\n")


def _npz(path: Path) -> Mapping[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (AttributeError, EOFError, TypeError, ValueError, zipfile.BadZipFile):
        raise ValueError(f"{path} must be an .npz archive of numeric arrays, found something else") from None


def _json(path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise ValueError(f"{path} must be JSON, got {problem}") from None
    if not isinstance(data, dict):
        raise ValueError(f"{path} must hold an object with first and second, got {type(data).__name__}")
    return data


def _json_arrays(path: Path) -> Mapping[str, Any]:
    return {name: _array(value) for name, value in _json(path).items()}


def _array(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    try:
        array = np.asarray(value)
    except ValueError:  # ragged
        return value
    return array.astype(float) if array.dtype.kind in "iuf" else value


def fingerprint(data: Any) -> str:
    """SHA-256 hash of a data set, including the type and shape of an array, in hexadecimal digits."""
    if isinstance(data, np.ndarray):
        content = f"{data.dtype.str}{data.shape}".encode() + np.ascontiguousarray(data).tobytes()
    else:
        content = json.dumps(data, sort_keys=True).encode()
    return hashlib.sha256(content).hexdigest()
