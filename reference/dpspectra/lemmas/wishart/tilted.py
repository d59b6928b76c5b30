"""DPS-TILT: a tilt by the trace makes the difference of two Wishart matrices smaller noise with the same claim.

``v v' - w w'`` has the nuclear norm ``|D|_*`` of up to 2, but ``(|D|_* + |tr D|) / 2`` is at most 1. With the density
``g`` of ``W - W'``, both ``W_d(d + 1, c I)``, the log of ``g(M) exp(-|tr M| / 2 c)`` changes by at most ``(|D|_* + |tr
D|) / 2 c``: by ``1 / c`` for a replaced row, as that of ``g`` alone. The traces under the tilt are simple: the larger
one is ``c`` times a Gamma variable of shape ``d (d + 1)``, and the ratio of both, to the power ``d (d + 1) / 2``, is
uniform; which one is larger is a coin; the directions ``W / tr W`` are as they were.
"""

import functools
from typing import Any, NamedTuple

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import gammainc

from dpspectra.fast import linalg as fast
from dpspectra.fast import trace_noise, wishart
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Equal, Matrix, Outcome, Parts, Real, Relation, Verdict, statement
from dpspectra.oracle import linalg as oracle
from dpspectra.oracle import wishart as exact
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import ball_vectors, dyadics, epsilons, psd, st


class Case(NamedTuple):
    """The row before and after, ``epsilon``, noise in units of ``c``; a dimension, and bounds on trace and ratio."""

    v: Any
    w: Any
    epsilon: float
    noise: Any
    dimension: int
    trace: float
    ratio: float


RANGE = 150.0
"""Traces beyond this have a probability below ``exp(-100)`` in the dimensions that are tried."""


def _tilted_traces(dimension: int, trace: float, ratio: float) -> tuple[float, float, float]:
    """Mass, mean of ``T^2 + T'^2`` and of ``T T'`` where ``T' <= ratio T``, ``T <= trace``, before normalising."""
    from scipy.stats import chi2  # half a second, which a start of the program need not spend

    nodes, weights = gauss_legendre(120)
    larger, share = trace * (nodes[:, None] + 1) / 2, ratio * (nodes + 1) / 2
    one, other = chi2(dimension * (dimension + 1)).pdf(larger), chi2(dimension * (dimension + 1)).pdf(share * larger)
    mass = one * other * np.exp(-(1 - share) * larger / 2) * larger * trace * ratio / 2  # both orders
    mass *= weights[:, None] * weights
    return float(mass.sum()), float(np.sum(mass * larger**2 * (1 + share**2))), float(np.sum(mass * larger**2 * share))


def _exact_traces(dimension: int, trace: Any, ratio: Any, power: int = 0, other: int = 0) -> Any:
    """Integral of ``T^power T'^other`` where ``T' <= ratio T``, ``T <= trace`` for the larger ``T``, up to a factor."""
    half = dimension * (dimension + 1) // 2
    with working():
        share = arb(ratio)

        def density(t: Any) -> Any:
            return t ** (half - 1) * (-t / 2).exp()

        def inner(t: Any) -> Any:
            def tilted(u: Any) -> Any:
                return u**other * density(u) * ((u - t) / 2).exp()

            return 2 * t**power * density(t) * integral(tilted, [0, share * t])

        return mp.mpf(integral(inner, [0, trace / 2, trace]))


@functools.lru_cache(maxsize=16)
def _whole(dimension: int, _precision: int) -> tuple[Any, Any]:
    """Mass under the tilt, and the mean square of the noise by moments of fourth order of normal numbers."""
    whole, first, last, products = (
        _exact_traces(dimension, mp.mpf(RANGE), 1, *powers) for powers in [(0, 0), (2, 0), (0, 2), (1, 1)]
    )
    squares, products = (first + last) / whole, products / whole
    m = dimension + 1
    square = mp.mpf(dimension * (dimension - 1) * m + dimension * (m * m + 2 * m))  # of W: squared inner products
    length = mp.mpf(dimension * m) * (dimension * m + 2)
    return whole, square / length * squares - 2 * products / dimension


def _mean_by_beta(dimension: int) -> Any:
    """Mean square by moments of the Gamma law and of a power of a uniform number."""
    half = mp.mpf(dimension * (dimension + 1)) / 2
    once, twice = (mp.quad(lambda x, k=k: x ** (k / half), [0, 1]) for k in (1, 2))
    square = mp.gamma(2 * half + 2) / mp.gamma(2 * half)
    direction = mp.mpf(2 * dimension + 2) / (2 * half + 2)
    return square * (direction * (1 + twice) - 2 * once / dimension)


@statement
class Tilted:
    labels = ("DPS-TILT",)
    given = (
        r"W,W'\sim W_d(d+1,cI),\ c=\tfrac1\varepsilon,\ \tilde g(M)\propto g(M)\,e^{-|\operatorname{tr}M|/2c},\ "
        r"D=vv^\top-ww^\top,\ \|v\|,\|w\|\le1"
    )
    claim = {
        "change of the log-density": (
            r"\big|\log\tfrac{\tilde g(M+D)}{\tilde g(M)}\big|\le\tfrac1{2c}(\|D\|_*+|\operatorname{tr}D|)"
        ),
        "privacy of the scale": r"\tfrac1{2c}(\|D\|_*+|\operatorname{tr}D|)\le\varepsilon",
        "larger trace and ratio": r"c=1:\ \Pr[T\le t,\ T'\le rT]=\frac{\gamma(d(d+1),t)}{\Gamma(d(d+1))}\,r^{d(d+1)/2}",
        "mean square": r"c=1,\ M\sim\tilde g:\ \mathbb E\|M\|_F^2=\frac{2d^2(d+1)^3(d^2+d+1)}{(d^2+d+2)(d^2+d+4)}",
    }
    where = {
        "g": "density of the difference $`W-W'`$",
        r"\tilde g": "density of the tilted noise",
        "M": "symmetric matrix",
        "D": "change when one row is replaced",
        "T": "larger one of the traces of $`W`$ and $`W'`$ under the tilt",
        "T'": "smaller one of these traces",
        "t": "bound on the larger trace",
        "r": "bound on the ratio of the traces, at most 1",
        r"\gamma": "lower incomplete Gamma function",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("JXZ-T4-R1", "JXZ-D2")
    note = "wishart.md#wishart-noise-tilted-by-the-trace"
    digits = 30
    examples = 25

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        """Rows of the unit ball, possibly equal, opposite or zero; noise of both signs."""
        d = draw(st.integers(1, 2))
        v = draw(ball_vectors(d))
        w = draw(st.one_of(ball_vectors(d), st.just(v), st.just(-v), st.just(np.zeros(d))))
        noise = draw(st.sampled_from([1.0, 0.0, 2.0**-6, 4.0])) * (draw(psd(d)) - draw(psd(d)))
        dimension, ratio = draw(st.integers(1, 3)), draw(dyadics(0.25, 1.0))
        trace = dimension * (dimension + 1) * draw(dyadics(0.5, 2.0))
        return Case(v, w, draw(epsilons(2**-4, 16.0)), noise, dimension, trace, ratio)

    def fast(self, v: Any, w: Any, epsilon: float, noise: Any, dimension: int, trace: float, ratio: float) -> Parts:
        c, change = 1 / epsilon, fast.outer(v) - fast.outer(w)
        here, there = (
            wishart.log_difference_density(c * noise + move, c) - abs(np.trace(c * noise + move)) / (2 * c)
            for move in (0, change)
        )
        distance = (fast.nuclear_norm(change) + abs(np.trace(change))) / 2
        size = np.trace(np.abs(noise)) + abs(here)
        free, degrees = dimension * (dimension + 1) / 2, dimension + 1
        whole, squares, products = _tilted_traces(dimension, RANGE, 1.0)
        part, _, _ = _tilted_traces(dimension, trace, ratio)
        direction = 2 * degrees / (dimension * degrees + 2)  # mean square of W / tr W
        mean, _ = trace_noise.tilted_wishart_moments(dimension)
        yield AtMost(abs(there - here), distance / c, scale=size, part="change of the log-density")
        yield AtMost(distance / c, epsilon, part="privacy of the scale")
        yield Equal(gammainc(2 * free, trace) * ratio**free, part / whole, part="larger trace and ratio")
        yield Equal(mean, (direction * squares - 2 * products / dimension) / whole, part="mean square")

    def oracle(
        self, v: Matrix, w: Matrix, epsilon: Real, noise: Matrix, dimension: int, trace: Real, ratio: Real
    ) -> Parts:
        c = 1 / epsilon
        change = oracle.outer(v) - oracle.outer(w)

        def log_density(m: Any) -> Any:
            return exact.log_difference_density(m, c) - abs(mp.fsum(oracle.eigenvalues(m))) / (2 * c)

        distance = oracle.larger_sum(oracle.eigenvalues(change))
        free = dimension * (dimension + 1)
        whole, square = _whole(dimension, mp.prec)
        moved = abs(log_density(c * noise + change) - log_density(c * noise))
        yield AtMost(moved, distance / c, scale=1, part="change of the log-density")
        yield AtMost(distance / c, epsilon, part="privacy of the scale")
        law = mp.gammainc(free, 0, trace, regularized=True) * ratio ** (mp.mpf(free) / 2)
        yield Equal(law, _exact_traces(dimension, trace, ratio) / whole, part="larger trace and ratio")
        yield Equal(_mean_by_beta(dimension), square, part="mean square")

    def tight(self) -> list[Any]:
        """A row appears where the noise is 0; one orthogonal row replaces another, far out along their difference."""
        first, second = np.array([1.0, 0.0]), np.array([0.0, 1.0])
        return [
            Case(np.ones(1), np.zeros(1), 1.0, np.zeros((1, 1)), 2, 5.0, 0.75),
            Case(first, second, 1.0, 300 * np.diag([1.0, -1.0]), 3, 11.0, 0.9375),
            Case(first, 0 * first, 1.0, np.zeros((2, 2)), 1, 2.0, 1.0),
            Case(0 * first, first, 1.0, np.zeros((2, 2)), 1, 2.0, 1.0),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A row of norm 2 appears: the scale would have to be four times as large."""
        _, private, *_ = self.oracle(np.array([2.0]), np.zeros(1), 1.0, np.zeros((1, 1)), 1, 1.0, 1.0)
        return {"rows of norm at most 1": private}
