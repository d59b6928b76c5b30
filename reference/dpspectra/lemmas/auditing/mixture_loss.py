"""The largest loss of a number that is drawn on one of several paths is that at an end of an interval.

Each path adds Laplace or exponential noise of one scale, or uniform noise, at a place of its own, cut off anywhere.
Between the ends and the peaks of all paths both densities are ``a e^(y/b) + c e^(-y/b)`` with coefficients that are not
negative (constants if the noise is uniform), so that their ratio is monotone there. With several numbers this holds in
each of them while the others stay. The statement is on the smallest ratio of the second density to the first one.
"""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Verdict, statement
from dpspectra.strategies import dyadics, st
from dpspectra.symbolic import mixture_loss
from dpspectra.symbolic.laws import EXPONENTIAL, LAPLACE, UNIFORM
from dpspectra.symbolic.single_numbers import Number

LAWS = {law.name: law for law in (LAPLACE, EXPONENTIAL, UNIFORM)}
NEAR, STEPS = 2.0**-40, 3
"""Distance from an end at which the limit there is taken, in scales, and places in each interval that are tried."""


class Drawn(NamedTuple):
    """One number of a path."""

    law: str
    place: float
    factor: float
    """Factor of the noise, in scales: 1 or -1 unless it is uniform."""
    cut: tuple[float, float]
    """Ends of the noise, in scales."""


Path = tuple[float, tuple[Drawn, ...]]
"""Weight of a path, and its numbers."""


class Mixtures(NamedTuple):
    """Paths on both data sets, the scale of each number, and a place."""

    first: tuple[Path, ...]
    second: tuple[Path, ...]
    scales: tuple[float, ...]
    place: tuple[float, ...]


def _drawn(uniform: bool) -> st.SearchStrategy[Drawn]:
    laws = ["uniform"] if uniform else ["laplace", "laplace", "exponential"]
    cuts = st.just((-np.inf, np.inf)) | dyadics(-2, 1, 2).map(lambda low: (low, np.inf))
    factors = [1.0, -1.0, *([1.5] if uniform else [])]
    return st.builds(Drawn, st.sampled_from(laws), dyadics(-2, 2, 2), st.sampled_from(factors), cuts)


def _mixtures(kinds: tuple[bool, ...]) -> st.SearchStrategy[Mixtures]:
    numbers = st.tuples(*map(_drawn, kinds))
    paths = st.lists(st.tuples(dyadics(0.125, 1, 3), numbers), min_size=1, max_size=2).map(tuple)
    few = len(kinds)
    return st.builds(
        Mixtures, paths, paths, st.tuples(*[dyadics(0.5, 2, 1)] * few), st.tuples(*[dyadics(-4, 4, 3)] * few)
    )


def _ends(drawn: Drawn, scale: Any) -> tuple[Any, Any]:
    support = LAWS[drawn.law].support
    low, high = max(drawn.cut[0], support[0]), min(drawn.cut[1], support[1])
    ends = [drawn.place + drawn.factor * scale * z for z in (low, high)]
    return min(ends), max(ends)


def _density(paths: tuple[Path, ...], scales: Any, y: Any) -> float:
    """Density of a mixture in float64; at an end, its limit from below."""
    total = 0.0
    for weight, numbers in paths:
        part = weight
        for drawn, scale, value in zip(numbers, scales, y, strict=True):
            low, high = _ends(drawn, scale)
            z = (value - drawn.place) / (scale * drawn.factor)
            part *= (
                float(np.exp(LAWS[drawn.law].log_density(z))) / abs(scale * drawn.factor)
                if low < value <= high
                else 0.0
            )
        total += part
    return total


def _exact_densities(paths: tuple[Path, ...], scales: Any, places: list[list[Any]]) -> list[Any]:
    """Densities of a mixture at all combinations of places, by definition; at an end, the limit from below."""

    def of_one(drawn: Drawn, scale: Any, y: Any) -> Any:
        low, high = _ends(drawn, scale)
        if not low < y <= high:
            return mp.mpf(0)
        if drawn.law == "uniform":
            return 1 / (scale * abs(drawn.factor))
        return mp.exp(-abs(y - drawn.place) / scale) / scale / (2 if drawn.law == "laplace" else 1)

    total = [mp.mpf(0)] * math.prod(map(len, places))
    for weight, numbers in paths:
        drawn = zip(numbers, scales, places, strict=True)
        each = [[of_one(d, scale, y) for y in column] for d, scale, column in drawn]
        part = [weight * math.prod(some) for some in itertools.product(*each)]
        total = [a + b for a, b in zip(total, part, strict=True)]
    return total


def _knots(case: Mixtures, scales: Any) -> list[list[Any]]:
    """Ends and peaks of all paths, for each number."""
    columns = zip(*(numbers for _, numbers in (*case.first, *case.second)), strict=True)
    found = []
    for column, scale in zip(columns, scales, strict=True):
        ends = {e for d in column for e in (*_ends(d, scale), d.place if d.law == "laplace" else mp.inf)}
        found.append(sorted(e for e in ends if abs(e) != mp.inf))
    return found


def _exact_least(case: Mixtures, scales: Any, places: list[list[Any]]) -> Any:
    """Smallest ratio of the second density to the first one, where that is positive, at all of these places."""
    p, q = (_exact_densities(paths, scales, places) for paths in (case.first, case.second))
    return min((b / a for a, b in zip(p, q, strict=True) if a > 0), default=mp.mpf(0))


def _near(knots: list[Any], scale: Any) -> list[Any]:
    """Both sides of each end."""
    return [k + side * NEAR * scale for k in knots for side in (-1, 1)]


def _between(knots: list[Any], scale: Any) -> list[Any]:
    """Places within each interval, and beyond all of them."""
    inner = [a + (b - a) * i / STEPS for a, b in itertools.pairwise(knots) for i in range(1, STEPS)]
    return [knots[0] - 3 * scale, *inner, knots[-1] + 3 * scale]


@statement
class MixtureLoss:
    labels = ("DPS-MIXLOSS",)
    given = (
        r"p=\sum_iw_i\prod_jf_{ij},\ q=\sum_kv_k\prod_jg_{kj},\ f_{ij},g_{kj}\text{ Laplace or exponential of scale }"
        r"b_j\text{, or all uniform, cut off; }K_j\text{ both sides of their ends and peaks}"
    )
    claim = {
        "least ratio": r"\inf_{p>0}\frac{q}{p}=\min_{y\in\prod_jK_j,\,p(y)>0}\frac{q(y)}{p(y)}",
        "any place": r"q(y)\ge p(y)\min_{y'\in\prod_jK_j,\,p(y')>0}\frac{q(y')}{p(y')}",
    }
    where = {
        "p": "density of the output on the first data set",
        "q": "density of the output on the second data set",
        "w_i": "probability of a path on the first data set",
        "v_k": "probability of a path on the second data set",
        "f_{ij}": "density of one number on a path of the first data set",
        "g_{kj}": "density of one number on a path of the second data set",
        "b_j": "scale of the noise of one number, the same on all paths",
        "K_j": "values of one number, where a density stands for its limit from one side",
        "y": "any output",
        "y'": "an output at the ends",
    }
    verdict = Verdict.NEW
    note = "auditing.md#largest-loss-of-a-number-drawn-on-several-paths"
    examples = 60

    def cases(self) -> Any:
        return st.sampled_from([(False,), (False,), (True,), (False, True), (False, False)]).flatmap(_mixtures)

    def fast(self, *case: Any) -> Parts:
        """The program that the auditor runs; densities beside the ends and between them."""
        given = Mixtures(*case)

        def numbers(drawn: tuple[Drawn, ...]) -> tuple[Number, ...]:
            pairs = zip(drawn, given.scales, strict=True)
            return tuple(Number(LAWS[d.law], d.place, d.factor * scale, *d.cut) for d, scale in pairs)

        first, second = ([(float(np.log(weight)), numbers(drawn)) for weight, drawn in paths] for paths in given[:2])
        least = float(np.exp(-mixture_loss.loss_of_mixtures(first, second)))
        tried = [
            _near(knots, scale) + _between(knots, scale)
            for knots, scale in zip(_knots(given, given.scales), given.scales, strict=True)
        ]
        pairs = ([_density(paths, given.scales, y) for paths in given[:2]] for y in itertools.product(*tried))
        yield Equal(least, min((q / p for p, q in pairs if p > 0), default=0.0), scale=1, part="least ratio")
        p, q = (_density(paths, given.scales, given.place) for paths in given[:2])
        yield AtMost(least * p, q, scale=1, part="any place")

    def oracle(self, *case: Any) -> Parts:
        """Densities beside the ends only, against those between them, too."""
        given = Mixtures(*case)
        scales = [mp.mpf(scale) for scale in given.scales]
        knots = _knots(given, scales)
        near = [_near(each, scale) for each, scale in zip(knots, scales, strict=True)]
        more = [some + _between(each, scale) for some, each, scale in zip(near, knots, scales, strict=True)]
        least = _exact_least(given, scales, near)
        yield Equal(_exact_least(given, scales, more), least, scale=1, part="least ratio")
        place = [[mp.mpf(y)] for y in given.place]
        (p,), (q,) = (_exact_densities(paths, scales, place) for paths in given[:2])
        yield AtMost(least * p, q, scale=1, part="any place")

    def tight(self) -> list[Mixtures]:
        """Half of the people are used; both halves of a Laplace law; uniform noise that moves; two numbers."""
        whole = (-np.inf, np.inf)

        def laplace(place: float) -> Drawn:
            return Drawn("laplace", place, 1.0, whole)

        def half(place: float, sign: float) -> Drawn:
            return Drawn("exponential", place, sign, whole)

        sampled = ((0.5, (laplace(0.0),)), (0.5, (laplace(1.0),)))
        here, there = (tuple((0.5, (half(place, s),)) for s in (1.0, -1.0)) for place in (0.0, 1.0))
        steps = ((0.5, (Drawn("uniform", 0.0, 1.0, whole),)), (0.5, (Drawn("uniform", 0.5, 1.0, whole),)))
        two = tuple((0.5, (laplace(a), laplace(b))) for a, b in ((0.0, 0.0), (1.0, 1.0)))
        return [
            Mixtures(sampled, ((1.0, (laplace(0.0),)),), (1.0,), (1.5,)),
            Mixtures(here, there, (0.5,), (-0.25,)),
            Mixtures(steps, (*steps, (0.25, (Drawn("uniform", 0.0, 1.5, whole),))), (1.0,), (1.25,)),
            Mixtures(two, ((1.0, (laplace(0.0), laplace(0.0))),), (1.0, 2.0), (1.5, 1.5)),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Laplace noise of scale 2 against scale 1, far out; uniform noise against two Laplace peaks, between them."""
        far, e = mp.mpf(8), mp.exp(1)
        peak = (1 + e**-2) / 4  # q at either end, where p is 1/2
        return {
            "one scale": AtMost(2 * mp.exp(-far / 2) / 4, mp.exp(-far) / 2),
            "all uniform or none": AtMost(peak, 1 / (2 * e)),
        }
