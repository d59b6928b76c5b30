"""Private eigenvalues cost a factor of ``2 + 1 / d`` at most in the printed bound, from ``lambda_1 = 1 / epsilon`` on.

The first term is then at most ``k lambda_1 / epsilon``, and the second one twice ``d k lambda_1 / epsilon``, which is
the bound for public eigenvalues.
"""

from typing import Any

from dpspectra.ledger import AtMost, Real, Verdict, statement
from dpspectra.strategies import dyadics, epsilons, st


@statement
class CostOfPrivateEigenvalues:
    labels = ("MWKTV-R2.2",)
    given = r"\lambda_1\ge\frac1\varepsilon,\ 1\le k\le d"
    claim = {
        "order with private eigenvalues": (
            r"\frac k{\varepsilon^2}+\frac{dk}\varepsilon\Big(\lambda_1+\frac1\varepsilon\Big)"
            r"\le\Big(2+\frac1d\Big)\frac{dk\lambda_1}\varepsilon"
        ),
    }
    printed = (
        r"For $`\lambda_1\ge\frac1\varepsilon`$ nothing is lost, in order, by releasing the eigenvalues privately."
    )
    where = {"k": "rank of the output"}
    verdict = Verdict.VERIFIED
    note = "orbit.md#cost-of-private-eigenvalues"

    @staticmethod
    @st.composite
    def cases(draw: st.DrawFn) -> tuple[int, int, float, float]:
        """A dimension, a rank, ``epsilon``, and ``epsilon lambda_1``."""
        d = draw(st.integers(1, 40))
        return d, draw(st.integers(1, d)), draw(epsilons(2.0**-6, 16.0)), draw(dyadics(1, 64))

    def fast(self, d: int, k: int, epsilon: float, product: float) -> AtMost:
        error = k / epsilon**2 + d * k / epsilon * (product / epsilon + 1 / epsilon)
        return AtMost(error, (2 + 1 / d) * d * k * product / epsilon**2, part="order with private eigenvalues")

    def oracle(self, d: int, k: int, epsilon: Real, product: Real) -> AtMost:
        """In units of the squared noise of an eigenvalue."""
        unit = 1 / epsilon**2
        return AtMost(
            (k + d * k + d * k * product) * unit,
            (2 * d + 1) * k * product * unit,
            part="order with private eigenvalues",
        )

    def tight(self) -> list[Any]:
        return [(1, 1, 0.5, 1.0), (7, 3, 2.0, 1.0)]

    def beyond(self) -> dict[str, AtMost]:
        return {"the largest eigenvalue is at least 1 / epsilon": self.oracle(1, 1, 1, 0.5)}
