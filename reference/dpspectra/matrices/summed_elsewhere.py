"""A matrix that somebody else summed over people, marked as such."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.ground import checks
from dpspectra.ground.foreign_code import read
from dpspectra.matrices.kinds import declared_type
from dpspectra.matrices.reading_rule import LARGEST, moderate


class Matrix:
    """Hold a positive semidefinite ``(d, d)`` matrix: a sum of ``x x*`` over people, or one that changes as such.

    It is for mechanisms that take rows or second moments, where the rows are not at hand. Neighbours under
    ``"matrix_replace"`` are ``M`` and ``M - x x* + y y*`` with vectors of norm at most ``norm_bound``, exactly and in
    float64. A rounded sum, as ``X.T @ X`` is, changes by more where a row changes: a claim for rows needs the rows.

    Entries are private: they are in no ``repr``, and are read when a mechanism is.

    Parameters
    ----------
    M
        The matrix ``(d, d)``. It is complex if an array declares a complex type; lists are real. No entry may exceed
        ``2**400``, nor ``2**400 norm_bound**2``: both hold for any sum over people, and claims say so.
    norm_bound
        Public bound on the Euclidean norm of the vectors ``x``.

    Raises
    ------
    ValueError
        For a shape that is not square, and for a ``norm_bound`` that is not positive and finite.

    Examples
    --------
    >>> Matrix(np.diag([900.0, 50.0, 3.0]))
    Matrix(private, 3 x 3, norm_bound=1)

    """

    __slots__ = ("_entries", "dtype", "norm_bound", "shape")

    def __init__(self, M: ArrayLike, norm_bound: float = 1.0) -> None:
        self.norm_bound = moderate(norm_bound)
        """Bound on the norm of the vectors by which neighbours differ."""
        declared = declared_type(M)
        self.dtype = np.dtype(complex if declared is not None and declared.kind == "c" else float)
        """Real or complex, as declared."""
        known = read(lambda: getattr(M, "shape", None), "M")
        shape = known if isinstance(known, tuple) else (len(M),) * 2 if isinstance(M, (list, tuple)) else ()
        if len(shape) != 2 or shape[0] != shape[1] or 0 in shape:
            raise ValueError(
                f"M must hold numbers in shape (d, d) and not be empty, got {type(M).__name__}, shape {shape}"
            )
        self.shape: tuple[int, int] = (int(shape[0]), int(shape[1]))
        """Its order, twice."""
        self._entries = M

    def __repr__(self) -> str:
        return f"Matrix(private, {self.shape[0]} x {self.shape[1]}, norm_bound={self.norm_bound:g})"

    def read(self) -> NDArray[Any]:
        """Return the entries, finite, Hermitian and not too large.

        Returns
        -------
        array
            The private ``(d, d)`` matrix.

        Raises
        ------
        ValueError
            For other entries.

        """
        found = checks.finite(self._entries, "M", 2, "(d, d)")
        large = np.abs(found) > min(1.0, self.norm_bound**2) * LARGEST
        if large.any():
            raise ValueError(
                "M must have entries of at most 2**400 and 2**400 norm_bound**2, "
                f"but {checks.entry(large)} is larger: give another unit, or norm_bound"
            )
        m = checks.hermitian(found, "M")
        if np.iscomplexobj(m) and self.dtype.kind != "c":
            raise ValueError("M must be of a complex type to hold complex numbers: give an array, got no declared type")
        return m
