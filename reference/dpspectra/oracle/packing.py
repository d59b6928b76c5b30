"""Packings of finite metric spaces and of balls of the Grassmannian, and the volumes that bound their size.

The same names as `dpspectra.fast.packing`, from the definitions. Subspaces are given by integer bases and compared
without rounding: a complex space is treated as a real one of twice the dimension, a projector as a matrix of integers
over one common denominator.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

from flint import fmpq, fmpq_mat
from mpmath import mp

T = TypeVar("T")

BOXES = 64
"""Largest number of boxes of a rectangle whose tableaux are counted by growing them."""


def packing_number(distances: Sequence[Sequence[Any]], separation: Any) -> int:
    """Size of a largest set of points with pairwise distances strictly above ``separation``."""
    points = range(len(distances))
    for size in range(len(distances), 1, -1):
        for chosen in combinations(points, size):
            if all(distances[a][b] > separation for a, b in combinations(chosen, 2)):
                return size
    return 1


def covering_number(distances: Sequence[Sequence[Any]], radius: Any) -> int:
    """Smallest number of points such that every point is within ``radius`` of one of them."""
    points = range(len(distances))
    for size in range(1, len(distances)):
        for centres in combinations(points, size):
            if all(any(distances[a][c] <= radius for c in centres) for a in points):
                return size
    return len(distances)


def greedy_packing(points: Sequence[T], apart: Callable[[T, T], bool]) -> list[int]:
    """Places of the points kept by going through them in order and dropping those not ``apart`` from one kept."""
    left, kept = list(range(len(points))), list[int]()
    while left:
        kept.append(left[0])
        left = [place for place in left if apart(points[place], points[kept[-1]])]
    return kept


class Subspace(NamedTuple):
    """A projector, ``numerators / denominator``, of a real space (the complex one with its dimensions doubled)."""

    numerators: list[int]
    denominator: int
    rank: fmpq
    """Rank over the field the basis was given in."""
    doubled: int


def subspace(basis: Any) -> Subspace:
    """Span of independent columns of (Gaussian) integers, given as an array ``(d, i)``."""
    rows = basis.tolist()
    real = all(isinstance(x, float) for row in rows for x in row)
    if not real:
        rows = [[*(x.real for x in row), *(-x.imag for x in row)] for row in rows] + [
            [*(x.imag for x in row), *(x.real for x in row)] for row in rows
        ]
    a = fmpq_mat([[fmpq(*x.as_integer_ratio()) for x in row] for row in rows])
    across = a.transpose()
    numerators, common = (a * (across * a).solve(across)).numer_denom()
    k, doubled = a.ncols(), 1 if real else 2
    return Subspace(list(map(int, numerators.entries())), int(common), fmpq(k, doubled), doubled)


def square_distance(p: Subspace, q: Subspace) -> fmpq:
    """``|P - Q|_F^2 = 2 (i - tr P Q)``."""
    overlap = sum(map(int.__mul__, p.numerators, q.numerators))
    return 2 * (p.rank - fmpq(overlap, p.doubled * p.denominator * q.denominator))


@functools.cache
def tableaux(k: int, l: int) -> int:  # noqa: E741
    """Return the number of standard Young tableaux of a ``k`` by ``l`` rectangle: fillings grown box by box."""
    counts = {(l,) * k: 1}
    for _ in range(k * l):
        smaller: dict[tuple[int, ...], int] = {}
        for shape, count in counts.items():
            for row in range(k):
                if shape[row] > (shape[row + 1] if row + 1 < k else 0):
                    left = (*shape[:row], shape[row] - 1, *shape[row + 1 :])
                    smaller[left] = smaller.get(left, 0) + count
        counts = smaller
    return counts[(0,) * k]


def ball_constant(i: int, m: int) -> Any:
    """Root of order ``2 i m`` of the number of tableaux, over ``sqrt(min(i, m))``.

    Of more than `BOXES` boxes the tableaux are counted by hook lengths: ``(i m)!`` over the product of all of them.
    """
    count = mp.log(tableaux(i, m)) if i * m <= BOXES else _log_tableaux_by_hooks(i, m, mp.prec)
    return mp.exp(count / (2 * i * m)) / mp.sqrt(min(i, m))


@functools.cache
def _log_tableaux_by_hooks(k: int, l: int, precision: int) -> Any:  # noqa: E741
    """Logarithm of the number of tableaux; ``min(h, k, l, k + l - h)`` boxes have the hook length ``h``."""
    with mp.workprec(precision):
        return mp.loggamma(k * l + 1) - mp.fsum(min(h, k, l, k + l - h) * mp.log(h) for h in range(1, k + l))


def log_local_packing(i: int, m: int, radius: Any, separation: Any, field: str = "complex") -> Any:
    """Lower bound on the logarithm of the packing number of a ball of the Grassmannian; 0 where it says nothing.

    Over the complex numbers a ball that contains a scaled chart, or a scaled spectral ball, over one of the separation.
    """
    near = mp.mpf(min(radius, mp.sqrt(2)))
    if field == "complex":
        n, q, count = i * m, min(i, m), tableaux(i, m)
        chart, cube = (near**2 / 2) ** n / count, (mp.mpf(min(radius, mp.sqrt(2 * q))) ** 2 / (2 * q)) ** n
        return max(mp.log(max(chart, cube) * count / (mp.mpf(separation) ** 2 / 2) ** n), mp.mpf(0))
    left = 1 - mp.mpf(separation) ** 2 / 2
    return max(i * m * mp.log(near / separation) + mp.log(left) / 2, mp.mpf(0)) if left > 0 else mp.mpf(0)


def spectral_ball_measure(i: int, m: int, radius: Any) -> Fraction:
    """Share of the complex Grassmannian within a spectral distance, rational and at most 1: all angles, term by term.

    A monomial in the squared sines is integrated over a cube.
    """
    terms = _angle_density(min(i, m), abs(m - i))
    small, whole = (
        sum((c * math.prod(side ** (p + 1) / (p + 1) for p in powers) for powers, c in terms.items()), Fraction(0))
        for side in (Fraction(radius) ** 2, Fraction(1))
    )
    return Fraction(small / whole)


def ball_measure(i: int, m: int, radius: Any) -> Fraction:
    """Share of the complex Grassmannian in a ball whose radius is not rounded: the density of the angles, term by term.

    Over ``sum y <= s`` a monomial has Dirichlet's integral. The part outside of the unit cube is taken off by inclusion
    and exclusion: coordinates above 1 are shifted.
    """
    q, s = min(i, m), _rational(radius) ** 2 / 2
    density = _angle_density(q, abs(m - i))
    total = Fraction(0)
    for above in range(min(q, math.ceil(s) - 1) + 1):
        total += (-1) ** above * math.comb(q, above) * _simplex_integral(density, s - above)
        density = _shifted(density, above) if above < q else density
    cube = sum(
        Fraction(factor, math.prod(power + 1 for power in powers))
        for powers, factor in _angle_density(q, abs(m - i)).items()
    )
    return total / cube


def mean_square_distance(i: int, m: int, radius: Any) -> Fraction:
    """Mean squared distance from the centre in such a ball, of radius ``sqrt(2)`` at most: monomials times the sum."""
    density, raised = _angle_density(min(i, m), abs(m - i)), dict[tuple[int, ...], int]()
    for powers, factor in density.items():
        for place, power in enumerate(powers):
            higher = (*powers[:place], power + 1, *powers[place + 1 :])
            raised[higher] = raised.get(higher, 0) + factor
    s = _rational(radius) ** 2 / 2
    return 2 * _simplex_integral(raised, s) / _simplex_integral(density, s)


def _rational(x: Any) -> Fraction:
    """Return the very number that a float or a number of mpmath is."""
    if not isinstance(x, mp.mpf):
        return Fraction(x)
    mantissa, exponent = x.man_exp
    return Fraction(int(mantissa)) * Fraction(2) ** exponent


def _angle_density(q: int, power: int) -> dict[tuple[int, ...], int]:
    """``prod y^power prod_(a<b) (y_a - y_b)^2`` as monomials: powers to integer factors."""
    terms = {(power,) * q: 1}
    for a, b in (pair for pair in combinations(range(q), 2) for _ in range(2)):
        grown: dict[tuple[int, ...], int] = {}
        for powers, factor in terms.items():
            for place, sign in ((a, 1), (b, -1)):
                raised = (*powers[:place], powers[place] + 1, *powers[place + 1 :])
                grown[raised] = grown.get(raised, 0) + sign * factor
        terms = grown
    return terms


def _shifted(terms: dict[tuple[int, ...], int], place: int) -> dict[tuple[int, ...], int]:
    """Replace the variable at ``place`` by itself plus 1."""
    grown: dict[tuple[int, ...], int] = {}
    for powers, factor in terms.items():
        for power in range(powers[place] + 1):
            lowered = (*powers[:place], power, *powers[place + 1 :])
            grown[lowered] = grown.get(lowered, 0) + factor * math.comb(powers[place], power)
    return grown


def _simplex_integral(terms: dict[tuple[int, ...], int], s: Fraction) -> Fraction:
    """Integral over ``y >= 0, sum y <= s``."""
    return sum(
        (
            factor
            * math.prod(map(math.factorial, powers))
            * s ** (sum(powers) + len(powers))
            / math.factorial(sum(powers) + len(powers))
            for powers, factor in terms.items()
        ),
        Fraction(0),
    )
