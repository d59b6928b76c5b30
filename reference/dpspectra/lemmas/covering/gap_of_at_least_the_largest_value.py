"""Display (18): the logarithm in the tail is bounded by one without ``tau``, if ``tau`` is at least ``lambda_1``.

It is an equality at ``tau = lambda_1``, and false for a smaller ``tau``, where the bound on the gap is smaller than its
slack.
"""

from typing import Any

from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Verdict, statement
from dpspectra.strategies import dyadics, st


@statement
class GapOfAtLeastTheLargestValue:
    labels = ("MWKTV-E18",)
    given = r"\tau\ge\lambda_1>0"
    claim = {"argument of the logarithm": r"\frac{8\lambda_1\Gamma}\tau\le8\Gamma"}
    printed = r"$`\frac{8\lambda_1\Gamma}\tau\le8\Gamma`$."
    where = {r"\tau": "loss of utility", r"\Gamma": "trace of the data"}
    verdict = Verdict.VERIFIED
    note = "covering.md#gap-of-at-least-the-largest-value"

    def cases(self) -> Any:
        return st.tuples(dyadics(0.125, 16), dyadics(0.125, 64), dyadics(0, 8))

    def fast(self, largest: float, trace: float, more: float) -> Parts:
        yield AtMost(8 * largest * trace / (largest + more), 8 * trace, part="argument of the logarithm")

    def oracle(self, largest: Real, trace: Real, more: Real) -> Parts:
        yield AtMost(8 * trace / (1 + more / largest), 8 * trace, part="argument of the logarithm")

    def tight(self) -> list[Any]:
        return [(3.0, 5.0, 0.0)]

    def beyond(self) -> dict[str, AtMost]:
        """``tau`` is half of ``lambda_1``."""
        return {"tau is at least lambda_1": AtMost(mp.mpf(16), mp.mpf(8), part="argument of the logarithm")}
