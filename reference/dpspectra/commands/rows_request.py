"""Options of commands that read rows: how a file is written, and how its rows are prepared."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpspectra.commands import bounds_file
from dpspectra.commands.tables import form_of
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.text_lines import Form


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsRequest:
    """Options that say where rows are, and how they are read."""

    data: tuple[Path, ...]
    """Files of rows, or of `Moments` where a command takes them."""
    header: bool | None
    """Whether the first line of a text file holds names; ``None`` if it must for certain."""
    separator: str | None
    """Separator of the fields of a text file."""
    encoding: str
    """Encoding of a text file."""
    decimal: str
    """Character before the fraction of a number in a text file."""
    columns: tuple[str, ...]
    """Names of columns, or numbers from 1; all if empty."""
    norm_bound: float
    """Public bound on the Euclidean norm of a row."""
    clip: bool
    """Whether longer rows are scaled down to the bound; otherwise they are an error."""
    bad_rows: str
    """Whether rows with an entry that is no finite number are an error, or rows of zeros."""
    bounds: Path | None
    """File of public bounds of columns, by which rows are mapped first."""
    json: Path | None

    @property
    def form(self) -> Form:
        """How a text file is written."""
        return form_of(self.header, self.separator, self.encoding, self.decimal)

    @property
    def rule(self) -> dict[str, Any]:
        """Arguments that say what becomes of long and of bad rows."""
        rows = "clip" if self.clip else "refuse"
        return {"norm_bound": self.norm_bound, "rows": rows, "bad_rows": self.bad_rows}

    def read_bounds(self) -> ColumnBounds | None:
        """Read the public bounds of columns. Raises ``ValueError`` or ``OSError``."""
        return None if self.bounds is None else bounds_file.read(self.bounds)
