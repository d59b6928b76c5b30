"""Writing what commands make: in full under a temporary name first, then renamed into place; folders are made."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

SCRATCH = ".dpspectra-"
"""Start of the name of a temporary folder, which may be deleted if a machine that stopped left it behind."""


def _write_csv(file: IO[bytes], value: NDArray[Any]) -> None:
    if np.iscomplexobj(value):
        raise ValueError("a .csv file must hold real numbers, got a complex release: write .npy")
    np.savetxt(file, np.atleast_2d(value), delimiter=",", fmt="%.17g")


WRITERS: dict[str, Callable[[IO[bytes], NDArray[Any]], None]] = {
    ".npy": lambda file, value: np.save(file, value),
    ".npz": lambda file, value: np.savez(file, value=value),
    ".csv": _write_csv,
}


def check_outputs(*paths: Path | None) -> None:
    """Raise ``ValueError`` before the work for files that could not be written after it; folders are made later."""
    for path in paths:
        if path is None:
            continue
        if path.is_dir():
            raise ValueError(f"an output must be a file, got the folder {path}")
        folder = next(parent for parent in path.absolute().parents if parent.exists())
        try:
            tempfile.TemporaryDirectory(dir=folder, prefix=SCRATCH).cleanup()
        except OSError:
            raise ValueError(f"an output must lie in a folder that can be written to, got {path}") from None


def claim_path(out: Path) -> Path:
    """Where the claim of the release ``out`` is written: beside it."""
    return out.with_name(out.name + ".claim.json")


def check_release(out: Path, data: Path, force: bool) -> None:
    """Raise ``ValueError`` unless a release and its claim can be written and would replace nothing.

    With ``force`` they may replace an older release, but never the ``data``, by whatever name or link.
    """
    if out.suffix not in WRITERS:
        raise ValueError(f"the output file must end in {', '.join(WRITERS)}, got {out.name!r}")
    check_outputs(out, claim_path(out))
    for path in (out, claim_path(out)):
        if path.exists() and data.exists() and path.samefile(data):
            raise ValueError(f"the output must not be the data file, got {path}")
        if os.path.lexists(path) and not force:
            raise ValueError(f"the output must be new, got {path}, which exists: say --force to replace it")


def write_release(out: Path, value: NDArray[Any], claim: Mapping[str, Any]) -> dict[str, Any]:
    """Write a release and its claim, to which the SHA-256 of the release's file is added; returns that claim.

    The claim comes last. If the machine stops in between, the old claim, or none, stands beside the new release: a
    release and a claim belong together if and only if the digest is right.
    """
    buffer = io.BytesIO()
    WRITERS[out.suffix](buffer, value)
    signed = {**claim, "sha256": hashlib.sha256(buffer.getbuffer()).hexdigest()}
    text = json.dumps(signed, indent=1, allow_nan=False) + "\n"
    _put({out: buffer.getvalue(), claim_path(out): text.encode()}, lasting=True)
    return signed


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    _put({path: text.encode()}, lasting=False)


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write text files into folders that exist: all of them, or none."""
    _put({path: text.encode() for path, text in texts.items()}, lasting=False)


def _put(contents: Mapping[Path, bytes], *, lasting: bool) -> None:
    """Put files in place, in this order: all of them, or none if something is raised on the way.

    Their names are different, and their folders on one disk. What is ``lasting`` is on the disk, with its name, before
    the next file gets its own.
    """
    *before, last = contents
    folder = Path(os.path.commonpath([path.absolute().parent for path in contents]))
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=SCRATCH) as scratch, ExitStack() as undo:
        for path, content in contents.items():
            with (Path(scratch) / path.name).open("wb") as file:
                file.write(content)
                if lasting:
                    file.flush()
                    os.fsync(file.fileno())
        for path in before:
            copy = _kept(path, Path(scratch))
            (Path(scratch) / path.name).replace(path)
            undo.callback(_put_back, path, copy)
            if lasting:
                _sync(folder)
        (Path(scratch) / last.name).replace(last)
        undo.pop_all()
        if lasting:
            _sync(folder)


def _kept(path: Path, scratch: Path) -> Path | None:
    """A copy of what ``path`` is now, if it is anything."""
    if not os.path.lexists(path):
        return None
    return Path(shutil.copy2(path, scratch / f"old-{path.name}", follow_symlinks=False))


def _put_back(path: Path, copy: Path | None) -> None:
    if copy is None:
        path.unlink(missing_ok=True)
    else:
        copy.replace(path)


def _sync(folder: Path) -> None:
    """Bring names in a folder to the disk, where the system has a way to."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
