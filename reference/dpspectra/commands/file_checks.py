"""Checks of files that are read: they fit in memory, and whatever a reader raises on a broken one is one error."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpspectra.ground.memory import available

COPIES = 4
"""Times that the numbers of a file may lie in memory at once, while they are read, checked and computed with."""


@contextmanager
def sound(path: Path, kind: str) -> Iterator[None]:
    """Turn whatever a reader raises on a broken file into a ``ValueError``."""
    try:
        yield
    except MemoryError:
        raise
    except Exception:
        raise ValueError(f"{path} must be {kind}, found something else") from None


def require_room(path: Path, size: int, free: int | None = None) -> None:
    """Raise ``ValueError`` if `COPIES` of so many bytes are more than `available`."""
    room = available() if free is None else free
    if COPIES * size > room:
        needed = f"takes {COPIES * size / 2**30:.3g} GiB of {room / 2**30:.3g} GiB"
        raise ValueError(f"{path} must fit in memory {COPIES} times in float64, which {needed}")
