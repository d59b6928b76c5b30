"""The exact Haar measure of a ball of the Grassmannian, and so how many separated points a ball must hold.

Every subspace but a null set has the basis ``[(I - Y*Y)^(1/2); Y]`` with ``|Y|_2 <= 1``. In this chart Haar measure
over the complex numbers is Lebesgue measure, and the distance from the centre is ``|Y|_2`` in spectral norm and
``sqrt(2) |Y|_F`` in Frobenius norm. So balls of radius at most 1, or ``sqrt(2)``, are scaled copies of each other; a
larger Frobenius ball of radius ``r`` contains the spectral ball of radius ``r / sqrt(2 q)``, ``q = min(i, m)``. Balls
around a maximal packing cover, so its size is at least a ratio of measures. Over the reals the density
``|I - Y'Y|^(-1/2)`` increases outwards, which gives the larger ball more measure; the bound has a further factor, small
when the separation is near ``sqrt(2)``. Radii beyond the diameter gain nothing.

This entry has no ``bound`` of its own: it checks `log_local_packing` of ``fast.packing`` and ``oracle.packing``, which
``orbit_packing`` and ``grassmann_packing`` evaluate too. That is a lower bound: never raise it.
"""

from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import betainc

from dpspectra.fast import linalg
from dpspectra.fast import packing as fast
from dpspectra.ledger import AtMost, Equal, Frequency, Parts, Slack, Verdict, statement
from dpspectra.oracle import packing as oracle
from dpspectra.sampling.haar import haar
from dpspectra.strategies import dimensions, dyadics, seeds, st

DRAWS = 1000
"""Number of subspaces drawn for a frequency."""

FEW = 2
"""Largest number of principal angles whose density the float64 face integrates."""

ROUNDING = 2.0**-40
"""Steps by which rounding may lengthen an arc that is a whole number of steps."""


def real_lines(separation: Any) -> Any:
    """Largest number of lines of the real plane more than this apart, by the angles between neighbours."""
    return mp.ceil(mp.pi / mp.asin(separation / mp.sqrt(2))) - 1


def _line_cap(n: int, square: Any) -> Any:
    """Share of the real lines within squared sine ``square``, whose density is ``y^(n/2 - 1) (1 - y)^(-1/2)``."""

    def integral(top: Any) -> Any:
        return mp.quad(lambda angle: mp.sin(angle) ** (n - 1), [0, mp.asin(mp.sqrt(top))])

    return integral(square) / integral(1)


@statement
class GrassmannMeasure:
    labels = ("MWKTV-L8.1X",)
    given = (
        r"N=im,\ q=\min(i,m),\ c_{i,m}^2=\tfrac{f(i,m)^{1/N}}q,\ "
        r"\beta=\max\{\min(r,\sqrt2),c_{i,m}\min(r,\sqrt{2q})\},\ "
        r"P(B(I_i,r)\cap\mathcal P,z)\ge\frac{\mu(B(I_i,r))}{\mu(B(I_i,z))}"
    )
    claim = {
        "measure of a spectral ball": r"\mu\{\|P-I_i\|_2\le r\}\le\min(r,1)^{2N}",
        "measure of sampled subspaces": r"\mu\{\|P-I_i\|_F\le r\}\le\frac{(r^2/2)^N}{f(i,m)}",
        "ball constant": r"\tfrac{\sqrt e}4\le c_{i,m}^2",
        "measure of a large Frobenius ball": r"r>\sqrt2:\ \mu(B(I_i,r))\le\frac{(r^2/2)^N}{f(i,m)}",
        "lower bound on the measure": r"\big(\tfrac{r^2}{2q}\big)^N\le\mu(B(I_i,r))",
        "packing of a ball": r"\max\{1,\tfrac\beta z\}^{2N}\le\frac{\mu(B(I_i,r))}{\mu(B(I_i,z))}",
        "measure of a Frobenius ball": r"r\le\sqrt2:\ \mu(B(I_i,r))=\frac{(r^2/2)^N}{f(i,m)}",
        "measure of real lines": r"\text{real},\ q=1,\ r\le1:\ \mu\{\|P-I_i\|_2\le r\}\le r^N",
        "packing of real lines": (
            r"\text{real},\ q=1,\ r\le1:\ \max\{1,(\tfrac rz)^N\sqrt{1-z^2/2}\}"
            r"\le\frac{\mu(B(I_i,r))}{\mu(B(I_i,z))}"
        ),
        "packing of an arc": (
            r"\text{real},\ N=1:\ \max\{1,\tfrac rz\sqrt{1-z^2/2}\}"
            r"\le\Big\lceil\frac{2\arcsin(r/\sqrt2)}{\arcsin(z/\sqrt2)}\Big\rceil"
        ),
    }
    where = {
        "r": "radius of a ball of projectors",
        "z": "distance above which the points of the packing are from one another",
    }
    verdict = Verdict.NEW
    uses = ("DPS-BALL", "MWKTV-E4")
    exact = ("measure of a Frobenius ball",)
    note = "packing.md#ball-measures-of-the-grassmannian"
    examples = 60
    slack = {
        "packing of an arc": Slack(
            0.5, "an arc is covered by arcs of twice the separation, and holds points at once the separation"
        ),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[int, int, float, float, tuple[int, int], int]:
        """Rank and corank, a radius up to the diameter, a share of it for the separation, other sides, and a seed.

        The sides are a rank and corank for the ball constant.
        """
        d = draw(dimensions(2))
        i = draw(st.integers(1, d - 1))
        diameter = np.sqrt(2.0 * min(i, d - i))
        radius = draw(dyadics(0.125, 1.375, 3) | dyadics(0.125, np.floor(16 * diameter) / 16, 5))
        sides = draw(st.tuples(st.integers(1, 6), st.integers(1, 6)))
        return i, d - i, radius, draw(st.sampled_from([0.5, 0.125, 0.75, 0.9375])), sides, draw(seeds())

    def fast(self, i: int, m: int, radius: float, share: float, sides: tuple[int, int], seed: int) -> Parts:
        n, separation = i * m, share * radius
        frames = haar(i + m, size=DRAWS, rng=np.random.default_rng(seed))[..., :i]
        sines = linalg.singular_values(frames[:, i:])
        q = sines.shape[1]
        inside = int(np.sum(2 * np.sum(sines**2, axis=-1) <= radius**2))
        steep = int(np.sum(sines[:, 0] <= radius))
        small = (radius**2 / 2) ** n / np.exp(fast.log_tableaux(i, m))
        yield Frequency(steep, DRAWS, min(radius, 1.0) ** (2 * n), part="measure of a spectral ball")
        yield Frequency(inside, DRAWS, small, part="measure of sampled subspaces")
        yield AtMost(np.exp(0.5) / 4, fast.ball_constant(*sides) ** 2, part="ball constant")
        if q <= FEW:
            measure, inner = (fast.ball_measure(i, m, x) for x in (radius, separation))
            if radius <= np.sqrt(2.0):
                yield Equal(measure, small, part="measure of a Frobenius ball")
            else:
                yield AtMost(measure, small, part="measure of a large Frobenius ball")
            yield AtMost((radius**2 / (2 * q)) ** n, measure, part="lower bound on the measure")
            points = np.exp(fast.log_local_packing(i, m, radius, separation))
            yield AtMost(points, measure / inner, part="packing of a ball")
        points = np.exp(fast.log_local_packing(i, m, radius, separation, "real"))
        if q == 1 and radius <= 1:
            real = [betainc(n / 2, 0.5, r**2 / 2) for r in (radius, separation)]
            yield AtMost(betainc(n / 2, 0.5, radius**2), radius**n, part="measure of real lines")
            yield AtMost(points, real[0] / real[1], part="packing of real lines")
        if n == 1:
            arc, step = (np.arcsin(r / np.sqrt(2.0)) for r in (radius, separation))
            yield AtMost(points, np.ceil(2 * arc / step - ROUNDING), part="packing of an arc")

    def oracle(self, i: int, m: int, radius: float, share: float, sides: tuple[int, int], _: int) -> Parts:
        n, q, r = i * m, min(i, m), mp.mpf(radius)
        z = share * r
        measure, inner = (mp.mpmathify(oracle.ball_measure(i, m, x)) for x in (radius, share * radius))
        small = (r**2 / 2) ** n / oracle.tableaux(i, m)
        steep = mp.mpmathify(oracle.spectral_ball_measure(i, m, min(radius, 1.0)))
        yield AtMost(steep, r ** (2 * n) if r <= 1 else mp.mpf(1), part="measure of a spectral ball")
        yield AtMost(measure, small, part="measure of sampled subspaces")
        yield AtMost(mp.exp(0.5) / 4, oracle.ball_constant(*sides) ** 2, part="ball constant")
        if q <= FEW:
            if radius <= mp.sqrt(2):
                yield Equal(measure, small, part="measure of a Frobenius ball")
            else:
                yield AtMost(measure, small, part="measure of a large Frobenius ball")
            yield AtMost((r**2 / (2 * q)) ** n, measure, part="lower bound on the measure")
            yield AtMost(mp.exp(oracle.log_local_packing(i, m, r, z)), measure / inner, part="packing of a ball")
        points = mp.exp(oracle.log_local_packing(i, m, r, z, "real"))
        if q == 1 and radius <= 1:
            real = [_line_cap(n, x**2 / 2) for x in (r, z)]
            yield AtMost(_line_cap(n, r**2), r**n, part="measure of real lines")
            yield AtMost(points, real[0] / real[1], part="packing of real lines")
        if n == 1:  # lines of the plane: a packing of an arc, with angles more than a step apart
            arc, step = (mp.asin(x / mp.sqrt(2)) for x in (r, z))
            yield AtMost(points, mp.ceil(2 * arc / step - ROUNDING), part="packing of an arc")

    def tight(self) -> list[Any]:
        """A whole Grassmannian, balls of radius 1 and tiny ones; a square whose constant is nearly the smallest."""
        return [
            (2, 2, 2.0, 0.5, (1, 1), 4),
            (2, 2, 1.4142135623730953, 0.5, (1, 1), 5),  # the next number after the root of 2
            (2, 2, 1.0, 0.5, (4096, 4096), 0),
            (1, 1, 1.0, 0.5, (6, 6), 1),
            (1, 2, 2.0**-12, 0.5, (1, 1), 2),
            (1, 1, 2.0**-12, 1.0, (1, 1), 3),
        ]

    def beyond(self) -> dict[str, AtMost | Equal]:
        """A ball that leaves the chart; and lines of the real plane: 17 are more than 1/4 apart, and not 32."""
        measure, r, z = mp.mpmathify(oracle.ball_measure(2, 2, 1.5)), mp.mpf(1.5), mp.mpf(1) / 4
        return {
            "radius of at most sqrt(2)": Equal(measure, (r**2 / 2) ** 4 / oracle.tableaux(2, 2)),
            "complex numbers": AtMost(mp.exp(oracle.log_local_packing(1, 1, mp.sqrt(2), z)), real_lines(z)),
        }
