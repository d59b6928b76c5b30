"""Rows of the unit ball, and neighbouring data sets under each named relation."""

from __future__ import annotations

import numpy as np

from dpspectra.ground.array_types import Array
from dpspectra.relations import Relation, among
from dpspectra.strategies.arguments import checked
from dpspectra.strategies.lazy import st
from dpspectra.strategies.matrices import DTYPES, Field, psd, rectangular, spectra, with_spectrum

NEIGHBOUR_RELATIONS = (
    Relation.REPLACE,
    Relation.ADD_REMOVE,
    Relation.ENTRY,
    Relation.PAIR,
    Relation.SPECTRAL,
    Relation.ROW,
)
_CHANGES = (0.0, 1.0, -1.0, 0.5, 2.0**-20)


def halved_into_ball(v: Array) -> Array:
    """Halve a vector of (Gaussian) integers until its norm is at most 1; the squared norm is computed in integers."""
    square = int(np.sum(v.real**2 + v.imag**2))  # a modulus would be rounded, and 65 would pass for 64
    return np.asarray(v * 2.0 ** -((max(square - 1, 0).bit_length() + 1) // 2))


@checked
@st.composite
def ball_vectors(draw: st.DrawFn, d: int, field: Field = "real") -> Array:
    """Draw a vector of norm at most 1, checked in integers.

    Corners: zero, a coordinate vector, a flat vector of norm exactly 1 on 1, 4 or 16 coordinates, a vector of norm
    ``1e-160`` or so, and free integer directions halved until they fit. Shrinks to zero.

    Parameters
    ----------
    d
        Number of entries.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.

    Returns
    -------
    SearchStrategy
        Draws arrays of ``d`` numbers.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    kind = draw(st.sampled_from(["zero", "coordinate", "free", "flat", "minute"]))
    if kind == "zero":
        return np.zeros(d, dtype=DTYPES[field])
    if kind == "free":
        return halved_into_ball(draw(rectangular(1, d, field))[0])
    support = draw(st.sampled_from([s for s in (1, 4, 16) if s <= d])) if kind == "flat" else 1
    units = [1.0, -1.0] if field == "real" else [1.0, -1.0, 1j, -1j]
    v: Array = np.zeros(d, dtype=DTYPES[field])
    v[draw(st.permutations(range(d)))[:support]] = draw(
        st.lists(st.sampled_from(units), min_size=support, max_size=support)
    )
    return v * (2.0**-530 if kind == "minute" else support**-0.5)


@checked
@st.composite
def unit_rows(draw: st.DrawFn, n: int, d: int, field: Field = "real") -> Array:
    """Draw an ``(n, d)`` array whose rows have norm at most 1.

    Parameters
    ----------
    n, d
        Number of rows, and of columns.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.

    Returns
    -------
    SearchStrategy
        Draws ``(n, d)`` arrays.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    return np.array([draw(ball_vectors(d, field)) for _ in range(n)]).reshape(n, d)


@st.composite
def _changed_vectors(draw: st.DrawFn, d: int, field: Field) -> tuple[Array, Array]:
    """Two ball vectors: free, equal, or opposite (opposite rows have the same outer product)."""
    v = draw(ball_vectors(d, field))
    w = draw(st.one_of(ball_vectors(d, field), st.just(v), st.just(-v)))
    return v, w


@checked
@st.composite
def neighbours(draw: st.DrawFn, relation: str, n: int, d: int, field: Field = "real") -> tuple[Array, Array]:
    """Draw a pair of neighbouring data sets.

    ``replace`` and ``add_remove`` give row sets of the unit ball, of ``n`` rows (or ``n`` and ``n - 1``, in either
    order); ``row`` and ``entry`` any ``(n, d)`` matrices; ``pair`` symmetric and ``spectral`` Hermitian ``(d, d)``
    matrices.

    Parameters
    ----------
    relation
        One of `NEIGHBOUR_RELATIONS`, as `dpspectra.relations.Relation` defines them.
    n, d
        Number of rows, and of columns.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.

    Returns
    -------
    SearchStrategy
        Draws pairs of arrays.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    among(relation, NEIGHBOUR_RELATIONS)
    if relation in ("replace", "add_remove"):
        rows = draw(unit_rows(n, d, field))
        place = draw(st.integers(0, n - 1))
        if relation == "add_remove":
            pair = rows, np.delete(rows, place, axis=0)
            return pair if draw(st.booleans()) else pair[::-1]
        rows[place], new = draw(_changed_vectors(d, field))
        other = rows.copy()
        other[place] = new
        return rows, other
    if relation in ("row", "entry"):
        base = draw(rectangular(n, d, field))
        change = np.zeros_like(base)
        place = draw(st.integers(0, n - 1))
        change[place] = draw(ball_vectors(d, field) if relation == "row" else _one_entry(d))
        return base, base + change
    base = draw(rectangular(d, d, field))
    base = base + base.conj().T
    if relation == "pair":
        i, j = draw(st.integers(0, d - 1)), draw(st.integers(0, d - 1))
        change = np.zeros((d, d))
        change[i, j] = change[j, i] = draw(st.sampled_from(_CHANGES))
        return base, base + change
    spectrum = np.clip(draw(spectra(d, signed=True)) / draw(st.sampled_from([16.0, 2.0])), -1, 1)
    return base, base + draw(with_spectrum(spectrum, field))


@st.composite
def _one_entry(draw: st.DrawFn, d: int) -> Array:
    """Draw a row with one non-zero entry of size at most 1."""
    row = np.zeros(d)
    row[draw(st.integers(0, d - 1))] = draw(st.sampled_from(_CHANGES))
    return row


@checked
@st.composite
def matrix_neighbours(draw: st.DrawFn, d: int, field: Field = "real") -> tuple[Array, Array, Array, Array]:
    """Draw matrices ``M`` and ``M - x x* + y y*``, both PSD, with the ball vectors ``x`` and ``y``: ``(M, M', x, y)``.

    ``M`` contains ``x x*`` as a summand, so the pair is a replacement in some data set.

    Parameters
    ----------
    d
        Number of rows and columns.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.

    Returns
    -------
    SearchStrategy
        Draws tuples of two ``(d, d)`` arrays and two arrays of ``d`` numbers.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    x, y = draw(_changed_vectors(d, field))
    rest = draw(psd(d, field))
    return rest + np.outer(x, x.conj()), rest + np.outer(y, y.conj()), x, y
