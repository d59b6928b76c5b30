"""DPS-CROSSOVER: from which strength on noise loses less of one direction than the orbit mechanism.

In high dimension a direction of strength ``r = theta epsilon / d`` loses ``1 / r`` of its variance to the orbit
mechanism, ``2 (r^2 + 1) / (r^2 - 1)^2`` to Wishart noise and ``1 - y^2 cos y / sin^2 y``, ``y = pi / r``, to K-norm
noise (DPS-OVERLAP). Both losses to noise are power series in ``1 / r`` with positive coefficients that begin with its
square, so that ``r`` times them falls: each meets 1 once. For Wishart noise the equation is palindromic, with the root
``phi + sqrt(phi)``, ``phi`` the golden ratio; for K-norm noise balls enclose it.
"""

import math
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.strategies import dyadics, st

GOLDEN = (1 + math.sqrt(5)) / 2
WISHART = GOLDEN + math.sqrt(GOLDEN)
"""Strength from which on Wishart noise loses less: 2.890."""


KNORM = 2.6764210871462133
"""Strength from which on K-norm noise loses less: 2.676."""


WIDTH = 2.0**-24
"""Relative width of the enclosure of that, on either side; the slack of float64 would hide less."""


def _ordered(noise: Any, strength: Any, crossed: bool, part: str) -> AtMost:
    """The smaller loss first, as the crossover says."""
    return AtMost(noise, 1 / strength, part=part) if crossed else AtMost(1 / strength, noise, part=part)


def _knorm_ball(strength: float) -> arb:
    y = arb.pi() / arb(strength)
    return 1 - y * y * y.cos() / y.sin() ** 2


def _wishart_series(r: Any) -> Any:
    """``2 w (1 + w) / (1 - w)^2 = 2 sum (2 j - 1) w^j``, ``w = r^-2``."""
    return 2 * mp.nsum(lambda j: (2 * j - 1) * r ** (-2 * j), [1, mp.inf])


def _knorm_series(r: Any) -> Any:
    """``g^2 R'(g)`` term by term: ``1 / sin y`` is the sum of ``2 (1 - 2^(1-2j)) zeta(2j) (y / pi)^2j / y``."""

    def term(j: Any) -> Any:
        return 2 * (2 * j - 1) * (1 - mp.mpf(2) ** (1 - 2 * j)) * mp.zeta(2 * j) * r ** (-2 * j)

    return mp.nsum(term, [1, mp.inf])


@statement
class Crossover:
    labels = ("DPS-CROSSOVER",)
    given = r"y=\pi/r,\ r_0=2.6764210871462133"
    claim = {
        "Wishart": r"\frac{2(r^2+1)}{(r^2-1)^2}\le\frac1r\iff r\ge\varphi+\sqrt\varphi",
        "K-norm": r"1-\frac{y^2\cos y}{\sin^2y}\le\frac1r\iff r\ge r_0",
        "enclosure from above": r"r=r_0(1+2^{-24}):\ 1-\frac{y^2\cos y}{\sin^2y}\le\frac1r",
        "enclosure from below": r"r=r_0(1-2^{-24}):\ \frac1r\le1-\frac{y^2\cos y}{\sin^2y}",
    }
    where = {
        "r": "strength of the direction in units of the noise",
        "r_0": "crossover for K-norm noise, as a float",
        r"\varphi": "golden ratio, 1.618...",
        "y": r"angle $`\pi/r`$",
    }
    verdict = Verdict.NEW
    uses = ("DPS-OVERLAP",)
    note = "noise.md#when-noise-beats-the-orbit"

    def cases(self) -> st.SearchStrategy[tuple[float]]:
        """A strength from just above Wishart noise's threshold, ``sqrt(2 + sqrt 5)``, to where noise is far ahead."""
        return st.tuples(dyadics(2.0625, 32.0))

    def fast(self, r: float) -> Parts:
        """Closed forms in float64; the ends of the enclosure in balls."""
        yield _ordered(2 * (r * r + 1) / (r * r - 1) ** 2, r, r >= WISHART, "Wishart")
        y = math.pi / r
        yield _ordered(1 - y * y * math.cos(y) / math.sin(y) ** 2, r, r >= KNORM, "K-norm")
        high, low = KNORM * (1 + WIDTH), KNORM * (1 - WIDTH)
        yield AtMost(float(_knorm_ball(high).upper()), 1 / high, part="enclosure from above")
        yield AtMost(1 / low, float(_knorm_ball(low).lower()), part="enclosure from below")

    def oracle(self, r: Real) -> Parts:
        """Power series of both losses, of which no coefficient is negative."""
        golden, root = (1 + mp.sqrt(5)) / 2, mp.mpf(KNORM)
        yield _ordered(_wishart_series(r), r, r >= golden + mp.sqrt(golden), "Wishart")
        yield _ordered(_knorm_series(r), r, r >= root, "K-norm")
        high, low = root * (1 + mp.mpf(WIDTH)), root * (1 - mp.mpf(WIDTH))
        yield AtMost(_knorm_series(high), 1 / high, part="enclosure from above")
        yield AtMost(1 / low, _knorm_series(low), part="enclosure from below")

    def tight(self) -> list[tuple[float]]:
        """Both crossovers, to the nearest float."""
        return [(WISHART,), (KNORM,)]

    def beyond(self) -> dict[str, AtMost]:
        """A strength of 2.6, where the orbit mechanism loses less than either noise."""
        r = mp.mpf("2.6")
        return {
            "strong enough for Wishart noise": AtMost(_wishart_series(r), 1 / r),
            "strong enough for K-norm noise": AtMost(_knorm_series(r), 1 / r),
        }
