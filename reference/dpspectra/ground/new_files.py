"""Files that their owner alone may read, made new: whole or not at all, and never in place of another one."""

import os
import tempfile
from pathlib import Path

from dpspectra.ground.values import shown


def path_of(path: object) -> Path:
    """Return a path; ``ValueError`` for anything else."""
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"path must be the name of a file, got {shown(path)}")
    return Path(path)


def write(path: object, data: bytes) -> None:
    """Write a file; ``FileExistsError`` if something has its name, ``ValueError`` for no path."""
    path = path_of(path)
    number, temporary = tempfile.mkstemp(prefix=".dpspectra-", dir=path.absolute().parent)  # mode 0600
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)  # which never replaces a file
    except FileExistsError:
        raise FileExistsError(f"path must be that of a new file, got {path}, which exists: name another one") from None
    finally:
        Path(temporary).unlink()
