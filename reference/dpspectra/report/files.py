"""Reading data sets and writing releases, atomically."""

from __future__ import annotations

import csv
import json
import os
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dpspectra import extras


def read_rows(path: Path) -> NDArray[Any]:
    """Read a numeric ``(n, d)`` table from .npy, .npz (one array), .csv or .parquet.

    A first line of a .csv file in which no field is a number is a header, and skipped.

    Raises ``ValueError`` for another type, ragged or non-numeric content, ``OSError`` if the file cannot be read.
    """
    if path.suffix not in _READERS:
        raise ValueError(f"the data file must end in {', '.join(_READERS)}, got {path.name!r}")
    return _READERS[path.suffix](path)


def _read_npy(path: Path) -> NDArray[Any]:
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except (ValueError, EOFError):
        raise ValueError(f"{path} must be a plain numeric .npy file, found something else") from None


def _read_npz(path: Path) -> NDArray[Any]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = [np.asarray(archive[name]) for name in archive.files]
    except (AttributeError, EOFError, TypeError, ValueError, zipfile.BadZipFile):
        raise ValueError(f"{path} must be an .npz archive of numeric arrays, found something else") from None
    if len(arrays) != 1:
        raise ValueError(f"{path} must hold exactly one array, got {len(arrays)}")
    return arrays[0]


def _read_csv(path: Path) -> NDArray[Any]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        lines = [(reader.line_num, row) for row in reader if row]
    if lines and not any(map(_is_number, lines[0][1])):
        lines = lines[1:]
    width = len(lines[0][1]) if lines else 0
    for number, row in lines:
        if len(row) != width:
            raise ValueError(f"{path} must be rectangular, got {len(row)} fields in line {number} instead of {width}")
        if not all(map(_is_number, row)):
            raise ValueError(f"{path} must hold numbers, got {','.join(row)!r} in line {number}")
    return np.array([[float(field) for field in row] for _, row in lines]).reshape(len(lines), width)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _read_parquet(path: Path) -> NDArray[Any]:
    parquet, pyarrow = (extras.load(name, "parquet", "parquet files") for name in ("pyarrow.parquet", "pyarrow"))
    try:
        table = parquet.read_table(path)
        return np.column_stack([column.to_numpy() for column in table.columns])
    except pyarrow.ArrowInvalid:
        raise ValueError(f"{path} must be a parquet file, found something else") from None


_READERS: dict[str, Callable[[Path], NDArray[Any]]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".csv": _read_csv,
    ".parquet": _read_parquet,
}


def _write_csv(file: IO[bytes], value: NDArray[Any]) -> None:
    if np.iscomplexobj(value):
        raise ValueError("a .csv file must hold real numbers, got a complex release: write .npy")
    np.savetxt(file, np.atleast_2d(value), delimiter=",", fmt="%.17g")


WRITERS: dict[str, Callable[[IO[bytes], NDArray[Any]], None]] = {
    ".npy": lambda file, value: np.save(file, value),
    ".npz": lambda file, value: np.savez(file, value=value),
    ".csv": _write_csv,
}


def claim_path(out: Path) -> Path:
    """Where the claim of the release ``out`` is written: beside it."""
    return out.with_name(out.name + ".claim.json")


def check_output(out: Path) -> None:
    """Raise ``ValueError`` for a type that cannot be written or a folder that cannot be written to."""
    if out.suffix not in WRITERS:
        raise ValueError(f"the output file must end in {', '.join(WRITERS)}, got {out.name!r}")
    if not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        raise ValueError(f"the output folder must exist and be writable, got {str(out.parent)!r}")


def write_release(out: Path, value: NDArray[Any], claim: Mapping[str, Any]) -> None:
    """Write a release and its claim: both in full under temporary names first, then renamed into place."""
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".dpspectra-") as scratch:
        staged, staged_claim = Path(scratch) / out.name, Path(scratch) / "claim.json"
        with staged.open("wb") as file:
            WRITERS[out.suffix](file, value)
        staged_claim.write_text(json.dumps(claim, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        staged_claim.replace(claim_path(out))
        staged.replace(out)


def write_text(path: Path, text: str) -> None:
    """Write a text file under a temporary name and rename it into place; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".dpspectra-") as scratch:
        staged = Path(scratch) / path.name
        staged.write_text(text, encoding="utf-8")
        staged.replace(path)
