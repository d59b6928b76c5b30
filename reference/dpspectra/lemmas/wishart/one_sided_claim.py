"""The one-sided Wishart mechanism is not ``epsilon``-differentially private for any ``epsilon``, contrary to the claim.

The noise is positive semidefinite, so an output that does not exceed the matrix of the neighbouring data set is
impossible there and possible here, in every dimension: a first entry below ``1/n`` has a positive probability for zero
rows, and none if one row is the first axis. For ``d = 1`` it is ``1 - exp(-epsilon/3)``. The printed proof compares the
density formula at ``K - A`` and ``K - A'`` without its indicator; on the common support the ratio is indeed at most
``e^epsilon``.

Call `dpspectra.symmetric_wishart_covariance` in its place. For a row that becomes zero it adds the difference of two
Wishart matrices (JXZ-T4-R1); for a replaced row that difference tilted by its trace, which is smaller noise with the
same claim (DPS-TILT). With a ``delta``, call `dpspectra.wishart_covariance`, which takes enough degrees of freedom.
"""

from typing import Any

from mpmath import mp

from dpspectra.ledger import AtMost, Relation, Verdict, statement
from dpspectra.lemmas.wishart.one_sided import exact_scale
from dpspectra.oracle import wishart as exact


@statement
class OneSidedClaim:
    labels = ("JXZ-T4",)
    claim = r"\Pr[A+W\in S]\le e^{\varepsilon}\Pr[A'+W\in S]\quad\text{(false: the right side can be }0\text{)}"
    printed = r"The Wishart mechanism of Algorithm 2 is $`(\varepsilon,0)`$-DP."
    verdict = Verdict.REFUTED
    relation = (Relation.REPLACE,)
    uses = ("JXZ-A2",)
    instead = ("JXZ-T4-R1", "JXZ-T4-R2")
    note = "wishart.md#the-one-sided-mechanism-is-not-pure-dp"

    def as_printed(self, d: int, n: int, epsilon: float) -> AtMost:
        """Probabilities of a first entry in ``[0, 1/n)``: all rows zero, against one row along the first axis.

        The first entry of ``W_d(d + 1, c I)`` is ``W_1(d + 1, c)``.
        """
        end, c = mp.mpf(1) / n, exact_scale(n, epsilon)

        def probability(a: Any) -> Any:
            return mp.quad(lambda k: exact.density(mp.matrix([[k - a]]), d + 1, mp.matrix([[c]])), [a, end])

        return AtMost(probability(mp.mpf(0)), mp.exp(epsilon) * probability(end), part="printed form")

    def hypotheses(self, d: int, n: Any, epsilon: Any) -> dict[str, AtMost]:
        return {"there is a dimension": AtMost(1, d), "n and epsilon are positive": AtMost(0, min(n, epsilon))}

    def counterexample(self) -> Any:
        return (3, 1, 1.0)

    certificate = (
        "d = 3, n = 1, epsilon = 1: the first entry of the noise, 3/2 times chi-square of 4 degrees, is below 1 with "
        "probability 1 - 4/3 exp(-1/3); 1 plus the noise never is",
        ["sub", "1", ["mul", "4/3", ["exp", "-1/3"]]],
        ["mul", ["exp", "1"], "0"],
    )
