"""DPS-AMBIGUOUS: an estimate that is nearer to a whole number than ``1/2`` less its error rounds as the truth does.

The distance ``x`` of a float to its nearest whole number is exact, and rounding is monotone: ``x < fl(1/2 - bound)``
implies ``x < 1/2 - bound``. With an error of at most ``bound`` the truth is nearer than ``1/2`` to the same whole
number, which is ``floor(t + 1/2)`` then. With equality in place of ``<``, or a bound of 0, the truth can be a half or
beyond it.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.certified import ball_noise, kernels, noise_on_grid
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Real, Verdict, statement
from dpspectra.strategies import st


@statement
class AmbiguousRounding:
    labels = ("DPS-AMBIGUOUS",)
    given = (
        r"|\tilde t-t|\le\beta,\ |\tilde t|<2^{62},\ "
        r"|\tilde t-\operatorname{rint}(\tilde t)|<\operatorname{fl}(\tfrac12-\beta)"
    )
    claim = {
        "nearest whole number": r"\operatorname{rint}(\tilde t)=\lfloor t+\tfrac12\rfloor",
        "distance of the truth": r"|t-\operatorname{rint}(\tilde t)|\le\tfrac12",
    }
    where = {
        r"\tilde t": "float that estimates $`t`$",
        "t": "true number",
        r"\beta": "bound on the error of the estimate",
        r"\mathrm{rint}": "nearest whole number",
    }
    verdict = Verdict.NEW
    rounding = 2.0**-53
    exact = ("nearest whole number",)
    note = "arithmetic.md#ambiguous-roundings"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[float, float, float]:
        """An estimate, what is to be added to it to have the truth, and the bound on that.

        Estimates near the place where certainty ends, with the bounds of the program and larger ones. One in ten is
        certain only if ``1/2 - bound``, half-way between two floats, is not rounded.
        """
        if not draw(st.integers(0, 9)):
            return 0.5 - 2.0**-53, 0.0, 3 * 2.0**-55
        scales = st.integers(0, 44).map(
            lambda e: 2.0**e * (kernels.EXPONENTIAL_ERROR + noise_on_grid.ROUNDING) + noise_on_grid.SLACK
        )
        bound = draw(scales | st.sampled_from([0.0, 2.0**-54, 0.1, 0.25, 1 / 3, 0.5 - 2.0**-54, 0.5]))
        whole = draw(st.sampled_from([0, 1, -1, 6, -7, 2**20 + 1, -(2**40), 2**52 - 1, 2**53, 2**61, -(2**62)]))
        sign = draw(st.sampled_from([1, -1]))
        distance = draw(st.sampled_from([0.5 - bound, 0.5 - bound, 0.25, 0.0]))
        inward = draw(st.sampled_from([1, 2, 2**20, 0, 2**30]))
        estimate = whole + sign * (distance - inward * math.ulp(distance))
        return estimate, bound * draw(st.sampled_from([sign, -sign, sign / 2, 0])), bound

    def fast(self, estimate: float, error: float, bound: float) -> Parts:
        """The program's whole number, unless it asks balls."""
        asked: list[int] = []

        def value(_: int, bits: int) -> Any:
            asked.append(bits)
            return ball_noise.exact(0)

        found = int(noise_on_grid.rounded([(np.array([estimate]), np.array([False]), bound)], 1, value)[0])
        if asked:
            return
        truth = Fraction(estimate) + Fraction(error)
        yield Equal(found, math.floor(truth + Fraction(1, 2)), part="nearest whole number")
        yield AtMost(float(abs(truth - found)), 0.5, part="distance of the truth")

    def oracle(self, estimate: Real, error: float, bound: float) -> Parts:
        """The test in numbers without rounding, except for the difference ``1/2 - bound``, correctly rounded."""
        with mp.workprec(2200):  # sums of floats are exact
            nearest = mp.nint(estimate)
            edge = mp.fsub(0.5, bound, prec=53)
            if abs(estimate - nearest) >= edge or abs(estimate) >= 2**62:
                return
            truth = estimate + error
            yield Equal(int(nearest), int(mp.floor(truth + 0.5)), part="nearest whole number")
            yield AtMost(abs(truth - nearest), mp.mpf(0.5), part="distance of the truth")

    def tight(self) -> list[Any]:
        """The last certain estimate below a half, off by all that may be, for the smallest bounds and a large one."""
        low = noise_on_grid.SLACK
        return [
            (0.5 - low - 2.0**-54, low, low),
            (7.5 - 2.0**-30 - 2.0**-50, 2.0**-30, 2.0**-30),
            (-2.75 - 2.0**-51, 0.25, 0.25),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A distance of exactly ``1/2 - bound``; an error of ``2**-52`` where the bound is 0."""
        half, low = Fraction(1, 2), Fraction(1, 2**52)
        return {
            "a distance less than 1/2 - bound": Equal(round(half - low), math.floor(half - low + low + half)),
            "an error of at most the bound": Equal(round(half - low / 4), math.floor(half - low / 4 + low + half)),
        }
