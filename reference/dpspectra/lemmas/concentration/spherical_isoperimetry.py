"""A 1-Lipschitz function on the sphere of ``R^d`` is more than ``t`` from its median with small probability.

The probability is at most ``exp(-t^2 d / 2)``. By isoperimetry (Levy, cited) the worst function on each side of the
median is the distance to a hemisphere, which exceeds ``t`` with probability ``P(x_1 > t sqrt(1 - t^2 / 4))``, and 0
beyond ``sqrt 2``, the distance of the pole. One integral inequality remains. Values above and below the median must
each have probability at most 1/2. For ``d = 1``, two points, the constant is not 1 but is below the printed 4.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import betainc

from dpspectra.ledger import AtMost, Frequency, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.concentration.draws import TRIALS, directions
from dpspectra.strategies import dyadics, seeds, st

PANELS = 0, 6, 24
"""Ends of the panels of an integral, in angles within which the mass falls off; the last panel has the rest."""


def bound(t: Any, d: Any) -> Any:
    """Bound on the probability of a distance above ``t`` from the median, for ``d >= 2``."""
    return np.exp(-(t**2) * d / 2)


def _worst(t: float, d: int) -> Any:
    """Twice the probability of a distance above ``t`` to a hemisphere; for two points, of the distance to one."""
    if d == 1:
        return 0.5 if t < 2 else 0.0
    height = t**2 * (1 - t**2 / 4)
    return betainc((d - 1) / 2, 0.5, 1 - height) if t**2 < 2 else 0.0


def _polar(angle: Any, d: int) -> Any:
    """Measure of the latitudes above ``angle >= 0``; their density is proportional to ``cos^(d-2)``."""

    def share(start: Any) -> Any:
        width = 1 / max(mp.sqrt(d), d * mp.tan(start))  # the mass falls off within this angle
        ends = {min(start + times * width, mp.pi / 2) for times in PANELS} | {mp.pi / 2}
        return mp.quad(lambda x: mp.cos(x) ** (d - 2), sorted(ends))

    return share(angle) / share(mp.mpf(0)) / 2


def _exact_worst(t: Any, d: int) -> Any:
    """A distance above ``t`` to a hemisphere is an angle above ``2 arcsin(t / 2)`` from the equator."""
    if d == 1:
        return mp.mpf(t < 2) / 2
    return 2 * _polar(2 * mp.asin(t / 2), d) if t**2 < 2 else mp.mpf(0)


@statement
class SphericalIsoperimetryPrinted:
    labels = ("HR-TB.1",)
    given = (
        r"f:S^{d-1}\to\mathbb R\ 1\text{-Lipschitz},\ M\text{ its median},\quad\Pr\big[|f-M|>t\big]\le w_d(t);\quad "
        r"w_1(t)=\tfrac12\mathbf 1[t<2],\ w_d(t)=2\Pr\big[x_1>t\sqrt{1-t^2/4}\big]\text{ if }t"
        r"\le\sqrt2,\text{ else }0\quad(d\ge2)"
    )
    claim = {
        "tail of a coordinate": r"f(x)=x_1:\ \Pr\big[|f-M|>t\big]\le4e^{-t^2d/2}",
        "tail of worst function": r"w_d(t)\le4e^{-t^2d/2}",
    }
    printed = (
        "Not at hand; read as: for a 1-Lipschitz $`f`$ on the sphere with median $`M`$, "
        r"$`\Pr[|f-M|>t]\le4\exp\big(-\frac{t^2d}2\big)`$."
    )
    where = {
        "f": "function on the sphere that changes by no more than the distance",
        "S^{d-1}": "unit sphere in $`d`$ dimensions",
        "M": "median of the function",
        "x": "uniformly distributed unit vector",
        "x_1": "first coordinate of a uniformly distributed unit vector",
        "w_i": ("w_d(t)", "bound on the probability that a function is more than $`t`$ from its median"),
    }
    verdict = Verdict.VERIFIED
    uses = ("HR-TB.1J",)
    note = "concentration.md#levys-lemma"
    digits = 30
    examples = 60
    slack = {
        part: Slack(0.923632, "two points need the constant e^2 / 2 = 3.69; in two or more dimensions 1 is enough")
        for part in ("tail of a coordinate", "tail of worst function")
    }

    def cases(self) -> Any:
        return st.tuples(st.integers(1, 6), dyadics(0, 2), st.integers(1, 300), seeds())

    def fast(self, d: int, t: float, many: int, seed: int) -> Parts:
        """How often the first coordinate is more than ``t`` from its median, and the tail of the worst function."""
        median = 0.0 if d > 1 else 1.0
        far = int(np.sum(np.abs(directions(d, seed)[:, 0] - median) > t))
        yield Frequency(far, TRIALS, float(4 * bound(t, d)), part="tail of a coordinate")
        yield AtMost(_worst(t, many), 4 * bound(t, many), part="tail of worst function")

    def oracle(self, d: int, t: Real, many: int, _: int) -> Parts:
        far = 2 * _polar(mp.asin(min(t, mp.mpf(1))), d) if d > 1 else mp.mpf(t < 2) / 2
        yield AtMost(far, 4 * mp.exp(-(t**2) * d / 2), part="tail of a coordinate")
        yield AtMost(_exact_worst(t, many), 4 * mp.exp(-(t**2) * many / 2), part="tail of worst function")

    def tight(self) -> list[Any]:
        """Two points at distance 2, ``t`` just below it: one of them is ``t`` from the median, with probability 1/2."""
        return [(1, 2 - 2.0**-30, 1, 0)]

    def beyond(self) -> dict[str, AtMost]:
        """On two points the function ``2 x``, ``t = 3``; on the circle ``x_1`` about its maximum, ``t = 19/10``."""
        share = mp.acos(mp.mpf(9) / 10) / mp.pi
        limits = [4 * mp.exp(-mp.mpf(9) / 2), 4 * mp.exp(-((mp.mpf(19) / 10) ** 2))]
        return {
            "f is 1-Lipschitz": AtMost(mp.mpf(1) / 2, limits[0], part="tail of worst function"),
            "M is a median": AtMost(share, limits[1], part="tail of a coordinate"),
        }


@statement
class SphericalIsoperimetrySharp:
    labels = ("HR-TB.1J",)
    given = (
        r"d\ge2,\ f:S^{d-1}\to\mathbb R\ 1\text{-Lipschitz},\ M\text{ its median},\ H=\{x\in S^{d-1}:x_1\le0\},\quad "
        r"\Pr\big[|f-M|>t\big]\le2\Pr\big[\operatorname{dist}(x,H)>t\big],\ \operatorname{dist}(x,H)\le\sqrt2"
    )
    claim = {
        "tail for a hemisphere": r"\Pr\big[\operatorname{dist}(x,H)>t\big]\le\tfrac12e^{-t^2d/2}",
        "tail of worst function": r"t\le\sqrt2:\ 2\Pr\big[x_1>t\sqrt{1-t^2/4}\big]\le e^{-t^2d/2}",
    }
    where = {
        "f": "function on the unit sphere that changes by no more than the distance",
        "M": "median of the function",
        "x_1": "first coordinate of a uniformly distributed unit vector",
        "x": "uniformly distributed unit vector",
        "S^{d-1}": "unit sphere in $`d`$ dimensions",
        "H": "hemisphere",
        r"\mathrm{dist}": "Euclidean distance",
    }
    verdict = Verdict.NEW
    uses = ("HR-C5.10",)
    note = "concentration.md#levys-lemma-with-constant-1"
    digits = 30
    examples = 60

    def cases(self) -> Any:
        return st.tuples(st.integers(2, 6), dyadics(0, 1.5), st.integers(2, 300), seeds())

    def fast(self, d: int, t: float, many: int, seed: int) -> Parts:
        """How often the distance to a hemisphere, whose median is 0, exceeds ``t``; the worst function."""
        latitude = np.arcsin(directions(d, seed)[:, 0])
        far = int(np.sum(2 * np.sin(latitude / 2) > t))
        yield Frequency(far, TRIALS, float(bound(t, d) / 2), part="tail for a hemisphere")
        yield AtMost(_worst(t, many), bound(t, many), part="tail of worst function")

    def oracle(self, d: int, t: Real, many: int, _: int) -> Parts:
        yield AtMost(_exact_worst(t, d) / 2, mp.exp(-(t**2) * d / 2) / 2, part="tail for a hemisphere")
        yield AtMost(_exact_worst(t, many), mp.exp(-(t**2) * many / 2), part="tail of worst function")

    def tight(self) -> list[Any]:
        """The distance 0 from the median, where both sides of each part are equal."""
        return [(3, 0.0, many, 0) for many in (2, 3, 4, 50)]

    def beyond(self) -> dict[str, AtMost]:
        """On two points one is at distance 2 from the median; ``t = 7/5``."""
        limit = mp.exp(-mp.mpf(49) / 50)
        return {"d is at least 2": AtMost(mp.mpf(1) / 2, limit, part="tail of worst function")}
