"""Over the reals the utility gap seems to be dominated by a Gamma variable too, of the orbit's full dimension ``n``.

``n`` counts the pairs of distinct values of the spectrum, and is the shape of the Gamma law. At low temperature ``n/2``
is the right shape, but as a bound it is false: for ``d = 2`` the mean of ``kappa gap`` exceeds 1/2. The complex proof
does not carry over, because the law of the pattern is not uniform. Checked where the law is explicit: the tails for
lines in up to twenty dimensions and for planes in four, and the mean in up to four dimensions for lines, hyperplanes,
and planes where ``M`` has two double eigenvalues.
"""

import math
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import expi, gammaincc

from dpspectra.fast import bingham_laws as fast
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.ledger import AtMost, Parts, Real, Reals, Slack, Verdict, statement
from dpspectra.oracle import bingham_laws as oracle
from dpspectra.oracle.patterns import gamma_tail
from dpspectra.strategies import st
from dpspectra.strategies.orbits import levels

NODES = 160
"""Nodes of the quadrature over angles."""


def _product_tail(tilt: float, level: float) -> Any:
    """Integral of ``-log|z| exp(tilt z)`` over ``-1 <= z <= 1 - level``, times ``tilt``."""
    top = 1 - level
    if top == 0:
        return math.log(tilt) + np.euler_gamma - expi(-tilt)
    return expi(tilt * top) - math.exp(tilt * top) * math.log(abs(top)) - expi(-tilt)


@statement
class GapDominationReal:
    labels = ("MWKTV-N1R",)
    given = (
        r"\text{conjecture: }\Pr_{H\sim\nu_M}[\mathrm{gap}\ge\tau]\le Q_n(\kappa\tau)\text{ on orthogonal orbits, }n"
        r"=\#\{i<j:\lambda_i>\lambda_j\}=\dim\mathcal O_\Lambda;\quad "
        r"z(\kappa)=\int e^{-\kappa\,\mathrm{gap}}d\mu_\Lambda"
    )
    claim = {
        "ratio of normalisers": r"\lambda=(1^k,0^{d-k}):\ \log\frac{z(\kappa)}{z(2\kappa)}\le k(d-k)\log2",
        "tail for lines": (
            r"\lambda=(1,0^{d-1}),\ \gamma=(\gamma_1,0^{d-1}):\ \Pr[\mathrm{gap}\ge\tau]\le Q_{d-1}(\kappa\tau)"
        ),
        "tail for planes": (
            r"\lambda=(1,1,0,0),\ \gamma=(\gamma_1,\gamma_1,0,0):\ \Pr[\mathrm{gap}\ge\tau]\le Q_4(\kappa\tau)"
        ),
    }
    where = {
        r"\tau": "loss of utility",
        "z": "normaliser, relative to the optimum",
        r"d\mu_\Lambda": "element of the uniform law",
        r"\lambda": "released spectrum; exponents are multiplicities",
        r"\gamma": "eigenvalues of $`M`$",
        "Q_i": "tail of the Gamma law of this shape and rate 1",
    }
    verdict = Verdict.CONJECTURE
    uses = ("MWKTV-N1",)
    note = "orbit.md#gap-domination-over-the-reals"
    digits = 30
    examples = 30
    slack = {
        "ratio of normalisers": Slack(
            0.600417, "the mean of the gap on a real orbit is little more than half of the bound"
        ),
        "tail for lines": Slack(0.5707, "the law has a smaller shape near the best point, and ends at a finite gap"),
        "tail for planes": Slack(0.860533, "the law has a smaller shape near the best point, and ends at a finite gap"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, int, int, float, float]:
        """Ascending exponents ``kappa (gamma_1 - gamma_i)`` of ``k``-frames; for lines and planes a tilt and a level.

        The third number is the dimension of the lines, the last one the level of the gap in units of the tilt.
        """
        d = draw(st.integers(2, 4))
        k = draw(st.integers(1, d - 1))
        a = draw(levels(d))[::-1]
        if (d, k) == (4, 2):
            a = a[[0, 0, 3, 3]]
        a = (a - a[0]) * draw(st.sampled_from([1.0, 0.25, 2.0]))
        tilt = draw(st.sampled_from([4.0, 1.0, 0.25, 12.0, 32.0]))
        return a, k, draw(st.integers(2, 20)), tilt, draw(st.sampled_from([0.25, 0.125, 0.5, 0.75, 1.25]))

    def fast(self, a: Any, k: int, dimension: int, tilt: float, share: float) -> Parts:
        best = np.sum(a[:k])
        warm, cold = (fast.log_frame_normaliser(i * a, k, 0.5) + i * best for i in (1, 2))
        line, (nodes, weights) = [], gauss_legendre(NODES)
        for start in (math.asin(math.sqrt(min(share, 1.0))), 0.0):  # the gap is tilt sin^2 of the angle to the line
            angles = start + (np.pi / 2 - start) * (nodes + 1) / 2
            density = np.exp(-tilt * np.sin(angles) ** 2) * np.sin(angles) ** (dimension - 2)
            line.append((np.pi / 2 - start) * np.sum(weights * density))
        plane = [_product_tail(tilt, level) for level in (share, 0.0)]  # the gap is tilt (1 - x y)
        yield AtMost(warm - cold, k * (len(a) - k) * np.log(2.0), scale=1 + np.max(a), part="ratio of normalisers")
        yield AtMost(line[0] / line[1], gammaincc(dimension - 1, tilt * share), part="tail for lines")
        yield AtMost(plane[0] / plane[1], gammaincc(4, tilt * share), part="tail for planes")

    def oracle(self, a: Reals, k: int, dimension: int, tilt: Real, share: Real) -> Parts:
        warm, cold = (
            oracle.log_frame_normaliser([i * v for v in a], k, mp.mpf(0.5)) + i * mp.fsum(a[:k]) for i in (1, 2)
        )

        def first_coordinate(x: Any) -> Any:
            return mp.exp(tilt * x * x) * (1 - x * x) ** (mp.mpf(dimension - 3) / 2)

        def second_uniform(x: Any) -> Any:
            """Integral over ``y`` in ``[-1, 1]`` with ``x y <= 1 - s``, for positive ``x``."""
            top = min(mp.mpf(1), (1 - share) / x)
            return (mp.exp(tilt * x * top) - mp.exp(-tilt * x)) / (tilt * x) if top > -1 else mp.mpf(0)

        reach, fold = mp.sqrt(max(1 - share, 0)), abs(1 - share)
        line = mp.quad(first_coordinate, [0, reach]) / mp.quad(first_coordinate, [0, 1])
        plane = mp.quad(second_uniform, [0, fold, 1]) * tilt / mp.shi(tilt) / 2  # x and y may change sign together
        yield AtMost(warm - cold, k * (len(a) - k) * mp.log(2), scale=1 + max(a), part="ratio of normalisers")
        yield AtMost(line, gamma_tail(dimension - 1, tilt * share), part="tail for lines")
        yield AtMost(plane, gamma_tail(4, tilt * share), part="tail for planes")

    def tight(self) -> list[tuple[Any, int, int, float, float]]:
        """A temperature with the largest mean gap of real lines, and levels at which neither tail is near 0 or 1.

        Then the largest gap of lines, half of that of planes; and frames of two columns.
        """
        mean, levels = (np.array([0.0, 2.0]), 1, 2, 1.0), (np.array([0.0, 2.25]), 1, 3, 4.0)
        return [(*mean, 0.5), (*levels, 0.5), (*levels, 1.0), (np.array([0.0, 0.0, 1.0, 1.0]), 2, 3, 4.0, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """Half the dimension of the orbit, the shape at low temperature, is less than the mean for ``d = 2``."""
        z = mp.mpf(8)
        mean = z * (1 - mp.besseli(1, z) / mp.besseli(0, z))
        return {"the shape is the full dimension": AtMost(mean, mp.mpf(1) / 2)}
