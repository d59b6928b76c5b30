"""The file of a run of the power method that is to go on later: a state with what its matrix is known by.

Do not change lightly: files of one version are read by later ones.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks, records

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


def load(path: str | os.PathLike[str], fields: Mapping[str, records.Kind]) -> dict[str, Any]:
    """Return the fields that `save` wrote, each by its kind; raises ``ValueError`` for anything else."""
    path = _path(path)
    refusal = f"path must be a file of PowerState.save in format {FORMAT}, got another one"
    try:
        head, text = path.read_text(encoding="ascii").splitlines()
    except ValueError:
        raise ValueError(refusal) from None
    if records.read(head, records.record({"sha256": records.hexadecimal(64)}), refusal)["sha256"] != _digest(text):
        raise ValueError(refusal)
    found: dict[str, Any] = records.read(text, records.record({"format": records.among(FORMAT), **fields}), refusal)
    return {name: found[name] for name in fields}


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


def matrix(plain: Any) -> NDArray[Any]:
    """Return a matrix as it was written. Raises ``ValueError`` or ``OverflowError`` for anything else."""
    found = MATRIX(plain)
    numbers = list(map(DTYPES[found["dtype"]], found["numbers"]))
    with np.errstate(all="ignore"):  # what is too large for a small type is told apart below
        array = np.array(numbers, np.dtype(found["dtype"])).reshape(found["shape"])
    if array.dtype != object and not np.isfinite(array).all():
        raise records.Misfit("a matrix must hold numbers of its type, got larger ones")
    return array


LONGEST = 2**8192
"""Integers in objects are below this in modulus."""
DTYPES = {
    "float64": records.number(),
    "float32": records.number(),
    "int64": records.whole(),
    "object": records.whole(-LONGEST, LONGEST),
}
"""Types of matrices, and the kinds of their numbers."""
MATRIX = records.record(
    {
        "dtype": records.among(*DTYPES),
        "shape": records.listed(records.whole(0, checks.LARGEST_INTEGER), 2),
        "numbers": records.listed(records.kept),
    }
)
