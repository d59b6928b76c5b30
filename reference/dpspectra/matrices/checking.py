"""Look at data before a release: what their types declare is public and free; what rows hold is for their owner."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground import checks
from dpspectra.ground.foreign_code import read
from dpspectra.matrices import row_files
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.foreign_data import names_of, require_no_index, selected, unfit
from dpspectra.matrices.kinds import is_frame, is_lazy, is_sparse
from dpspectra.matrices.prepared_rows import norms
from dpspectra.matrices.reading_rule import REFUSE, Reading
from dpspectra.matrices.sums_over_chunks import Block, summed
from dpspectra.matrices.text_lines import ESCAPED, SEPARATORS, Form, Lines, Malformed, ending

PRIVATE = "for the owner of the data alone, as no noise covers it"


@dataclass(frozen=True, slots=True)
class Checked:
    """Findings about data, before they are released."""

    columns: tuple[str, ...] | None
    """Names of the columns that are read; ``None`` if they have none."""
    width: int | None
    """Number of columns, where it shows."""
    problems: tuple[str, ...]
    """Reasons for which a release would be refused; from declared types and options alone, if no ``owner`` asked."""
    private: tuple[str, ...] = ()
    """Facts about rows: for the owner of the data alone."""

    @property
    def fine(self) -> bool:
        """Whether nothing was found that a release would refuse."""
        return not self.problems


@dataclass(frozen=True, slots=True)
class _Seen:
    """Counts of rows, and the places of the first bad and the first long one."""

    count: int = 0
    bad: int = 0
    long: int = 0
    first_bad: int | None = None
    first_long: int | None = None
    finite: NDArray[np.int64] | None = None
    """Finite numbers of each column."""

    def __add__(self, other: _Seen) -> _Seen:
        known = [each.finite for each in (self, other) if each.finite is not None]
        if len({len(each) for each in known}) > 1:
            raise ValueError("chunks must have one width, got several")
        return _Seen(
            self.count + other.count,
            self.bad + other.bad,
            self.long + other.long,
            other.first_bad if self.first_bad is None else self.first_bad,
            other.first_long if self.first_long is None else self.first_long,
            np.sum(known, axis=0) if known else None,
        )


def check(
    data: Any,
    *,
    norm_bound: float = 1.0,
    rows: str = REFUSE,
    bad_rows: str = REFUSE,
    bounds: ColumnBounds | None = None,
    columns: Iterable[str] | None = None,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    owner: bool = False,
) -> Checked:
    """Say whether data go with options, before anything is paid for.

    Only the outside is looked at: names, declared types, the first line of a text file that holds names. None of it
    depends on what a row holds, so it costs no privacy.

    Parameters
    ----------
    data
        A path to a file that `Moments.read` reads, or rows in memory.
    norm_bound, rows, bad_rows, bounds
        As those of a mechanism.
    columns, header, separator, encoding, decimal
        As those of `Moments.read`.
    owner
        Whether rows are looked at, too. The answer is then an exact one about private data: for their owner alone.

    Returns
    -------
    Checked
        Columns, problems, and what only an owner may see.

    Raises
    ------
    ValueError
        For options that no release takes.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> found = check(np.zeros((3, 2)), bounds=ColumnBounds([0, 0, 0], [1, 1, 1]))
    >>> found.fine, found.problems
    (False, ('X must have as many columns as bounds, 3, got 2',))

    """
    checks.flag(owner, "owner")
    reading = Reading(norm_bound, rows, bad_rows, bounds=bounds)
    wanted = None if columns is None else tuple(columns)
    form = Form(header, separator, encoding, decimal)
    try:
        file = isinstance(data, (str, Path))
        found, names, width = _of_file(Path(data), wanted, form, reading) if file else _of_memory(data, wanted)
        if bounds is not None:
            reading = replace(reading, bounds=bounds.of_columns(names))
            if width is not None:
                bounds.require(width)
    except ValueError as problem:
        return Checked(wanted, None, (str(problem),))
    told = Checked(names, width, ())
    if not owner:
        return told
    told = _of_rows(told, found, reading)
    return _of_lines(told, Path(data), wanted, form, reading) if file and ending(Path(data)) in SEPARATORS else told


def _of_file(path: Path, columns: tuple[str, ...] | None, form: Form, reading: Reading) -> tuple[Any, Any, int | None]:
    opened = row_files.opened(path, columns, form, total=reading.total)
    if ending(path) in SEPARATORS and opened.names:  # all entries are judged, where an owner asks
        known = form._replace(header=True)
        return row_files.opened(path, opened.names, known, total=True).rows, opened.names, opened.width
    return opened.rows, opened.names, opened.width


def _of_memory(data: Any, columns: tuple[str, ...] | None) -> tuple[Any, tuple[str, ...] | None, int | None]:
    if isinstance(data, Iterator):
        return data, columns, None if columns is None else len(columns)
    if columns is not None and (is_frame(data) or is_lazy(data)):
        data = selected(data, columns)
    elif columns is None:
        require_no_index(names_of(data), "X")
    if words := unfit(data):
        raise ValueError(words)
    names, shape = names_of(data), read(lambda: getattr(data, "shape", None), "X")
    width = shape[1] if isinstance(shape, tuple) and len(shape) == 2 and isinstance(shape[1], int) else None
    return data, names or columns, len(names) if names else width


def _of_rows(told: Checked, rows: Any, reading: Reading) -> Checked:
    part = partial(_seen, reading)
    try:
        seen = summed(rows, "X", part, part, empty=True, total=True)
    except ValueError as problem:
        return replace(told, problems=(str(problem),))
    private: list[str] = [f"{seen.count} rows, {PRIVATE}"]
    problems: list[str] = []
    if seen.bad:
        private.append(f"{seen.bad} rows hold an entry that is no finite number: row {seen.first_bad} first, from 0")
    if seen.long:
        private.append(f"{seen.long} rows are longer than the norm bound: row {seen.first_long} first, from 0")
    if seen.count and seen.bad == seen.count and reading.total:
        private.append(f"0 of {seen.count} rows count: all are taken for zero rows, and a release is noise alone")
    for place in np.flatnonzero(seen.finite == 0) if seen.count and seen.finite is not None else ():
        named = f"column {told.columns[place]!r}" if told.columns else f"column {place + 1}"
        found = private if reading.total else problems  # with bad rows as zeros a release refuses nothing
        way_out = "name the others by columns (--columns), or in text the sign before decimals (--decimal)"
        found.append(f"{named} holds no finite number in any row: {way_out}")
    if seen.bad and not reading.total:
        problems.append(f"some rows hold no finite numbers: {checks.ZERO_ROWS}")
    if seen.long and reading.rows == REFUSE:
        problems.append("some rows are longer than norm_bound: give bounds (--bounds), clip (--clip), or raise it")
    return replace(told, private=tuple(private), problems=tuple(problems))


def _of_lines(told: Checked, path: Path, columns: tuple[str, ...] | None, form: Form, reading: Reading) -> Checked:
    """Add what the columns that are read do not show: bytes that are no text, and whatever else a release refuses."""
    lines = Lines(path, form.checked(path).encoding)
    if strange := sum(bool(ESCAPED.search(line)) for line in iter(lines.next, "")):
        words = f"{strange} lines hold bytes that are no text in {form.encoding}: another --encoding may be meant"
        told = replace(told, private=(*told.private, words))
    if told.problems or reading.total:
        return told
    try:
        for _ in row_files.opened(path, columns, form).rows:
            pass
    except Malformed as problem:
        return replace(told, problems=(str(problem),))
    return told


def _seen(reading: Reading, block: Block, start: int) -> _Seen:
    """Count the rows of a block that a release would change or refuse."""
    total = _Seen()
    for first, part in block.parts(2**16):
        found = part.rows.toarray() if is_sparse(part.rows) else np.asarray(part.rows, dtype=float)
        bad = ~np.isfinite(found).all(axis=1)
        mapped = replace(reading, bad_rows="zero").prepared(found)
        long = norms(mapped) > reading.norm_bound * (1 + checks.RELATIVE_ROUNDING) if len(mapped) else bad
        places = [int(start + first + np.argmax(some)) if some.any() else None for some in (bad, long)]
        counts = len(found), int(bad.sum()), int(long.sum())
        total += _Seen(*counts, places[0], places[1], np.isfinite(found).sum(axis=0))
    return total
