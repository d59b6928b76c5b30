"""Largest spread of a symmetric sign matrix with weighted entries off the diagonal, by trying them all.

Every matrix is reduced to its characteristic polynomial in integer arithmetic; one spectrum is computed for each.
"""

import functools
import itertools
from collections.abc import Iterator
from typing import Any

from mpmath import mp

from dpspectra.oracle.linalg import eigenvalues

Integers = list[list[int]]


@functools.cache
def largest_spread(d: int, half: bool, digits: int) -> Any:
    """Maximum of ``max(lambda_1, 0) - min(lambda_d, 0)`` over symmetric sign matrices, ``d <= 6``.

    With ``half`` the entries off the diagonal are ``±1/2``; all are doubled first, so as to be integers. Changing the
    sign of coordinates or their order keeps the spectrum, and ``-T`` keeps the spread: the first row may be positive
    off the diagonal, the diagonal sorted, and half of it or more positive.
    """
    diagonal = 2 if half else 1
    classes = {_power_sums(t): t for t in _patterns(d, diagonal)}
    with mp.workdps(digits):
        spectra = [eigenvalues(mp.matrix(t)) for t in classes.values()]
        return max(max(values[0], 0) - min(values[-1], 0) for values in spectra) / diagonal


def _patterns(d: int, diagonal: int) -> Iterator[Integers]:
    places = [(i, j) for i in range(1, d) for j in range(i + 1, d)]
    for positive in range((d + 1) // 2, d + 1):
        for signs in itertools.product((1, -1), repeat=len(places)):
            t = [[1] * d for _ in range(d)]
            for i in range(d):
                t[i][i] = diagonal if i < positive else -diagonal
            for (i, j), sign in zip(places, signs, strict=True):
                t[i][j] = t[j][i] = sign
            yield t


def _power_sums(t: Integers) -> tuple[int, ...]:
    """``tr T^k`` for ``k <= 6``, which determine the characteristic polynomial of up to six dimensions."""
    square = _product(t, t)
    cube = _product(square, t)
    trace = sum(t[i][i] for i in range(len(t)))
    return trace, _inner(t, t), _inner(square, t), _inner(square, square), _inner(square, cube), _inner(cube, cube)


def _product(a: Integers, b: Integers) -> Integers:
    return [[sum(x * y for x, y in zip(row, column, strict=True)) for column in b] for row in a]  # b is symmetric


def _inner(a: Integers, b: Integers) -> int:
    return sum(x * y for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True))
