"""Hermitian linear algebra on mpmath matrices, from the definitions.

The same names as `dpspectra.fast.linalg`. Matrices are ``mp.matrix``; vectors are matrices with one column; spectra are
descending lists. Precision is the caller's (``mp.dps``); where a formula loses digits, more are used inside.
"""

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from flint import acb, acb_mat, arb, ctx
from mpmath import mp

from dpspectra.oracle.quadrature import working

Matrix = Any
MISSED = 20
"""Bits by which squares of eigenvalues may miss those of the entries, beyond those of one rounding."""


def exact(array: Any) -> Matrix:
    """Convert an array (or nested lists) of floats without rounding; a vector becomes a column."""
    return mp.matrix(array.tolist() if hasattr(array, "tolist") else array)


def adjoint(a: Matrix) -> Matrix:
    """Conjugate transpose."""
    return a.transpose_conj()


def gram(rows: Matrix) -> Matrix:
    """Sum of ``x x*`` over the rows, one row at a time."""
    total = mp.zeros(rows.cols)
    for i in range(rows.rows):
        total += outer(rows[i, :].T)
    return total


def outer(x: Matrix) -> Matrix:
    """Rank-one matrix ``x x*`` of a column."""
    return x * adjoint(x)


def inner(a: Matrix, b: Matrix) -> Any:
    """Real part of ``Tr(a* b)``, entry by entry."""
    return mp.re(mp.fdot(list(b), list(a), conjugate=True))


def quadratic(a: Matrix, x: Matrix) -> Any:
    """Real part of ``x* a x``."""
    return mp.re((adjoint(x) * a * x)[0])


def _is_real(a: Matrix) -> bool:
    return all(mp.im(a[i, j]) == 0 for i in range(a.rows) for j in range(a.cols))


def determinant(a: Matrix) -> Any:
    """Return the determinant of a square matrix; mpmath 1.3 has none for some matrices with a zero column."""
    try:
        return mp.det(a)
    except TypeError:
        return mp.mpf(0)


def balls(a: Matrix) -> Any:
    """Convert a matrix of mpmath to one of python-flint, without rounding."""
    return acb_mat([[acb(mp.re(x), mp.im(x)) for x in row] for row in a.tolist()])


def numbers(a: Any) -> Matrix:
    """Convert the middles of a matrix of python-flint to mpmath; real entries have no imaginary part."""
    return mp.matrix([[_number(x) for x in row] for row in a.tolist()])


def _number(x: Any) -> Any:
    """Return the middle of a complex ball."""
    real, imaginary = mp.mpf(x.real.mid()), mp.mpf(x.imag.mid())
    return mp.mpc(real, imaginary) if imaginary else real


def eigenvalues(a: Matrix) -> list[Any]:
    """Spectrum of a Hermitian matrix, descending; by the QR method, in balls a tenth of mpmath's time."""
    with working():
        return _spectrum(balls(a))


def _spectrum(a: Any) -> list[Any]:
    """Return the descending spectrum of a Hermitian matrix of balls.

    Approximate eigenvalues come without a bound, which is made here. They are the diagonal of a matrix of the same
    spectrum. So what their squares miss of those of all entries are the squares beside that diagonal, which bound the
    sum of the squares of their errors (Hoffman and Wielandt). Where anything is missed, mpmath's own method is used.
    """
    values = [value.real.mid() for value in a.eig(algorithm="approx")]
    whole = sum((abs(x) ** 2 for x in a.entries()), arb(0))
    missed = abs(whole - sum((x * x for x in values), arb(0)))
    if not missed <= whole * arb(2) ** (MISSED - ctx.prec):
        return sorted(mp.eighe(numbers((a + a.conjugate().transpose()) / 2), eigvals_only=True), reverse=True)
    return sorted(map(mp.mpf, values), reverse=True)


def whitening(a: Matrix) -> Matrix:
    """Lower triangular ``t`` with ``t a t* = I``, for a positive definite matrix, Hermitian up to rounding."""
    return mp.inverse(mp.cholesky((a + adjoint(a)) / 2))


def eigenvectors(a: Matrix) -> tuple[list[Any], Matrix]:
    """Spectrum, descending, and orthonormal eigenvectors as columns in the same order."""
    if _is_real(a):
        values, vectors = mp.eigsy(a.apply(mp.re))
    else:
        values, vectors = mp.eighe(a)
    order = sorted(range(a.rows), key=lambda i: -values[i])
    return [values[i] for i in order], columns(vectors, order)


def columns(a: Matrix, order: Sequence[int]) -> Matrix:
    """Select columns."""
    return mp.matrix([[a[i, j] for j in order] for i in range(a.rows)])


def top_projector(a: Matrix, k: int) -> Matrix:
    """Projector on the span of eigenvectors of the ``k`` largest eigenvalues."""
    _, vectors = eigenvectors(a)
    total = mp.zeros(a.rows)
    for j in range(k):
        total += outer(vectors[:, j])
    return total


def singular_values(a: Matrix) -> list[Any]:
    """Singular values, descending: roots of the spectrum of the smaller Gram matrix, at twice the digits."""
    with mp.workdps(2 * mp.dps), working():
        wide = balls(a if a.cols <= a.rows else a.T)
        roots = [mp.sqrt(max(value, 0)) for value in _spectrum(wide.conjugate().transpose() * wide)]
    return [+root for root in roots]


def spectral_norm(a: Matrix) -> Any:
    """Largest singular value."""
    return singular_values(a)[0]


def frobenius_norm(a: Matrix) -> Any:
    """Root of the sum of squared moduli of the entries."""
    return mp.sqrt(inner(a, a))


def distance(a: Matrix, b: Matrix) -> Any:
    """Frobenius norm of the difference, entry by entry."""
    return mp.sqrt(mp.fsum((x - y for x, y in zip(a, b, strict=True)), absolute=True, squared=True))


def least_distance(points: Sequence[Matrix]) -> Any:
    """Smallest `distance` of two of some matrices, in balls."""
    with working():
        moves = (a - b for a, b in itertools.combinations(map(balls, points), 2))
        squares = [mp.mpf((move * move.conjugate().transpose()).trace().real.mid()) for move in moves]
    return mp.sqrt(min(squares))


def larger_sum(values: Sequence[Any]) -> Any:
    """Return the sum of the positive numbers, or that of the moduli of the negative ones if it is larger."""
    return max(mp.fsum(max(x, 0) for x in values), mp.fsum(max(-x, 0) for x in values))


def nuclear_norm(a: Matrix) -> Any:
    """Sum of the singular values."""
    return mp.fsum(singular_values(a))


def pairings(a: Sequence[Any], b: Sequence[Any], score: Callable[[Any, Any], Any] = operator.mul) -> tuple[Any, Any]:
    """Smallest and largest total score of ``a`` against the permutations of ``b``, no rearrangement inequality used.

    Entry after entry of ``a``, over the sets of places of ``b`` that are taken: ``d 2^d`` steps in place of ``d!``.
    """
    ends = {0: (mp.mpf(0), mp.mpf(0))}
    for x in a:
        grown: dict[int, tuple[Any, Any]] = {}
        terms = [score(x, y) for y in b]
        for taken, (low, high) in ends.items():
            for j, term in enumerate(terms):
                if not taken >> j & 1:
                    smallest, largest = grown.get(taken | 1 << j, (mp.inf, -mp.inf))
                    grown[taken | 1 << j] = min(smallest, low + term), max(largest, high + term)
        ends = grown
    return ends[(1 << len(b)) - 1]


def upper_triangle(a: Matrix) -> list[Any]:
    """Entries on and above the diagonal, row by row."""
    return [a[i, j] for i in range(a.rows) for j in range(i, a.cols)]


def principal_angles(u: Matrix, v: Matrix) -> list[Any]:
    """Principal angles between spans of orthonormal columns, ascending: arccosines of the singular values of ``u* v``.

    Four times the digits are used, because an arccosine near 1 keeps only half of them.
    """
    with mp.workdps(4 * mp.dps):
        angles = [mp.acos(min(cosine, 1)) for cosine in singular_values(adjoint(u) * v)]
    return [+angle for angle in angles]


def polar_factor(a: Matrix) -> Matrix:
    """Nearest matrix with orthonormal columns to ``a`` of full column rank: ``a (a* a)^(-1/2)``."""
    values, vectors = eigenvectors(adjoint(a) * a)
    return a * vectors * mp.diag([1 / mp.sqrt(value) for value in values]) * adjoint(vectors)


def orbit_projection(h: Matrix, spectrum: Sequence[Any]) -> Matrix:
    """Frobenius-nearest matrix to ``h`` with the given descending spectrum."""
    _, vectors = eigenvectors((h + adjoint(h)) / 2)
    return vectors * mp.diag(list(spectrum)) * adjoint(vectors)
