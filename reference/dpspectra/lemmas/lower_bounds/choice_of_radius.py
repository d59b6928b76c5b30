"""The choice of the radius in the lower bound: at half the distance the packing of a ball has at least ``4^N`` points.

Take the first ``i`` and the last ``m`` eigenvalues, with ``N = i m``, ``q = min(i, m)``, gap ``g`` and spread ``s``,
and projectors more than ``omega / 2 s`` apart within ``omega / s``, as long as ``omega`` is at most ``sqrt 2 s``:
beyond, balls are smaller than their closed form. Besides any given point there are ``4^N - 1 >= 3^N``, and paths of
``omega^2 + 2 q`` steps are short enough for ``omega^2 = N log 3 / epsilon - 2 q``, if that is positive.
"""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.packing import ball_measure
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Real, Verdict, statement
from dpspectra.lemmas.lower_bounds.assembly import instances, pairs
from dpspectra.lemmas.packing.grassmann_measure import FEW
from dpspectra.oracle import packing as exact

PACKING = "size of the packing"
"""Part about a ratio of measures."""


@statement
class ChoiceOfRadius:
    labels = ("MWKTV-E53", "MWKTV-E54", "MWKTV-E55", "MWKTV-E56")
    given = (
        r"\omega^2=\tfrac{N\log3}\varepsilon-2q\in(0,2s^2],\ \zeta=\tfrac{g\omega}{2s},\ "
        r"P\ge\tfrac{V(\omega/s)}{V(\omega/2s)}"
    )
    claim = {
        "size of the packing": r"\log\frac{V(\omega/s)}{V(\omega/2s)}=2N\log2",
        "short enough paths": r"\varepsilon(\omega^2+2q)\le\log(4^N-1)",
    }
    printed = {
        "MWKTV-E53": (
            r"$`\zeta=\min(\omega,\lambda_1\sqrt "
            r"i,\lambda_1\sqrt{d-j+1})\frac{\lambda_i-\lambda_j}{4C\lambda_1}`$."
        ),
        "MWKTV-E54": (
            "The right side of (52) is "
            r"$`\ge\frac{\sum_{\ell=1}^d\lambda_\ell^2}{4\varepsilon\omega^2}i(d-j+1)\log2-\frac "
            r"d{\omega^2}\sum_{\ell=1}^d\lambda_\ell^2`$."
        ),
        "MWKTV-E55": (
            r"$`\sum_{\ell=1}^d\lambda_\ell^2<\frac1{16\varepsilon\delta\alpha^2}\log P(B(W,2\alpha "
            r"r)\cap\mathcal O_\Lambda,\lVert\cdot\rVert_F,2\eta r)-\frac d{16\delta\alpha^2}`$."
        ),
        "MWKTV-E56": (
            r"$`\sum_{\ell=1}^d\lambda_\ell^2<\frac{\sum_{\ell=1}^d\lambda_\ell^2}{4\varepsilon"
            r"\omega^2}i(d-j+1)\log2-\frac d{\omega^2}\sum_{\ell=1}^d\lambda_\ell^2`$."
        ),
    }
    where = {
        r"\zeta": "distance above which the points of the packing are from one another",
        "P": "packing number of the ball",
        r"\omega": "radius of the ball in which the packing lies",
    }
    verdict = Verdict.VERIFIED
    uses = ("MWKTV-T2.7R", "MWKTV-COUNT", "MWKTV-PATH", "MWKTV-L8.1X")
    note = "lower_bounds.md#choice-of-the-radius"
    examples = 33
    exact = (PACKING,)
    cases = staticmethod(instances)

    def fast(self, spectrum: Any, epsilon: float) -> Parts:
        spread = spectrum[0] - spectrum[-1]
        for i, m in pairs(len(spectrum)):
            n, square = i * m, i * m * np.log(3.0) / epsilon - 2 * min(i, m)
            if not 0 < square <= 2 * spread**2 or min(i, m) > FEW:
                continue
            reach = np.sqrt(square) / spread
            ratio = ball_measure(i, m, reach) / ball_measure(i, m, reach / 2)
            yield Equal(np.log(ratio), 2 * n * np.log(2.0), part=PACKING)
            yield AtMost(epsilon * (square + 2 * min(i, m)), np.log(4.0**n - 1), part="short enough paths")

    def oracle(self, spectrum: Any, epsilon: Real) -> Parts:
        """Measure the balls."""
        spread, d = mp.mpf(spectrum[0]) - mp.mpf(spectrum[-1]), len(spectrum)
        for i, j in itertools.combinations(range(1, d + 1), 2):
            m = d - j + 1
            n, q = i * m, min(i, m)
            square = n * mp.log(3) / epsilon - 2 * q
            if not 0 < square <= 2 * spread**2 or q > FEW:
                continue
            reach = mp.sqrt(square) / spread
            outer, inner = (exact.ball_measure(i, m, Fraction(int(r * 2**200), 2**200)) for r in (reach, reach / 2))
            ratio = mp.mpmathify(outer / inner)
            yield Equal(mp.log(ratio), 2 * n * mp.log(2), part=PACKING)
            yield AtMost(epsilon * (square + 2 * q), mp.log(ratio - 1), part="short enough paths")

    def tight(self) -> list[Any]:
        """``N = 1`` with ``4 - 1 = 3``, and two angles."""
        return [(np.array([2.0, 0.0]), 0.25), (np.array([4.0, 4.0, 0.0, 0.0]), 0.5)]

    def beyond(self) -> dict[str, Outcome]:
        """A ball of radius 2 among lines of the plane, which contains all of them."""
        ratio = exact.ball_measure(1, 1, Fraction(2)) / exact.ball_measure(1, 1, Fraction(1))
        return {"the larger ball has radius at most sqrt 2": Equal(mp.log(ratio), 2 * mp.log(2), part=PACKING)}
