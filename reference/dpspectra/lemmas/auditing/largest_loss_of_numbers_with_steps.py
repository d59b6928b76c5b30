"""The largest loss of numbers with steps lies near the places where their masses are irregular.

Each path gives a whole multiple of a step, added to a place of its own, maybe with a uniform draw beside it. Beyond
some whole number each mass is one factor smaller than the one before. So far out both densities are multiplied by the
same factor from step to step, and their ratio repeats itself. With two factors or two steps it grows or falls for ever.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Equal, Parts, Verdict, statement
from dpspectra.strategies import dyadics, st
from dpspectra.symbolic.mixture_loss import loss_of_mixtures
from dpspectra.symbolic.stepped_numbers import Stepped

FAR, REPEATS = 10, 4
"""Steps beyond all irregular masses: of the numbers that are tried, and those within which the oracle looks."""
FARTHEST, MANY = 20, 64
"""Size of the places that the fast face tries, and of the whole numbers among which all lie that count there."""


class Drawn(NamedTuple):
    """What one path gives: a place, steps upwards or downwards, and masses of the first whole numbers."""

    weight: float
    place: float
    up: bool
    masses: tuple[float, ...]
    """The last of them begins the upper tail; the lower tail begins with the first one."""
    two_sided: bool


class Steps(NamedTuple):
    """Paths on both data sets, the factor of the tails, the width of the uniform draw in steps, and a place."""

    first: tuple[Drawn, ...]
    second: tuple[Drawn, ...]
    factor: float
    width: float
    place: float


def _cases(width: float) -> st.SearchStrategy[Steps]:
    masses = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=3).map(lambda m: (*m, 0.5))
    drawn = st.builds(
        Drawn, dyadics(0.125, 1, 3), dyadics(-2, 2, 1 if width else 0), st.booleans(), masses, st.booleans()
    )
    paths = st.lists(drawn, min_size=1, max_size=2).map(tuple)
    return st.builds(Steps, paths, paths, st.sampled_from([0.25, 0.5, 0.75]), st.just(width), dyadics(-8, 8, 0))


def _mass(drawn: Drawn, factor: Any, k: int) -> Any:
    """Mass of a whole number, by definition."""
    last = len(drawn.masses) - 1
    if k < 0:
        return drawn.masses[0] * factor**-k if drawn.two_sided else 0 * factor
    return drawn.masses[k] * factor**0 if k <= last else drawn.masses[last] * factor ** (k - last)


def _density(paths: tuple[Drawn, ...], factor: Any, width: Any, y: Any) -> Any:
    """Density of all paths at a place that is no end of a cell; their masses there if there is no uniform draw."""
    total = 0 * factor
    for d in paths:
        z = (y - d.place) * (1 if d.up else -1)
        for k in range(math.ceil(z - width), math.floor(z) + 1):
            total += d.weight * _mass(d, factor, k) / (width or 1)
    return total


def _densities(paths: tuple[Drawn, ...], factor: float, width: float, y: Any) -> Any:
    """`_density` at many places, from masses of all whole numbers that count there."""
    total = 0.0
    for d in paths:
        last, k = len(d.masses) - 1, np.arange(-MANY, MANY + 1)
        below = d.masses[0] * factor ** np.maximum(-k, 0) if d.two_sided else 0.0
        mass = np.where(k < 0, below, np.array(d.masses)[np.clip(k, 0, last)] * factor ** np.maximum(k - last, 0))
        z = (np.asarray(y) - d.place) * (1.0 if d.up else -1.0)
        total = total + d.weight * np.where((z[..., None] - width <= k) & (k <= z[..., None]), mass, 0.0).sum(axis=-1)
    return total / (width or 1.0)


def _number(drawn: Drawn, case: Steps) -> tuple[float, tuple[Stepped]]:
    """Return a path as the auditor knows it."""

    def log_density(y: float) -> float:
        value = float(_densities((drawn._replace(weight=1.0),), case.factor, case.width, y))
        return math.log(value) if value > 0 else -math.inf

    sign = 1.0 if drawn.up else -1.0
    low, high = 0 if drawn.two_sided else -1, len(drawn.masses) - 1
    one = Stepped(log_density, drawn.place, sign, sign * case.width, low, high, -math.log(case.factor))
    return math.log(drawn.weight), (one,)


def _places(case: Steps, steps: int) -> list[float]:
    """Places within so many steps of all irregular masses, but no ends of cells, which lie at multiples of 1/8."""
    reach = 2 + max(len(d.masses) for d in case.first + case.second) + math.ceil(case.width) + steps
    offset, per_step = (2.0**-4, 8) if case.width else (0.0, 1)
    return [k / per_step + offset for k in range(-reach * per_step, reach * per_step + 1)]


def _least(case: Steps, factor: Any, steps: int) -> Any:
    """Smallest ratio of the second density to the first one there."""
    pairs = ([_density(paths, factor, case.width, y) for paths in case[:2]] for y in _places(case, steps))
    return min((q / p for p, q in pairs if p > 0), default=0 * factor)


@statement
class LargestLossOfNumbersWithSteps:
    labels = ("DPS-STEPS",)
    given = r"p(y+s)=rp(y),\ q(y+s)=rq(y)\text{ for }y\ge Y;\ p(y-s)=rp(y),\ q(y-s)=rq(y)\text{ for }y\le X"
    claim = {
        "least ratio": r"\inf_{p>0}\frac qp=\min_{X-s\le y\le Y+s,\,p(y)>0}\frac{q(y)}{p(y)}",
        "any place": r"q(y)\ge p(y)\min_{X-s\le y'\le Y+s,\,p(y')>0}\frac{q(y')}{p(y')}",
    }
    where = {
        "p": "density of the output on the first data set, or its mass",
        "q": "density of the output on the second data set, or its mass",
        "s": "step of all whole numbers with noise",
        "r": "factor between the masses of two whole numbers far out",
        "X": "place below which all masses are regular, at most $`Y`$",
        "Y": "place above which all masses are regular",
        "y": "any output",
        "y'": "an output near the irregular masses",
    }
    verdict = Verdict.NEW
    note = "auditing.md#largest-loss-of-numbers-with-steps"
    examples = 60
    exact = ("least ratio",)

    def cases(self) -> Any:
        return st.sampled_from([0.0, 0.5, 1.0, 1.25]).flatmap(_cases)

    def fast(self, *case: Any) -> Parts:
        """The program that the auditor runs, and densities far beyond what it looks at."""
        given = Steps(*case)
        first, second = ([_number(d, given) for d in paths] for paths in given[:2])
        least = float(np.exp(-loss_of_mixtures(first, second)))
        places = np.arange(-FARTHEST, FARTHEST, 1 / 8) + 2.0**-4 if given.width else np.arange(-FARTHEST, FARTHEST)
        p, q = (_densities(paths, given.factor, given.width, places) for paths in given[:2])
        ratio = float(np.min(q[p > 0] / p[p > 0])) if np.any(p > 0) else 0.0
        yield Equal(least, ratio, scale=1, part="least ratio")
        y = given.place + (2.0**-4 if given.width else 0.0)
        p, q = (float(_densities(paths, given.factor, given.width, y)) for paths in given[:2])
        yield AtMost(least * p, q, scale=1, part="any place")

    def oracle(self, *case: Any) -> Parts:
        """Densities within few steps of the irregular masses, against those of many more."""
        given = Steps(*case)
        factor = mp.mpf(given.factor)
        least = _least(given, factor, REPEATS)
        yield Equal(_least(given, factor, FAR), least, scale=1, part="least ratio")
        y = mp.mpf(given.place) + (mp.mpf(2) ** -4 if given.width else 0)
        p, q = (_density(paths, factor, given.width, y) for paths in given[:2])
        yield AtMost(least * p, q, scale=1, part="any place")

    def tight(self) -> list[Steps]:
        """Two-sided geometric noise that moves by a step; stairs of both signs; a mass that is missing."""
        whole = partial(Drawn, 1.0, up=True, masses=(0.5,), two_sided=True)
        signs: Callable[[float], tuple[Drawn, ...]] = lambda place: tuple(  # noqa: E731
            Drawn(0.5, place, up, (0.75, 0.5), False) for up in (True, False)
        )
        return [
            Steps((whole(place=0.0),), (whole(place=1.0),), 0.5, 0.0, -3.0),
            Steps(signs(0.0), signs(0.5), 0.25, 1.25, -3.0),
            Steps((whole(place=0.0),), (Drawn(1.0, 0.0, True, (0.5, 0.0, 0.5), True),), 0.75, 0.0, 1.0),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Factors 1/2 and 1/4, and steps of 1 and 2 with the factor 1/2: the ratio of the first two masses, far out."""
        far, least = 8, mp.mpf(1) / 2
        p = mp.mpf(2) ** -far
        return {
            "one factor": AtMost(least * p, mp.mpf(4) ** -far),
            "one step": AtMost(least * mp.mpf(2) ** -(far // 2), p),
        }
