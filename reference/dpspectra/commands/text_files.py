"""Rows of numbers from text files."""

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpspectra.commands.file_checks import require_room
from dpspectra.ground.memory import available
from dpspectra.ground.values import shown
from dpspectra.matrices import text_rows


class TextRows(NamedTuple):
    """Rows of numbers and the names of their columns, if the file has any."""

    rows: NDArray[np.float64]
    names: tuple[str, ...] | None


def read_text(path: Path, separator: str, header: bool | None = None, columns: Sequence[str] = ()) -> TextRows:
    """Read rows of numbers between separators; only the ``columns`` named, or numbered from 1 where there are no names.

    ``header`` as in `dpspectra.matrices.text_rows.opened`. Raises ``ValueError`` for anything else.
    """
    text, numbers, free = text_rows.opened(path, separator, header), array("d"), available()
    if not text.width:
        return TextRows(np.empty((0, 0)), None)
    places = chosen(path, columns, text.names, text.width)
    for row in text.rows(places):
        numbers.extend(row)
        require_room(path, 8 * len(numbers), free)
    rows = np.frombuffer(numbers, dtype=float).reshape(-1, len(places))
    return TextRows(rows, None if text.names is None else tuple(text.names[place] for place in places))


def chosen(path: Path, columns: Sequence[str], names: Sequence[str] | None, width: int) -> list[int]:
    """Places of columns, all if none is named; each once. Raises ``ValueError`` for one that is not there."""
    known = list(names) if names else [str(place) for place in range(1, width + 1)]
    for column in columns:
        if known.count(column) != 1 or columns.count(column) != 1:
            what = "by a name of its own" if names else f"by its number from 1 to {width}, as it has no names"
            raise ValueError(f"--columns must name each column of {path} once, {what}, got {shown(column)}")
    return [known.index(column) for column in columns] or list(range(width))
