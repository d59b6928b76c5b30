"""Tables of this package in CSV: read from what is installed, written into a checkout."""

import csv
import io
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path


def rows(file: str, package: str = "dpspectra.ledger") -> list[dict[str, str]]:
    """Return the rows of a table that lies in a package, by the names in its first line."""
    text = resources.files(package).joinpath(file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def text(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as its file holds it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue()


def write(root: str | Path, file: str, text: str) -> None:
    """Write a table of the ledger into the checkout at ``root``."""
    (Path(root) / "reference" / "dpspectra" / "ledger" / file).write_text(text, encoding="utf-8")
