"""The law of what a run looked at, from the forms on its tape; losses add up along it and have bounds.

Given the outcomes so far a program is deterministic up to its next look, so the draws that lead to a transcript are the
solutions of its equations and inequalities, with the forms that a replay of the same outcomes writes. In the program
here a value is looked at, and a later comparison depends on its outcome; another one compares two draws. The
density of the transcript is the product of the conditional ones, on either data set with the recorded outcomes, and so
the loss is the sum of conditional losses. A replay that kept its own outcomes would give another number; a part with a
comparison, or with another scale, has no bound by its move.
"""

from typing import Any

import numpy as np
from flint import arb
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Real, Verdict, statement
from dpspectra.oracle.quadrature import integral
from dpspectra.strategies import dyadics, st
from dpspectra.symbolic.independent_constraints import Part
from dpspectra.symbolic.laws import LAPLACE
from dpspectra.symbolic.likelihood import likelihood, pivots_of


def _density(x: float, y: float, s: float, r: float, t: float, follow: float) -> float:
    """Log-density of a value ``x + s z = t`` and of the comparison ``y + follow t + r w > 0``, from their forms."""
    value = np.array([x]), np.array([[s, 0.0]]), np.array([t])
    comparison = np.array([y + follow * x]), np.array([[follow * s, r]])
    it = Part(np.arange(2), [LAPLACE] * 2, *value, *comparison, {})
    return likelihood(it, pivots_of(it)).value


def _decision(level: float) -> float:
    """Probability of the comparison ``level + w > z`` of two draws: one of them is integrated over."""
    value = np.zeros(0), np.zeros((0, 2)), np.zeros(0)
    it = Part(np.arange(2), [LAPLACE] * 2, *value, np.array([level]), np.array([[-1.0, 1.0]]), {})
    return float(np.exp(likelihood(it, ()).value))


def _fading(start: Any) -> list[Any]:
    """Points from ``start`` to where the density of a draw has sunk below the working precision beyond it."""
    return [start + 2.5 * mp.dps * share for share in (0, 0.125, 0.5, 1)]


def _laplace(z: Any) -> Any:
    """Density of a draw."""
    return mp.exp(-abs(z)) / 2


def _ball_density(z: Any) -> Any:
    """Density of a draw at a ball."""
    return (-abs(z)).exp() / 2


def _ball_tail(z: Any) -> Any:
    """Probability that a draw exceeds a ball."""
    return (-z).exp() / 2 if z >= 0 else 1 - z.exp() / 2


@statement
class TapeLoss:
    labels = ("DPS-TAPELOSS",)
    given = (
        r"t=x+s_1z,\ y+ct+s_2w>0\text{ are seen},\ L_1=\log\tfrac{f((t-x)/s_1)}{f(t/s_1)},\ "
        r"L_2=\log\tfrac{\Pr[y+ct+s_2w>0]}{\Pr[ct+s_2w>0]}"
    )
    claim = {
        "law of what was seen": r"p_{x,y}(t)=\tfrac1{s_1}f\big(\tfrac{t-x}{s_1}\big)\Pr[y+ct+s_2w>0]",
        "sum of conditional losses": r"\log\tfrac{p_{x,y}(t)}{p_{0,0}(t)}=L_1+L_2",
        "bound of a value": r"|L_1|\le\tfrac{|x|}{s_1}",
        "bound of a comparison": r"|L_2|\le\tfrac{|y|}{s_2}",
        "two draws in a comparison": r"\Pr[a+w>z]=1-\tfrac{2+a}4e^{-a}\ (a\ge0),\ \tfrac{2-a}4e^a\ (a\le0)",
    }
    where = {
        "p_i": "density of what the run looks at on a data set",
        "t": "number that is seen",
        "f": "density of a Laplace number of scale 1",
        "L_1": "privacy loss of the number",
        "L_2": "privacy loss of the comparison",
        "x": "difference of the two data sets in the number",
        "y": "difference of the two data sets in the compared number",
        "c": "how far the compared number follows the one that was seen",
        "s_i": "scale of the Laplace noise of a look",
        "a": "margin, in units of the scale",
        "w": "Laplace number of scale 1",
        "z": "another Laplace number of scale 1",
    }
    verdict = Verdict.NEW
    note = "auditing.md#tape-loss"
    examples = 25

    def cases(self) -> Any:
        """Moves of both locations, both scales, and the outcome of the value; then two more numbers.

        They are how far the second location follows the value, and the level of a comparison of two draws.
        """
        return st.tuples(
            dyadics(-4, 4, 4),
            dyadics(-4, 4, 4),
            dyadics(0.25, 4.0, 4),
            dyadics(0.25, 4.0, 4),
            dyadics(-6, 6, 4),
            dyadics(-2, 2, 4),
            dyadics(-3, 3, 4),
        )

    def fast(self, x: float, y: float, s: float, r: float, t: float, follow: float, a: float) -> Parts:
        """The forms of the tape, solved; against products of densities and tails."""
        joint = [_density(u, v, s, r, t, follow) for u, v in ((x, y), (0.0, 0.0))]
        value = [float(LAPLACE.log_density((t - u) / s)) - np.log(s) for u in (x, 0.0)]
        bit = [float(LAPLACE.upper(-(v + follow * t) / r)) for v in (y, 0.0)]
        yield Equal(float(np.exp(joint[0])), float(np.exp(value[0] + bit[0])), scale=1, part="law of what was seen")
        first, second = value[0] - value[1], bit[0] - bit[1]
        yield Equal(joint[0] - joint[1], first + second, scale=20, part="sum of conditional losses")
        yield AtMost(abs(first), abs(x) / s, scale=1, part="bound of a value")
        yield AtMost(abs(second), abs(y) / r, scale=1, part="bound of a comparison")
        tail = float(np.exp(-abs(a)) * (2 + abs(a)) / 4)
        yield Equal(_decision(a), 1 - tail if a > 0 else tail, scale=1e5, part="two draws in a comparison")

    def oracle(self, x: Real, y: Real, s: Real, r: Real, t: Real, follow: Real, a: Real) -> Parts:
        """Integrals of the definition: over the draws that lead to the outcomes."""

        def tail(z: Any) -> Any:
            """Probability that a draw exceeds ``z``."""
            return mp.exp(-z) / 2 if z >= 0 else 1 - mp.exp(z) / 2

        def by_draws(u: Any, v: Any) -> Any:
            edge = -(v + follow * t) / r
            points = [edge, *_fading(0)] if edge < 0 else _fading(edge)
            return _laplace((t - u) / s) / s * mp.mpf(integral(_ball_density, points))

        def second(v: Any) -> Any:
            return tail(-(v + follow * t) / r)

        yield Equal(by_draws(x, y), _laplace((t - x) / s) / s * second(y), scale=1, part="law of what was seen")
        value = (abs(t) - abs(t - x)) / s
        bit = mp.log(second(y) / second(mp.mpf(0)))
        yield Equal(mp.log(by_draws(x, y) / by_draws(0, 0)), value + bit, scale=20, part="sum of conditional losses")
        yield AtMost(abs(value), abs(x) / s, scale=1, part="bound of a value")
        yield AtMost(abs(bit), abs(y) / r, scale=1, part="bound of a comparison")

        low, high = sorted((mp.mpf(0), mp.mpf(a)))
        knots = [*(-x for x in reversed(_fading(-low))), *_fading(high)]
        beyond = mp.exp(-abs(a)) * (2 + abs(a)) / 4  # of a difference of two draws
        level = arb(a)
        chance = mp.mpf(integral(lambda z: _ball_density(z) * _ball_tail(z - level), knots))
        yield Equal(chance, 1 - beyond if a > 0 else beyond, scale=1e5, part="two draws in a comparison")

    def tight(self) -> list[Any]:
        """A value beyond both locations, and a comparison whose level lies beyond both."""
        return [(1.0, 1.0, 0.5, 0.5, 4.0, -1.0, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """Noise of scale 1: a replay that follows its own value; another scale; a comparison of what is shown."""
        replay = mp.log(_laplace(3) / _laplace(1))  # the second location: 3 as recorded, 1 by the replay
        shown = mp.log(_laplace(mp.mpf("0.5")) / mp.mpf("1e-30"))
        return {
            "the recorded outcomes in a replay": AtMost(abs(replay), 0),
            "one scale on both data sets": AtMost(mp.log(_laplace(0) / (_laplace(0) / 2)), 0),
            "no comparison of a value that is shown": AtMost(shown, mp.mpf("0.001")),
        }
