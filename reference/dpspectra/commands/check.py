"""The command ``check``: whether a data file goes with the options of a release, at no cost."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from dpspectra.commands import bounds_file
from dpspectra.commands.tables import form_of
from dpspectra.matrices.checking import Checked, check
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.text_lines import Form
from dpspectra.report import answers


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """Options of ``dpspectra check``."""

    data: tuple[Path, ...]
    """Files of rows."""
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
    """File of public bounds of columns."""
    owner: bool
    """Whether rows are looked at, too."""
    json: Path | None


def run(request: CheckRequest) -> int:
    """Print what was found. Raises ``ValueError`` with what a release would refuse, or ``OSError``."""
    form = form_of(request.header, request.separator, request.encoding, request.decimal)
    bounds = None if request.bounds is None else bounds_file.read(request.bounds)
    found = {path: _checked(request, path, form, bounds) for path in request.data}
    problems = [f"{path}: {problem}" for path, each in found.items() for problem in each.problems]
    lines = [line for each in found.items() for line in _lines(request, *each)]
    if lines:
        answers.say(request.json, "\n".join(lines))
    told = [{"file": str(path), **asdict(each)} for path, each in found.items()]
    answers.put(request.json, lambda: json.dumps(told, indent=1))
    if problems:
        raise ValueError("a release would be refused: " + "; ".join(problems))
    return 0


def _checked(request: CheckRequest, path: Path, form: Form, bounds: ColumnBounds | None) -> Checked:
    return check(
        path,
        norm_bound=request.norm_bound,
        rows="clip" if request.clip else "refuse",
        bad_rows=request.bad_rows,
        bounds=bounds,
        columns=request.columns or None,
        owner=request.owner,
        **form._asdict(),
    )


def _lines(request: CheckRequest, path: Path, found: Checked) -> list[str]:
    lines = [f"private: {path}: {line}" for line in found.private]
    if found.fine:
        names = "" if found.columns is None else f": {', '.join(found.columns)}"
        width = "columns" if found.width is None else f"{found.width} columns"
        lines.append(f"{path}: {width}{names}; names, types and options go together, and to see that costs no privacy")
        if not request.owner:
            lines.append("rows were not looked at: --owner does, for the owner of the data alone")
    return lines
