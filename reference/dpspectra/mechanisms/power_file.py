"""The file of a run of the power method that is to go on later: a state with what its matrix is known by.

Do not change lightly: files of one version are read by later ones.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import arrays, new_files, records

FORMAT = 1
"""Number of the format."""


def save(path: str | os.PathLike[str], fields: Mapping[str, Any]) -> None:
    """Write fields to a new file, whole or not at all, which the user alone may read."""
    text = json.dumps({"format": FORMAT, **{name: _plain(each) for name, each in fields.items()}}, allow_nan=False)
    signed = json.dumps({"sha256": _digest(text)}) + "\n" + text + "\n"
    new_files.write(path, signed.encode("ascii"))


def load(
    path: str | os.PathLike[str], fields: Mapping[str, records.Kind], besides: Mapping[str, records.Kind]
) -> dict[str, Any]:
    """Return the fields that `save` wrote, each by its kind; raises ``ValueError`` for anything else.

    Older files have none of those ``besides``.
    """
    path = new_files.path_of(path)
    refusal = f"path must be a file of PowerState.save in format {FORMAT}, got another one"
    try:
        head, text = path.read_text(encoding="ascii").splitlines()
    except ValueError:
        raise ValueError(refusal) from None
    if records.read(head, records.record({"sha256": records.hexadecimal(64)}), refusal)["sha256"] != _digest(text):
        raise ValueError(refusal)
    kind = records.record({"format": records.among(FORMAT), **fields}, besides)
    found: dict[str, Any] = records.read(text, kind, refusal)
    return {name: value for name, value in found.items() if name != "format"}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Arrays as JSON holds them; all else that is written is JSON, or a mapping."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return arrays.plain(value) if isinstance(value, np.ndarray) else value


def matrix(value: Any) -> NDArray[Any]:
    """Return a matrix as it was written. Raises ``ValueError`` or ``OverflowError`` for anything else."""
    found = arrays.read(value, DTYPES)
    if found.ndim != 2:
        raise records.Misfit("a matrix must have two dimensions, got another number")
    return found


DTYPES = (arrays.OBJECTS, *(order + code for order in "<>" for code in ("f8", "f4", "i8")))
"""Types of matrices."""
