"""Real statistics of outputs: what events are made of.

All are fixed before the first draw that is tested. What two data sets say about an output is compared through
*references*, arrays of the output's shape computed from each data set: the data itself, the Gram matrix of rows, or the
sum and the mean over the first axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.draws import Draws
from dpspectra.fast import linalg

Table = dict[str, NDArray[np.floating[Any]]]
"""Columns of one number a draw, by name; NaN where the statistic has no value."""
References = dict[str, NDArray[Any]]

FAILURE = "failure of the mechanism"
IMPOSSIBLE = "ruled out on the other data set"
"""Column of outputs that the declared support rules out: another event on each side, so never selected."""
LARGEST = 1e150
"""Outputs are clipped here, so that squares stay finite."""
SYMMETRY = 1e-9
"""Square outputs closer than this to their adjoints, relative to their size, are taken to be Hermitian."""
ENTRIES = 64
"""Coordinates are looked at one by one up to this many: all entries of a matrix with ``d <= 8``."""
LIFTED = 32
"""Vectors and frames of up to this dimension are also looked at through their projectors."""


@dataclass(frozen=True, slots=True)
class Features:
    """Statistics of outputs on a pair of data sets, as a function of draws."""

    pair: tuple[Any, Any]
    grids: tuple[float | None, ...]
    """Step to which the numbers in each part of the output are rounded first, if any."""
    hermitian: tuple[bool, ...]
    """Which parts of the output are matrices to be looked at through their spectra only."""
    log_ratio: Callable[[Any], float] | None

    @classmethod
    def fitted(cls, pair: tuple[Any, Any], chunks: list[Draws], snap: int | None, log_ratio: Any) -> Features:
        """Choose grids and families by the first draws, which are never tested."""
        good = [
            np.concatenate(parts) for parts in zip(*([v[~c.failed] for v in c.values] for c in chunks), strict=True)
        ]
        grids = tuple(None if snap is None else _grid(value, snap) for value in good)
        return cls(pair, grids, tuple(_is_hermitian(value) for value in good), log_ratio)

    def __call__(self, draws: Draws) -> Table:
        """Evaluate on ``n`` draws; every column has shape ``(n,)``."""
        table: Table = {FAILURE: draws.failed.astype(float)}
        if draws.layout is None:
            return table
        good = np.flatnonzero(~draws.failed)
        if len(good) == 0:
            return table
        values = tuple(_snapped(value[good], grid) for value, grid in zip(draws.values, self.grids, strict=True))
        columns: Table = {}
        with np.errstate(all="ignore"):
            for i, value in enumerate(values):
                prefix = f"part {i}: " if len(values) > 1 else ""
                part = self._part(_clipped(value, draws.layout.complex[i]), i)
                columns |= {prefix + name: column for name, column in part.items()}
        if self.log_ratio is not None:
            snapped = Draws(draws.layout, values, draws.failed[good])
            ratios = [float(self.log_ratio(snapped.output(i))) for i in range(len(good))]
            columns["declared log ratio"] = np.array(ratios, dtype=float)
        for name, column in columns.items():
            table[name] = np.full(len(draws.failed), np.nan)
            table[name][good] = np.clip(column, -np.finfo(float).max, np.finfo(float).max)
        return table

    def _part(self, x: NDArray[Any], i: int) -> Table:
        shape = x.shape[1:]
        first, second = (_references(data, shape) for data in self.pair)
        if self.hermitian[i]:
            return _spectral(x, first, second) | (_entries(x, upper=True) if shape[0] ** 2 <= ENTRIES else {})
        table = _vector(x, first, second)
        if len(shape) in (1, 2) and 1 < shape[0] <= LIFTED:
            square = (shape[0], shape[0])
            matrices = [_references(data, square) for data in self.pair]
            frames = x[..., None] if len(shape) == 1 else x
            h = (x + linalg.adjoint(x)) / 2 if shape == square else frames @ linalg.adjoint(frames)
            if shape == square or all(matrices):
                table |= {f"{name} (made Hermitian)": c for name, c in _spectral(h, *matrices).items()}
        return table


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


def _distances(x: NDArray[Any], first: References, second: References) -> Table:
    """How much nearer an output is to the reference of one data set than to the other's."""
    table: Table = {}
    for name in (name for name in first if name in second):
        a, b = (np.abs((x - c).reshape(len(x), -1)) for c in (first[name], second[name]))
        for label, power in (("l1", 1), ("l2", 2)):
            near, far = ((m**power).sum(axis=1) ** (1 / power) for m in (a, b))
            table[f"{label} distance to the first {name} minus that to the second"] = near - far
    return table


def _entries(x: NDArray[Any], upper: bool = False) -> Table:
    """Real and imaginary parts of single numbers; of a matrix perhaps only those on and above the diagonal."""
    table: Table = {}
    for place in np.ndindex(x.shape[1:]):
        if upper and place[0] > place[1]:
            continue
        where = f"entry {place if len(place) > 1 else place[0]}" if place else "output"
        entry = x[(slice(None), *place)]
        if np.iscomplexobj(x):
            table[f"real part of {where}"], table[f"imaginary part of {where}"] = entry.real, entry.imag
        else:
            table[where] = entry
    return table


def _vector(x: NDArray[Any], first: References, second: References) -> Table:
    """Statistics of an array without structure: numbers, norms, and what tells the references apart."""
    flat = x.reshape(len(x), -1)
    table = _entries(x) if flat.shape[1] <= ENTRIES else {}
    if flat.shape[1] > 1:
        table["Euclidean norm"] = np.linalg.norm(flat, axis=1)
        table["largest modulus"] = np.max(np.abs(flat), axis=1)
        table["sum"] = flat.real.sum(axis=1)
    else:
        table["modulus"] = np.abs(flat[:, 0])
    for name in (name for name in first if name in second):
        direction = (first[name] - second[name]).ravel()
        if flat.shape[1] > 1:
            table[f"inner product with the difference of the {name}"] = (flat @ direction.conj()).real
        for which, reference in (("first", first[name]), ("second", second[name])):
            table[f"distance to the {which} {name}"] = np.linalg.norm(flat - reference.ravel(), axis=1)
    return table if flat.shape[1] == 1 else table | _distances(x, first, second)


def _spectral(h: NDArray[Any], first: References, second: References) -> Table:
    """Statistics of Hermitian matrices ``(n, d, d)``; references that are not Hermitian do not occur."""
    values, vectors = linalg.eigenvectors(h)
    table: Table = {
        "largest eigenvalue": values[:, 0],
        "smallest eigenvalue": values[:, -1],
        "trace": values.sum(axis=1),
    }
    shared = [name for name in first if name in second]
    for name in shared:
        for which, reference in (("first", first[name]), ("second", second[name])):
            table[f"smallest eigenvalue of the output minus the {which} {name}"] = linalg.eigenvalues(h - reference)[
                :, -1
            ]
    for name in shared[:1]:  # what follows does not depend on scale
        difference = first[name] - second[name]
        table["inner product with the difference of the data"] = linalg.inner(difference, h)
        directions = linalg.eigenvectors(difference)[1]
        for end, place in (("top", 0), ("bottom", -1)):
            v = directions[:, place]
            table[f"quadratic form at the {end} eigenvector of the difference"] = linalg.quadratic(h, v)
        for which, reference in (("first", first[name]), ("second", second[name])):
            top = linalg.eigenvectors(reference)[1][:, 0]
            overlap = np.abs(vectors[:, :, 0] @ top.conj()) ** 2
            table[f"squared overlap of the top eigenvectors of the output and the {which} {name}"] = overlap
    return table | _distances(h, first, second)
