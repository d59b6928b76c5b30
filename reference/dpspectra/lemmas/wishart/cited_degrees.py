"""Sheffet: ``m = floor(d + 28 log(4 / delta) / epsilon^2)`` degrees of freedom and scale ``B^2`` are enough.

Stated for ``epsilon < 1``, ``delta < 1 / e``, the output ``X'X + W`` and rows of norm at most ``B`` (constants
reconstructed). It is true, also when a row is replaced by any other, and follows from what is proved here:
``28 log(4 / delta)`` exceeds both ``(1 + 2 epsilon)^2 log(1 / delta)`` and ``4 (1 + epsilon)^2 log(2 / delta)``. So it
asks for far more degrees than needed. With ``m = d + 1`` it would be false at every ``delta < 1 - exp(-1/2)``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast import chi_square_profile as fast
from dpspectra.ledger import AtMost, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.wishart.degrees_of_freedom import enough_for_one, enough_to_replace
from dpspectra.oracle import chi_square_profile as oracle
from dpspectra.strategies import deltas, dyadics, epsilons, st


def beyond_dimension(epsilon: float, delta: float) -> int:
    """Number ``nu = m - d + 1`` for the cited ``m``."""
    return int(28 * np.log(4 / delta) / epsilon**2) + 1


def exactly_beyond_dimension(epsilon: Any, delta: Any) -> int:
    """`beyond_dimension` in mpmath: ``m - d`` is the last number with ``delta exp((m - d) epsilon^2 / 28) <= 4``."""
    low, high = 0, 1

    def admitted(number: int) -> bool:
        return bool(delta * mp.exp(number * epsilon**2 / 28) <= 4)

    while admitted(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if admitted(middle) else (low, middle)
    return low + 1


@statement
class CitedDegrees:
    labels = ("JXZ-T4-S",)
    given = (
        r"K=X^\top X+W,\ W\sim W_d(m,B^2I),\ m=\big\lfloor d+\tfrac{28}{\varepsilon^2}\log"
        r"\tfrac4\delta\big\rfloor,\ \nu=m-d+1,\ \varepsilon<1,\ \delta<\tfrac1e"
    )
    claim = {
        "delta with the cited degrees": r"\delta_\nu(\varepsilon,a)\le\delta\quad(a\le1)",
        "degrees for a zeroed row": (
            r"\max\big\{6,\tfrac{(1+2\varepsilon)^2}{\varepsilon^2}\log\tfrac1\delta\big\}\le\nu"
        ),
        "degrees for a replaced row": (
            r"\max\big\{6,\tfrac{4(1+\varepsilon)^2}{\varepsilon^2}\log\tfrac2\delta\big\}\le\nu"
        ),
    }
    where = {
        "B": "bound on the norm of a row",
        "X": "data matrix, whose rows have norm at most $`B`$",
    }
    verdict = Verdict.CITED
    relation = (Relation.ZERO_OUT, Relation.REPLACE)
    uses = ("JXZ-T4-G", "JXZ-T4-R2")
    note = "wishart.md#degrees-of-freedom-in-the-literature"
    digits = 30
    examples = 60
    slack = {
        "delta with the cited degrees": Slack(
            3.90058e-09, "the cited degrees are several times as many as the profile needs"
        ),
        "degrees for a zeroed row": Slack(
            0.293358, "28 log(4 / delta) is more than (1 + 2 epsilon)^2 log(1 / delta) needs"
        ),
        "degrees for a replaced row": Slack(
            0.540266, "28 log(4 / delta) is more than 4 (1 + epsilon)^2 log(2 / delta)"
        ),
    }

    def cases(self) -> Any:
        return st.tuples(epsilons(2**-4, 0.96875), deltas(1e-12, 0.3671875), dyadics(0, 1))

    def fast(self, epsilon: float, delta: float, shift: float) -> Parts:
        nu = beyond_dimension(epsilon, delta)
        yield AtMost(fast.profile(epsilon, nu, shift), delta, part="delta with the cited degrees")
        yield AtMost(enough_for_one(epsilon, delta), float(nu), part="degrees for a zeroed row")
        yield AtMost(enough_to_replace(epsilon, delta), float(nu), part="degrees for a replaced row")

    def oracle(self, epsilon: Real, delta: Real, shift: float) -> Parts:
        nu = exactly_beyond_dimension(epsilon, delta)
        yield AtMost(oracle.profile(epsilon, nu, shift), delta, part="delta with the cited degrees")
        yield AtMost(max(6, (2 + 1 / epsilon) ** 2 * -mp.log(delta)), mp.mpf(nu), part="degrees for a zeroed row")
        replaced = max(6, (2 + 2 / epsilon) ** 2 * (mp.log(2) - mp.log(delta)))
        yield AtMost(replaced, mp.mpf(nu), part="degrees for a replaced row")

    def tight(self) -> list[Any]:
        """The largest epsilon, at a small delta and at the largest."""
        return [(0.96875, delta, 1.0) for delta in (2.0**-40, 0.3671875)]

    def beyond(self) -> dict[str, AtMost]:
        """Far beyond 1 the cited degrees are those of ``nu = 1``; even at 2 the profile is above delta."""
        epsilon, delta = mp.mpf(64), mp.mpf(1) / 1024
        reached = oracle.profile(epsilon, max(exactly_beyond_dimension(epsilon, delta), 2), 1)
        return {"epsilon below 1": AtMost(reached, delta)}
