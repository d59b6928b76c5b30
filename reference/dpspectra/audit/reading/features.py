"""Real statistics of arrays of numbers: what most events are made of.

All are fixed before the first draw that is tested. Two data sets are compared on an output through
*references*, arrays of the output's shape computed from each data set: the data itself, the Gram matrix of rows, or the
sum and the mean over the first axis. Statistics are computed only when asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.fast import linalg
from dpspectra.ground.checks import NUMERIC

Table = dict[str, NDArray[Any]]
"""Columns by name, with an entry for each draw: real numbers, NaN where there is none, or labels (``uint64``)."""
Columns = dict[str, Callable[[], NDArray[np.floating[Any]]]]
"""Functions that compute the columns of a table, by name."""
References = dict[str, NDArray[Any]]

IMPOSSIBLE = "ruled out on the other data set"
"""Column of outputs that the declared support rules out: another event on each side, so never selected."""
LARGEST_ENTRY = 1e75
"""Size above which the numbers of a data set are no references, as squares must stay finite."""
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
    """Statistics of arrays of one shape, which most outputs on a pair of data sets hold."""

    hermitian: bool
    """Whether they are matrices to be looked at through their spectra only."""
    pair: _Pair
    """References for the arrays, from the two data sets."""
    matrices: _Pair
    """References for the square matrices that belong to vectors and frames."""

    @classmethod
    def fitted(cls, pair: tuple[Any, Any], seen: NDArray[Any]) -> Features:
        """Choose the family by the first draws, ``(n, *shape)``, which are never tested."""
        shape = seen.shape[1:]
        square = (shape[0], shape[0]) if shape else ()
        first, second = pair
        return cls(
            _is_hermitian(seen),
            _Pair(_references(first, shape), _references(second, shape)),
            _Pair(_references(first, square), _references(second, square)),
        )

    def columns(self, x: NDArray[Any]) -> Columns:
        """Functions that compute the columns for arrays ``(n, *shape)``, each of shape ``(n,)``."""
        shape = x.shape[1:]
        if self.hermitian:
            return _spectral(x, self.pair) | (_entries(x, upper=True) if shape[0] ** 2 <= ENTRIES else {})
        columns = _vector(x, self.pair)
        if len(shape) in (1, 2) and 1 < shape[0] <= LIFTED:
            square = (shape[0], shape[0])
            if shape == square or self.matrices.shared:
                frames = x[..., None] if len(shape) == 1 else x
                h = (x + linalg.adjoint(x)) / 2 if shape == square else frames @ linalg.adjoint(frames)
                columns |= {f"{name} (made Hermitian)": c for name, c in _spectral(h, self.matrices).items()}
        return columns


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
    if x.dtype.kind not in NUMERIC or x.size == 0:
        return {}
    x = x.astype(complex if x.dtype.kind == "c" else float)
    if not np.max(np.abs(x)) < LARGEST_ENTRY:
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


@dataclass
class _Pair:
    """References from each of the two data sets; what does not depend on outputs is computed once."""

    first: References
    second: References

    @property
    def shared(self) -> list[tuple[str, NDArray[Any], NDArray[Any]]]:
        """References that both have, by name."""
        return [(name, self.first[name], self.second[name]) for name in self.first if name in self.second]

    @cached_property
    def directions(self) -> NDArray[Any]:
        """Eigenvectors of the difference of the first ones."""
        _, a, b = self.shared[0]
        return linalg.eigenvectors(a - b)[1]

    @cached_property
    def bases(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Eigenvectors of the first ones."""
        _, a, b = self.shared[0]
        return linalg.eigenvectors(a)[1], linalg.eigenvectors(b)[1]


def _distances(x: NDArray[Any], pair: _Pair) -> Columns:
    """How much nearer an output is to the reference of one data set than to the other's."""

    def nearer(a: NDArray[Any], b: NDArray[Any], power: int) -> NDArray[np.floating[Any]]:
        near, far = ((np.abs((x - c).reshape(len(x), -1)) ** power).sum(axis=1) ** (1 / power) for c in (a, b))
        return near - far

    return {
        f"l{power} distance to the first {name} minus that to the second": partial(nearer, a, b, power)
        for name, a, b in pair.shared
        for power in (1, 2)
    }


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


def _vector(x: NDArray[Any], pair: _Pair) -> Columns:
    """Statistics of an array without structure: numbers, norms, and what tells the references apart."""
    flat = x.reshape(len(x), -1)
    columns = _entries(x) if flat.shape[1] <= ENTRIES else {}
    if flat.shape[1] == 1:
        columns["absolute value"] = lambda: np.abs(flat[:, 0])
    else:
        columns["Euclidean norm"] = lambda: np.linalg.norm(flat, axis=1)
        columns["largest absolute value"] = lambda: np.max(np.abs(flat), axis=1)
        columns["sum"] = lambda: flat.real.sum(axis=1)

    def along(direction: NDArray[Any]) -> NDArray[np.floating[Any]]:
        return (flat @ direction.conj()).real

    def distance(reference: NDArray[Any]) -> NDArray[np.floating[Any]]:
        return np.abs(flat[:, 0] - reference) if flat.shape[1] == 1 else np.linalg.norm(flat - reference, axis=1)

    for name, a, b in pair.shared:
        if flat.shape[1] > 1:
            columns[f"inner product with the difference of the {name}"] = partial(along, (a - b).ravel())
        columns[f"distance to the first {name}"] = partial(distance, a.ravel())
        columns[f"distance to the second {name}"] = partial(distance, b.ravel())
    return columns if flat.shape[1] == 1 else columns | _distances(x, pair)


def _spectral(h: NDArray[Any], pair: _Pair) -> Columns:
    """Statistics of Hermitian matrices ``(n, d, d)``; references that are not Hermitian do not occur."""
    spectra = _Spectra(h)
    columns: Columns = {
        "largest eigenvalue": lambda: spectra.values[:, 0],
        "smallest eigenvalue": lambda: spectra.values[:, -1],
        "trace": lambda: np.trace(h, axis1=1, axis2=2).real,
    }

    def smallest_beyond(reference: NDArray[Any]) -> NDArray[np.floating[Any]]:
        return linalg.eigenvalues(h - reference)[:, -1]

    shared = pair.shared
    for name, a, b in shared:
        columns[f"smallest eigenvalue of the output minus the first {name}"] = partial(smallest_beyond, a)
        columns[f"smallest eigenvalue of the output minus the second {name}"] = partial(smallest_beyond, b)
    for name, a, b in shared[:1]:  # what follows does not depend on scale
        same = bool(np.array_equal(a, b))
        if same:
            columns[f"inner product with the {name}"] = partial(linalg.inner, a, h)
        else:
            columns["inner product with the difference of the data"] = partial(linalg.inner, a - b, h)
            for end, place in (("top", 0), ("bottom", -1)):
                at = f"quadratic form at the {end} eigenvector of the difference"
                columns[at] = partial(linalg.quadratic, h, pair.directions[:, place])
        for which, basis in list(zip(("first", "second"), pair.bases, strict=True))[: 1 if same else 2]:
            overlap = f"squared overlap of the top eigenvectors of the output and the {which} {name}"
            columns[overlap] = partial(spectra.overlap, basis[:, 0])
            for j in sorted({*range(min(len(basis), AXES)), len(basis) - 1}):
                at = f"quadratic form at eigenvector {j + 1} of the {which} {name}"
                columns[at] = partial(linalg.quadratic, h, basis[:, j])
    return columns | _distances(h, pair)


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
