"""Tables of what outcomes show: a column of real numbers, or of labels, for each thing that events are made of.

The first outcomes, which are never bet on, fix which columns there are. After that a column of a row depends on the
outcome of that row alone, and every column is there in every table, so that rows with one law have columns with one
law, whatever else was drawn with them. A missing number is NaN, a missing label `NOTHING`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from dpspectra.audit.reading import bits
from dpspectra.audit.reading.as_floats import shape_of
from dpspectra.audit.reading.features import Columns, Features, Table
from dpspectra.audit.reading.labels import NOTHING, VALUE, Label
from dpspectra.audit.reading.number_places import MEMBERS, PLACES, Places
from dpspectra.audit.reading.outcomes import ROOT, TYPES, Outcome, outcome
from dpspectra.audit.reading.rounding import constant, grid_of, mixed, snapped, tamed, words
from dpspectra.audit.reading.stacked_outputs import Rows, Stacks
from dpspectra.ground.array_types import Array, Bits, Flags, Floats

KIND = "kind of outcome"
STRUCTURE = "types and shapes"
WHOLE = "whole output"
"""Label of all numbers (rounded) and labels of an output; where outputs repeat."""
PATHS = 64
"""Arrays of numbers in one output that are looked at, and labels."""

Own = Mapping[str, Callable[[Any], float]]


@dataclass(frozen=True, slots=True)
class Part:
    """An array of numbers that most outputs have."""

    path: str
    shape: tuple[int, ...]
    complex: bool
    grid: Floats | None
    """Step to which each number is rounded first; ``None`` to see them as they are."""
    features: Features
    names: tuple[str, ...]
    """Names of its statistics."""

    @property
    def size(self) -> int:
        """Numbers in it."""
        return int(np.prod(self.shape))

    def column(self, name: str) -> str:
        """Name of a statistic of this part among those of the whole output."""
        if self.path == ROOT:
            return name
        return self.path if name == ROOT else f"{self.path}: {name}"

    def columns(self, rounded: Array, raw: Array, all_bits: bool) -> Columns:
        """Functions that compute the statistics of arrays ``(n, *shape)``."""
        found = self.features.columns(rounded)
        return found | bits.columns(raw) if all_bits else found

    @property
    def finite(self) -> str:
        """Name of the column that says which numbers are not finite."""
        return f"{self.path} (what is not finite)"


@dataclass(frozen=True, slots=True)
class Layout:
    """Which columns there are, as fixed by the first outcomes."""

    parts: tuple[Part, ...] = ()
    labels: tuple[str, ...] = ()
    """Paths of labels."""
    structure: Label = 0
    """The most common structure: what statistics of the user's own are told of."""
    repeats: bool = True
    """Whether whole outputs occur twice, so that each is worth an event."""
    bits: bool = False
    own: Own = field(default_factory=dict)
    places: Places = field(default_factory=Places)
    _structures: dict[tuple[Any, ...], Label] = field(default_factory=dict, compare=False)

    @classmethod
    def fitted(cls, pair: tuple[Any, Any], seen: Sequence[Rows], snap: int | None, own: Own) -> Layout:
        """Choose columns and grids; ``snap=None`` shows all bits."""
        outcomes = [one for rows in seen for one in (rows.outcomes() if isinstance(rows, Stacks) else rows)]
        shapes: dict[str, Counter[tuple[int, ...]]] = {}
        for one in outcomes:
            for path, numbers in one.numbers.items():
                shapes.setdefault(path, Counter())[shape_of(numbers)] += 1
        common = sorted(shapes, key=lambda path: -shapes[path].total())[:PATHS]
        parts = [_part(pair, path, shapes[path].most_common(1)[0][0], outcomes, snap) for path in common]
        labels = Counter(path for one in outcomes for path in one.labels)
        structures = Counter(one.structure for one in outcomes if not one.failed)
        layout = cls(
            tuple(part for part in parts if part is not None),
            (TYPES, *(path for path, _ in labels.most_common(PATHS) if path != TYPES)),
            structures.most_common(1)[0][0] if structures else 0,
            True,
            snap is None,
            own,
            Places.fitted(seen, outcomes, snap),
        )
        whole = layout.table(outcomes, {WHOLE})[WHOLE]
        repeats = len(np.unique(whole)) < max(2, len(whole) - 1)
        return replace(layout, repeats=repeats)

    @property
    def numbers(self) -> int:
        """Numbers in one output, at least 1."""
        return max(1, sum(part.size for part in self.parts))

    def table(self, rows: Rows, names: Container[str] | None = None) -> Table:
        """Columns of some outputs, those in ``names`` or all."""
        n = len(rows)
        seen = self._matrices(rows, names)
        if isinstance(rows, Stacks) and not self._admits(rows):
            rows = rows.outcomes()
        wanted = self.repeats and (names is None or WHOLE in names)
        table = self._of_labels(rows, n, None if wanted else names)
        mixed_in = [table[STRUCTURE], *(table[_label_of(path)] for path in self.labels)] if wanted else []
        rounded: dict[str, Array] = {}
        for part in self.parts:
            if not (wanted or self._asked_for(part, names)):
                continue
            where, stack = _stacked(rows, part)
            table |= self._of_part(part, where, stack, n, names, rounded)
            if wanted:
                spread = (_filled(column, where, n, NOTHING) for column in words(rounded[part.path]).T)
                mixed_in += [table[part.finite], *spread]
        if wanted:
            table[WHOLE] = mixed(mixed_in)
        return table | seen | self._own(rows, rounded, n, names)

    def _of_labels(self, rows: Rows, n: int, names: Container[str] | None) -> Table:
        """Columns of labels, those in ``names`` or all."""

        def at(path: str) -> Bits:
            if isinstance(rows, Stacks):
                return constant(rows.types if path == TYPES else NOTHING, n)
            return _labels(one.labels.get(path, NOTHING) for one in rows)

        columns: dict[str, Callable[[], Bits]] = {
            KIND: lambda: constant(VALUE, n) if isinstance(rows, Stacks) else _labels(one.kind for one in rows),
            STRUCTURE: lambda: self.structures(rows),
        }
        columns |= {_label_of(path): partial(at, path) for path in self.labels}
        return {name: column() for name, column in columns.items() if names is None or name in names}

    def _asked_for(self, part: Part, names: Container[str] | None) -> bool:
        """Whether a column of a part is needed, by itself or for statistics of the user's own."""
        return names is None or any(name in names for name in (*map(part.column, part.names), part.finite, *self.own))

    def _matrices(self, rows: Rows, names: Container[str] | None) -> Table:
        """Return the matrices that lenses read."""
        table: Table = {}
        if self.places.size and (names is None or PLACES in names):
            table[PLACES] = self.places.matrix(rows)
        if self.places.members and (names is None or MEMBERS in names):
            table[MEMBERS] = self.places.buckets(rows)
        return table

    def output(self, rows: Rows, i: int) -> Any:
        """Output ``i`` as the mechanism returned it."""
        return rows.output(i) if isinstance(rows, Stacks) else rows[i].value

    def judged(self, rows: Rows) -> Flags:
        """Which outputs are of the most common structure."""
        if isinstance(rows, Stacks):
            return self.structures(rows) == np.uint64(self.structure)
        return np.array([one.structure == self.structure and not one.failed for one in rows], dtype=bool)

    def _admits(self, rows: Stacks) -> bool:
        shapes = {part.path: part.shape for part in self.parts}
        return all(shapes.get(path, array.shape[1:]) == array.shape[1:] for path, array in rows.arrays.items())

    def structures(self, rows: Rows) -> Bits:
        """Structures of outputs; in stacks by which of their arrays have imaginary parts."""
        if not isinstance(rows, Stacks):
            return _labels(one.structure for one in rows)
        arrays = rows.arrays.values()
        if all(array.dtype.kind != "c" for array in arrays):
            return constant(self._structure(rows, (False,) * len(arrays)), len(rows))
        codes = sum(_is_complex(array).astype(int) << j for j, array in enumerate(arrays))
        out = np.zeros(len(rows), dtype=np.uint64)
        for code in np.unique(codes).tolist():
            out[codes == code] = self._structure(rows, tuple(bool(code >> j & 1) for j in range(len(arrays))))
        return out

    def _structure(self, rows: Stacks, wide: tuple[bool, ...]) -> Label:
        """Structure of an output of which these arrays have imaginary parts."""
        key = (wide, rows.form)
        if key not in self._structures:
            example = [
                (np.full(array.shape[1:], 1j) if flag else np.zeros(array.shape[1:]))[()]
                for flag, array in zip(wide, rows.arrays.values(), strict=True)
            ]
            self._structures[key] = outcome(tuple(example) if rows.bundled else example[0]).structure
        return self._structures[key]

    def _of_part(
        self, part: Part, where: Any, stack: Array, n: int, names: Container[str] | None, rounded: dict[str, Any]
    ) -> Table:
        """Columns of one part; ``where`` are the rows that have it, ``None`` for all."""
        stack = stack.astype(complex) if part.complex else stack.real
        wanted = [name for name in part.names if names is None or part.column(name) in names]
        if len(stack) == 0:
            rounded[part.path] = stack
            missing = {part.column(name): np.full(n, np.nan) for name in wanted}
            return {part.finite: constant(NOTHING, n)} | missing
        tame, pattern = tamed(stack)
        rounded[part.path] = tame = snapped(tame, part.grid)
        table: Table = {part.finite: _filled(pattern, where, n, NOTHING)}
        columns = part.columns(tame, stack, self.bits) if wanted else {}
        limit = np.finfo(float).max
        with np.errstate(all="ignore"):
            for name in wanted:
                values = columns[name]()
                if not math.isfinite(np.add.reduce(values)):
                    values = np.clip(values, -limit, limit)
                table[part.column(name)] = _filled(values, where, n, np.nan)
        return table

    def _own(self, rows: Rows, rounded: Mapping[str, Any], n: int, names: Container[str] | None) -> Table:
        """Statistics of the user's own: they are told of rounded arrays, and of other values as they are."""
        table: Table = {}
        wanted = [name for name in self.own if names is None or name in names]
        if not wanted:
            return table
        usual = np.flatnonzero(self.judged(rows))
        if isinstance(rows, Stacks):
            arrays = {path: rounded.get(path, array) for path, array in rows.arrays.items()}
            rows = Stacks(arrays, rows.bundled)
        for name in wanted:
            table[name] = np.full(n, np.nan)
            for i in usual.tolist():
                table[name][i] = float(self.own[name](self.output(rows, i)))
        return table


def _label_of(path: str) -> str:
    return f"{path} (label)"


def _part(
    pair: tuple[Any, Any], path: str, shape: tuple[int, ...], outcomes: Sequence[Outcome], snap: int | None
) -> Part | None:
    found = [one.numbers[path] for one in outcomes if path in one.numbers]
    stack = np.stack([x for x in found if np.shape(x) == shape])
    constant = len({np.shape(x) for x in found}) == 1 and bool(np.all(stack == stack[:1]))
    if stack[:1].size == 0 or (constant and path.endswith(".length")):
        return None
    wide = stack.dtype.kind == "c"
    tame = tamed(stack.astype(complex if wide else float))[0]
    grid = None if snap is None else grid_of(tame, snap)
    part = Part(path, shape, wide, grid, Features.fitted(pair, snapped(tame, grid)), ())
    return replace(part, names=tuple(part.columns(tame[:1], tame[:1], snap is None)))


def _stacked(rows: Rows, part: Part) -> tuple[Any, Array]:
    """Which outcomes have a part in its usual shape, ``None`` for all, and those arrays."""
    if isinstance(rows, Stacks):
        stack = rows.arrays.get(part.path)
        return ([], np.empty((0, *part.shape))) if stack is None else (None, stack)
    if part.shape == () and set(map(type, found := [one.numbers.get(part.path) for one in rows])) == {float}:
        return None, np.array(found)
    where = [i for i, one in enumerate(rows) if np.shape(one.numbers.get(part.path, _ABSENT)) == part.shape]
    if not where:
        return where, np.empty((0, *part.shape))
    return (None if len(where) == len(rows) else where), np.stack([rows[i].numbers[part.path] for i in where])


_ABSENT = np.empty((0, 0, 0))
"""An array that has the shape of no part."""


def _labels(values: Any) -> Bits:
    return np.fromiter(values, dtype=np.uint64)


def _is_complex(x: Array) -> Flags:
    """Which rows have an imaginary part."""
    if x.dtype.kind != "c":
        return np.zeros(len(x), dtype=bool)
    return np.asarray((x.imag != 0).reshape(len(x), -1).any(axis=1))


def _filled(values: Array, where: Any, n: int, missing: float) -> Array:
    if where is None:
        return values
    full = np.full(n, missing, dtype=values.dtype)
    full[where] = values
    return full
