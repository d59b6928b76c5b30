"""DPS-ROUNDED: an ideal private release that is rounded to a public grid is as private as before.

``R(y) = step floor(y/step + 1/2)`` sends ``{R(Y) in S}`` to the event ``{Y in R^{-1} S}``, so that what holds for all
events of ``Y`` holds for those of ``R(Y)``: every ``(epsilon, delta)``, the whole profile, and ``mu``-GDP. Judged for
additive noise, in units of the step: a cell of the grid is ``exp(shift/scale)`` times as likely at most under Laplace
noise, with equality beyond both centres; and the total excess of the cells is at most the profile of the noise, with
equality where the density ratio crosses ``exp(epsilon)`` at a half step. A step taken from the data tells them apart.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb
from mpmath import mp
from scipy.special import ndtr

from dpspectra.fast.gaussian_profile import profile
from dpspectra.ledger import AtMost, Parts, Verdict, statement
from dpspectra.oracle.quadrature import integral, working
from dpspectra.strategies import dyadics, st


def _laplace_tail(x: Any) -> Any:
    half = np.exp(-np.abs(x)) / 2
    return np.where(x > 0, half, 1 - half)


def _cell(ends: Any) -> float:
    """Probability of an interval, from the tails on its side."""
    low, high = ends if ends[0] > 0 else -ends[::-1]
    return float(_laplace_tail(low) - _laplace_tail(high))


@statement
class RoundedRelease:
    labels = ("DPS-ROUNDED",)
    given = r"P_j=\Pr[R(g+s+z)=j],\ Q_j=\Pr[R(g+z)=j],\ s>0"
    claim = {
        "a cell under Laplace noise": r"z\sim\operatorname{Lap}(b):\ P_j/Q_j\le e^{s/b}",
        "excess under Laplace noise": (
            r"z\sim\operatorname{Lap}(b):\ "
            r"\sum_j(P_j-e^\varepsilon Q_j)_+\le\max(1-e^{(\varepsilon-s/b)/2},0)"
        ),
        "excess under Gaussian noise": (
            r"z\sim N(0,b^2):\ \sum_j(P_j-e^\varepsilon Q_j)_+\le\delta_G(\varepsilon,s/b)"
        ),
    }
    where = {
        "R(": ("R(x)", "rounding to the public grid"),
        "g": "true value on one data set, in units of the grid's step",
        "s": "how far the true value moves, in units of the step",
        "z": "noise, in units of the step",
        "b": "scale of the Laplace noise, or standard deviation of the normal noise, in units of the step",
        "j": "point of the grid",
        "P_j": "probability of a point of the grid after the true value moved",
        "Q_j": "probability of a point of the grid before",
        "N": "normal law of this mean and variance",
    }
    verdict = Verdict.NEW
    digits = 30
    note = "arithmetic.md#rounding-a-release"
    examples = 25

    def cases(self) -> st.SearchStrategy[tuple[float, float, float, float, int]]:
        """A number, its change and the scale of the noise, in steps; ``epsilon`` of the profile; a cell of the grid.

        All positions on the grid, noise finer and coarser than it; the neighbour on the left is a reflection.
        """
        positive = dyadics(0, 4).map(lambda x: x + 0.25)
        return st.tuples(dyadics(-1, 1), positive, positive, dyadics(0, 4), st.integers(-9, 9))

    def fast(self, number: float, shift: float, scale: float, epsilon: float, cell: int) -> Parts:
        """Tails of the noise at half steps, the best of them, against the closed form of the profile."""
        reach = math.ceil(40 * scale + shift) + 2
        edges = np.arange(-reach, reach) + 0.5

        def excess(tail: Callable[[Any], Any]) -> float:
            gaps = tail((edges - number - shift) / scale) - math.exp(epsilon) * tail((edges - number) / scale)
            return max(float(np.max(gaps)), 0.0)

        mu = shift / scale
        ends = np.array([cell - 0.5, cell + 0.5]) - number
        ratio = _cell((ends - shift) / scale) / _cell(ends / scale)
        yield AtMost(ratio, math.exp(mu), part="a cell under Laplace noise")
        stated = max(-math.expm1((epsilon - mu) / 2), 0.0)
        yield AtMost(excess(_laplace_tail), stated, 1, part="excess under Laplace noise")
        yield AtMost(excess(lambda x: ndtr(-x)), float(profile(epsilon, mu)), 1, part="excess under Gaussian noise")

    def oracle(self, number: float, shift: float, scale: float, epsilon: float, cell: int) -> Parts:
        """Sums over the cells, against integrals of densities; the cell under Laplace noise is an integral as well."""
        with working():
            g, s, b, e = map(arb, (number, shift, scale, epsilon))
            half, weight = arb(1) / 2, e.exp()

            def laplace(x: Any) -> Any:
                return (-abs(x) / b).exp() / (2 * b)

            def gaussian(x: Any) -> Any:
                return (-x * x / (2 * b**2)).exp() / (b * (2 * arb.pi()).sqrt())

            def laplace_below(x: Any) -> Any:
                return (x / b).exp() / 2 if x < 0 else 1 - (-x / b).exp() / 2

            def gaussian_below(x: Any) -> Any:
                return (-x / (b * arb(2).sqrt())).erfc() / 2

            def total(below: Callable[[Any], Any], width: int) -> Any:
                """Sum over the cells up to ``width`` scales beyond both centres."""

                def chance(j: int, centre: Any) -> Any:
                    low, high = j - half - centre, j + half - centre
                    return below(-low) - below(-high) if low > 0 else below(high) - below(low)

                reach = math.ceil(width * scale + shift) + 2
                excess = (chance(j, g + s) - weight * chance(j, g) for j in range(-reach, reach + 1))
                return sum((x for x in excess if x > 0), arb(0))

            def integrated(density: Callable[[Any], Any], start: Any, width: Any) -> Any:
                """Integral of the excess from where it begins; it ends beyond both centres by ``width``."""
                top = start.max(g + s)
                points = [*(start + i * (top - start) / 4 for i in range(4)), *(top + i * width / 8 for i in range(9))]
                return integral(lambda x: density(x - g - s) - weight * density(x - g), points)

            def chance(centre: Any) -> Any:
                low, high = cell - half, cell + half
                return integral(
                    lambda x: laplace(x - centre), [low, centre, high] if low < centre < high else [low, high]
                )

            laplace_profile = integrated(laplace, g + (s + e * b) / 2, 75 * b) if e * b < s else arb(0)
            gaussian_profile = integrated(gaussian, g + s / 2 + e * b * b / s, 12 * b)
            sides = [
                (chance(g + s) / chance(g), (s / b).exp()),
                (total(laplace_below, 40), laplace_profile),
                (total(gaussian_below, 13), gaussian_profile),
            ]
        one_cell, under_laplace, under_gaussian = ((mp.mpf(left), mp.mpf(right)) for left, right in sides)
        yield AtMost(*one_cell, part="a cell under Laplace noise")
        yield AtMost(*under_laplace, scale=1, part="excess under Laplace noise")
        yield AtMost(*under_gaussian, scale=1, part="excess under Gaussian noise")

    def tight(self) -> list[Any]:
        """The density ratio crosses ``e`` at 1.5 steps under both noises; the cell is beyond both centres."""
        return [(0.0, 2.0, 1.0, 1.0, 5)]

    def beyond(self) -> dict[str, AtMost]:
        """Steps ``|g|``: 1 and 2 for the numbers 1 and 2, Laplace noise of scale 1; the second never releases 1."""
        one = _cell(np.array([-0.5, 0.5]))
        return {"the step is public": AtMost(one, math.e * 0.0)}
