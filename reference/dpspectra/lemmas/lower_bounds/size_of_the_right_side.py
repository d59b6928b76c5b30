"""The right side of the lower bound is at most the sum of the squares of the spectrum, twice, as the paper remarks.

For each ``i`` the first ``i`` values are at least ``lambda_i``, so ``i`` times its square is part of the sum. A flat
spectrum has equality, if ``lambda_1^2 epsilon`` is at most ``d``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Slack, Verdict, statement
from dpspectra.lemmas.lower_bounds.explicit_bound import exactly_shaped, shaped
from dpspectra.strategies import dimensions, epsilons, spectra, st


@statement
class SizeOfTheRightSide:
    labels = ("MWKTV-R2.4",)
    given = (
        r"\lambda_d\ge0,\ t=\sum_{l>k}\lambda_l^2+\frac d{\max\{\lambda_1^2\varepsilon,d\}}\max_{i\le d/2}"
        r"i(\lambda_i-\lambda_{d-i+1})^2"
    )
    claim = {
        "size of the right side": r"t\le\sum_{l>k}\lambda_l^2+\sum_{l\le d/2}\lambda_l^2",
        "sum of squares": r"\sum_{l>k}\lambda_l^2+\sum_{l\le d/2}\lambda_l^2\le2\sum_l\lambda_l^2",
    }
    printed = r"The right side of display (1) is never larger than the order of $`\sum_\ell\lambda_\ell^2`$."
    where = {"t": "right side of display (1) with the constant 1", "k": "rank of the output"}
    verdict = Verdict.VERIFIED
    note = "lower_bounds.md#size-of-the-right-side"
    examples = 60
    slack = {"sum of squares": Slack(0.75, "the first value is counted once")}

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, int, float]:
        """A non-negative spectrum, a rank and ``epsilon``."""
        spectrum = draw(spectra(draw(dimensions(2))))
        spectrum[0] += draw(st.sampled_from([0.25, 4.0]))
        return spectrum, draw(st.integers(1, len(spectrum))), draw(epsilons(2.0**-6, 16.0))

    def fast(self, spectrum: Any, k: int, epsilon: float) -> Parts:
        values = np.array(spectrum)
        tail, half = np.sum(values[k:] ** 2), np.sum(values[: len(values) // 2] ** 2)
        least = float(tail) + shaped(values, epsilon)
        yield AtMost(least, float(tail + half), part="size of the right side")
        yield AtMost(float(tail + half), 2 * float(np.sum(values**2)), part="sum of squares")

    def oracle(self, spectrum: Any, k: int, epsilon: Real) -> Parts:
        values = [mp.mpf(float(x)) for x in spectrum]
        tail = mp.fsum(x**2 for x in values[k:])
        half = mp.fsum(x**2 for x in values[: len(values) // 2])
        yield AtMost(tail + exactly_shaped(values, epsilon), tail + half, part="size of the right side")
        yield AtMost(tail + half, 2 * mp.fsum(x**2 for x in values), part="sum of squares")

    def tight(self) -> list[Any]:
        """Flat spectra of half the dimension, and a tail."""
        return [((3.0, 0.0), 1, 0.125), ((2.0, 2.0, 0.0, 0.0), 1, 0.5), ((4.0, 4.0, 4.0, 4.0), 2, 0.5)]

    def beyond(self) -> dict[str, AtMost]:
        """``diag(0, -1)``: its gap is 1, and the first value is 0."""
        return {"no eigenvalue is negative": AtMost(mp.mpf(1), mp.mpf(0), part="size of the right side")}
