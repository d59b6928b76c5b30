"""Writing what commands make: in full under a temporary name first, then renamed into place; no folder is made."""

import csv
import io
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import figures
from dpspectra.matrices.foreign_data import NUMBER

SCRATCH = ".dpspectra-"
"""Start of the name of a temporary folder, which may be deleted if a machine that stopped left it behind."""
HOLDER = re.compile(r"process \d{1,20}", re.ASCII)
"""Content of a lock file: the process that made it."""
LONGEST_HOLDER = 64
"""Characters of a lock file that are read."""
CLAIM = ".claim.json"
"""End of the name of a claim, after that of its release."""


Names = Sequence[str] | None


def _write_csv(file: IO[bytes], value: NDArray[Any], names: Names) -> None:
    if np.iscomplexobj(value):
        raise ValueError("a .csv file must hold real numbers, got a complex release: write .npy")
    rows = np.atleast_2d(value) if value.ndim < 3 else value.reshape(-1, value.shape[-1])
    of_columns = names is not None and rows.shape[1] == len(names) and (len(rows) == 1 or np.array_equal(rows, rows.T))
    if names is not None and not of_columns:
        names = [f"component {j + 1}" for j in range(rows.shape[1])] if len(rows) == len(names) else None
    if names is not None and not all(map(NUMBER.fullmatch, names)):  # which could be a row
        line = io.StringIO(newline="")
        csv.writer(line, lineterminator="\n").writerow(names)
        file.write(line.getvalue().encode())
    np.savetxt(file, rows, delimiter=",", fmt="%.17g")


WRITERS: dict[str, Callable[[IO[bytes], NDArray[Any], Names], None]] = {
    ".npy": lambda file, value, names: np.save(file, value),
    ".npz": lambda file, value, names: np.savez(file, value=value),
    ".csv": _write_csv,
}


def check_outputs(*paths: Path | None) -> None:
    """Raise ``ValueError`` before the work for files that could not be written after it."""
    for path in paths:
        if path is None:
            continue
        if path.is_dir():
            raise ValueError(f"an output must be a file, got the folder {path}")
        folder = path.parent
        way_out = "" if folder.is_dir() else f": {folder} is none, make it first"
        try:
            tempfile.TemporaryDirectory(dir=folder, prefix=SCRATCH).cleanup()
        except OSError:
            raise ValueError(f"an output must lie in a folder that can be written to, got {path}{way_out}") from None


def released(file: Path) -> Path:
    """Name of the release that a file is, or whose claim it is."""
    return file.parent / file.name.removesuffix(CLAIM)


def claim_path(out: Path) -> Path:
    """Where the claim of the release ``out`` is written: beside it."""
    return out.parent / f"{out.name}{CLAIM}"


@contextmanager
def reserved(out: Path, kept: Sequence[Path], force: bool) -> Iterator[None]:
    """Keep a release and its claim for this process: nobody else writes to ``out`` meanwhile, by the same name.

    A lock file beside it says so. Raises ``ValueError`` if another process has it, or if something would be replaced:
    with ``force`` an older release may be, but never a file that is to be ``kept``, by whatever name or link: the data,
    a budget.
    """
    if out.suffix not in WRITERS:
        raise ValueError(f"the output file must end in {', '.join(WRITERS)}, got {out.name!r}")
    check_outputs(out, claim_path(out))
    with _locked(out, out.parent / f"{SCRATCH}{out.name}.lock"):
        _require_new(out, kept, force)
        yield


@contextmanager
def _locked(out: Path, lock: Path) -> Iterator[None]:
    try:
        descriptor = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        told = f"{lock.name} says so: delete it if no such process runs any more"
        raise ValueError(f"the output must be free, got {out}, which {_holder(lock)} writes; {told}") from None
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(f"process {os.getpid()}\n")
        yield
    finally:
        lock.unlink(missing_ok=True)


def _holder(lock: Path) -> str:
    """Return the process that a lock file names; where it names none, or is gone, another one."""
    try:
        with lock.open(encoding="ascii") as file:
            found = HOLDER.fullmatch(file.read(LONGEST_HOLDER).strip())
    except (OSError, ValueError):
        found = None
    return found[0] if found else "another process"


def _require_new(out: Path, kept: Sequence[Path], force: bool) -> None:
    for path in (out, claim_path(out)):
        if path.exists() and any(file.exists() and path.samefile(file) for file in kept):
            raise ValueError(f"the output must not be a file that is read, nor that of a budget, got {path}")
        require_new(path, force)


def require_new(path: Path, force: bool) -> None:
    """Raise ``ValueError`` for a file that is there, unless it may be replaced by ``force``."""
    if os.path.lexists(path) and not force:
        raise ValueError(f"the output must be new, got {path}, which exists: say --force to replace it")


def check_new(path: Path | None, force: bool) -> None:
    """Raise ``ValueError`` for an output that could not be written, or would replace a file without ``force``."""
    check_outputs(path)
    if path is not None:
        require_new(path, force)


def leftovers(folder: Path) -> list[Path]:
    """Temporary folders that a process left behind when it was stopped, if it does not still run."""
    return sorted(path for path in folder.glob(f"{SCRATCH}*") if path.is_dir())


def written(out: Path, value: NDArray[Any], names: Names = None) -> bytes:
    """Return the bytes of a file of this name with these numbers.

    Text begins with the ``names`` of the columns of the data where they are those of the value: of a mean, and of a
    symmetric matrix. Where its rows are those columns, the names of its own are components by number.
    """
    buffer = io.BytesIO()
    WRITERS[out.suffix](buffer, value, names)
    return buffer.getvalue()


def write_release(out: Path, value: bytes, claim: Mapping[str, Any]) -> None:
    """Write the bytes of a release, and its claim beside it, which holds their SHA-256.

    The claim comes last. If the machine stops in between, the old claim, or none, stands beside the new release: a
    release and a claim belong together if and only if the digest is right.
    """
    text = json.dumps(claim, indent=1, allow_nan=False) + "\n"
    _put({out: value, claim_path(out): text.encode()}, lasting=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    _put({path: text.encode()}, lasting=False)


def write_figure(path: Path, figure: Any) -> None:
    """Write a figure of matplotlib in the form that the ending of the file names."""
    _put({path: figures.content(figure, figures.kind_of(path.name))}, lasting=False)


def write_texts(texts: Mapping[Path, str]) -> None:
    """Write text files into folders that exist: all of them, or none."""
    _put({path: text.encode() for path, text in texts.items()}, lasting=False)


def _put(contents: Mapping[Path, bytes], *, lasting: bool) -> None:
    """Put files in place, in this order: all of them, or none if something is raised on the way.

    Their names are different, and their folders on one disk. A ``lasting`` file is on the disk, with its name, before
    the next file gets its own.
    """
    *before, last = contents
    folder = Path(os.path.commonpath([path.absolute().parent for path in contents]))
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
    """Return a copy of what ``path`` is now, if it is anything."""
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
