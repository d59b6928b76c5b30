"""Public bounds of columns, as a file of the command ``release``."""

import json
from pathlib import Path
from typing import Any

from dpspectra.ground import checks, records
from dpspectra.matrices.column_bounds import ColumnBounds


def read(path: Path) -> ColumnBounds:
    """Read bounds from JSON: ``{"age": [0, 100], ..}`` for columns with names, in any order, or ``[[0, 100], ..]``.

    Raises ``ValueError`` for other contents, ``OSError`` if the file cannot be read.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=records.each_once)
    except (ValueError, RecursionError):
        raise ValueError(f"the file of bounds must be JSON, each name once, found something else in {path}") from None
    values = list(data.values()) if isinstance(data, dict) else data
    if not isinstance(values, list) or not values:
        raise ValueError(f"{path} must hold [lower, upper] for each column, by name or in a list")
    columns = data if isinstance(data, dict) else range(1, len(values) + 1)
    pairs = {column: _pair(path, column, value) for column, value in zip(columns, values, strict=True)}
    return ColumnBounds(pairs) if isinstance(data, dict) else ColumnBounds(*zip(*pairs.values(), strict=True))


def _pair(path: Path, column: int | str, value: Any) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{path} must hold [lower, upper] for each column, but column {column!r} has none")
    lower, upper = (checks.finite_number(bound, f"a bound of column {column!r}") for bound in value)
    if lower >= upper:
        raise ValueError(f"{path} must hold [lower, upper], but lower is not below upper for column {column!r}")
    return lower, upper
