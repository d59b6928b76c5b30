"""All numbers of an output in one row of a matrix, by place, and what it holds as members, by bucket.

The first outcomes, which are never bet on, fix the places. A row of either matrix depends on one outcome alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading.as_floats import shape_of
from dpspectra.audit.reading.labels import readable
from dpspectra.audit.reading.outcomes import Outcome
from dpspectra.audit.reading.rounding import snapped, steps_of
from dpspectra.audit.reading.stacked_outputs import Rows, Stacks
from dpspectra.ground.array_types import Floats

PLACES, MEMBERS = "(all numbers)", "(all members)"
"""Columns of a table that hold a row of numbers for each draw."""
MOST = 2**17
"""Numbers of an output that have a place."""
LENGTH = ".length"
"""End of the paths of lengths."""
SHOWN = 3
"""Members that are named."""
ENDS = 64
"""Numbers at each end of an array of varying shape that have a place."""
BUCKETS = 1024
"""Buckets into which labels of members are thrown: two in one bucket are one member, which costs power only."""

SINGLE = {float, type(None)}
"""Types of single numbers, and of what is not there."""


@dataclass(frozen=True, slots=True)
class Run:
    """The places of the numbers at one path."""

    shape: tuple[int, ...] | None
    """Shape of the array; ``None`` if it varies: then its first and last numbers have a place."""
    wide: bool
    """Whether the numbers are complex, and have two places each."""
    start: int
    size: int
    """Places that are there for it."""

    @property
    def alone(self) -> bool:
        """Whether it is the one place of a single real number."""
        return self.shape == () and self.size == 1

    def filled(self, x: Any) -> Floats | None:
        """Return the numbers of one array at their places; ``None`` for an array that has none."""
        flat = np.ravel(x)
        if flat.dtype.kind == "c" and not self.wide:
            flat = np.where(flat.imag == 0, flat.real, np.nan)
        flat = flat.astype(complex).view(float) if self.wide else flat.real
        if self.shape is not None:
            return flat[: self.size] if np.shape(x) == self.shape else None
        half = self.size // 2
        out = np.full(self.size, np.nan)
        ends = min(len(flat), half)
        out[:ends], out[self.size - ends :] = flat[:ends], flat[len(flat) - ends :]
        return out


@dataclass(frozen=True, slots=True)
class Places:
    """Which numbers of outputs have a place, and the grid to which they are rounded."""

    runs: Mapping[str, Run] = field(default_factory=dict)
    size: int = 0
    grid: Floats | None = None
    members: bool = False
    """Whether outputs hold members."""
    usual: int = 1
    """Numbers in a usual output: the middle one of the first."""
    names: Mapping[int, str] = field(default_factory=dict)
    """The most frequent member of each bucket among the first outcomes, in words."""

    @classmethod
    def fitted(cls, seen: Sequence[Rows], outcomes: Sequence[Outcome], snap: int | None) -> Places:
        """Give a place to all numbers in the first outcomes, as far as there is room."""
        shapes: dict[str, set[tuple[int, ...]]] = {}
        wide = set[str]()
        for one in outcomes:
            for path, numbers in one.numbers.items():
                shapes.setdefault(path, set()).add(shape_of(numbers))
                if type(numbers) is not float and np.iscomplexobj(numbers):
                    wide.add(path)
        runs, end = {}, 0
        for path, found in shapes.items():
            shape = next(iter(found)) if len(found) == 1 else None
            size = (2 * ENDS if shape is None else int(np.prod(shape))) * (1 + (path in wide))
            size = min(size, MOST - end)
            runs[path] = Run(shape, path in wide, end, size)
            end += size
        sizes = sorted(sum(map(_size, one.numbers.values())) for one in outcomes)
        usual = max(1, sizes[len(sizes) // 2])
        members = Counter(label for one in outcomes for label in one.members)
        names = {label % BUCKETS: readable.get(label, "") for label, _ in reversed(members.most_common())}
        blank = cls(runs, end, None, bool(members), usual, names)
        if snap is None or end == 0:
            return blank
        first = np.concatenate([blank.matrix(rows) for rows in seen])
        return replace(blank, grid=steps_of([first], snap))

    def matrix(self, rows: Rows) -> Floats:
        """Numbers by draw and place, ``(n, places)``; NaN where there is none."""
        stacked = self._stacked(rows) if isinstance(rows, Stacks) else None
        if stacked is not None:
            return snapped(stacked, self.grid)
        out = np.full((len(rows), self.size), np.nan)
        outcomes = rows.outcomes() if isinstance(rows, Stacks) else rows
        for path, run in self.runs.items():
            found = [one.numbers.get(path) for one in outcomes]
            if run.alone and set(map(type, found)) <= SINGLE:
                out[:, run.start] = np.array(found, dtype=float)
                continue
            for i, numbers in enumerate(found):
                filled = None if numbers is None else run.filled(numbers)
                if filled is not None:
                    out[i, run.start : run.start + run.size] = filled
        return snapped(out, self.grid)

    def _stacked(self, rows: Stacks) -> Floats | None:
        """Return the matrix of stacks that have the shapes of the first outcomes; ``None`` for others."""
        parts = []
        if rows.arrays.keys() != self.runs.keys():
            return None
        for path, run in self.runs.items():
            array = rows.arrays[path]
            if array.shape[1:] != run.shape or (array.dtype.kind == "c") is not run.wide:
                return None
            flat = np.ascontiguousarray(array).reshape(len(array), -1)
            parts.append((flat.view(float) if run.wide else flat)[:, : run.size])
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1) if parts else None

    def buckets(self, rows: Rows) -> NDArray[np.bool_]:
        """Which buckets hold a member of each draw, ``(n, BUCKETS)``."""
        out = np.zeros((len(rows), BUCKETS), dtype=bool)
        for i, one in enumerate([] if isinstance(rows, Stacks) else rows):
            out[i, [label % BUCKETS for label in one.members]] = True
        return out

    def name(self, place: int) -> str:
        """Return the number at a place, in words."""
        path, run = next((path, run) for path, run in self.runs.items() if run.start <= place < run.start + run.size)
        at = place - run.start
        part = " (imaginary part)" if run.wide and at % 2 else ""
        at = at // 2 if run.wide else at
        if run.shape == ():
            return f"{path}{part}"
        if run.shape is not None:
            index = ", ".join(map(str, np.unravel_index(at, run.shape)))
            return f"{path}[{index}]{part}"
        ends = ENDS if run.size >= 2 * ENDS else run.size // 2
        return f"{path}[{at if at < ends else at - 2 * ends}]{part}"

    def member(self, bucket: int) -> str:
        """Return the members of a bucket, in words: that which was met most often, or those that were met last."""
        found = [text for label, text in readable.items() if label % BUCKETS == bucket][-SHOWN:]
        return self.names.get(bucket) or " or ".join(found) or f"a member of bucket {bucket}"

    def placed(self, rows: Rows) -> tuple[int, int]:
        """How many numbers there are in some outputs, and how many of them have a place.

        All that an output has beyond the first ones counts for no more than a usual output, and lengths count where
        they have a place only: the structure tells them.
        """
        if isinstance(rows, Stacks):
            found = {path: array.shape[1:] for path, array in rows.arrays.items()}
            if found == {path: run.shape for path, run in self.runs.items()}:
                sizes = [(int(np.prod(run.shape or ())), run.size // (1 + run.wide)) for run in self.runs.values()]
                return len(rows) * sum(size for size, _ in sizes), len(rows) * sum(room for _, room in sizes)
            rows = rows.outcomes()
        placed = np.zeros(len(rows), dtype=int)
        missing = np.zeros(len(rows), dtype=int)
        known = np.zeros(len(rows), dtype=int)
        for path, run in self.runs.items():
            column: list[Any] = [one.numbers.get(path) for one in rows]
            there = np.array([x is not None for x in column])
            known += there
            if run.alone and set(map(type, column)) <= SINGLE:
                placed += there
                continue
            for i in np.flatnonzero(there).tolist():
                size, fits = int(np.size(column[i])), run.shape is None or np.shape(column[i]) == run.shape
                placed[i] += (room := min(size, run.size // (1 + run.wide)) if fits else 0)
                missing[i] += size - room
        for i in np.flatnonzero(known < [len(one.numbers) for one in rows]).tolist():
            new = (x for path, x in rows[i].numbers.items() if path not in self.runs and not path.endswith(LENGTH))
            missing[i] += sum(int(np.size(x)) for x in new)
        counted = placed + np.minimum(missing, self.usual)
        return int(counted.sum()), int(placed.sum())


def _size(x: Any) -> int:
    return 1 if type(x) is float else int(np.size(x))
