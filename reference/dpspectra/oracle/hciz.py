"""Logarithm of the normaliser of ``exp(kappa <M, H>)`` over an orbit of Hermitian matrices (Haar probability).

The same names as `dpspectra.fast.hciz`; ``M`` enters by its spectrum ``gamma``.
"""

import functools
import itertools
import operator
from collections.abc import Sequence
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.divided_differences import complete, confluent, derivative
from dpspectra.oracle.quadrature import working


def log_normaliser(gamma: Sequence[Any], spectrum: Sequence[Any], kappa: Any) -> Any:
    """Complex orbit: ``det exp(x_i y_j)``, ``y`` being ``kappa`` times the spectrum, over both Vandermonde products.

    At an exact tie a row (column) becomes a derivative over a factorial, and the tied factor leaves the Vandermonde
    product. Rows and columns are scaled by exponentials so that none is large. The determinant then cancels down to
    the divisor times the mean of ``exp(-kappa gap)``, ``gap`` being how far the exponent is below its maximum. That is
    at least ``1/e`` times the chance that ``kappa gap <= 1``, which is at least ``(kappa largest gap)^(-d(d-1)/2)``: of
    the patterns, a convex body of that dimension, the part within ``gap <= t`` shrinks to the optimum no faster. As
    many digits are added; a fixed precision returns zero without notice.
    """
    x, y = sorted(map(mp.mpf, gamma)), sorted(map(mp.mpf, spectrum))
    d = len(x)
    with mp.workprec(2 * mp.prec):  # an exact product: a tiny spectrum at a huge kappa is neither tiny nor huge
        y = [mp.mpf(kappa) * b for b in y]
    tilt = (x[-1] - x[0]) * (y[-1] - y[0])
    if tilt == 0:
        return mp.fsum(x) * mp.fsum(y) / d
    lost = d * (d - 1) * mp.log(2 + d * tilt) + abs(mp.log(_vandermonde(x) * _vandermonde(y)))
    with mp.workdps(int(mp.dps + 30 + lost / mp.log(10))):
        shift = x[0] * mp.fsum(y) + mp.fsum(a - x[0] for a in x) * y[0]
        x, y = [a - x[0] for a in x], [b - y[0] for b in y]
        rows, columns = confluent(x), confluent(y)
        table = mp.matrix([[derivative(q, b, p, a) for b, q in columns] for a, p in rows])
        left, right = (mp.diag([mp.exp(-v) for v in values]) for values in _conjugate_pair(x, y))
        value = mp.det(left * table * right)
        value /= mp.fprod(mp.factorial(order) for _, order in (*rows, *columns))
        value /= _vandermonde(x) * _vandermonde(y)
        for p in range(1, d):
            value *= mp.factorial(p)
        total = mp.log(value) + mp.fsum(map(operator.mul, x, y)) + shift
    return +total


def _conjugate_pair(x: Sequence[Any], y: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """At ascending ``x`` a convex function with slope ``y_i`` from ``x_i`` on, at ``y`` its conjugate.

    Their sum is nowhere less than ``x_i y_j``, and equal to it for ``i = j``.
    """
    convex = [mp.mpf(0)]
    for (a, b), slope in zip(itertools.pairwise(x), y, strict=False):
        convex.append(convex[-1] + slope * (b - a))
    return convex, [a * b - u for a, b, u in zip(x, y, convex, strict=True)]


def _vandermonde(nodes: Sequence[Any]) -> Any:
    """Product of the differences of distinct ascending nodes."""
    return mp.fprod(b - a for i, a in enumerate(nodes) for b in nodes[i + 1 :] if b != a)


def log_mean_exponential(gamma: Sequence[Any], spectrum: Sequence[Any], kappa: Any) -> Any:
    """Logarithm of the mean of ``exp(kappa Tr M H)`` for ``d <= 4``, by the moments of ``<M, H>``; no determinant.

    Expand ``exp(kappa Tr M H)`` in Schur functions. The mean over the unitary group of ``s(M U L U*)`` is
    ``s(M) s(L) / s(I)``; after moving both spectra down to 0 only partitions with at most ``d - 1`` rows count. Those
    are three at most, and the common column count goes out in front, which leaves Jacobi-Trudi of two rows.
    """
    x, y = sorted(map(mp.mpf, gamma)), sorted(map(mp.mpf, spectrum))
    kappa = mp.mpf(kappa)
    shift = kappa * (x[0] * mp.fsum(y) + mp.fsum(a - x[0] for a in x) * y[0])
    x, y = [a - x[0] for a in x[1:]], [b - y[0] for b in y[1:]]
    largest = kappa * mp.fsum(a * b for a, b in zip(x, y, strict=True))
    with mp.workdps(mp.dps + 10):
        count, power = 1, mp.mpf(1)
        while power > mp.mpf(10) ** (-mp.dps):  # the n-th moment is at most the n-th power of the largest value
            power, count = power * largest / count, count + 1
        total = mp.fsum(kappa**n * moment for n, moment in enumerate(_moments(tuple(x), tuple(y), count, mp.prec)))
        value = shift + mp.log(total)
    return +value


@functools.lru_cache(maxsize=16)
def _moments(x: tuple[Any, ...], y: tuple[Any, ...], count: int, precision: int) -> list[Any]:
    """Moments of ``<M, H>``, each over the factorial of its order, where all but the lowest value are ``x`` and ``y``.

    They are remembered, as means at several ``kappa`` share them; the working precision, in bits, is among the keys.
    """
    d = len(x) + 1
    column = mp.fprod(x) * mp.fprod(y)
    columns = [column**n for n in range(count)]
    inverse = [1 / mp.factorial(n) for n in range(count + d)]
    # 1 over rising factorials: n! dimension / standard tableaux is a product of them
    fallen = [[inverse[part + m] / inverse[m] for part in range(count)] for m in reversed(range(d))]
    homogeneous = [complete(z, count + 1) for z in (x, y)]

    @functools.cache
    def schur(parts: tuple[int, ...]) -> Any:
        return mp.fprod(_schur(h, parts) for h in homogeneous)

    def term(rows: tuple[int, ...]) -> Any:
        value = columns[rows[-1]] * schur(tuple(part - rows[-1] for part in rows[:-1]))
        for weights, part in zip(fallen, rows, strict=False):
            value *= weights[part]
        return value

    return [mp.fsum(map(term, _partitions(n, max(d - 1, 1)))) for n in range(count if d > 1 else 1)]


def _partitions(n: int, rows: int) -> list[tuple[int, ...]]:
    """Partitions of ``n`` into ``rows`` descending parts, zeros allowed."""
    if rows == 1:
        return [(n,)]
    rest = range(n // rows + 1)
    return [(*(p + last for p in head), last) for last in rest for head in _partitions(n - rows * last, rows - 1)]


def _schur(h: Sequence[Any], parts: Sequence[int]) -> Any:
    """Schur polynomial of one variable more than parts, which are at most two (Jacobi-Trudi)."""
    if len(parts) < 2:
        return h[parts[0]] if parts else mp.mpf(1)
    a, b = parts
    return h[a] * h[b] - (h[a + 1] * h[b - 1] if b else 0)


def log_normaliser_circle(gamma: Sequence[Any], spectrum: Sequence[Any], kappa: Any) -> Any:
    """Real orbit for ``d = 2``: the mean over all rotations of the plane, integrated as it stands."""
    (a, b), (top, bottom) = map(mp.mpf, gamma), map(mp.mpf, spectrum)
    best = mp.mpf(kappa) * max(a * top + b * bottom, a * bottom + b * top)
    with working():
        straight, crossed = (arb(mp.mpf(kappa) * x - best) for x in (a * top + b * bottom, a * bottom + b * top))

        def density(angle: Any) -> Any:
            sine, cosine = angle.sin_cos()
            return (straight * cosine * cosine + crossed * sine * sine).exp()

        return best + mp.log(mp.mpf(_periodic_mean(density).mid()))


def _periodic_mean(density: Any) -> Any:
    """Mean of a function of period ``pi`` by the trapezoidal rule, doubled until it settles: exponentially accurate."""
    count, old, new = 8, arb(0), _places_mean(density, 8, 0)
    while abs((new - old).mid()) > new.mid() * mp.eps:
        old, new = new, (new + _places_mean(density, count, 1)) / 2
        count *= 2
    return new


def _places_mean(density: Any, count: int, shift: int) -> Any:
    """Mean over places ``pi / count`` apart, the first at 0 or at half of that."""
    return sum((density(arb.pi() * (2 * i + shift) / (2 * count)) for i in range(count)), arb(0)) / count
