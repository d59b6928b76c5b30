"""Exact products of a matrix of integers with thin blocks of integers, by ordinary products in float64.

Real entries become integers ``floor(2**t a + 1/2)``: where ``a`` moves by at most 1, these move by at most ``2**t``
(DPS-CONTRACTION). If no entry exceeds ``2**b``, no partial sum of a product with ``x`` exceeds ``2**b |x|_1``; up to
``2**53`` float64 holds them exactly, in any order. Where they may be larger the matrix is a sum of *limbs*, matrices of
at most ``2**27`` times a power of two, and the block is cut in the same way. Entries that are whole are integers
themselves: ``2**t a x`` is their exact product, times ``2**t``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpspectra.certified.gram import require_classical_products
from dpspectra.certified.grid import DIGITS, INT64_BITS, Integers
from dpspectra.ground import checks
from dpspectra.ground.foreign_code import computed, refusing
from dpspectra.matrices.kinds import Matrix, declared_type
from dpspectra.matrices.products import product
from dpspectra.matrices.symmetry import is_symmetric, is_symmetric_sparse

LIMB = 27
"""Bits of the entries of a limb."""
LONGEST = 2 ** (DIGITS - LIMB - 1)
"""Largest number of rows or columns: sums of as many entries of a limb are exact."""
PART = 2**14
"""Entries that are made integers at a time: few enough for temporary arrays to take the same memory again."""
LARGEST_ENTRY = 2.0**400
"""Bound on entries; the squares of products with them do not overflow."""


@dataclass(frozen=True, slots=True)
class ExactProduct:
    """A matrix of integers ``q`` known by its exact action ``X -> q X`` on ``(columns, p)`` blocks, and ``Y -> q' Y``.

    Blocks are of int64, or of whole numbers in float64; results of int64, or of Python's integers if they are larger.
    """

    shape: tuple[int, int]
    exponent: int
    """The integers are in units of ``2**-exponent``."""
    forward: Callable[[Integers], Integers]
    backward: Callable[[Integers], Integers]
    is_symmetric: Callable[[], bool]

    def dilated(self) -> ExactProduct:
        """``[[0, q], [q', 0]]``, symmetric of order ``m + n``, without forming it."""
        m, n = self.shape

        def both(x: Integers) -> Integers:
            return np.concatenate([self.forward(x[m:]), self.backward(x[:m])])

        return ExactProduct((m + n, m + n), self.exponent, both, both, lambda: True)


def exact_product(a: Matrix, exponent: int, name: str = "A") -> ExactProduct:
    """Read a matrix, an array, a scipy sparse matrix or a dask array, as integers in units of ``2**-exponent``.

    A matrix of which the declared type is one of integers is taken as it is, ``exponent`` being 0 then, whatever it was
    to be. An entry ``a`` of any other becomes ``floor(a 2**exponent + 1/2)``, exactly, also where a list, a table or
    objects hold a number that float64 would round; where a sparse matrix stores an entry in parts, ``a`` is their sum
    in float64. The integers depend on the entries alone, not on the form of the matrix. Beside the matrix one copy of
    its entries in float64 is kept, or more if there are large ones; none if all are whole and small numbers, unless it
    is dense and of another type than float64, nor for a dask array (one pass over it is made here). Raises
    ``ValueError`` for a matrix without entries, with entries that are not real and finite, not below ``2**400``, or of
    more bits than float64 or int64; ``RuntimeError`` if the library for matrix products does not multiply classically.
    """
    matrix: Any = a
    if hasattr(matrix, "dask"):
        return _of_dask(matrix, exponent, name)
    if sparse.issparse(matrix):
        return _of_sparse(matrix, exponent, name)
    if hasattr(matrix, "matmat"):
        raise ValueError(f"{name} must have entries that can be read, got {type(matrix).__name__}")
    array, declared = checks.plain(matrix, name), declared_type(matrix) is not None
    array = array if declared or array.dtype.kind not in "biu" else array.astype(np.float64)
    exponent = _exponent(array, exponent, name)
    checks.require_finite(array, name)
    if declared or not ((numbers := np.asarray(matrix, dtype=object)) != array.astype(object)).any():
        return _of_values(array, array, lambda x: x, exponent, name, is_symmetric)
    return _of_numbers(numbers, array, exponent, name)


def _of_numbers(numbers: NDArray[Any], floats: NDArray[np.float64], exponent: int, name: str) -> ExactProduct:
    """Return the product of real numbers of any kind, which are about these floats, each rounded to the grid once."""
    bits = _bits(floats, exponent, name)
    whole = np.array([_nearest_fraction(x, exponent) for x in numbers.flat], dtype=object).reshape(floats.shape)
    return _product(
        _limbs(bits, lambda place, last: _integer_limb(whole, place, last)), bits, exponent, name, is_symmetric
    )


def _nearest_fraction(number: Any, exponent: int) -> int:
    """``floor(2**exponent a + 1/2)`` of any real number."""
    exact = Fraction(*number.as_integer_ratio()) if hasattr(number, "as_integer_ratio") else Fraction(int(number))
    return math.floor(exact * Fraction(2) ** exponent + Fraction(1, 2))


def _integer_limb(whole: NDArray[Any], place: int, last: bool) -> NDArray[np.float64]:
    """`_limb` of Python's integers."""
    digits = [abs(q) >> LIMB * place for q in whole.flat]
    kept = digits if last else [q & (2**LIMB - 1) for q in digits]
    return np.where(whole < 0, -1.0, 1.0) * np.array(kept, dtype=np.float64).reshape(whole.shape)


def nearest(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """``floor(y + 1/2)``, exactly: ``y - floor(y)`` is exact, or beyond 1/2 and rounded to no less."""
    down = np.floor(y)
    down += y - down >= 0.5
    return down


def _of_sparse(matrix: Any, exponent: int, name: str) -> ExactProduct:
    exponent = _exponent(matrix, exponent, name)
    rows = _compressed(matrix, name)
    checks.require_finite(rows.data, f"the stored values of {name}")

    def with_entries(data: NDArray[np.float64]) -> Any:
        return sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)

    return _of_values(rows, rows.data, with_entries, exponent, name, is_symmetric_sparse)


def _of_values(
    matrix: Any,
    values: NDArray[Any],
    with_entries: Callable[[NDArray[np.float64]], Any],
    exponent: int,
    name: str,
    symmetric: Callable[[Any], bool],
) -> ExactProduct:
    """Return the product of a matrix of these stored values; ``with_entries`` puts others in their places.

    Whole numbers, of whatever type, are multiplied as they are, and the products scaled by the unit: these are the same
    integers, without the copy, and from sums of fewer bits.
    """
    bits = _bits(values, exponent, name)
    if exponent >= 0 and bits <= LIMB + exponent and _is_whole(values):
        return _product([matrix], max(0, bits - exponent), exponent, name, symmetric, exponent)
    limbs = _limbs(bits, lambda place, last: with_entries(_limb(values, exponent, place, last)))
    return _product(limbs, bits, exponent, name, symmetric)


def _is_whole(values: NDArray[Any]) -> bool:
    """Whether all numbers are integers."""
    parts = (values[part] for part in _pieces(values))
    return values.dtype.kind != "f" or all(np.array_equal(np.rint(part), part) for part in parts)


def _pieces(values: NDArray[Any]) -> Iterator[slice]:
    """Cuts along the first axis, each of few enough numbers for the cache."""
    length = max(1, PART // math.prod(values.shape[1:]))
    return (slice(first, first + length) for first in range(0, len(values), length))


def _compressed(matrix: Any, name: str) -> Any:
    """Return the matrix by compressed rows, in which each entry is stored once; added up in no narrow type."""
    if matrix.format == "csr" and matrix.has_canonical_format and matrix.dtype.kind != "b":
        return matrix
    wide = np.float64 if matrix.dtype.kind == "f" else np.uint64 if matrix.dtype == np.uint64 else np.int64
    parts = matrix.astype(wide).tocoo()
    rows = parts.tocsr()
    if wide != np.float64 and rows.nnz < parts.nnz and parts.nnz << _bits(parts.data, 0, name) > 2**INT64_BITS:
        raise ValueError(f"{name} must store each entry once where integers are as large as its")
    return rows


def _of_dask(matrix: Any, exponent: int, name: str) -> ExactProduct:
    exponent = _exponent(matrix, exponent, name)

    def entries(block: Any) -> NDArray[Any]:
        require_classical_products()  # of the machine where the block is
        values = checks.plain(block, name)
        if values.dtype != matrix.dtype:
            raise ValueError(f"{name} must have blocks of its type {matrix.dtype}, got one of {values.dtype}")
        return values

    def size(block: Any) -> NDArray[np.int64]:
        return np.full((1, 1), refusing(lambda: _bits(entries(block), exponent, name)))

    ones = tuple((1,) * len(lengths) for lengths in matrix.chunks)
    sizes = matrix.map_blocks(size, chunks=ones, dtype=np.int64, meta=np.empty((0, 0), np.int64))
    bits = int(computed(sizes.max(), name))

    def limb(place: int, last: bool) -> Any:
        return matrix.map_blocks(
            lambda block: _limb(entries(block), exponent, place, last), dtype=np.float64, meta=np.empty((0, 0))
        )

    return _product(_limbs(bits, limb), bits, exponent, name, lambda x: bool(computed((x == x.T).all(), name)))


def _exponent(a: Any, exponent: int, name: str) -> int:
    """Return the exponent of the unit of a matrix; 0 for integers."""
    if a.dtype.kind not in "buif":
        raise ValueError(f"{name} must be real, got an array of {a.dtype}")
    if a.dtype.kind == "f" and a.dtype.itemsize > 8:
        raise ValueError(f"{name} must have entries of at most 64 bits, got {a.dtype}")
    if a.ndim != 2 or 0 in a.shape:
        raise ValueError(f"{name} must be a matrix and not empty, got shape {a.shape}")
    if max(a.shape) > LONGEST:
        raise ValueError(f"{name} must have at most {LONGEST} rows and columns, got shape {a.shape}")
    return exponent if a.dtype.kind == "f" else 0


def _bits(values: NDArray[Any], exponent: int, name: str) -> int:
    """Return some ``b`` for which no integer exceeds ``2**b`` in modulus."""
    if values.size == 0:
        return 0
    if values.dtype.kind != "f":
        return max(abs(int(values.min())), abs(int(values.max()))).bit_length()
    largest = max(-float(values.min()), float(values.max()))
    if not largest < LARGEST_ENTRY:
        raise ValueError(f"{name} must have finite entries below 2**400")
    return max(0, math.frexp(largest)[1] + exponent)


def _limbs(bits: int, limb: Callable[[int, bool], Any]) -> list[Any]:
    last = max(0, -(-bits // LIMB) - 1)
    return [limb(place, place == last) for place in range(last + 1)]


def _limb(values: NDArray[Any], exponent: int, place: int, last: bool) -> NDArray[np.float64]:
    """Return the signed digits of the integers at a place to the base ``2**LIMB``; at the last place, the rest."""
    out = np.empty_like(values, dtype=np.float64, subok=False)
    for part in _pieces(values):
        out[part] = _digits(values[part], exponent, place, last)
    return out


def _digits(values: NDArray[Any], exponent: int, place: int, last: bool) -> NDArray[np.float64]:
    """`_limb` of few enough entries for the cache."""
    shift = LIMB * place
    if last and place == 0:
        exact = values.astype(np.float64, copy=False)
        return nearest(exact * math.ldexp(1.0, exponent)) if values.dtype.kind == "f" else exact
    if values.dtype.kind == "f":
        whole = nearest(values.astype(np.float64, copy=False) * math.ldexp(1.0, exponent))
        parts = np.trunc(np.ldexp(whole, -shift))
        return parts if last else parts - np.ldexp(np.trunc(np.ldexp(parts, -LIMB)), LIMB)
    wide = values if values.dtype.kind == "u" else np.abs(values.astype(np.int64))
    digits = wide.astype(np.uint64) >> np.uint64(shift)  # the modulus of -2**63 is right in these bits
    if not last:
        digits &= np.uint64(2**LIMB - 1)
    return np.where(values < 0, -1.0, 1.0) * digits.astype(np.float64)


def _product(
    limbs: list[Any], bits: int, exponent: int, name: str, symmetric: Callable[[Any], bool], shift: int = 0
) -> ExactProduct:
    """Return the product of ``2**shift`` times the sum of limbs, whose entries are at most ``2**bits``."""
    require_classical_products()
    products = [product(limb, name) for limb in limbs]
    shape = products[0].shape
    return ExactProduct(
        shape,
        exponent,
        lambda x: _sum([p.forward for p in products], bits, shift, x),
        lambda y: _sum([p.backward for p in products], bits, shift, y),
        lambda: shape[0] == shape[1] and all(symmetric(limb) for limb in limbs),
    )


def _sum(actions: list[Callable[[Any], Any]], bits: int, shift: int, block: Integers) -> Integers:
    """``2**shift`` times the action of all limbs of entries of at most ``2**bits``."""
    wide = _l1(block) << bits + shift > 2**INT64_BITS
    parts = [_exact(action, min(bits, LIMB), block, object if wide else np.int64) for action in actions]
    total = parts[-1]
    for part in parts[-2::-1]:
        total = (total << LIMB) + part
    return total << shift if shift else total


def _exact(action: Callable[[Any], Any], bits: int, block: Integers, dtype: Any) -> Integers:
    """Return the action of one limb; the block is cut in halves of its digits until no sum can exceed ``2**53``."""
    if _l1(block) << bits < 2**DIGITS:
        product = action(block.astype(np.float64, copy=False)).astype(np.int64)
        return np.asarray(product.astype(dtype, copy=False))
    block = block.astype(np.int64, copy=False)
    half = int(np.max(np.abs(block))).bit_length() // 2
    high = np.sign(block) * (np.abs(block) >> half)
    low = block - (high << half)
    return (_exact(action, bits, high, dtype) << half) + _exact(action, bits, low, dtype)


def _l1(block: Integers) -> int:
    """Largest l1 norm of a column: the sum of numbers that are not negative is exact if found below ``2**53``."""
    total = np.zeros(block.shape[1])
    for part in _pieces(block):
        sizes = np.abs(block[part]).astype(np.float64, copy=False)
        total += np.ones(len(sizes)) @ sizes
    return int(np.max(total))
