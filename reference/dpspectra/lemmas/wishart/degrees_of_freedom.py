"""Wishart noise with enough degrees of freedom is ``(epsilon, delta)``-private, in every dimension ``d``.

The scale is ``B^2 / n`` for rows of norm at most ``B``, and ``nu = m - d + 1``. When a row becomes zero or a zero row
appears, ``nu >= max(6, (1 + 2 epsilon)^2 log(1 / delta) / epsilon^2)`` is enough for ``epsilon <= 1`` and
``delta <= 0.65``. When a row is replaced by any other, ``nu >= max(6, 4 (1 + epsilon)^2 log(2 / delta) / epsilon^2)``
is enough for ``epsilon <= 2``, and then even a loss above ``epsilon`` has probability at most ``delta``. Both rest on
the rank-one profile and a chi-square tail. Sharper, and without limits on ``epsilon``, are the profile itself and, for
a replacement, two profiles in sequence or the exact ones of `exchange`. No number of degrees is enough for ``delta =
0``.
"""

import math
import operator
from itertools import accumulate, product
from typing import Any, NamedTuple

import numpy as np
from flint import arb
from mpmath import mp

from dpspectra.fast import chi_square_profile as fast
from dpspectra.fast import wishart
from dpspectra.fast.linalg import outer
from dpspectra.ledger import AtMost, Frequency, Relation, Slack, Verdict, statement
from dpspectra.lemmas.wishart.distribution import TRIALS
from dpspectra.oracle import chi_square_profile as oracle
from dpspectra.oracle import linalg
from dpspectra.oracle.quadrature import working
from dpspectra.strategies import ball_vectors, deltas, dyadics, epsilons, rectangular, seeds, st

POINTS, ERROR = 16, 1 / 256
"""Points of the oracle's quadrature on each of two angles, and a bound on its error relative to the statement's right
side. The result is compared with frequencies of `TRIALS` draws only; smaller right sides than this are not tried."""


class Replacement(NamedTuple):
    """The row before and after, ``nu``, ``epsilon``, the share of the first step, and a seed."""

    v: Any
    w: Any
    nu: int
    epsilon: float
    share: float
    seed: int


@st.composite
def _replacements(draw: st.DrawFn) -> Replacement:
    """Rows in general position or in the unit ball, ordered so that the loss starts at or below ``epsilon``."""
    d = draw(st.integers(1, 3))
    v, w = draw(rectangular(2, d)) / 16
    if draw(st.booleans()):
        v, w = draw(ball_vectors(d)), draw(ball_vectors(d))
    nu, epsilon = draw(st.sampled_from([6, 8, 12])), draw(epsilons(0.5, 2.0))  # below 1/2 the quadrature is too coarse
    if v @ v - w @ w > epsilon:  # otherwise the loss on the common support starts above epsilon: another formula
        v, w = w, v
    return Replacement(v, w, nu, epsilon, draw(dyadics(0, 1)), draw(seeds()))


def _resolved() -> st.SearchStrategy[Replacement]:
    """Replacements whose divergence is above the error of the quadrature."""

    def above(case: Replacement) -> bool:
        squares = case.v @ case.v, case.w @ case.w
        return bool(np.min(fast.exchange(case.epsilon, case.nu, *squares, fast.SHARES)) > ERROR)

    return _replacements().filter(above)


def enough_for_one(epsilon: Any, delta: Any) -> Any:
    """Degrees beyond ``d - 1`` enough when a row becomes zero or appears; ``epsilon <= 1``, ``delta <= 0.65``."""
    return max(6, (1 + 2 * epsilon) ** 2 * np.log(1 / delta) / epsilon**2)


def enough_to_replace(epsilon: Any, delta: Any) -> Any:
    """Degrees beyond ``d - 1`` that are enough when a row is replaced; ``epsilon <= 2``, ``delta < 1``."""
    return max(6, 4 * (1 + epsilon) ** 2 * np.log(2 / delta) / epsilon**2)


def drawn_losses(v: Any, w: Any, nu: int, rng: np.random.Generator) -> Any:
    """Log-ratios of the densities at `TRIALS` draws of Wishart noise of scale 1, if the row ``v`` becomes ``w``."""
    d = len(v)
    noise = wishart.draws(nu + d - 1, np.eye(d), TRIALS, rng)
    here, there = (wishart.log_density(noise + change, nu + d - 1, np.eye(d)) for change in (0, outer(v) - outer(w)))
    return here - there


def _risk(nu: int, epsilon: float) -> float:
    """Smallest ``delta`` for which ``nu >= 6`` degrees are enough to replace a row."""
    return float(2 * np.exp(-nu * epsilon**2 / (4 * (1 + epsilon) ** 2)))


def _in_the_plane(level: Any, nu: int, a: Any, b: Any) -> tuple[Any, Any]:
    """Probability of a loss above ``level``, and hockey-stick divergence at ``level``; ``nu`` is even.

    The change has the eigenvalues ``a >= 0 >= -b``, and ``2 level > a - b``. In its plane the noise is ``W_2(nu + 1,
    I)``: the trace ``s`` is chi-square with ``2 nu + 2`` degrees, ``sin^2`` of two angles are the first entry's share
    of it and the squared correlation. The change multiplies the determinant by ``1 + f / s - g / s^2``; hence the loss
    exceeds ``level`` up to a root of a quadratic equation, and its exponential is a polynomial in ``1 / s``.
    """
    with working():
        level, a, b = arb(level), arb(a), arb(b)
        power, factor = (nu - 2) // 2, ((2 * level - (a - b)) / (nu - 2)).exp()
        moments = [_moment(nu, k) for k in range(2 * power + 1)]
        mass = large = larger = arb(0)
        for i, j in product(range(1, POINTS), range(POINTS)):
            first, rest = (arb.pi() / 2 * i / POINTS).sin() ** 2, (arb.pi() / 2 * j / POINTS).cos() ** 2
            size = first * (1 - first) * rest
            f, g = (a * (1 - first) - b * first) / size, a * b / size
            weight = (first - first**2) ** (nu // 2) * rest ** (arb(nu - 1) / 2) / (1 if j else 2)
            impossible, enough = _root(arb(1), f, g), _root((factor - 1) / factor, f, g)
            below = _tails(enough, nu)
            of_f, of_g = ([*accumulate([x] * power, operator.mul, initial=arb(1))] for x in (f, -g))
            between = [x - y for x, y in zip(below, _tails(impossible, nu), strict=True)]
            other = sum(
                (
                    math.comb(power, p) * math.comb(p, q) * of_f[p - q] * of_g[q] * moments[p + q] * between[nu - p - q]
                    for p in range(power + 1)
                    for q in range(p + 1)
                ),
                arb(0),
            )
            mass, large = mass + weight, large + weight * below[nu]
            larger += weight * (below[nu] - (level - (a - b) / 2).exp() * other)
        return mp.mpf(large / mass), mp.mpf(larger / mass)


def _moment(nu: int, k: int) -> Any:
    """Mean of ``s^-k`` for ``s`` chi-square with ``2 nu + 2`` degrees; weighted by it, the law has ``2 k`` fewer."""
    return arb(nu - k).fac() / (arb(nu).fac() * 2**k)


def _root(square: Any, linear: Any, constant: Any) -> Any:
    """The non-negative root of ``square s^2 + linear s = constant``."""
    return ((linear * linear + 4 * square * constant).sqrt() - linear) / (2 * square)


def _tails(x: Any, last: int) -> list[Any]:
    """Chi-square distribution functions at ``x`` for ``2, 4, ..., 2 last + 2`` degrees of freedom: Poisson tails."""
    terms = list(accumulate(range(1, last + 1), lambda term, k: term * x / (2 * k), initial=(-x / 2).exp()))
    return [1 - total for total in accumulate(terms)]


@statement
class DegreesOfFreedom:
    labels = ("JXZ-T4-R2",)
    given = (
        r"K=A+W,\ W\sim W_d(m,\tfrac1nI),\ \nu=m-d+1,\ A-A'=\tfrac1n(vv^\top-ww^\top),\ \|v\|,\|w\|\le1,\ "
        r"s+t=\varepsilon"
    )
    claim = {
        "delta for a zeroed row": (
            r"\nu=\max\big\{6,\tfrac{(1+2\varepsilon)^2}{\varepsilon^2}\log\tfrac1\delta\big\},\ \varepsilon\le1,\ "
            r"\delta\le0.65,\ a\le1:\ \delta_\nu(\varepsilon,a)\le\delta"
        ),
        "probability of a large loss": (
            r"\nu\ge6,\ \varepsilon\le2:\ \Pr\big[\log\tfrac{f_A(K)}{f_{A'}(K)}>\varepsilon\big]\le2\exp"
            r"\big(-\tfrac{\nu\varepsilon^2}{4(1+\varepsilon)^2}\big)"
        ),
        "hockey-stick divergence": (
            r"\sup_S\big(\Pr[A+W\in S]-e^{\varepsilon}\Pr[A'+W\in S]\big)\le\min\big\{\delta^+_\nu(s,\|v\|^2)"
            r"+e^s\delta^-_\nu(t,\|w\|^2),\ \delta^-_\nu(s,\|w\|^2)+e^s\delta^+_\nu(t,\|v\|^2)\big\}"
        ),
    }
    where = {
        "s": r"share of $`\varepsilon`$ for the first of two steps, at least 0",
        "t": r"share of $`\varepsilon`$ for the second step, at least 0",
    }
    verdict = Verdict.NEW
    relation = (Relation.ZERO_OUT, Relation.REPLACE)
    uses = ("JXZ-T4-G",)
    note = "wishart.md#enough-degrees-of-freedom"
    digits = 30
    examples = 15
    slack = {
        "delta for a zeroed row": Slack(
            0.0813093, "the divergence is bounded by the probability of a large loss, and that by a quadratic exponent"
        ),
        "probability of a large loss": Slack(
            0.0515937, "each of two steps gets half of epsilon and a Chernoff bound of its own"
        ),
        "hockey-stick divergence": Slack(
            0.996156, "the oracle's quadrature over two angles is allowed an error of 1/256 of the right side"
        ),
    }

    def cases(self) -> Any:
        return st.tuples(st.tuples(epsilons(2**-5, 1.0), deltas(1e-12, 0.65), dyadics(0, 1)), st.just(())) | st.tuples(
            st.just(()), _resolved()
        )

    def fast(self, one_row: tuple[Any, ...], replaced: tuple[Any, ...]) -> AtMost | tuple[Frequency, ...]:
        if one_row:
            epsilon, delta, shift = one_row
            reached = fast.profile(epsilon, enough_for_one(epsilon, delta), shift)
            return AtMost(reached, delta, part="delta for a zeroed row")
        v, w, nu, level, share, seed = replaced
        rng = np.random.default_rng(seed)
        losses = drawn_losses(v, w, nu, rng)
        # the hockey-stick divergence is the probability of a loss above level + X, X exponential with mean 1
        large, larger = (int(np.sum(losses > level + x)) for x in (0, rng.exponential(size=TRIALS)))
        most = min(1.0, float(fast.exchange(level, nu, v @ v, w @ w, share)))
        return (
            Frequency(large, TRIALS, _risk(nu, level), part="probability of a large loss"),
            Frequency(larger, TRIALS, most, part="hockey-stick divergence"),
        )

    def oracle(self, one_row: tuple[Any, ...], replaced: tuple[Any, ...]) -> AtMost | tuple[AtMost, ...]:
        if one_row:
            epsilon, delta, shift = map(mp.mpf, one_row)
            reached = oracle.profile(epsilon, max(6, (2 + 1 / epsilon) ** 2 * -mp.log(delta)), shift)
            return AtMost(reached, delta, part="delta for a zeroed row")
        v, w, nu, level, share, _ = replaced
        v, w, level = linalg.exact(v), linalg.exact(w), mp.mpf(level)
        values = linalg.eigenvalues(linalg.outer(v) - linalg.outer(w))
        large, larger = _in_the_plane(level, nu, max(values[0], 0), max(-values[-1], 0))
        most = oracle.exchange(level, nu, linalg.inner(v, v), linalg.inner(w, w), mp.mpf(share))
        return (
            AtMost(large, 2 * mp.exp(-nu * level**2 / (4 * (1 + level) ** 2)), part="probability of a large loss"),
            AtMost(larger * (1 - ERROR), min(1, most), part="hockey-stick divergence"),
        )

    def tight(self) -> list[Any]:
        """A unit row appears: there is only the second of the two steps. The explicit degrees are never tight."""
        zero, first = np.zeros(2), np.array([1.0, 0.0])
        one_step = [Replacement(zero, first, 6, 1.0, 0.0, 0), Replacement(zero, first, 12, 0.5, 0.0, 0)]
        return [((1.0, 0.513671875, 1.0), ()), *(((), case) for case in one_step)]

    def beyond(self) -> dict[str, AtMost]:
        """One degree below the smallest number for (1, 10^-6) and a zeroed row, and a row 5 % too long for it."""
        fewer, longer = (oracle.profile(1, nu, shift) for nu, shift in ((42, 1), (43, mp.mpf(21) / 20)))
        allowed = mp.mpf(10) ** -6
        return {"enough degrees": AtMost(fewer, allowed), "rows of norm at most 1": AtMost(longer, allowed)}
