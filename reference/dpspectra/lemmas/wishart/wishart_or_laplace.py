"""Wishart noise or Laplace noise? The printed rule compares a mechanism that is not private; the rule here does not.

As printed, for a symmetric function of nuclear sensitivity ``N`` and l1 sensitivity ``L``, the one-sided Wishart
mechanism of scale ``N / 2 epsilon`` is ``epsilon``-private, and better than Laplace noise if and only if about
``L > sqrt(d) log(d) N`` (the statement is reconstructed). The first half fails for every ``epsilon``, like the theorem
it rests on. The second fails, too: in mean square the threshold is ``(d + 1) / (2 sqrt(d))``, and with a logarithm in
it, whatever its constant, the rule prefers the larger noise in high dimension.

Our rule uses the difference ``W - W'`` of two independent Wishart matrices of that scale, which is private. In mean
square (Frobenius norm) it beats Laplace noise of scale ``L / epsilon`` on the upper triangle if and only if
``L / N > (d + 1) / (2 sqrt(d))``. For second moments that is the case for every ``d >= 2``; in one dimension the two
are the same. In other norms the threshold has another constant.
"""

import functools
import math
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

from mpmath import mp

from dpspectra.fast import wishart as fast
from dpspectra.formulas.covariance_l1 import block_square
from dpspectra.formulas.symmetric_wishart import sensitivity
from dpspectra.ledger import AtMost, Equal, Parts, Real, Relation, Verdict, statement
from dpspectra.lemmas.sensitivity.covariance_l1 import exact_blocks
from dpspectra.lemmas.wishart.symmetric import exact_sensitivity
from dpspectra.strategies import dyadics, epsilons, st

Polynomial = Counter[tuple[tuple[int, int], ...]]
MEAN, VARIANCE = 4, 2
"""Largest dimensions in which the mean and the variance are expanded into monomials."""


@statement
class WishartOrLaplacePrinted:
    labels = ("JXZ-T5",)
    claim = (
        r"A+W,\ W\sim W_d(d+1,cI),\ c=\tfrac{\Delta_*}{2\varepsilon}\text{ is }\varepsilon\text{-DP, beats Laplace "
        r"iff }\Delta_1\gtrsim\sqrt d\log d\,\Delta_*"
    )
    printed = (
        r"Not at hand; read as: with $`c=\frac{\max\lVert\Delta\rVert_*}{2\varepsilon}`$ the Wishart "
        r"mechanism is $`\varepsilon`$-DP, and its noise is smaller than that of the Laplace mechanism if "
        r"$`\max\lVert\Delta\rVert_{1,1}`$ is at least of the order of $`\sqrt d\log "
        r"d\,\max\lVert\Delta\rVert_*`$; otherwise the Laplace mechanism works better."
    )
    verdict = Verdict.REFUTED
    relation = (Relation.REPLACE,)
    uses = ("JXZ-A2", "JXZ-T4-X", "JXZ-T5-R")
    instead = ("JXZ-T5-R",)
    note = "wishart.md#comparison-with-laplace-noise-as-printed"

    def as_printed(self, doublings: int, constant: float) -> AtMost:
        """Compare both mean squares, over ``d^3 Delta_*^2 / 2 epsilon^2``, at half the printed threshold."""
        d, ratio = self._instance(doublings, constant)
        return AtMost(4 * ratio**2 / d, (1 + 1 / d) ** 2, part="printed form")

    def hypotheses(self, doublings: int, constant: float) -> dict[str, AtMost]:
        d, ratio = self._instance(doublings, constant)
        return {
            "a change of nuclear norm 1 can have this l1 norm": AtMost(abs(2 * ratio - d - 1), d - 1),
            "the ratio is below the printed threshold": AtMost(ratio, constant * mp.sqrt(d) * mp.log(d)),
        }

    @staticmethod
    def _instance(doublings: int, constant: float) -> tuple[Any, Any]:
        """Return ``d``, and ``Delta_1 / Delta_*``: half of ``constant sqrt(d) log d``."""
        d = mp.mpf(2) ** doublings
        return d, constant / 2 * mp.sqrt(d) * mp.log(d)

    def counterexample(self) -> Any:
        """A constant of 1/16; in 128 dimensions or more any larger one fails, too, and smaller ones in more."""
        return 128, 2.0**-4

    certificate = (
        "d = 2^128 and the threshold sqrt(d) log(d) / 16: at half of it Laplace noise has (log(d) / 16)^2 times the "
        "mean square of one-sided Wishart noise, nearly, which the rule says is the larger one",
        ["mul", ["mul", "8", ["log", "2"]], ["mul", "8", ["log", "2"]]],
        ["mul", ["add", "1", ["div", "1", str(2**128)]], ["add", "1", ["div", "1", str(2**128)]]],
    )


def _wins(d: int, l1: float, nuclear: float) -> bool:
    """Whether the rule prefers Wishart noise; the numbers are dyadic, so the comparison is exact."""
    return 4 * d * l1**2 > (d + 1) ** 2 * nuclear**2


def _exactly_wins(d: int, l1: float, nuclear: float) -> bool:
    """`_wins` in rational numbers: the threshold is the mean of ``sqrt(d)`` and its reciprocal; both sides squared."""
    return (Fraction(l1) / Fraction(nuclear)) ** 2 > (d + 2 + Fraction(1, d)) / 4


def _square_norm(d: int) -> Polynomial:
    """``|G G' - H H'|_F^2`` in the entries of ``G`` and ``H``, as monomials with integer coefficients."""
    total: Polynomial = Counter()
    columns = [(k, 1 if k <= d else -1) for k in range(2 * d + 2)]
    for i, j, (k, sign), (other, other_sign) in product(range(d), range(d), columns, columns):
        total[tuple(sorted([(i, k), (j, k), (i, other), (j, other)]))] += sign * other_sign
    return total


@functools.cache
def _variance(d: int) -> int:
    """Variance of ``|G G' - H H'|_F^2``."""
    norm = _square_norm(d)
    square: Polynomial = Counter()
    for (one, a), (other, b) in product(norm.items(), norm.items()):
        square[tuple(sorted(one + other))] += a * b
    return _expectation(square) - _expectation(norm) ** 2


def _expectation(polynomial: Polynomial) -> int:
    """Mean over independent standard normals, whose even moments are 1, 3, 15, 105."""
    moments = {0: 1, 2: 1, 4: 3, 6: 15, 8: 105}
    return sum(
        factor * math.prod(moments.get(power, 0) for power in Counter(monomial).values())
        for monomial, factor in polynomial.items()
    )


@statement
class WishartOrLaplaceRepaired:
    labels = ("JXZ-T5-R",)
    given = (
        r"W,W'\sim W_d(d+1,cI),\ c=\tfrac{\Delta_*}{2\varepsilon},\ b=\tfrac{\Delta_1}\varepsilon,\ "
        r"\mathbb E\|Z\|_F^2=2b^2d^2"
    )
    claim = {
        "smaller mean square": (
            r"2c^2d(d+1)^2\le2b^2d^2\text{ if }\tfrac{\Delta_1}{\Delta_*}>\tfrac{d+1}{2\sqrt d},"
            r"\text{ else }2b^2d^2\le2c^2d(d+1)^2"
        ),
        "second moments": (
            r"\big(\tfrac{\Delta_*}2\big)^2\,2d(d+1)^2\le2\Delta_1^2d^2\text{ if }\Delta_*=2,\ "
            r"\Delta_1^2=\tfrac{(d+2)^2}4+\lfloor\tfrac{d^2}4\rfloor\ (d=1:\ \Delta_*=\Delta_1=1)"
        ),
        "mean of the square": r"\mathbb E\|W-W'\|_F^2=2c^2d(d+1)^2",
        "variance of the square": r"\operatorname{Var}\|W-W'\|_F^2=8c^4d(d+1)(4d^2+9d+7)",
    }
    where = {
        "Z": "symmetric matrix of Laplace noise",
        "b": "scale of the Laplace noise",
        r"\mathrm{Var}": "variance",
    }
    verdict = Verdict.NEW
    relation = (Relation.REPLACE,)
    uses = ("JXZ-T4-R1", "JXZ-T1", "JXZ-L2-X")
    exact = ("mean of the square", "variance of the square")
    note = "wishart.md#comparison-with-laplace-noise"
    without_beyond = "It is an equivalence for all dimensions and sensitivities."
    examples = 40

    def cases(self) -> Any:
        return st.tuples(st.integers(1, 12), dyadics(2**-3, 8, 3), dyadics(2**-3, 8, 3), epsilons(2**-4, 16.0))

    def fast(self, d: int, l1: float, nuclear: float, epsilon: float) -> Parts:
        c, b, m = nuclear / (2 * epsilon), l1 / epsilon, d + 1
        mean, variance = fast.difference_moments(d)
        sides = c**2 * mean, 2 * b**2 * d**2
        yield AtMost(*(sides if _wins(d, l1, nuclear) else sides[::-1]), part="smaller mean square")
        yield AtMost((sensitivity(d) / 2) ** 2 * mean, 2 * block_square(d) * d**2, part="second moments")
        trace_square = m * d * (m + d + 1)  # the mean of tr W^2
        if d <= MEAN:
            yield Equal(2 * c**2 * (trace_square - m**2 * d), c**2 * mean, part="mean of the square")
        if d <= VARIANCE:  # |W - W'|^2 = tr U^2 + tr U'^2 - 2 tr U U', tr U^2 = tr W^2 - 2 m tr W + m^2 d
            square = 4 * m * d * (2 * m**2 + 5 * m * d + 2 * d**2 + 5 * m + 5 * d + 5)
            centred = square - 16 * m * trace_square + 8 * m**3 * d
            yield Equal(c**4 * (2 * centred + 8 * m**2 * d * (d + 1)), c**4 * variance, part="variance of the square")

    def oracle(self, d: int, l1: float, nuclear: float, epsilon: Real) -> Parts:
        c, b = nuclear / (2 * epsilon), l1 / epsilon
        mean, variance = 2 * d * (d + 1) ** 2, 8 * d * (d + 1) * (4 * d**2 + 9 * d + 7)
        # at scale 1, all entries, mirrored ones included
        laplace = d * d * mp.quad(lambda z: z * z * mp.exp(-z), [0, mp.inf])
        sides, change = (c**2 * mean, b**2 * laplace), exact_blocks(d, mp.mpf(1) / 2)
        yield AtMost(*(sides if _exactly_wins(d, l1, nuclear) else sides[::-1]), part="smaller mean square")
        wishart = (exact_sensitivity(d > 1, True, mp.prec) / 2) ** 2 * mean
        yield AtMost(wishart, change**2 * laplace, part="second moments")
        if d <= MEAN:
            yield Equal(c**2 * _expectation(_square_norm(d)), c**2 * mean, part="mean of the square")
        if d <= VARIANCE:
            yield Equal(c**4 * _variance(d), c**4 * variance, part="variance of the square")

    def tight(self) -> list[Any]:
        """One dimension, where both are Laplace noise; and four dimensions, at and beside the threshold 5 / 4."""
        return [(1, 1.0, 1.0, 1.0), *((4, 1.25 + beside, 1.0, 0.5) for beside in (0.0, 2.0**-7, -(2.0**-7)))]
