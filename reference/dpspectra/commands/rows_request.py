"""Options of commands that read rows, as they are used: how a file is written, and how its columns are bounded."""

from collections.abc import Sequence
from pathlib import Path

from dpspectra.commands import bounds_file, tables
from dpspectra.commands.options import RowsRequest
from dpspectra.commands.tables import People, Reading
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.text_lines import Form


def form_of(request: RowsRequest) -> Form:
    """Return how a text file is written. Raises ``ValueError`` for what no file has."""
    return tables.form_of(request.header, request.separator, request.encoding, request.decimal)


def bounds_of(request: RowsRequest) -> ColumnBounds | None:
    """Read the public bounds of columns. Raises ``ValueError`` or ``OSError``."""
    return None if request.bounds is None else bounds_file.read(request.bounds)


def people_of(
    paths: Sequence[Path], request: RowsRequest, reading: Reading, bounds: ColumnBounds | None
) -> People | None:
    """Look at the header of a file of people with several rows; ``None`` where each row is a person's.

    Raises ``ValueError`` for what a release refuses there, and ``OSError``.
    """
    if request.person is None:
        if request.per_person is not None or request.salt:
            raise ValueError("--per-person and --salt must come with --person, got one of them alone")
        return None
    if request.per_person is None:
        raise ValueError("--person must come with --per-person, the rows that each person counts as, got none")
    rows = {**request.rule, "bounds": bounds}
    return People.of(paths, reading, request.person, request.per_person, request.salt, rows)
