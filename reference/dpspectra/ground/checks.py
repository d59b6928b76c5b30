"""Input checks shared by everything public: one line naming the requirement and the parameter given.

Every function returns its argument, converted, or raises ``ValueError`` before any randomness is spent. Of data a
message holds shapes, types and the place of an entry, never a value or what was computed from values: it may end up in
a log, and no claim covers it.
"""

from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dpspectra.ground.foreign_code import PASSED, computed, read
from dpspectra.ground.numbers import LARGEST_INTEGER as LARGEST_INTEGER
from dpspectra.ground.numbers import amount as amount
from dpspectra.ground.numbers import epsilon as epsilon
from dpspectra.ground.numbers import finite_number as finite_number
from dpspectra.ground.numbers import flag as flag
from dpspectra.ground.numbers import integer as integer
from dpspectra.ground.numbers import non_negative as non_negative
from dpspectra.ground.numbers import positive as positive
from dpspectra.ground.numbers import probability as probability
from dpspectra.ground.values import NoNumber as NoNumber
from dpspectra.ground.values import choice as choice
from dpspectra.ground.values import function as function
from dpspectra.ground.values import instance as instance
from dpspectra.ground.values import shown as shown
from dpspectra.ground.values import text as text

Rng: TypeAlias = np.random.Generator | int | None
"""A source of randomness: a numpy Generator, a non-negative seed, or fresh entropy of the operating system."""

NUMERIC = "biufc"
"""Kinds of numpy types that count as numbers."""
RELATIVE_ROUNDING = 1e-12
"""Asymmetry, negativity and excess of norm up to this, relative to the size of the input, count as rounding."""
ZERO_ROWS = "bad_rows='zero' takes such a row as zeros (command line: --bad-rows zero, of text with --columns)"
"""Way out for a function of rows with this option."""


def entry(bad: ArrayLike, start: int = 0) -> str:
    """Words for the place of the first true value; ``start`` is the number of the first row."""
    index = np.argwhere(bad)[0]
    if len(index) == 0:
        return "it"
    index[0] += start
    return f"entry {index[0]}" if len(index) == 1 else f"entry ({', '.join(map(str, index))})"


def plain(array: Any, name: str, start: int = 0) -> NDArray[Any]:
    """Numbers in an array and nothing else: the one door for dense data. Not copied if it is such an array.

    A mask must hide nothing, and a sparse matrix is refused. Objects become floats if each is a number, as in the
    nullable columns of a data frame without missing values. ``start`` is the number of the first row, for messages.
    """
    if hasattr(type(array), "tocsr"):
        raise ValueError(f"{name} must be a dense array, got a sparse matrix: its toarray() is one")
    if hasattr(type(array), "dask"):
        array = computed(array, name)
    unmasked(array, name, start)
    out = read(lambda: np.asarray(array), name, ragged=True)
    if out.dtype == object:
        out = _of_objects(out, name, start)
    if out.dtype.kind not in NUMERIC:
        found = "text: its astype(float) holds numbers" if out.dtype.kind in "US" else out.dtype
        raise ValueError(f"{name} must hold numbers, got an array of {found}")
    return out


def unmasked(array: Any, name: str, start: int = 0) -> None:
    """Raise ``ValueError`` if a mask hides an entry."""
    if isinstance(array, (list, tuple)):
        for number, part in enumerate(array, start):
            if isinstance(part, np.ma.MaskedArray):
                unmasked(np.ma.atleast_1d(part)[None], name, number)
    elif np.ma.is_masked(array):
        place = entry(np.ma.getmaskarray(array), start)
        raise ValueError(f"{name} must have no masked values, but {place} is masked: fill it or leave it out")


def _of_objects(array: NDArray[Any], name: str, start: int) -> NDArray[Any]:
    if array.ndim == 0:
        raise ValueError(f"{name} must be an array of numbers, got an object of type {type(array.item()).__name__}")
    kinds = (Real, Decimal, np.bool_)
    known = read(lambda: [isinstance(value, kinds) for value in array.flat], name)
    if not all(known):
        bad = ~np.array(known, bool).reshape(array.shape)
        said = "is missing or no number: fill it or leave it out"
        raise NoNumber(f"{name} must hold numbers, but {entry(bad, start)} {said}")
    try:
        return array.astype(float)
    except PASSED:
        raise
    except BaseException:  # an integer of hundreds of digits, a signalling NaN, or a number of somebody's class
        pass
    raise ValueError(f"{name} must hold numbers that float64 can hold, got one that it cannot")


def finite(
    array: ArrayLike, name: str, dimensions: int, shape: str, start: int = 0, *, empty: bool = False, instead: str = ""
) -> NDArray[Any]:
    """Finite numbers in a float64 or complex array of such a ``shape``; ``empty`` says that it may have no rows."""
    out = plain(array, name, start)
    if out.ndim != dimensions:
        raise ValueError(f"{name} must have shape {shape}, got {out.shape}")
    if out.size == 0 and not (empty and out.shape[-1]):
        raise ValueError(f"{name} must not be empty, got shape {out.shape}")
    out = out.astype(complex if out.dtype.kind == "c" else float)
    require_finite(out, name, start, instead)
    return out


def require_finite(array: NDArray[Any], name: str, start: int = 0, instead: str = "") -> None:
    """Raise ``ValueError``, with what to do instead, if some entry is infinite or no number."""
    with np.errstate(over="ignore", invalid="ignore"):  # one pass in the usual case
        usual = np.isfinite(array.sum())
    if not usual and not np.all(good := np.isfinite(array)):
        way_out = f": {instead}" if instead else ""
        raise ValueError(f"{name} must be finite, but {entry(~good, start)} is not{way_out}")


def hermitian(array: ArrayLike, name: str) -> NDArray[Any]:
    """Return a finite Hermitian ``(d, d)`` matrix (real symmetric if real).

    A matrix that differs from its adjoint by rounding is accepted, and its Hermitian part returned.
    """
    out = finite(array, name, 2, "(d, d)")
    if out.shape[0] != out.shape[1]:
        raise ValueError(f"{name} must be square, got shape {out.shape}")
    size = np.max(np.abs(out))
    skew = np.abs(out - out.conj().T) > RELATIVE_ROUNDING * size
    if skew.any():
        raise ValueError(
            f"{name} must be Hermitian, but {entry(skew)} and its mirror image do not match: {mended(name)}"
        )
    return (out + out.conj().T) / 2


def mended(name: str) -> str:
    """Return the way out for a matrix that is Hermitian up to an error."""
    return f"take ({name} + {name}.conj().T) / 2"


def non_negative_spectrum(matrix: NDArray[Any], values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the eigenvalues ``values``, descending, of a Hermitian ``matrix``.

    Raises ``ValueError`` if one is below 0 by more than rounding.
    """
    if values[-1] < -RELATIVE_ROUNDING * np.max(np.abs(matrix)) * len(values):
        raise ValueError(f"{name} must be positive semidefinite, got a negative eigenvalue")
    return values


def spectrum(values: ArrayLike, d: int, name: str = "eigenvalues") -> NDArray[np.float64]:
    """Return a finite real descending vector of length ``d``."""
    out = real_vector(values, name, f"({d},)")
    if len(out) != d:
        raise ValueError(f"{name} must have length {d}, got {len(out)}")
    if np.any(rises := np.diff(out) > 0):
        raise ValueError(
            f"{name} must be descending, but {entry(rises, 1)} is above the one before: take numpy.sort({name})[::-1]"
        )
    return out


def real_vector(values: ArrayLike, name: str, shape: str = "(d,)") -> NDArray[np.float64]:
    """Return a finite real vector, not empty."""
    out = finite(values, name, 1, shape)
    if np.iscomplexobj(out):
        raise ValueError(f"{name} must be real, got complex numbers")
    return out


def descending(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return a finite real descending vector of any length."""
    return spectrum(values, np.size(plain(values, name)), name)


def non_negatives(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Finite numbers, at least 0, in an array of any shape, which may be empty."""
    out = plain(values, name)
    if out.dtype.kind not in "iuf":
        raise ValueError(f"{name} must hold real numbers, got an array of {out.dtype}")
    if np.any(bad := ~((out >= 0) & np.isfinite(out))):
        place = f", see {entry(bad)}" if np.ndim(bad) else ""
        raise ValueError(f"{name} must be non-negative and finite, got {shown(values)}{place}")
    return out.astype(float)


def real(array: ArrayLike, name: str) -> NDArray[np.float64]:
    """Real numbers, finite or not, in an array of any shape."""
    out = plain(array, name)
    if np.iscomplexobj(out):
        raise ValueError(f"{name} must be real, got complex numbers")
    return out.astype(float)


def real_rows(array: Any, name: str = "X", start: int = 0, *, empty: bool = False, instead: str = "") -> NDArray[Any]:
    """Return a finite real ``(n, d)`` array, ``d >= 1``, and ``n >= 1`` unless it may be ``empty``."""
    out = finite(array, name, 2, "(n, d)", start, empty=empty, instead=instead)
    if np.iscomplexobj(out):
        raise ValueError(f"{name} must be real, got complex numbers")
    return out


def rows(array: ArrayLike, norm_bound: float, name: str = "X", start: int = 0) -> NDArray[Any]:
    """Return a finite real ``(n, d)`` array, ``n, d >= 1``, whose rows have Euclidean norm at most ``norm_bound``.

    Rows over the bound are an error; nothing is clipped here. ``start`` is the number of the first row, for messages.
    """
    positive(norm_bound, "norm_bound")
    out = real_rows(array, name, start)
    norms = np.linalg.norm(out, axis=1)
    if norms.max() > norm_bound * (1 + RELATIVE_ROUNDING):
        raise too_long(norm_bound, name, start + int(norms.argmax()))
    return out


def too_long(norm_bound: float, name: str, place: int) -> ValueError:
    """Return the error for a row over the norm bound; of the row it names the place only."""
    instead = "give the bounds of its columns (bounds, --bounds), raise norm_bound or clip (clipped_rows, --clip)"
    return ValueError(f"{name} must have rows of norm at most {norm_bound:g}, but row {place} is longer: {instead}")


def real_type(dtype: DTypeLike, name: str) -> np.dtype[Any]:
    """One of the types float64 and float32."""
    try:
        if dtype is not None and np.dtype(dtype) in (np.float64, np.float32):
            return np.dtype(dtype)
    except TypeError:
        pass
    raise ValueError(f"{name} must be float64 or float32, got {shown(dtype)}")


def generator(rng: Rng) -> np.random.Generator:
    """Return a numpy Generator from a Generator, a seed, or ``None`` (fresh entropy of the operating system)."""
    try:
        if isinstance(rng, (bool, np.bool_)):
            raise TypeError
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(f"rng must be a numpy Generator, a non-negative seed or None, got {shown(rng)}") from None
