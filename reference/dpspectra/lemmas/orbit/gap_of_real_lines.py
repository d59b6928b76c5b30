"""On an orbit of real lines the mean of ``kappa gap`` is at most ``(n + sqrt n) / 2``, ``n = d - 1``, for every ``M``.

Given the direction in which a unit vector departs from the best one, the law of ``kappa gap`` has an explicit density
on an interval ``[0, b]``, of one parameter ``b``. What is left of the interval grows with ``b`` by a Riccati equation,
of which ``(b - (n - 1) / 2) / 2`` is a lower solution; it bounds the mean up to the place where the mean has to fall.
The mean at every temperature bounds the ratio of normalisers, and by Chernoff's argument the tail, as a Gamma law does.
"""

import math
from typing import Any

import numpy as np
from mpmath import mp
from scipy.special import hyp1f1

from dpspectra.fast import bingham_laws as fast
from dpspectra.fast.quadrature import gauss_legendre
from dpspectra.formulas.real_line_gap import log_tail_bound, mean_bound
from dpspectra.ledger import AtMost, Parts, Real, Reals, Slack, Verdict, statement
from dpspectra.oracle import bingham_laws as oracle
from dpspectra.strategies import st
from dpspectra.strategies.orbits import levels

NODES = 160
"""Nodes of the quadrature over angles."""


@statement
class GapOfRealLines:
    labels = ("MWKTV-N1L",)
    given = (
        r"\lambda=(1,0^{d-1})\text{ or }(1^{d-1},0),\ H\sim\nu_M\text{ on the orthogonal orbit},\ n=d-1,\ "
        r"m=\frac{n+\sqrt n}2,\ z(\kappa)=\int e^{-\kappa\,\mathrm{gap}}d\mu_\Lambda"
    )
    claim = {
        "ratio of normalisers": r"\log\frac{z(\kappa)}{z(2\kappa)}\le m\log2",
        "mean gap": r"\gamma=(b/\kappa,0^{d-1}):\ \kappa\,\mathbb E\,\mathrm{gap}\le m",
        "rest of the interval": (
            r"\gamma=(b/\kappa,0^{d-1}):\ \frac12\Big(b-\frac{n-1}2\Big)\le b-\kappa\,\mathbb E\,\mathrm{gap}"
        ),
        "tail of the gap": (
            r"\gamma=(b/\kappa,0^{d-1}),\ \kappa\tau\ge m:\ "
            r"\Pr[\mathrm{gap}\ge\tau]\le\Big(\frac{\kappa\tau}m\Big)^me^{m-\kappa\tau}"
        ),
    }
    where = {
        "m": r"bound on the mean of $`\kappa\,\mathrm{gap}`$",
        "z": "normaliser, relative to the optimum",
        r"d\mu_\Lambda": "element of the uniform law",
        "b": r"largest value of $`\kappa\,\mathrm{gap}`$",
        r"\lambda": "released spectrum; exponents are multiplicities",
        r"\gamma": "eigenvalues of $`M`$",
        r"\tau": "loss of utility",
    }
    verdict = Verdict.NEW
    uses = ("MWKTV-P2.1",)
    note = "orbit.md#gap-of-real-lines"
    digits = 30
    examples = 40
    slack = {
        "ratio of normalisers": Slack(0.636545, "in few dimensions the mean is little more than half of its bound"),
        "mean gap": Slack(0.880411, "the largest mean approaches its bound as dimensions grow"),
        "tail of the gap": Slack(0.331596, "Chernoff's bound is 1 at the mean, which is exceeded half of the time"),
    }

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, int, int, float, float]:
        """Ascending exponents ``kappa (gamma_1 - gamma_i)`` of lines or hyperplanes; then a dimension, ``b``, a level.

        The level is that of ``kappa gap``, as a share of ``b`` from ``m`` on.
        """
        d = draw(st.integers(2, 4))
        a = draw(levels(d))[::-1]
        a = (a - a[0]) * draw(st.sampled_from([1.0, 0.25, 2.0]))
        b = draw(st.sampled_from([4.0, 1.0, 0.25, 12.0, 32.0]))
        return (
            a,
            draw(st.sampled_from([1, d - 1])),
            draw(st.integers(2, 20)),
            b,
            draw(st.sampled_from([0.25, 0.0, 0.5])),
        )

    def fast(self, a: Any, k: int, d: int, b: float, share: float) -> Parts:
        best, n = np.sum(a[:k]), d - 1
        warm, cold = (fast.log_frame_normaliser(i * a, k, 0.5) + i * best for i in (1, 2))
        mean = b * n / d * hyp1f1(n / 2 + 1, d / 2 + 1, -b) / hyp1f1(n / 2, d / 2, -b)
        bound, own = mean_bound(n), mean_bound(len(a) - 1)
        yield AtMost(warm - cold, own * np.log(2.0), scale=1 + np.max(a), part="ratio of normalisers")
        yield AtMost(mean, bound, scale=1 + b, part="mean gap")
        yield AtMost((b - (n - 1) / 2) / 2, b - mean, scale=1 + b, part="rest of the interval")
        if bound < b:
            level, (nodes, weights), masses = bound + share * (b - bound), gauss_legendre(NODES), []
            for start in (math.asin(math.sqrt(level / b)), 0.0):  # the gap is b sin^2 of the angle to the line
                angles = start + (np.pi / 2 - start) * (nodes + 1) / 2
                density = np.exp(-b * np.sin(angles) ** 2) * np.sin(angles) ** (n - 1)
                masses.append((np.pi / 2 - start) * np.sum(weights * density))
            yield AtMost(masses[0] / masses[1], np.exp(log_tail_bound(bound, level)), part="tail of the gap")

    def oracle(self, a: Reals, k: int, d: int, b: Real, share: Real) -> Parts:
        """Integrals over the coordinate along the line."""
        warm, cold = (
            oracle.log_frame_normaliser([i * v for v in a], k, mp.mpf(0.5)) + i * mp.fsum(a[:k]) for i in (1, 2)
        )
        n, own = mp.mpf(d - 1), mp.mpf(len(a) - 1)

        def along(x: Any) -> Any:
            return mp.exp(b * x * x) * (1 - x * x) ** ((n - 2) / 2)

        mass, m = mp.quad(along, [0, 1]), (n + mp.sqrt(n)) / 2
        rest = b * mp.quad(lambda x: x * x * along(x), [0, 1]) / mass
        yield AtMost(warm - cold, (own + mp.sqrt(own)) / 2 * mp.log(2), scale=1 + max(a), part="ratio of normalisers")
        yield AtMost(b - rest, m, scale=1 + b, part="mean gap")
        yield AtMost((b - (n - 1) / 2) / 2, rest, scale=1 + b, part="rest of the interval")
        if m < b:
            level = m + share * (b - m)
            beyond = mp.quad(along, [0, mp.sqrt(1 - level / b)]) / mass
            yield AtMost(beyond, (level / m) ** m * mp.exp(m - level), part="tail of the gap")

    def tight(self) -> list[tuple[Any, int, int, float, float]]:
        """Temperatures with the largest means, in the plane and in twenty dimensions, a level, and a short interval."""
        mean, plane = np.array([0.0, 2.0]), np.array([0.0, 0.0, 2.0])
        return [
            (mean, 1, 2, 3.5, 0.0),
            (plane, 2, 20, 17.0, 0.0),
            (mean, 1, 20, 15.0, 0.0),
            (mean, 1, 2, 2.0**-20, 0.0),
        ]

    def beyond(self) -> dict[str, AtMost]:
        """Complex lines of three dimensions: at a low temperature their mean is nearly 2."""
        b = mp.mpf(32)
        mean = 2 - b * b * mp.exp(-b) / (1 - mp.exp(-b) * (1 + b))
        return {"the orbit is real": AtMost(mean, 1 + mp.sqrt(2) / 2)}
