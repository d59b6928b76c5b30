"""Arrays of .npy and .npz files, sparse matrices among them. Never unpickles."""

import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpspectra.commands.file_checks import require_room, sound

HEADERS: dict[tuple[int, int], Callable[[IO[bytes]], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
"""Readers of the header of an .npy file, by version of the format; the third is for structured types only."""
COMPRESSED: dict[bytes, Any] = {b"csr": sparse.csr_array, b"csc": sparse.csc_array}
"""Formats of sparse matrices with the fields data, indices and indptr."""


def read_npy(path: Path) -> NDArray[Any]:
    """Read the array of an .npy file, of any type but objects.

    Raises ``ValueError`` for other content and for what would not fit in memory, ``OSError`` if it cannot be read.
    """
    kind = "a plain numeric .npy file"
    with path.open("rb") as file:
        with sound(path, kind):
            size = _promised(file, path.stat().st_size)
        require_room(path, size)
        file.seek(0)
        with sound(path, kind):
            return np.asarray(np.lib.format.read_array(file, allow_pickle=False))


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Read the arrays of an .npz archive by name, of any type but objects.

    Raises ``ValueError`` for other content and for what would not fit in memory, ``OSError`` if it cannot be read.
    """
    kind = "an .npz archive of numeric arrays"
    with path.open("rb") as file:
        with sound(path, kind):
            archive = zipfile.ZipFile(file)
            size = sum(_promised(archive.open(member), member.file_size) for member in archive.infolist())
        require_room(path, size)
        with sound(path, kind):
            members = [(member.filename.removesuffix(".npy"), archive.open(member)) for member in archive.infolist()]
            return {name: np.lib.format.read_array(member, allow_pickle=False) for name, member in members}


def read_rows(path: Path) -> NDArray[Any] | sparse.csr_array:
    """Read the only array of an .npz archive, or a sparse matrix as scipy's ``save_npz`` writes it (csr or csc)."""
    arrays = read_npz(path)
    if {"format", "shape", "data"} <= set(arrays):
        with sound(path, "a sparse matrix in the format csr or csc"):
            kind = COMPRESSED[arrays["format"].item()]
            parts = tuple(arrays[name] for name in ("data", "indices", "indptr"))
            matrix = sparse.csr_array(kind(parts, shape=tuple(map(int, arrays["shape"]))))
            matrix.check_format(full_check=True)
            matrix.sum_duplicates()
        return matrix
    if len(arrays) != 1:
        raise ValueError(f"{path} must hold exactly one array, got {len(arrays)}")
    return next(iter(arrays.values()))


def _promised(file: IO[bytes], size: int) -> int:
    """Bytes of the numbers that an .npy header promises, in float64 if they are narrower; the file must hold them."""
    shape, _, dtype = HEADERS[np.lib.format.read_magic(file)](file)
    if dtype.hasobject or min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != size - file.tell():
        raise ValueError
    return math.prod(shape) * max(8, dtype.itemsize)
