"""Options of commands that read rows, as they are used: how a file is written, and how its columns are bounded."""

from dpspectra.commands import bounds_file, tables
from dpspectra.commands.options import RowsRequest
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.text_lines import Form


def form_of(request: RowsRequest) -> Form:
    """Return how a text file is written. Raises ``ValueError`` for what no file has."""
    return tables.form_of(request.header, request.separator, request.encoding, request.decimal)


def bounds_of(request: RowsRequest) -> ColumnBounds | None:
    """Read the public bounds of columns. Raises ``ValueError`` or ``OSError``."""
    return None if request.bounds is None else bounds_file.read(request.bounds)
