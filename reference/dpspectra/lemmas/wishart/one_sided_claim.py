"""The one-sided Wishart mechanism is not ``epsilon``-differentially private for any ``epsilon``, contrary to the claim.

The noise is positive semidefinite, so an output that does not exceed the matrix of the neighbouring data set is
impossible there and possible here. An example is ``d = 1``, ``A = 0``, ``A' = 1/n``: ``S = [0, 1/n)`` has probability
``1 - exp(-epsilon/3)`` under ``A`` and 0 under ``A'``. The printed proof compares the density formula at ``K - A`` and
``K - A'`` without its indicator; on the common support the ratio is indeed at most ``e^epsilon``.

Call `dpspectra.symmetric_wishart_covariance` in its place, which adds the difference of two Wishart matrices. With a
``delta``, call `dpspectra.wishart_covariance`, which takes enough degrees of freedom.
"""

from typing import Any

from mpmath import mp

from dpspectra.ledger import AtMost, Relation, Verdict, statement
from dpspectra.lemmas.wishart.one_sided import exact_scale
from dpspectra.oracle import wishart as exact


def ends_of_supports(end: Any, c: Any, epsilon: Any) -> AtMost:
    """Probabilities of ``[0, end)`` in one dimension, for noise of scale ``c`` on 0 and on ``end``."""

    def probability(a: Any) -> Any:
        return mp.quad(lambda k: exact.density(mp.matrix([[k - a]]), 2, mp.matrix([[c]])), [0, end])

    return AtMost(probability(mp.mpf(0)), mp.exp(epsilon) * probability(end), part="printed form")


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

    def as_printed(self, n: int, epsilon: float) -> AtMost:
        """Probabilities of ``[0, 1/n)`` for ``d = 1``: all rows zero, against one row of norm 1."""
        return ends_of_supports(mp.mpf(1) / n, exact_scale(n, epsilon), epsilon)

    def hypotheses(self, n: Any, epsilon: Any) -> dict[str, AtMost]:
        return {"n and epsilon are positive": AtMost(0, min(n, epsilon))}

    def counterexample(self) -> Any:
        return (1, 1.0)

    certificate = (
        "n = 1, epsilon = 1: noise of mean 3 is below 1 with probability 1 - exp(-1/3); 1 plus the noise never is",
        ["sub", "1", ["exp", "-1/3"]],
        ["mul", ["exp", "1"], "0"],
    )
