"""The supposition that counting refutes: every data set is answered within ``rho`` more than half of the time.

It asks for data sets more than ``2 rho`` apart, so that no output is right for two of them. The paper prints balls
whose radius is the separation itself; these overlap.
"""

import itertools
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Reals, Verdict, statement
from dpspectra.strategies import st


@statement
class SeparatedBalls:
    labels = ("MWKTV-E8", "MWKTV-E46")
    given = (
        r"\Pr[\|\mathcal A(M_s)-M_s\|\le\rho]>\tfrac12\text{ for all }s,\ \|M_s-M_t\|>2\rho\ (s\ne t);\ "
        r"H=\tfrac12(M_0+M_s)"
    )
    claim = {
        "distance of the second nearest": (
            r"\tfrac12\min_{t\ne u}\|M_t-M_u\|\le\min_{t\ne u}\max\{\|H-M_t\|,\|H-M_u\|\}"
        ),
    }
    printed = {
        "MWKTV-E8": (
            r"Suppose that $`\lVert M_i-\mathcal A(M_i)\rVert_F^2<\zeta^2`$ for each point of the packing, "
            r"with probability at least $`\frac12`$."
        ),
        "MWKTV-E46": (
            r"Suppose that $`\langle M_i,\mathcal "
            r"A(M_i)\rangle>(1-\eta^2\delta)\sum_{\ell=1}^d\lambda_\ell^2`$."
        ),
    }
    where = {
        "s": "number of a data set of the packing",
        "t": "number of another data set of the packing",
        r"\rho": "error in Frobenius norm; the data sets are more than twice as far from one another",
        "H": "output halfway between two data sets",
        "u": "number of a third data set",
        "M_u": "a third data matrix",
    }
    verdict = Verdict.DEFINITION
    note = "lower_bounds.md#the-hypothesis-to-be-refuted"
    examples = 50

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[Any, int]:
        """Distinct integers and an index."""
        places = draw(st.lists(st.integers(0, 12), min_size=2, max_size=6, unique=True))
        return np.array(places, dtype=float), draw(st.integers(1, len(places) - 1))

    def fast(self, places: Any, s: int) -> AtMost:
        """Take the middle between the first place and another one as the output."""
        steps = np.sort(np.abs(places - (places[0] + places[s]) / 2))
        return AtMost(np.min(np.diff(np.sort(places))) / 2, steps[1], part="distance of the second nearest")

    def oracle(self, places: Reals, s: int) -> AtMost:
        least = min(abs(a - b) for a, b in itertools.combinations(places, 2))
        doubled = [abs(2 * place - places[0] - places[s]) for place in places]
        second = min(max(pair) for pair in itertools.combinations(doubled, 2))
        return AtMost(least / 2, second / 2, part="distance of the second nearest")

    def tight(self) -> list[Any]:
        """The middle between two places."""
        return [(np.array([0.0, 3.0]), 1), (np.array([0.0, 9.0, 3.0, 20.0]), 2)]

    def beyond(self) -> dict[str, AtMost]:
        """Balls whose radius is the separation overlap: the middle lies in both."""
        return {"half the separation": AtMost(mp.mpf(3), mp.mpf(3) / 2, part="distance of the second nearest")}
