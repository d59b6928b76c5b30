"""Outputs of several runs together: stacked as arrays where they are arrays of numbers alike, else one by one."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading.as_floats import exact
from dpspectra.audit.reading.labels import NOTHING, Label
from dpspectra.audit.reading.outcomes import ROOT, TUPLE, TYPES, Outcome, outcome
from dpspectra.audit.reading.share_read import Sight
from dpspectra.ground.checks import NUMERIC

FLOAT = np.dtype(float)
Form = tuple[Any, ...]
"""Types and shapes, which all calls for many runs must share."""


@dataclass(frozen=True, slots=True)
class Stacks:
    """Outputs that are arrays of numbers of known shapes, stacked along the first axis, by path."""

    arrays: Mapping[str, NDArray[Any]]
    bundled: bool = False
    """Whether an output is a tuple of the arrays."""
    types: Label = NOTHING
    """Label of the type of numbers, where each output was an array of its own, of another type than float64."""

    def __len__(self) -> int:
        return len(next(iter(self.arrays.values())))

    @property
    def form(self) -> Form:
        """Shapes and type of the arrays of one output."""
        return (self.bundled, self.types, *((path, array.shape[1:]) for path, array in self.arrays.items()))

    def output(self, i: int) -> Any:
        """Output ``i`` in the form in which the mechanism returned it."""
        parts = tuple(array[i] for array in self.arrays.values())
        return parts if self.bundled else parts[0]

    def outcomes(self) -> list[Outcome]:
        """Return the outputs one by one."""
        rows = (tuple(map(_alone, one)) if self.bundled else _alone(one) for one in map(self.output, range(len(self))))
        return [typed(outcome(row), self.types) for row in rows]


def typed(one: Outcome, types: Label) -> Outcome:
    """Return the outcome with another label of its types, or with none."""
    labels = {path: label for path, label in one.labels.items() if path != TYPES}
    return replace(one, labels=labels if types == NOTHING else {**labels, TYPES: types})


Rows = Stacks | list[Outcome]
"""Outputs of some runs."""


def together(pieces: Sequence[Rows | NDArray[Any]]) -> Rows:
    """Put outputs after each other; plain arrays are stacks of outputs."""
    if set(map(type, pieces)) == {np.ndarray}:
        plain = cast("Sequence[NDArray[Any]]", pieces)
        return Stacks({ROOT: plain[0] if len(plain) == 1 else np.concatenate(plain)})
    known = [Stacks({ROOT: piece}) if isinstance(piece, np.ndarray) else piece for piece in pieces]
    first = known[0]
    if isinstance(first, Stacks) and all(isinstance(p, Stacks) and p.form == first.form for p in known):
        arrays = {path: np.concatenate([p.arrays[path] for p in known]) for path in first.arrays}  # type: ignore[union-attr]
        return Stacks(arrays, first.bundled, first.types)
    return [one for p in known for one in (p.outcomes() if isinstance(p, Stacks) else p)]


def sight_of(rows: Rows) -> Sight:
    """How much of some outputs was seen; stacks of numbers hide nothing."""
    if isinstance(rows, Stacks):
        return Sight(len(rows))
    return Sight.of((one.unread for one in rows), (one.by_text for one in rows), len(rows))


def says_nothing(rows: Rows) -> bool:
    """Whether all runs failed or returned numbers of which none is finite."""
    if isinstance(rows, Stacks):
        return not any(np.isfinite(array).any() for array in rows.arrays.values())
    return all(one.failed or (one.numbers and not _any_finite(one)) for one in rows)


def _any_finite(one: Outcome) -> bool:
    return bool(one.labels) or any(np.isfinite(numbers).any() for numbers in one.numbers.values())


def gathered(runs: list[Any], shape: tuple[int, ...] | None = None) -> Rows:
    """Stack what `Caller.one_by_one` returned: as arrays where all are alike, else one by one.

    ``shape`` is that of the float64 arrays of which there are only bytes.
    """
    kinds = set(map(type, runs))
    if kinds == {float}:
        return Stacks({ROOT: np.array(runs)})
    if kinds == {np.float64}:
        return Stacks({ROOT: np.array(runs)}, types=outcome(runs[0]).labels[TYPES])
    if kinds == {bytes}:
        return Stacks({ROOT: np.frombuffer(bytearray().join(runs)).reshape(len(runs), *(shape or ()))})
    if bytes in kinds:
        runs = [np.frombuffer(one).reshape(shape or ()).copy() if type(one) is bytes else one for one in runs]
        kinds = set(map(type, runs))
    if kinds == {np.ndarray} and len(set(map(operator.attrgetter("dtype"), runs))) == 1:
        try:
            stack = np.array(runs)
        except ValueError:  # shapes differ
            return list(map(outcome, runs))
        if _is_float64(stack):
            return Stacks({ROOT: _real_or_complex(stack)}, types=outcome(runs[0]).labels.get(TYPES, NOTHING))
    return [one if isinstance(one, Outcome) else outcome(one) for one in runs]


def readable_rows(value: Any, count: int) -> tuple[Rows, Form] | None:
    """Rows of what a call for ``count`` draws returned, and their form; ``None`` if it is not that many.

    A row is read as what the widest row that numpy could have stacked it with would have made of it: numbers of an
    array as complex numbers, those with no imaginary part as real ones. So one row says nothing of the others.
    """
    if type(value) is np.ndarray and value.shape[:1] == (count,):
        if value.dtype.kind in NUMERIC:
            stacks = Stacks({ROOT: _real_or_complex(value)})
            if not _is_float64(value):
                return [typed(outcome(_alone(row)), NOTHING) for row in value], stacks.form
            return stacks, stacks.form
        items = value.tolist() if value.ndim == 1 and value.dtype.kind in "OUS" else value
        return [outcome(_alone(row)) for row in items], (value.dtype.kind, value.shape[1:])
    if isinstance(value, tuple) and 0 < len(value) <= TUPLE:
        parts = [np.asarray(part) for part in value if isinstance(part, (np.ndarray, np.generic, list))]
        if len(parts) == len(value) and all(p.shape[:1] == (count,) and p.dtype.kind in NUMERIC for p in parts):
            arrays = {f"{ROOT}[{i}]": _real_or_complex(part) for i, part in enumerate(parts)}
            stacks = Stacks(arrays, bundled=True)
            if not all(map(_is_float64, parts)):
                rows = zip(*parts, strict=True)
                return [typed(outcome(tuple(map(_alone, row))), NOTHING) for row in rows], stacks.form
            return stacks, stacks.form
        return None
    if isinstance(value, list) and len(value) == count:
        return [outcome(row) for row in value], ("list",)
    if isinstance(value, (list, tuple, np.ndarray)) or not (hasattr(value, "toarray") or hasattr(value, "__array__")):
        return None
    array = np.asarray(value.toarray() if hasattr(value, "toarray") else value)
    return readable_rows(array, count) if type(array) is np.ndarray else None


def _alone(row: Any) -> Any:
    """Return a row of an array without the others."""
    return row.copy() if isinstance(row, np.ndarray) else row


def _is_float64(values: NDArray[Any]) -> bool:
    """Whether all numbers of an array are float64 or complex128 numbers, if in another form."""
    return exact(values) if values.dtype.kind in "iu" else values.dtype.char not in "gG"


def _real_or_complex(values: NDArray[Any]) -> NDArray[Any]:
    """Return a fresh array of float64 or complex128."""
    return values.astype(complex if values.dtype.kind == "c" else float)
