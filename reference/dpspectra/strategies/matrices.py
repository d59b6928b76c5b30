"""Spectra, unitaries and Hermitian matrices with exact entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from dpspectra.ground.array_types import Array
from dpspectra.strategies.arguments import checked
from dpspectra.strategies.lazy import st
from dpspectra.strategies.numbers import dyadics

Field = Literal["real", "complex"]

DTYPES = {"real": np.float64, "complex": np.complex128}

TINY = 2.0**-30
"""The tiny gap between two eigenvalues that are almost equal."""


def fields() -> st.SearchStrategy[Field]:
    """Draw one of both fields; shrinks to the reals.

    Returns
    -------
    SearchStrategy
        Draws the names ``"real"`` and ``"complex"``.

    """
    return st.sampled_from(["real", "complex"])


@checked
@st.composite
def rectangular(draw: st.DrawFn, m: int, n: int, field: Field = "real", entries: int = 8) -> Array:
    """Draw an ``m`` by ``n`` array of integers up to ``entries`` in size (Gaussian integers if complex).

    Parameters
    ----------
    m, n
        Number of rows, and of columns.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.
    entries
        Largest size of a drawn integer.

    Returns
    -------
    SearchStrategy
        Draws ``(m, n)`` arrays.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    numbers = st.lists(st.integers(-entries, entries), min_size=m * n, max_size=m * n)
    real = np.array(draw(numbers), dtype=float).reshape(m, n)
    return real if field == "real" else real + 1j * np.array(draw(numbers), dtype=float).reshape(m, n)


@checked
@st.composite
def hermitian(draw: st.DrawFn, d: int, field: Field = "real") -> Array:
    """Draw a Hermitian matrix with integer entries, now and then scaled by a power of two or shifted by ``c I``.

    Parameters
    ----------
    d
        Number of rows and columns.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.

    Returns
    -------
    SearchStrategy
        Draws ``(d, d)`` arrays.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    g = draw(rectangular(d, d, field))
    scale = draw(st.sampled_from([1.0, 2.0**-10, 2.0**10]))
    return (g + g.conj().T) * scale + draw(st.sampled_from([0.0, -16.0, 16.0])) * scale * np.eye(d)


@checked
@st.composite
def psd(draw: st.DrawFn, d: int, field: Field = "real") -> Array:
    """Draw a positive semidefinite matrix ``G* G``, with ``G`` of 0 to ``d`` integer rows, so of any rank.

    Parameters
    ----------
    d
        Number of rows and columns.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.

    Returns
    -------
    SearchStrategy
        Draws ``(d, d)`` arrays.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    g = draw(rectangular(draw(st.integers(0, d)), d, field))
    return g.conj().T @ g


@checked
@st.composite
def spectra(draw: st.DrawFn, d: int, signed: bool = False) -> Array:
    """Draw a descending spectrum of length ``d``, non-negative unless ``signed``.

    Corners: free, all equal, zeros from a position on (rank-deficient), flat of a rank, two values a tiny gap apart,
    all zero, and, if signed, shifted so that the smallest value is negative.

    Parameters
    ----------
    d
        Number of eigenvalues.
    signed
        Whether the smallest ones may be negative.

    Returns
    -------
    SearchStrategy
        Draws arrays of ``d`` eigenvalues.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    values = np.sort(np.array(draw(st.lists(dyadics(0, 16, 3), min_size=d, max_size=d)), dtype=float))[::-1].copy()
    k = draw(st.integers(0, d))
    corners: list[Callable[[Array], Array]] = [
        lambda v: v,
        lambda v: np.where(np.arange(d) < k, v, 0.0),
        lambda v: np.full(d, v[0]),
        lambda v: np.where(np.arange(d) < k, v[0], 0.0),
        lambda v: np.where(np.arange(d) < k, v[0] + TINY, v[0]),
        np.zeros_like,
    ]
    values = draw(st.sampled_from(corners))(values)
    return values - draw(dyadics(0, 16, 3)) if signed else values


@checked
@st.composite
def unitaries(draw: st.DrawFn, d: int, field: Field = "real") -> Array:
    """Draw a ``d`` by ``d`` matrix that is unitary (orthogonal if real) without rounding; shrinks to the identity.

    A signed permutation times up to three reflections ``I - 2 v v* / |v|^2`` in vectors with 1, 2 or 4 unit entries;
    over the complex numbers also times the square root of a swap, whose entries are ``(1 ± i) / 2``.

    Parameters
    ----------
    d
        Number of rows and columns.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.

    Returns
    -------
    SearchStrategy
        Draws ``(d, d)`` arrays.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    units = [1.0, -1.0] if field == "real" else [1.0, -1.0, 1j, -1j]
    signs: Array = np.array(draw(st.lists(st.sampled_from(units), min_size=d, max_size=d)), dtype=DTYPES[field])
    u = np.diag(signs)[draw(st.permutations(range(d)))]
    for _ in range(draw(st.integers(0, 3))):
        support = draw(st.sampled_from([s for s in (1, 2, 4) if s <= d]))
        places = draw(st.permutations(range(d)))[:support]
        v = np.zeros(d, dtype=u.dtype)
        v[places] = draw(st.lists(st.sampled_from(units), min_size=support, max_size=support))
        u = u - (2 / support) * np.outer(v, v.conj() @ u)
    if field == "complex" and d > 1 and draw(st.booleans()):
        half = np.eye(d, dtype=complex)
        half[:2, :2] = np.array([[1 + 1j, 1 - 1j], [1 - 1j, 1 + 1j]]) / 2
        u = half @ u
    return u


@checked
@st.composite
def with_spectrum(draw: st.DrawFn, spectrum: Array, field: Field = "real") -> Array:
    """Draw a Hermitian matrix ``U diag(spectrum) U*`` with an exact unitary, so that its spectrum is exact.

    Parameters
    ----------
    spectrum
        Eigenvalues, an array of ``d`` numbers.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.

    Returns
    -------
    SearchStrategy
        Draws ``(d, d)`` arrays.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    u = draw(unitaries(len(spectrum), field))
    return (u * spectrum) @ u.conj().T
