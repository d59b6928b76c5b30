"""The file of a run of the power method that is to go on later: a state with what its matrix is known by.

Do not change lightly: files of one version are read by later ones.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.mechanisms.power_plan import PowerPlan, PowerState
from dpspectra.mechanisms.release import Private
from dpspectra.relations import Relation

FORMAT = 1
"""Number of the format."""
ENUMS = ("relation", "inner")
TEXTS = ("assumptions", "labels", "domain", "public")


def save(state: PowerState, path: str | os.PathLike[str]) -> None:
    """Write a state to a new file, whole or not at all, which the user alone may read."""
    path = _path(path)
    content = {
        "format": FORMAT,
        "iterate": _plain(state.iterate),
        "largest_entry": float(state.largest_entry),
        "noise": [float(x) for x in state.noise],
        "plan": asdict(state.plan),
        "private": {name: _plain(each) for name, each in state.private.items()},
    }
    text = json.dumps(content, allow_nan=False)
    made = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
    try:
        with os.fdopen(os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(json.dumps({"sha256": _digest(text)}) + "\n" + text + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(made, path)  # which never replaces a file
    finally:
        made.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> PowerState:
    """Read what `save` wrote; raises ``ValueError`` for anything else."""
    path = _path(path)
    try:
        head, text = path.read_text(encoding="ascii").splitlines()
        content = json.loads(text)
        if json.loads(head) != {"sha256": _digest(text)} or content["format"] != FORMAT:
            raise ValueError
        plan = {name: tuple(each) if name in TEXTS else each for name, each in content["plan"].items()}
        plan |= {name: Relation(plan[name]) for name in ENUMS}
        known = Private({name: _value(each) for name, each in content["private"].items()})
        noise = tuple(map(float, content["noise"]))
        return PowerState(_value(content["iterate"]), content["largest_entry"], noise, PowerPlan(**plan), known)
    except (TypeError, KeyError, AttributeError, RecursionError, ValueError):
        raise ValueError(f"path must be a file of PowerState.save in format {FORMAT}, got another one") from None


def _path(path: object) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"path must be the name of a file, got {checks.shown(path)}")
    return Path(path)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: int | NDArray[Any]) -> Any:
    if isinstance(value, int):
        return value
    return {"dtype": str(value.dtype), "shape": list(value.shape), "numbers": value.ravel().tolist()}


def _value(plain: Any) -> Any:
    if isinstance(plain, int):
        return plain
    dtype = np.dtype(plain["dtype"])
    if dtype.kind not in "ifO" or not all(type(x) in (int, float) for x in plain["numbers"]):
        raise ValueError
    return np.array(plain["numbers"], dtype).reshape(plain["shape"])
