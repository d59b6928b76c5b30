"""Real statistics of outputs: what events are made of.

All are fixed before the first draw that is tested. What two data sets say about an output is compared through
*references*, arrays of the output's shape computed from each data set: the data itself, the Gram matrix of rows, or the
sum and the mean over the first axis. Statistics are computed only when asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.draws import Draws
from dpspectra.fast import linalg

Table = dict[str, NDArray[np.floating[Any]]]
"""Columns of one number a draw, by name; NaN where the statistic has no value."""
Columns = dict[str, Callable[[], NDArray[np.floating[Any]]]]
"""Functions that compute the columns of a table, by name."""
References = dict[str, NDArray[Any]]

FAILURE = "failure of the mechanism"
IMPOSSIBLE = "ruled out on the other data set"
"""Column of outputs that the declared support rules out: another event on each side, so never selected."""
LARGEST = 1e150
"""Size at which outputs are clipped, so that squares stay finite."""
SYMMETRY = 1e-9
"""Relative distance from their adjoints up to which square outputs are taken to be Hermitian."""
ENTRIES = 64
"""Number of coordinates up to which they are looked at one by one: all entries of a matrix with ``d <= 8``."""
AXES = 8
"""Leading eigenvectors of each reference at which outputs are looked at, besides the last."""
LIFTED = 32
"""Dimension up to which vectors and frames are also looked at through their projectors."""


@dataclass(frozen=True, slots=True)
class Features:
    """Statistics of outputs on a pair of data sets, as a function of draws."""

    pair: tuple[Any, Any]
    grids: tuple[float | None, ...]
    """Step to which the numbers in each part of the output are rounded first, if any."""
    hermitian: tuple[bool, ...]
    """Which parts of the output are matrices to be looked at through their spectra only."""
    own: Mapping[str, Callable[[Any], float]]
    """The user's statistics of one output, by name."""

    @classmethod
    def fitted(
        cls, pair: tuple[Any, Any], chunks: list[Draws], snap: int | None, own: Mapping[str, Callable[[Any], float]]
    ) -> Features:
        """Choose grids and families by the first draws, which are never tested."""
        good = [
            np.concatenate(parts) for parts in zip(*([v[~c.failed] for v in c.values] for c in chunks), strict=True)
        ]
        grids = tuple(None if snap is None else _grid(value, snap) for value in good)
        return cls(pair, grids, tuple(_is_hermitian(value) for value in good), own)

    def __call__(self, draws: Draws, names: Container[str] | None = None) -> Table:
        """Evaluate on ``n`` draws: every column has shape ``(n,)``; those in ``names``, or all.

        A draw that failed has no value in any other column, and the columns are the same ones if all failed.
        """
        table: Table = {FAILURE: draws.failed.astype(float)}
        if draws.layout is None:
            return table
        good = np.flatnonzero(~draws.failed)
        every = len(good) == len(draws.failed)
        shown = good if len(good) else [0]  # a row of zeros, which only names the columns
        values = tuple(
            _snapped(value if every else value[shown], grid)
            for value, grid in zip(draws.values, self.grids, strict=True)
        )
        columns: Columns = {}
        for i, value in enumerate(values):
            prefix = f"part {i}: " if len(values) > 1 else ""
            part = self._part(_clipped(value, draws.layout.complex[i]), i)
            columns |= {prefix + name: column for name, column in part.items()}
        snapped = Draws(draws.layout, values, draws.failed[good])
        for name, function in self.own.items():
            columns[name] = partial(_one_by_one, function, snapped)
        with np.errstate(all="ignore"):
            for name in columns:
                if names is None or name in names:
                    table[name] = np.full(len(draws.failed), np.nan)
                    if len(good):
                        table[name][good] = np.clip(columns[name](), -np.finfo(float).max, np.finfo(float).max)
        return table

    def _part(self, x: NDArray[Any], i: int) -> Columns:
        shape = x.shape[1:]
        first, second = (_references(data, shape) for data in self.pair)
        if self.hermitian[i]:
            return _spectral(x, first, second) | (_entries(x, upper=True) if shape[0] ** 2 <= ENTRIES else {})
        columns = _vector(x, first, second)
        if len(shape) in (1, 2) and 1 < shape[0] <= LIFTED:
            square = (shape[0], shape[0])
            matrices = [_references(data, square) for data in self.pair]
            if shape == square or all(matrices):
                frames = x[..., None] if len(shape) == 1 else x
                h = (x + linalg.adjoint(x)) / 2 if shape == square else frames @ linalg.adjoint(frames)
                columns |= {f"{name} (made Hermitian)": c for name, c in _spectral(h, *matrices).items()}
        return columns


def _one_by_one(function: Callable[[Any], float], draws: Draws) -> NDArray[np.floating[Any]]:
    return np.array([float(function(draws.output(i))) for i in range(len(draws.failed))], dtype=float)


def _clipped(value: NDArray[Any], is_complex: bool) -> NDArray[Any]:
    real = np.clip(value.real, -LARGEST, LARGEST)
    return real + 1j * np.clip(value.imag, -LARGEST, LARGEST) if is_complex else real


def _grid(value: NDArray[Any], snap: int) -> float:
    """``2**-snap`` of the scale of the draws: the median modulus of their nonzero numbers, 1 if there are none."""
    sizes = np.abs(value[value != 0])
    scale = float(np.median(sizes)) if sizes.size else 1.0
    return math.ldexp(1.0, max(math.frexp(scale)[1] - snap, -1000))


def _snapped(value: NDArray[Any], grid: float | None) -> NDArray[Any]:
    """Round to multiples of ``grid``; what is too large to have digits below it is on the grid already."""
    if grid is None:
        return value
    if np.iscomplexobj(value):
        return _snapped(value.real, grid) + 1j * _snapped(value.imag, grid)
    with np.errstate(over="ignore"):
        steps = value / grid
        return np.where(np.abs(steps) < 2.0**52, np.round(steps) * grid, value)


def _is_hermitian(value: NDArray[Any]) -> bool:
    """Whether all of ``(n, *shape)`` are Hermitian matrices up to rounding, at least one of them nonzero."""
    if value.ndim != 3 or value.shape[1] != value.shape[2] or value.shape[1] < 2 or len(value) == 0:
        return False
    size = np.max(np.abs(value))
    return bool(size > 0 and np.max(np.abs(value - linalg.adjoint(value))) <= SYMMETRY * size)


def _references(data: Any, shape: tuple[int, ...]) -> References:
    """Arrays of the given shape that say where outputs on the data may lie, by name."""
    try:
        x = np.asarray(data)
    except ValueError:
        return {}
    if x.dtype.kind not in "biufc" or x.size == 0:
        return {}
    x = x.astype(complex if x.dtype.kind == "c" else float)
    if not np.max(np.abs(x)) < np.sqrt(LARGEST):
        return {}
    square = x.ndim == 2 and x.shape[0] == x.shape[1]
    if x.shape == shape and (not square or np.max(np.abs(x - linalg.adjoint(x))) <= SYMMETRY * np.max(np.abs(x))):
        return {"data set": x}
    if x.ndim == 2 and shape == (x.shape[1], x.shape[1]):
        gram = linalg.gram(x)
        return {"Gram matrix": gram, "Gram matrix over n": gram / len(x)}
    if x.shape[1:] == shape and x.ndim == len(shape) + 1:
        return {"sum of rows": x.sum(axis=0), "mean of rows": x.mean(axis=0)}
    return {}


def _distances(x: NDArray[Any], first: References, second: References) -> Columns:
    """How much nearer an output is to the reference of one data set than to the other's."""

    def nearer(a: NDArray[Any], b: NDArray[Any], power: int) -> NDArray[np.floating[Any]]:
        near, far = ((np.abs((x - c).reshape(len(x), -1)) ** power).sum(axis=1) ** (1 / power) for c in (a, b))
        return near - far

    return {
        f"l{power} distance to the first {name} minus that to the second": partial(nearer, a, b, power)
        for name, a, b in _shared(first, second)
        for power in (1, 2)
    }


def _shared(first: References, second: References) -> list[tuple[str, NDArray[Any], NDArray[Any]]]:
    return [(name, first[name], second[name]) for name in first if name in second]


def _entries(x: NDArray[Any], upper: bool = False) -> Columns:
    """Real and imaginary parts of single numbers; of a matrix perhaps only those on and above the diagonal."""
    columns: Columns = {}
    for place in np.ndindex(x.shape[1:]):
        if upper and place[0] > place[1]:
            continue
        where = f"entry {place if len(place) > 1 else place[0]}" if place else "output"
        entry = x[(slice(None), *place)]
        if np.iscomplexobj(x):
            columns[f"real part of {where}"] = partial(np.real, entry)
            columns[f"imaginary part of {where}"] = partial(np.imag, entry)
        else:
            columns[where] = partial(np.real, entry)
    return columns


def _vector(x: NDArray[Any], first: References, second: References) -> Columns:
    """Statistics of an array without structure: numbers, norms, and what tells the references apart."""
    flat = x.reshape(len(x), -1)
    columns = _entries(x) if flat.shape[1] <= ENTRIES else {}
    if flat.shape[1] == 1:
        columns["modulus"] = lambda: np.abs(flat[:, 0])
    else:
        columns["Euclidean norm"] = lambda: np.linalg.norm(flat, axis=1)
        columns["largest modulus"] = lambda: np.max(np.abs(flat), axis=1)
        columns["sum"] = lambda: flat.real.sum(axis=1)

    def along(direction: NDArray[Any]) -> NDArray[np.floating[Any]]:
        return (flat @ direction.conj()).real

    def distance(reference: NDArray[Any]) -> NDArray[np.floating[Any]]:
        return np.linalg.norm(flat - reference, axis=1)

    for name, a, b in _shared(first, second):
        if flat.shape[1] > 1:
            columns[f"inner product with the difference of the {name}"] = partial(along, (a - b).ravel())
        columns[f"distance to the first {name}"] = partial(distance, a.ravel())
        columns[f"distance to the second {name}"] = partial(distance, b.ravel())
    return columns if flat.shape[1] == 1 else columns | _distances(x, first, second)


def _spectral(h: NDArray[Any], first: References, second: References) -> Columns:
    """Statistics of Hermitian matrices ``(n, d, d)``; references that are not Hermitian do not occur."""
    spectra = _Spectra(h)
    columns: Columns = {
        "largest eigenvalue": lambda: spectra.values[:, 0],
        "smallest eigenvalue": lambda: spectra.values[:, -1],
        "trace": lambda: np.trace(h, axis1=1, axis2=2).real,
    }

    def smallest_beyond(reference: NDArray[Any]) -> NDArray[np.floating[Any]]:
        return linalg.eigenvalues(h - reference)[:, -1]

    shared = _shared(first, second)
    for name, a, b in shared:
        columns[f"smallest eigenvalue of the output minus the first {name}"] = partial(smallest_beyond, a)
        columns[f"smallest eigenvalue of the output minus the second {name}"] = partial(smallest_beyond, b)
    for name, a, b in shared[:1]:  # what follows does not depend on scale
        same = bool(np.array_equal(a, b))
        if same:
            columns[f"inner product with the {name}"] = partial(linalg.inner, a, h)
        else:
            directions = linalg.eigenvectors(a - b)[1]
            columns["inner product with the difference of the data"] = partial(linalg.inner, a - b, h)
            for end, place in (("top", 0), ("bottom", -1)):
                at = f"quadratic form at the {end} eigenvector of the difference"
                columns[at] = partial(linalg.quadratic, h, directions[:, place])
        for which, reference in (("first", a),) if same else (("first", a), ("second", b)):
            basis = linalg.eigenvectors(reference)[1]
            overlap = f"squared overlap of the top eigenvectors of the output and the {which} {name}"
            columns[overlap] = partial(spectra.overlap, basis[:, 0])
            for j in sorted({*range(min(len(basis), AXES)), len(basis) - 1}):
                at = f"quadratic form at eigenvector {j + 1} of the {which} {name}"
                columns[at] = partial(linalg.quadratic, h, basis[:, j])
    return columns | _distances(h, first, second)


class _Spectra:
    """Eigenvalues and eigenvectors of a stack of matrices, computed at most once."""

    def __init__(self, h: NDArray[Any]) -> None:
        self.h = h

    @cached_property
    def decomposed(self) -> tuple[NDArray[Any], NDArray[Any]]:
        return linalg.eigenvectors(self.h)

    @property
    def values(self) -> NDArray[np.floating[Any]]:
        return self.decomposed[0]

    def overlap(self, vector: NDArray[Any]) -> NDArray[np.floating[Any]]:
        return np.abs(self.decomposed[1][:, :, 0] @ vector.conj()) ** 2
