"""The file of a run of the power method that is to go on later: a state with what its matrix is known by.

Do not change lightly: files of one version are read by later ones.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from dpspectra.ground import checks

T = TypeVar("T")
FORMAT = 1
"""Number of the format."""


def save(path: str | os.PathLike[str], fields: Mapping[str, Any]) -> None:
    """Write fields to a new file, whole or not at all, which the user alone may read."""
    path = _path(path)
    text = json.dumps({"format": FORMAT, **{name: _plain(each) for name, each in fields.items()}}, allow_nan=False)
    made = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        with os.fdopen(os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(json.dumps({"sha256": _digest(text)}) + "\n" + text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(made, path)  # which never replaces a file
    finally:
        made.unlink(missing_ok=True)


def load(path: str | os.PathLike[str], make: Callable[[dict[str, Any]], T]) -> T:
    """Make something of the fields that `save` wrote; raises ``ValueError`` for anything else."""
    path = _path(path)
    try:
        head, text = path.read_text(encoding="ascii").splitlines()
        fields = json.loads(text)
        if json.loads(head) != {"sha256": _digest(text)} or fields.pop("format") != FORMAT:
            raise ValueError
        return make({name: _value(each) for name, each in fields.items()})
    except (TypeError, KeyError, AttributeError, RecursionError, ValueError):
        raise ValueError(f"path must be a file of PowerState.save in format {FORMAT}, got another one") from None


def _path(path: object) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"path must be the name of a file, got {checks.shown(path)}")
    return Path(path)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Arrays as their numbers; all else that is written is JSON, or a mapping."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    return {"dtype": str(value.dtype), "shape": list(value.shape), "numbers": value.ravel().tolist()}


def _value(plain: Any) -> Any:
    """Return the value as it was written; lists become tuples."""
    if isinstance(plain, list):
        return tuple(plain)
    if not isinstance(plain, dict):
        return plain
    if set(plain) != {"dtype", "shape", "numbers"}:
        return {name: _value(each) for name, each in plain.items()}
    dtype = np.dtype(plain["dtype"])
    if dtype.kind not in "ifO" or not all(type(x) in (int, float) for x in plain["numbers"]):
        raise ValueError
    return np.array(plain["numbers"], dtype).reshape(plain["shape"])
