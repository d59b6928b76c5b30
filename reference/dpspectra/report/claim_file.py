"""The claim beside a release: a file that says what was released, by what, and what it promises.

Do not change lightly: what was written in a format is read for ever.
"""

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra import __version__
from dpspectra.mechanisms.release import Release
from dpspectra.relations import Relation
from dpspectra.report.files import claim_path

FORMAT = 1
"""Number of the form in which claims are written."""
COUNTED = (Relation.REPLACE, Relation.ZERO_OUT)
"""Relations under which the number of rows is public."""
READERS: dict[str, Callable[[io.BytesIO], NDArray[Any]]] = {
    ".npy": lambda file: np.asarray(np.load(file, allow_pickle=False)),
    ".npz": lambda file: np.asarray(np.load(file, allow_pickle=False)["value"]),
    ".csv": lambda file: np.loadtxt(file, delimiter=",", ndmin=2),
}


class WrongDigest(ValueError):
    """A released file is not the one that its claim is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFile:
    """Contents of the file of a claim."""

    mechanism: str
    """Name of the function that made the release."""
    release: Release[Any]
    """Claim and details; the value is in the other file."""
    shape: tuple[int, ...]
    sha256: str
    """Digest of the released file."""
    columns: tuple[str, ...] | None
    """Names of the columns of the data, if they had any."""
    rows: int | None
    """Number of rows of the data, where it is public."""
    width: int
    """Number of columns of the data."""
    version: str = __version__
    format: int = FORMAT

    def asdict(self) -> dict[str, Any]:
        """Return the content of the file as JSON-ready data."""
        said = json.loads(Release(None, self.release.claim, self.release.details).to_json())
        columns = None if self.columns is None else list(self.columns)
        return {
            "format": self.format,
            "mechanism": self.mechanism,
            "claim": said["claim"],
            "details": said["details"],
            "value": {"shape": list(self.shape), "sha256": self.sha256, "columns": columns},
            "data": {"rows": self.rows, "columns": self.width},
            "version": self.version,
        }


def of(
    mechanism: str, release: Release[Any], content: bytes, data: tuple[int, int], columns: tuple[str, ...] | None = None
) -> ClaimFile:
    """Return the text about a release whose file has this content, of data with so many rows and columns.

    The names of columns are taken as known, and the claim says so.
    """
    known = () if columns is None else (f"columns: {', '.join(columns)}",)
    claim = replace(release.claim, public=tuple(dict.fromkeys((*release.claim.public, *known))))
    return ClaimFile(
        mechanism=mechanism,
        release=replace(release, claim=claim),
        shape=np.shape(release.value),
        sha256=hashlib.sha256(content).hexdigest(),
        columns=columns,
        rows=data[0] if release.claim.relation in COUNTED else None,
        width=data[1],
    )


def read(out: Path) -> ClaimFile:
    """Read the claim beside a release, or of that name. Raises ``ValueError`` if it is no claim, ``OSError`` if absent.

    Of a file from before formats had numbers only the mechanism and the version are read: format 0.
    """
    if out.is_dir():
        raise ValueError(f"the release must be a file, got the folder {out}")
    path = out if out.name.endswith(".claim.json") else claim_path(out)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        number = data.get("format", 0)
    except (ValueError, AttributeError, RecursionError):
        raise ValueError(f"{path} must be the claim of a release, found something else") from None
    if isinstance(number, int) and number > FORMAT:
        raise ValueError(f"{path} must be of format {FORMAT} at most, got {number}: a newer version reads it")
    try:
        return _read(data) if number else _unnumbered(data)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError(f"{path} must be the claim of a release, found something else") from None


def value(out: Path, said: ClaimFile) -> NDArray[Any]:
    """Read the release that a claim is about; raises `WrongDigest` if it is another one."""
    content = out.read_bytes()
    if hashlib.sha256(content).hexdigest() != said.sha256:
        raise WrongDigest(f"{out} must be the file that its claim is about, but it was changed: its SHA-256 differs")
    try:
        return READERS[out.suffix](io.BytesIO(content)).reshape(said.shape)
    except MemoryError:
        raise
    except Exception:  # whatever a reader raises on a broken file
        raise ValueError(f"{out} must hold the numbers that its claim is about, found something else") from None


def _read(data: Mapping[str, Any]) -> ClaimFile:
    value, about = data["value"], data["data"]
    text = json.dumps({"value": None, "claim": data["claim"], "details": data["details"]})
    return ClaimFile(
        mechanism=_text(data["mechanism"]),
        release=Release.from_json(text),
        shape=tuple(map(int, value["shape"])),
        sha256=_text(value["sha256"]),
        columns=None if value["columns"] is None else tuple(map(_text, value["columns"])),
        rows=None if about["rows"] is None else int(about["rows"]),
        width=int(about["columns"]),
        version=_text(data["version"]),
        format=int(data["format"]),
    )


def _unnumbered(data: Mapping[str, Any]) -> ClaimFile:
    from dpspectra.mechanisms.claims import Claim

    names = ("relation", "epsilon", "delta", "gdp_mu", "assumptions", "labels", "arithmetic")
    return ClaimFile(
        mechanism=_text(data["mechanism"]),
        release=Release(None, Claim(**{name: data[name] for name in names})),
        shape=tuple(map(int, data["shape"])),
        sha256=_text(data["sha256"]),
        columns=None,
        rows=None,
        width=int(data["shape"][-1]) if data["shape"] else 0,
        version=_text(data["version"]),
        format=0,
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
