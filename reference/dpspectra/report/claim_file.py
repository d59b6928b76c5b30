"""The claim beside a release: a file that says what was released, by what, and what it promises.

Do not change lightly: what was written in a format is read for ever.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra import __version__
from dpspectra.ground import checks, new_files, records
from dpspectra.matrices.reading_rule import LARGEST
from dpspectra.mechanisms import plain_words, release_text, usefulness
from dpspectra.mechanisms.claims import RELATIONS, Claim, Guarantee
from dpspectra.mechanisms.release import Release
from dpspectra.relations import Relation
from dpspectra.report.files import claim_path, released

FORMAT = 1
"""Number of the form in which claims are written."""
COUNTED = (Relation.REPLACE, Relation.ZERO_OUT)
"""Relations under which the number of rows is public."""
READERS: dict[str, Callable[[io.BytesIO], NDArray[Any]]] = {
    ".npy": lambda file: np.asarray(np.load(file, allow_pickle=False)),
    ".npz": lambda file: np.asarray(np.load(file, allow_pickle=False)["value"]),
    ".csv": lambda file: _numbers(file),
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
        release=replace(release, claim=claim, details=usefulness.described(release.value, release.details)),
        shape=np.shape(release.value),
        sha256=hashlib.sha256(content).hexdigest(),
        columns=columns,
        rows=data[0] if release.claim.relation in COUNTED else None,
        width=data[1],
    )


def read(out: Path) -> ClaimFile:
    """Read the claim beside a release. Raises ``ValueError`` if there is none, ``OSError`` if there is no release.

    Of a file from before formats had numbers only the mechanism and the version are read: format 0.
    """
    if out.is_dir():
        raise ValueError(f"the release must be a file, got the folder {out}")
    path = claim_path(out)
    if not path.exists():
        out.stat()  # tells of a release that is absent, too
        raise ValueError(f"{out} must be a release with its claim beside it, got no {path.name}")
    refusal = f"{path} must be the claim of a release, found something else"
    try:
        content = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(refusal) from None
    number = records.read(content, _format, refusal)
    if number > FORMAT:
        raise ValueError(f"{path} must be of format {FORMAT} at most, got {number}: a newer version reads it")
    return records.read(content, _read if number else _unnumbered, refusal)


def read_release(file: str | Path) -> Release[NDArray[Any]]:
    """Read a release that ``dpspectra release`` wrote, with the claim beside it.

    Parameters
    ----------
    file
        The released file, or that of its claim.

    Returns
    -------
    Release
        Its value, claim and details: what takes a release, such as `components` or `compose` of claims, takes it.

    Raises
    ------
    ValueError
        If no claim lies beside the file, or the file is not the one that the claim is about.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import contextlib, tempfile
    >>> from dpspectra import cli
    >>> how = "--mechanism gaussian_covariance --epsilon 1 --delta 1e-6 --json -"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/rows.npy", np.eye(3))
    ...     with contextlib.redirect_stdout(io.StringIO()):
    ...         done = cli.run(["release", f"{folder}/rows.npy", *how.split(), "--out", f"{folder}/out.npy"])
    ...     release = read_release(f"{folder}/out.npy")
    >>> release.claim.epsilon, release.value.shape
    (1.0, (3, 3))

    """
    path = released(new_files.path_of(file))
    said = read(path)
    return replace(said.release, value=value(path, said))


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


def _format(data: Any) -> int:
    """Return the number of the format; 0 for a file that has none."""
    return int(records.whole(1)(data["format"])) if "format" in data else 0


def _read(data: Mapping[str, Any]) -> ClaimFile:
    found = FIELDS(data)
    value, about = found["value"], found["data"]
    return ClaimFile(
        mechanism=found["mechanism"],
        release=Release(None, found["claim"], found["details"]),
        shape=value["shape"],
        sha256=value["sha256"],
        columns=value["columns"],
        rows=about["rows"],
        width=about["columns"],
        version=found["version"],
        format=found["format"],
    )


def _unnumbered(data: Mapping[str, Any]) -> ClaimFile:
    names = ("relation", "epsilon", "delta", "gdp_mu", "assumptions", "labels", "arithmetic")
    found = {name: kind(data[name]) for name, kind in OLDEST.items()}
    return ClaimFile(
        mechanism=found["mechanism"],
        release=Release(None, Claim(**{name: found[name] for name in names})),
        shape=found["shape"],
        sha256=found["sha256"],
        columns=None,
        rows=None,
        width=found["shape"][-1] if found["shape"] else 0,
        version=found["version"],
        format=0,
    )


def _version(value: Any) -> str:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6}){1,2}[0-9A-Za-z.+_-]{0,40}", records.text(value)):
        raise records.Misfit("a version must be numbers with points, got something else")
    return str(value)


def _details(value: Any) -> dict[str, Any]:
    """Return the details. Those that commands reckon with have their types."""
    found: dict[str, Any] = records.named(release_text.value_of)(value)
    for name, kind in DETAILS.items():
        if name in found and not kind(found[name]):
            raise records.Misfit("a detail must have its type, got something else")
    return found


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


DETAILS: dict[str, Callable[[Any], bool]] = {
    "guarantee": lambda value: isinstance(value, Guarantee),
    "postprocessing": lambda value: value is None or isinstance(value, str),
    **dict.fromkeys(("shape", plain_words.COMPUTED), lambda value: isinstance(value, str)),
    **dict.fromkeys(("scale", "constant"), lambda value: _is_number(value) and 1 / LARGEST <= value <= LARGEST),
    "shown": lambda value: type(value) is int and value >= 0,
    "eigenvalues": lambda value: isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype == np.float64,
    **dict.fromkeys(("largest_possible", "noise_edge", "visible_from"), _is_number),
}
"""Details that commands reckon with; all others are told as they are."""
SHAPE = records.listed(records.whole(0, checks.LARGEST_INTEGER))
FIELDS = records.record(
    {
        "format": records.among(FORMAT),
        "mechanism": records.text,
        "claim": Claim.read,
        "details": _details,
        "value": records.record(
            {
                "shape": SHAPE,
                "sha256": records.hexadecimal(64),
                "columns": records.optional(records.listed(records.text)),
            }
        ),
        "data": records.record({"rows": records.optional(records.whole(0)), "columns": records.whole(0)}),
        "version": _version,
    }
)
"""Fields of the file of a claim."""
OLDEST: dict[str, records.Kind] = {
    "mechanism": records.text,
    "relation": records.among(*RELATIONS),
    "epsilon": records.number(0),
    "delta": records.number(0, 1),
    "gdp_mu": records.optional(records.number(above=0)),
    "assumptions": records.listed(records.text),
    "labels": records.listed(records.text),
    "arithmetic": records.text,
    "shape": SHAPE,
    "sha256": records.hexadecimal(64),
    "version": _version,
}
"""Those that are read of files from before formats had numbers."""


def _numbers(file: io.BytesIO) -> NDArray[Any]:
    """Read rows of text, without the names of columns that may stand above them."""
    rows = list(csv.reader(io.TextIOWrapper(file, encoding="utf-8", newline="")))
    try:
        return np.array(rows, dtype=float)
    except ValueError:
        return np.array(rows[1:], dtype=float)
