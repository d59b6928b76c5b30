"""Exact bases of subspaces, free or at prescribed angles to another."""

from __future__ import annotations

import numpy as np

from dpspectra.ground.array_types import Array
from dpspectra.strategies.arguments import checked
from dpspectra.strategies.lazy import st
from dpspectra.strategies.matrices import Field, rectangular

TILTS = [(1, 1), (1, 0), (0, 1), (1, 2.0**-30), (2.0**-30, 1), (1, 2.0**-12), (1, 2.0**-400)]
"""Cosine against sine of an angle: half a right one, none, right, tiny, almost right, small, below all rounding."""


@checked
def independent_columns(d: int, k: int, field: Field = "real", entries: int = 3) -> st.SearchStrategy[Array]:
    """Draw linearly independent integer columns; their Gram determinant is an integer, so not 0 means at least 1.

    Parameters
    ----------
    d, k
        Number of rows, and of columns.
    field
        ``"real"`` or ``"complex"``: the kind of the entries.
    entries
        Largest size of a drawn integer.

    Returns
    -------
    SearchStrategy
        Draws ``(d, k)`` arrays.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    return rectangular(d, k, field, entries).filter(lambda a: bool(np.linalg.det(a.conj().T @ a).real > 0.5))


def _field(a: Array) -> Field:
    return "complex" if np.iscomplexobj(a) else "real"


@checked
@st.composite
def subspaces(draw: st.DrawFn, frame: Array, k: int, m: int) -> Array:
    """Draw an oblique basis of a subspace of dimension ``m``: free, or at angles of `TILTS` to a given one.

    The given one is spanned by the first ``k`` columns of the unitary ``frame``, whose field is taken.

    Parameters
    ----------
    frame
        A unitary ``(d, d)`` array.
    k
        Dimension of the given subspace.
    m
        Dimension of the drawn one.

    Returns
    -------
    SearchStrategy
        Draws ``(d, m)`` arrays.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    d, field = len(frame), _field(frame)
    if draw(st.booleans()):
        return draw(independent_columns(d, m, field))
    other = frame.copy()
    for i in range(min(k, m, d - k)):
        cosine, sine = draw(st.sampled_from(TILTS))
        other[:, i] = cosine * frame[:, i] + sine * frame[:, k + i]
        other[:, k + i] = -sine * frame[:, i] + cosine * frame[:, k + i]
    return other[:, :m] @ (np.eye(m) + np.triu(draw(rectangular(m, m, field, 2)), 1))
