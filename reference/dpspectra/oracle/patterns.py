"""Gelfand-Tsetlin patterns under a linear exponent, integrated as they stand: one cell after the other, no determinant.

A pattern has rows 1 to ``d``, row ``r`` with ``r`` descending entries between those of row ``r + 1``; the last row is
given. ``rates[r - 1]`` multiplies the sum of row ``r`` in the exponent. A function of a row is a sum of products of
``x^power exp(rate x)`` over its entries; cells that ties of the last row hold fixed are replaced by their value.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

from mpmath import mp

from dpspectra.oracle.divided_differences import confluent, derivative, divided_difference
from dpspectra.oracle.hciz import log_normaliser
from dpspectra.oracle.linalg import Matrix, adjoint, determinant, eigenvectors

Factor = tuple[int, Any]
"""Power and rate."""
Function = dict[tuple[Factor, ...], Any]
"""Coefficients, by the factors of the entries."""


def rates(gamma: Sequence[Any], kappa: Any) -> list[Any]:
    """Rates at which ``exp(kappa <diag(gamma), H>)`` weighs the rows of the pattern of ``H``, without the last."""
    return [mp.mpf(kappa) * (mp.mpf(a) - mp.mpf(b)) for a, b in itertools.pairwise(gamma)]


def held(spectrum: Sequence[Any], r: int) -> list[Any]:
    """Entries of row ``r`` that ties of the last row hold fixed; None for the free ones."""
    over = len(spectrum) - r
    return [mp.mpf(spectrum[j]) if spectrum[j] == spectrum[j + over] else None for j in range(r)]


def free_cells(spectrum: Sequence[Any]) -> list[tuple[int, int]]:
    """Row (from 1) and place (from 0) of the entries that no tie of the last row holds fixed, long rows first."""
    rows = range(len(spectrum) - 1, 0, -1)
    return [(r, j) for r in rows for j, value in enumerate(held(spectrum, r)) if value is None]


def weight_below(tilts: Sequence[Any], spectrum: Sequence[Any], r: int, squared: int = 0) -> Function:
    """Integral of ``exp(sum of rates x)`` over rows 1 to ``r - 1``, times that factor for row ``r``, as its function.

    With ``squared`` given, the integrand is multiplied by the sum of the squares of that row.
    """
    function: Function = {(): mp.mpf(1)}
    for row in range(1, r + 1):
        function = _climb(function, held(spectrum, row - 1) if row > 1 else [])
        if row <= len(tilts):
            function = {tuple((n, a + tilts[row - 1]) for n, a in key): c for key, c in function.items()}
        if row == squared:
            function = _times_square_sum(function)
    return function


def _climb(function: Function, fixed: Sequence[Any]) -> Function:
    """Integrate every entry of a row between its neighbours in the next one."""
    out: Function = {}
    for key, coefficient in function.items():
        parts: Function = {((0, mp.mpf(0)),) * (len(key) + 1): coefficient}
        for j, (n, a) in enumerate(key):
            if fixed[j] is not None:
                parts = {k: c * fixed[j] ** n * mp.exp(a * fixed[j]) for k, c in parts.items()}
                continue
            terms = [(place, p, c * sign) for p, c in _antiderivative(n, a) for place, sign in ((j, 1), (j + 1, -1))]
            grown: Function = {}
            for k, c in parts.items():
                for place, p, factor in terms:
                    power, rate = k[place]
                    _add(grown, (*k[:place], (power + p, rate + a), *k[place + 1 :]), c * factor)
            parts = grown
        for k, c in parts.items():
            _add(out, k, c)
    return out


def _add(function: Function, key: tuple[Factor, ...], coefficient: Any) -> None:
    function[key] = function.get(key, mp.mpf(0)) + coefficient


def _antiderivative(n: int, a: Any) -> list[tuple[int, Any]]:
    """Powers and coefficients of the polynomial whose product with ``exp(a x)`` has the derivative ``x^n exp(a x)``."""
    if a == 0:
        return [(n + 1, mp.mpf(1) / (n + 1))]
    return [(n - i, (-1) ** i * math.perm(n, i) / a ** (i + 1)) for i in range(n + 1)]


def _times_square_sum(function: Function) -> Function:
    out: Function = {}
    for key, c in function.items():
        for j, (n, a) in enumerate(key):
            _add(out, (*key[:j], (n + 2, a), *key[j + 1 :]), c)
    return out


def mass(function: Function, places: Sequence[Any]) -> Any:
    """Value or integral of a function of a row: every place is a point, or a pair ``(low, high)`` to integrate over."""
    return mp.fsum(
        c * mp.fprod(factor(n, a, place) for (n, a), place in zip(key, places, strict=True))
        for key, c in function.items()
    )


def factor(n: int, a: Any, place: Any) -> Any:
    """``x^n exp(a x)`` at a point, or its integral over a pair."""
    if not isinstance(place, tuple):
        return mp.mpf(place) ** n * mp.exp(a * place)
    return mp.fsum(
        c * (mp.mpf(x) ** p * mp.exp(a * x)) * sign
        for p, c in _antiderivative(n, a)
        for x, sign in ((place[1], 1), (place[0], -1))
    )


def normaliser(gamma: Sequence[Any], spectrum: Sequence[Any], kappa: Any) -> Any:
    """Mean of ``exp(kappa <diag(gamma), H>)`` over the complex orbit: the patterns integrated, over their volume."""
    with mp.workdps(4 * mp.dps):  # for small rates terms of the order of their inverse powers cancel
        tilts, flat = rates(gamma, kappa), [mp.mpf(0)] * (len(gamma) - 1)
        tilted, volume = (mass(weight_below(x, spectrum, len(spectrum)), spectrum) for x in (tilts, flat))
        value = tilted / volume * mp.exp(mp.mpf(kappa) * gamma[-1] * mp.fsum(spectrum))
    return +value


def intervals(row: Sequence[Any]) -> list[Any]:
    """Where the entries of the row below lie: a pair, or a point where the two neighbours are equal."""
    return [mp.mpf(a) if a == b else (mp.mpf(b), mp.mpf(a)) for a, b in itertools.pairwise(row)]


def transition(nodes: Sequence[tuple[Any, int]], above: Sequence[Any], places: Sequence[Any]) -> Any:
    """Weight of the row below the row ``above`` at ``places``, points or pairs to integrate over, up to a constant.

    It is ``det exp(b_i x_j)`` over the `confluent` nodes ``b_i``, differences of ``kappa gamma_i`` and the one of the
    row above: repeated nodes give powers times exponentials, and entries that ties of ``above`` hold give derivatives.
    """
    copies = confluent([x if x == y else None for x, y in itertools.pairwise(above)])
    columns = [
        [factor(q, b, x) if held is None else derivative(q, b, copy, x) for b, q in nodes]
        for x, (held, copy) in zip(places, copies, strict=True)
    ]
    return determinant(mp.matrix(columns))


def quantiles(
    gamma: Sequence[Any], spectrum: Sequence[Any], kappa: Any, uniforms: Sequence[Sequence[Any]]
) -> list[list[Any]]:
    """Pattern for ``exp(kappa <diag(gamma), H>)`` by inverse distribution functions, rows 1 to ``d``.

    Entry ``j`` of row ``r`` is the quantile at ``uniforms[r - 1][j]`` given row ``r + 1`` and the entries before it,
    found as a root of the distribution function. The determinants lose what the nodes and the points share, so digits
    are added; meant for ``d <= 6``.
    """
    d, rows = len(spectrum), [list(map(mp.mpf, spectrum))]
    close = [abs(a - b) for x in (gamma, spectrum) for a, b in itertools.combinations(x, 2) if a != b]
    tilt = abs(mp.mpf(kappa) * (gamma[0] - gamma[-1]) * (spectrum[0] - spectrum[-1]))
    with mp.workdps(int(2 * d * mp.dps + 2 * sum(abs(mp.log10(x)) for x in close) + d * tilt)):
        for r in range(d - 1, 0, -1):
            nodes = confluent([mp.mpf(kappa) * (mp.mpf(m) - gamma[r]) for m in gamma[:r]])
            places = intervals(rows[0])
            for j, place in enumerate(places):
                if isinstance(place, tuple):
                    places[j] = _quantile(nodes, rows[0], places, j, uniforms[r - 1][j])
            rows.insert(0, places)
    return [[+x for x in row] for row in rows]


def _quantile(nodes: Sequence[Any], above: Sequence[Any], places: Sequence[Any], j: int, u: Any) -> Any:
    """Point up to which the pair ``places[j]`` has the share ``u`` of the weight."""
    low, high = places[j]

    def weight(t: Any) -> Any:
        return transition(nodes, above, [*places[:j], (low, t), *places[j + 1 :]])

    whole = weight(high)
    return mp.findroot(lambda t: weight(t) / whole - u, (low, high), solver="pegasus", maxsteps=mp.prec)


def utility_moments(gamma: Sequence[Any], spectrum: Sequence[Any], kappa: Any) -> tuple[Any, Any]:
    """Mean and variance of ``<M, H>`` under ``exp(kappa <M, H>)``, ``kappa > 0``: derivatives of the log-normaliser."""
    with mp.workdps(3 * mp.dps):
        step = mp.mpf(kappa) * mp.mpf(10) ** (-mp.dps // 3)  # central differences are off by its square
        low, here, high = (log_normaliser(gamma, spectrum, kappa + i * step) for i in (-1, 0, 1))
        mean, variance = (high - low) / (2 * step), (high - 2 * here + low) / step**2
    return +mean, +variance


def gap_density(gamma: Sequence[Any], spectrum: Sequence[Any], t: Any) -> Any:
    """Density at ``t`` of ``gap = max <M, .> - <M, H>`` for a Haar point ``H`` of the complex orbit.

    The normaliser is a sum over permutations of ``exp(-kappa gap) / kappa^n``, which is inverted term by term.
    """
    signs, gaps, divisor, n = _signed_gaps(gamma, spectrum)
    with mp.workdps(_digits(divisor)):
        total = mp.fsum(s * (t - g) ** (n - 1) for s, g in zip(signs, gaps, strict=True) if g < t)
        for p in range(1, len(spectrum)):
            total *= mp.factorial(p)
        total /= divisor * mp.factorial(n - 1)
    return +total


def gap_tail(gamma: Sequence[Any], spectrum: Sequence[Any], kappa: Any, t: Any) -> Any:
    """Probability that the gap is at least ``t`` under ``exp(kappa <M, H>)`` on the complex orbit."""
    signs, gaps, divisor, n = _signed_gaps(gamma, spectrum)
    with mp.workdps(_digits(divisor)):
        terms = [(s * mp.exp(-kappa * g), kappa * (mp.mpf(t) - g)) for s, g in zip(signs, gaps, strict=True)]
        tail = mp.fsum(c * gamma_tail(n, x) for c, x in terms) / mp.fsum(c for c, _ in terms)
    return +tail


def gamma_tail(n: int, x: Any) -> Any:
    """Probability that a Gamma variable of integer shape ``n`` and rate 1 is at least ``x``; it is 0 if ``n`` is 0."""
    if x <= 0:
        return mp.mpf(1)
    return mp.exp(-x) * mp.fsum(mp.mpf(x) ** j / math.factorial(j) for j in range(n))


def _signed_gaps(gamma: Sequence[Any], spectrum: Sequence[Any]) -> tuple[list[int], list[Any], Any, int]:
    """Signs and gaps of all permutations, both Vandermonde products, and ``d (d - 1) / 2``.

    Ties are split by ``10^(-2 digits)``, which moves the answers by less than they are accurate to.
    """
    split = mp.mpf(10) ** (-2 * mp.dps)
    d = len(spectrum)
    with mp.workdps(mp.dps * (3 + 2 * d * (d - 1))):
        x, y = ([mp.mpf(v) - i * split for i, v in enumerate(values)] for values in (gamma, spectrum))
        signs, gaps = [], []
        for order in itertools.permutations(range(d)):
            signs.append((-1) ** sum(a > b for a, b in itertools.combinations(order, 2)))
            gaps.append(mp.fdot(x, y) - mp.fsum(a * y[j] for a, j in zip(x, order, strict=True)))
        divisor = mp.fprod((x[i] - x[j]) * (y[i] - y[j]) for i, j in itertools.combinations(range(d), 2))
    return signs, gaps, divisor, d * (d - 1) // 2


def _digits(divisor: Any) -> int:
    """Digits that survive the cancellation of terms of order 1 down to the size of the divisor."""
    return int(3 * mp.dps + 2 * max(0, -mp.log10(divisor)))


def quadratic_form_tail(spectrum: Sequence[Any], t: Any) -> Any:
    """Probability that ``u* diag(spectrum) u > t`` for a uniform complex unit vector ``u``; ``t`` not an eigenvalue.

    The mean of an n-th derivative over the simplex is ``n!`` times a divided difference (Hermite and Genocchi).
    """
    power = len(spectrum) - 1

    def slope(n: int, x: Any) -> Any:
        return math.perm(power, n) * (x - t) ** (power - n) if x > t else mp.mpf(0)

    return divided_difference(slope, spectrum)


def reconstruct(pattern: Sequence[Sequence[Any]], phases: Matrix) -> Matrix:
    """Hermitian matrix whose leading minors have the rows of the pattern as spectra.

    Row ``r`` of ``phases`` turns the border of the minor of order ``r + 1`` in the eigenbasis of the one before.
    """
    h = mp.matrix([[mp.mpf(pattern[0][0])]])
    for r, (mu, values) in enumerate(itertools.pairwise(pattern)):
        z = mp.matrix([mp.sqrt(x) * phases[r, j] for j, x in enumerate(border_squares(mu, values))])
        column = eigenvectors(h)[1] * z
        grown = mp.matrix(r + 2)
        for i in range(r + 1):
            for j in range(r + 1):
                grown[i, j] = h[i, j]
            grown[i, r + 1], grown[r + 1, i] = column[i], mp.conj(column[i])
        grown[r + 1, r + 1] = mp.fsum(values) - mp.fsum(mu)
        h = (grown + adjoint(grown)) / 2
    return h


def border_squares(mu: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Residues of ``-prod (t - values_i) / prod (t - mu_j)`` at the ``mu_j``, after common factors are cancelled."""
    left, above = list(mu), list(values)
    for x in mu:
        if x in above:
            left.remove(x)
            above.remove(x)
    residues = {
        x: -mp.fprod(mp.mpf(x) - v for v in above) / mp.fprod(mp.mpf(x) - v for v in left if v != x) for x in left
    }
    return [residues.pop(x, mp.mpf(0)) for x in mu]
