"""In divided differences the transition determinant of a spectrum of rank ``k`` is ``k x k``, with positive series.

Newton's row operations turn ``exp(y_i t)`` into its divided differences ``P_i(t)`` over ``y_1..y_i``. The columns that
belong to zeros of the spectrum are Taylor coefficients at 0, that is, polynomials in the node; they become triangular
and drop out. With nonnegative nodes every ``P_i`` is a series of positive terms, in which ties cause no cancellation.
Its tail is that of an exponential series; for the ``l``-th derivative, times a factor ``(n + Q)^l``.
"""

import itertools
import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.divided_differences import exponential_differences, exponential_series
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Equal, Parts, Reals, Verdict, statement
from dpspectra.oracle import divided_differences as differences
from dpspectra.oracle import patterns as oracle
from dpspectra.oracle.linalg import determinant
from dpspectra.strategies import st
from dpspectra.strategies.orbits import levels

TERMS = 75
"""Terms of a series, enough for 30 digits: the largest node times the largest entry is below 9."""


def bound(largest: Any, t: Any, n: int, terms: int, order: int = 0) -> Any:
    """Bound on the tail after ``terms`` terms of a series over ``n + 1`` nodes, or of a derivative at ``t``.

    No node exceeds ``largest``. Infinite where the later terms do not decrease fast enough.
    """
    ratio = largest * t / (terms + 1) * ((n + terms + 1) / (n + terms)) ** order
    first = (largest * t) ** terms * t ** (n - order) * (n + terms) ** order
    return first / (math.factorial(terms) * math.factorial(n)) / (1 - ratio) if ratio < 1 else math.inf


def _signed(nodes: Any, k: int) -> Any:
    """Factor that row operations take out: sign, factorials and the Vandermonde product of distinct nodes."""
    r = len(nodes)
    distances = [b - a for a, b in itertools.combinations(nodes, 2) if a != b]
    return (-1) ** (k * (r - k)) * math.prod(distances) / math.prod(map(math.factorial, range(r - k)))


def _left_out(nodes: Any, k: int) -> Any:
    """The sign of moving ``k`` columns to the end, times Taylor coefficients and differences of distinct nodes."""
    left = len(nodes) - k
    pairs = [mp.mpf(b - a) for i, b in enumerate(nodes) for a in nodes[:i] if b > a]
    return mp.fprod([mp.mpf(-1) ** (k * left), *pairs, *(1 / mp.factorial(q) for q in range(left))])


def _geometric(product: Any, t: Any, n: int, terms: int, order: int) -> Any:
    """Geometric series of the bound, with the largest node times ``t`` as ``product``; infinite if it does not fall."""
    powers = [(n + q) ** order * product**q / mp.factorial(q) for q in (terms, terms + 1)]
    if powers[1] >= powers[0] > 0:
        return mp.inf
    return t ** (n - order) / mp.factorial(n) * (powers[0] ** 2 / (powers[0] - powers[1]) if powers[0] else 0)


def _terms(nodes: Any, t: Any, order: int = 0) -> list[Any]:
    """Terms of the series, differentiated ``order`` times."""
    powers = enumerate(differences.complete(nodes, TERMS), len(nodes) - 1)
    return [h * mp.ff(n, order) * t ** (n - order) / mp.factorial(n) if n >= order else mp.mpf(0) for n, h in powers]


@statement
class RankReduction:
    labels = ("DPS-GTRANK",)
    given = (
        r"P_i(t)=[y_1..y_i]e^{xt},\ y_1\le..\le y_r,\ z\ge y_r,\ n=r-1,\ "
        r"\rho=\tfrac{y_rt}{Q+1}\big(\tfrac{n+Q+1}{n+Q}\big)^l"
    )
    claim = {
        "reduced determinant": (
            r"(-1)^{k(r-k)}\tfrac{V(y)}{\prod_{q<r-k}q!}\det[P_i(\mu_j)]_{r-k<i\le r,j\le k}"
            r"=\det\big[e^{y_i\mu_j}\,|\,\tfrac{y_i^q}{q!}\big]_{j\le k,q<r-k}"
        ),
        "series of a divided difference": r"\sum_{q\ge0}h_q(y_1..y_r)\tfrac{t^{n+q}}{(n+q)!}=P_r(t)",
        "integral with another node": r"\int_0^te^{-zs}P_r(s)\,ds=e^{-zt}\,[y_1..y_r,z]e^{xt}",
        "tail of the series": (
            r"\partial_t^l\sum_{q\ge Q}h_q(y_1..y_r)\tfrac{t^{n+q}}{(n+q)!}\le"
            r"\tfrac{t^{n-l}(n+Q)^l(y_rt)^Q}{n!\,Q!\,(1-\rho)}\ (\rho<1)"
        ),
    }
    where = {
        "y_i": "the exponents of the rows of the matrix",
        "y_1..y_r": "the exponents of the rows of the matrix",
        "y": "all exponents of the rows of the matrix",
        "[y_1..y_i]": ("[y_1..y_i]", "divided difference in $`x`$ over these nodes"),
        "[y_1..y_r,z]": ("[y_1..y_r,z]", "divided difference in $`x`$ over these nodes"),
        "x": "variable of the divided differences",
        "q": "number of a term of a series, or of a derivative",
        "Q": "number of terms of the series that are summed",
        "l": "order of a derivative",
        "V": "Vandermonde product: product of the differences of distinct exponents, the later less the earlier",
        "P_i": "divided difference of $`e^{xt}`$ over the first $`i`$ exponents",
        "t": "place",
        "h_q": "complete homogeneous symmetric polynomial of this degree",
        "z": "further node",
        "s": "variable of integration",
        "ds": "element of integration",
        "r": "order of the matrix",
        "n": "one less than the order of the matrix",
        r"\rho": "ratio of two terms of the bound on the tail",
        "k": "number of positive entries of the row",
    }
    verdict = Verdict.NEW
    uses = ("DPS-GTKERNEL",)
    note = "sampling.md#rank-reduction"
    digits = 30
    examples = 40

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, ...]:
        """Ascending nodes, the last one additional; a row with zeros; a number of terms; the order of a derivative."""
        r = draw(st.integers(1, 4))
        nodes = draw(levels(r + 1))[::-1]
        row = draw(levels(draw(st.integers(1, r)), distinct=True))
        row = np.append(row - row[-1] + draw(st.sampled_from([0.25, 1.0])), np.zeros(r - len(row)))
        nodes = (nodes - nodes[0]) * draw(st.sampled_from([0.25, 2.0**-3, 2.0**-8]))
        return nodes, row, draw(st.sampled_from([16, 4, 32])), draw(st.integers(0, 2))

    def fast(self, nodes: Any, row: Any, terms: int, order: int) -> Parts:
        y, z, r, k, t = nodes[:-1], nodes[-1], len(row), int(np.sum(row > 0)), row[0]
        copies = [int(np.sum(y[:i] == y[i])) for i in range(r)]
        full = np.zeros((r, r))
        for i, p in enumerate(copies):
            full[i, :k] = np.exp(y[i] * row[:k]) * row[:k] ** p / math.factorial(p)
            for q in range(p, r - k):
                full[i, k + q] = y[i] ** (q - p) / (math.factorial(q - p) * math.factorial(p))
        series = exponential_series(y, row[:k])
        u, w = gauss_legendre(20)
        s = t * (u + 1) / 2
        integral = np.sum(w * np.exp(-z * s) * exponential_series(y, s)[:, -1]) * t / 2
        size, tail = np.exp(z * t), exponential_series(y, t, order, terms)[-1]
        reduced, rows = _signed(y, k) * np.linalg.det(series[:, r - k :]), np.prod(np.sum(full, axis=1))
        stated = np.exp(-z * t) * exponential_series(nodes, t)[-1]
        yield Equal(reduced, np.linalg.det(full), scale=rows, part="reduced determinant")
        yield Equal(series[0, -1], exponential_differences(y, t)[-1], scale=size, part="series of a divided difference")
        yield Equal(integral, stated, scale=1.0, part="integral with another node")
        yield AtMost(tail, bound(y[-1], t, r - 1, terms, order), part="tail of the series")

    def oracle(self, nodes: Reals, row: Reals, terms: int, order: int) -> Parts:
        *y, z = nodes
        points, t, r = [x for x in row if x > 0], row[0], len(row)
        k, zero = len(points), [(mp.mpf(0), q) for q in range(r - len(points))]

        def taylor(p: int, value: Any, q: int, x: Any) -> Any:
            """Coefficient of ``s^p u^q`` in ``exp((value + s) (x + u))``."""
            return differences.derivative(p, value, q, x) / (mp.factorial(p) * mp.factorial(q))

        def difference(i: int, x: Any, times: int = 0) -> Any:
            """Divided difference over the first ``i`` nodes, differentiated at ``x``."""
            return differences.divided_difference(lambda n, v: differences.derivative(times, x, n, v), y[:i])

        full = mp.matrix(
            [[taylor(p, v, q, x) for x, q in [(x, 0) for x in points] + zero] for v, p in differences.confluent(y)]
        )
        small = mp.matrix([[difference(i, x) for x in points] for i in range(r - k + 1, r + 1)])
        integral = differences.divided_difference(lambda n, v: oracle.factor(n, v - z, (mp.mpf(0), t)), y)
        with mp.workdps(8 * mp.dps):  # the tail may be a hundred digits below the series
            tail = difference(r, t, order) - mp.fsum(_terms(y, t, order)[:terms])
        reduced, rows = _left_out(y, k) * determinant(small), mp.fprod(mp.fsum(full[i, :]) for i in range(r))
        yield Equal(reduced, determinant(full), scale=rows, part="reduced determinant")
        yield Equal(mp.fsum(_terms(y, t)), difference(r, t), scale=mp.exp(z * t), part="series of a divided difference")
        yield Equal(integral, mp.exp(-z * t) * mp.fsum(_terms(nodes, t)), scale=1, part="integral with another node")
        yield AtMost(tail, _geometric(y[-1] * t, t, r - 1, terms, order), part="tail of the series")

    def tight(self) -> list[Any]:
        """Three equal nodes, at which the terms fall like a geometric series the more exactly the smaller they are."""
        row = np.array([1.0, 0.0, 0.0])
        return [(np.array([0.25, 0.25, 0.25, 0.5]), row, 4, 1), (np.array([1.0, 1.0, 1.0, 2.0]) / 2**10, row, 4, 1)]

    def beyond(self) -> dict[str, AtMost]:
        """The tail of the first derivative exceeds the bound for the series itself."""
        nodes, t, terms = [mp.mpf(1) / 4] * 3, mp.mpf(1), 4
        tail = mp.fsum(_terms(nodes, t, 1)[terms:])
        return {
            "the order of the bound": AtMost(tail, _geometric(nodes[-1] * t, t, 2, terms, 0), part="tail of the series")
        }
