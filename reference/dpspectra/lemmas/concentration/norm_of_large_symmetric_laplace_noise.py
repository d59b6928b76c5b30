"""Symmetric Laplace noise of order ``d`` has the norm ``2 sqrt(2 d) b (1 + o(1))``, with an explicit bound.

The trace of ``Z^(2 p)`` is a sum over closed walks. A walk on ``m`` vertices crosses ``m - 1`` edges of a tree, and
only even numbers of crossings count; an entry crossed often has a moment that is larger than a normal one by a power
of ``tau``. So the mean trace is at most that of a normal matrix of the
smaller order ``2 d / tau^2 + p``, with entries ``tau`` times as large, whose largest eigenvalue is known. The matrix
Chernoff bound of JXZ-A1-U pays ``sqrt(log d)`` instead, which is less up to 185 rows.
"""

import functools
import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import gammaln

from dpspectra.formulas.laplace_norm import ORDERS, moment_radius
from dpspectra.ledger import AtMost, Equal, Parts, Real, Slack, Verdict, statement
from dpspectra.strategies import deltas, st

WALKS = [(1, 3), (2, 1), (2, 2), (3, 1), (2, 3), (3, 2)]
"""Orders ``d`` and ``p`` at which all closed walks are summed over."""

ROUNDING = 2.0**-30
"""By how much a whole number may come out too large."""


def _traces(d: int, p: int) -> tuple[float, float]:
    """Mean traces of ``Z^(2 p)`` for Laplace and for standard normal entries, from the indices of all walks."""
    walks = np.stack(np.meshgrid(*[np.arange(d)] * (2 * p), indexing="ij")).reshape(2 * p, -1)
    ends = np.roll(walks, 1, axis=0)
    edges = np.minimum(walks, ends) * d + np.maximum(walks, ends)
    crossed = np.array([np.sum(edges == e, axis=0) for e in np.unique(edges)])
    even = crossed[:, ~np.any(crossed % 2, axis=0)]
    normal = np.exp(gammaln(even + 1) - gammaln(even / 2 + 1) - even / 2 * np.log(2))
    return float(np.sum(np.prod(np.exp(gammaln(even + 1)), axis=0))), float(np.sum(np.prod(normal, axis=0)))


def _exact_traces(d: int, p: int) -> tuple[int, int]:
    """`_traces` in whole numbers, walk by walk."""
    laplace = normal = 0
    for walk in itertools.product(range(d), repeat=2 * p):
        crossed = Counter(frozenset(edge) for edge in zip(walk, (*walk[1:], walk[0]), strict=True)).values()
        if not any(count % 2 for count in crossed):
            laplace += math.prod(map(math.factorial, crossed))
            normal += math.prod(math.prod(range(1, count, 2)) for count in crossed)
    return laplace, normal


def _square(p: int) -> float:
    """``tau^2``."""
    return float(2 * np.exp(gammaln(p + 1) / max(p - 1, 1)))


def _exact_square(p: int) -> Any:
    """``tau^2`` in mpmath: the largest of the roots."""
    return 2 * max([mp.mpf(1), *(mp.root(mp.factorial(m), m - 1) for m in range(2, p + 1))])


@statement
class NormOfLargeSymmetricLaplaceNoise:
    labels = ("JXZ-A1N",)
    given = (
        r"Z_{ij}=Z_{ji}\sim\mathrm{Lap}(1),\ Y_{ij}=Y_{ji}\text{ normal, of variance 1 and order }"
        r"r=\lceil\tfrac{2d}{\tau^2}\rceil+p,\ \tau^2=2(p!)^{1/(p-1)}\ (2\text{ for }p=1),\ "
        r"q=\tfrac{2d}{\tau^2}+p+1,\ s_p=\tau\big(2\sqrt q+2(p!)^{1/2p}\big)\big(\tfrac{2d}\eta\big)^{1/2p},\ "
        r"\Pr[\|Z\|_2>s_p]\le\eta"
    )
    claim = {
        "moments of an entry": r"m\le p:\ \frac{(2m)!}{(2m-1)!!}\le2\tau^{2m-2}",
        "mean of the trace": r"\mathbb E\,\mathrm{tr}\,Z^{2p}\le\tfrac dr\tau^{2p}\,\mathbb E\,\mathrm{tr}\,Y^{2p}",
        "probability at the radius": (r"2d\Big(\tau\,\frac{2\sqrt q+2(p!)^{1/2p}}{s_p}\Big)^{2p}=\eta"),
        "radius of the semicircle": r"2\sqrt{2d}\le\min_ps_p",
    }
    where = {
        "Z": "symmetric noise of Laplace law and scale 1",
        "Z_i": "its entries, independent on and above the diagonal",
        "Y": "symmetric normal noise of variance 1",
        "Y_i": "its entries, independent on and above the diagonal",
        "p": "half the order of the moment",
        "m": "half the number of times that a walk crosses an edge",
        "r": "order of the normal noise",
        "q": "number that this order is below",
        r"\tau": "standard deviation of normal noise whose moments are as large",
        "s": "radius in units of the scale",
        r"\mathrm{tr}": "trace",
    }
    verdict = Verdict.NEW
    uses = ("JXZ-D1", "JXZ-Table1")
    note = "concentration.md#norm-of-large-symmetric-laplace-noise"
    without_beyond = "It holds for every number of rows, and only independence of the entries is asked for."
    digits = 30
    examples = 25
    slack = {
        "mean of the trace": Slack(0.75, "a walk on few vertices has fewer of them to choose from"),
        "radius of the semicircle": Slack(0.999829, "it is reached in the limit of many rows only"),
    }

    def cases(self) -> Any:
        """Order ``p`` and a smaller one; a size of walks; a dimension and the probability ``eta``."""
        orders = st.tuples(st.integers(1, 60), st.integers(1, 60)).map(lambda x: (max(x), min(x)))
        return st.tuples(orders, st.sampled_from(WALKS), st.integers(1, 10**6), deltas())

    def fast(self, orders: tuple[int, int], walks: tuple[int, int], d: int, eta: float) -> Parts:
        (p, m), (small, half) = orders, walks
        ratio = np.exp(gammaln(m + 1) + m * np.log(2))
        yield AtMost(float(ratio), float(2 * _square(p) ** (m - 1)), scale=float(ratio), part="moments of an entry")
        r = math.ceil(2 * small / _square(half) - ROUNDING) + half
        largest = small / r * _square(half) ** half * _traces(r, half)[1]
        yield AtMost(_traces(small, half)[0], float(largest), part="mean of the trace")
        top = np.sqrt(_square(p)) * (2 * np.sqrt(2 * d / _square(p) + p + 1) + 2 * np.exp(gammaln(p + 1) / (2 * p)))
        share = 2 * d * (top / moment_radius(eta, d, p)) ** (2 * p)
        yield Equal(float(share), eta, part="probability at the radius")
        yield AtMost(
            2 * math.sqrt(2 * d), float(np.min(moment_radius(eta, d, ORDERS))), part="radius of the semicircle"
        )

    def oracle(self, orders: tuple[int, int], walks: tuple[int, int], d: int, eta: Real) -> Parts:
        (p, m), (small, half) = orders, walks
        ratio = mp.factorial(2 * m) / mp.fac2(2 * m - 1)
        yield AtMost(ratio, 2 * _exact_square(p) ** (m - 1), scale=ratio, part="moments of an entry")
        square = _exact_square(half)
        r = int(mp.ceil(2 * small / square)) + half
        largest = square**half * small / r * _exact_traces(r, half)[1]
        yield AtMost(mp.mpf(_exact_traces(small, half)[0]), largest, part="mean of the trace")
        s = _exact_radius(eta, d, p)
        rows = 2 * d / _exact_square(p) + p + 1
        mean = 2 * mp.sqrt(rows) + 2 * mp.root(mp.factorial(p), 2 * p)
        share = 2 * d * _exact_square(p) ** p * (mean / s) ** (2 * p)
        yield Equal(share, eta, part="probability at the radius")
        yield AtMost(
            mp.sqrt(8 * d), min(_exact_radius(eta, d, x) for x in _exact_orders()), part="radius of the semicircle"
        )

    def tight(self) -> list[Any]:
        """One crossing, and the most; three rows; very many rows, and a thousand."""
        return [((7, 1), (3, 1), 2**60, 0.5), ((7, 7), (2, 2), 1000, 0.05), ((40, 3), (2, 3), 300, 0.05)]


@functools.cache
def _exact_orders() -> list[int]:
    """`ORDERS`, from powers that are not rounded."""
    return sorted({int(mp.floor(mp.mpf(1.1) ** n)) for n in range(180)})


def _exact_radius(eta: Any, d: int, p: int) -> Any:
    """The radius of one order in mpmath, from logarithms."""
    log = mp.loggamma(p + 1)
    square = 2 * mp.exp(log / max(p - 1, 1))
    top = mp.log(2 * mp.sqrt(2 * d / square + p + 1) + 2 * mp.exp(log / (2 * p)))
    return mp.exp(mp.log(square) / 2 + top + mp.log(2 * d / eta) / (2 * p))
