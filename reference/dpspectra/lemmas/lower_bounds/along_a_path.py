"""Privacy along a path: an output is at most ``e^(epsilon L)`` times as likely ``L`` steps away.

So the output on ``M_0`` is in the ball around ``M_s`` with at least ``e^(-epsilon L)`` times the probability that it
has on ``M_s`` itself, and with half of ``e^(-epsilon L)`` if the answer on ``M_s`` is right half of the time. The paper
prints the first with the probability of the ball around ``M_0`` as the denominator. Then it fails for two matrices that
two replacements are apart: the longer way home leaves more probability there.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Relation, Verdict, statement
from dpspectra.lemmas.lower_bounds.integer_answers import HALF, exact_laws, instances, laws


@statement
class AlongAPathRatio:
    labels = ("MWKTV-E9", "MWKTV-E49")
    claim = {
        "ratio along the path": r"e^{-\varepsilon L}\le\frac{\Pr[\mathcal A(M_0)\in B_s]}{\Pr[\mathcal A(M_s)\in B_s]}",
    }
    printed = {
        "MWKTV-E9": (
            r"$`e^{-2\varepsilon D^2}\le e^{-\varepsilon(\lVert M_i-M_j\rVert_F^2+d)}\le\frac{\Pr(\mathcal "
            r"A(M_i)\in B(M_j,\zeta))}{\Pr(\mathcal A(M_i)\in B(M_i,\zeta))}\le2\Pr(\mathcal A(M_i)\in "
            r"B(M_j,\zeta))`$."
        ),
        "MWKTV-E49": (
            r"The ratio of the probabilities of $`B(M_j,\eta r)`$ and $`B(M_i,\eta r)`$ under $`\mathcal "
            r"A(M_i)`$ is $`\ge e^{-\varepsilon(d+16\alpha^2r^2)}`$."
        ),
    }
    verdict = Verdict.REPAIRED
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    note = "lower_bounds.md#privacy-along-a-path"
    examples = 50
    cases = staticmethod(instances)

    def fast(self, places: Any, weights: Any, epsilon: float, s: int) -> AtMost:
        steps, table = laws(places, weights, epsilon)
        return AtMost(np.exp(-epsilon * steps[0, s]), table[0, s] / table[s, s], part="ratio along the path")

    def oracle(self, places: Any, weights: Any, epsilon: float, s: int) -> AtMost:
        distances, table = exact_laws(places, weights, epsilon)
        return AtMost(mp.exp(-epsilon * distances[0][s]), table[0][s] / table[s][s], part="ratio along the path")

    def tight(self) -> list[Any]:
        """Randomised response on two points."""
        return [(np.array([0.0, 3.0]), None, 1.0, 1)]

    def beyond(self) -> dict[str, AtMost]:
        """Two points are three steps apart: first the mechanism tells the truth, then two steps are counted."""
        _, ((_, other), (_, own)) = exact_laws(np.array([0.0, 3.0]), None, 1.0)
        part = "ratio along the path"
        return {
            "the mechanism is private": AtMost(mp.exp(-3), mp.mpf(0), part=part),
            "L is the number of steps": AtMost(mp.exp(-2), other / own, part=part),
        }

    def as_printed(self, steepness: float, home: Any, elsewhere: Any, there: Any) -> AtMost:
        """Printed with ``Pr[A(M_i) in B_i]`` as denominator, for matrices that differ by ``t diag(2, -1, -1)``."""
        square = 6 * mp.mpf(steepness) ** 2
        return AtMost(mp.exp(-(square + 3) / 8), (1 - home) / home, part="printed form")

    def hypotheses(self, steepness: float, home: Any, elsewhere: Any, there: Any) -> dict[str, AtMost]:
        """The answer is ``M_i``, else ``M_j``, with these probabilities on ``M_i``, on all other matrices, on ``M_j``.

        No single replacement leads from ``M_i`` to ``M_j``: their difference has two negative eigenvalues.
        """
        odds = [x / y for a, b in ((home, elsewhere), (elsewhere, there)) for x, y in ((a, b), (1 - b, 1 - a))]
        return {
            "epsilon-DP for epsilon = 1/8": AtMost(max(odds), mp.exp(mp.mpf(1) / 8)),
            "half of the answers to M_i and to M_j are right": AtMost(mp.mpf(1) / 2, min(home, 1 - there)),
            "lambda_1 is at least sqrt d": AtMost(mp.sqrt(3), 100 + 2 * mp.mpf(steepness)),
        }

    def counterexample(self) -> Any:
        """``M_i = 100 I + t diag(0, 2, 1)`` and ``M_j = 100 I + t diag(2, 1, 0)`` for ``t = 1/8``."""
        return 0.125, *(mp.mpf(x) / 1000 for x in (608, 557, 499))

    certificate = (
        "epsilon = 1/8, d = 3: (.608, .392) and (.499, .501) on diag(0, 2, 1)/8 and diag(2, 1, 0)/8, each plus 100 I, "
        "and (.557, .443) on all other matrices; two replacements lead from one to the other",
        ["exp", "-99/256"],
        ["div", "392/1000", "608/1000"],
    )


@statement
class AlongAPathOtherBall:
    labels = ("MWKTV-E50",)
    claim = {
        "probability of another ball": (
            r"\Pr[\mathcal A(M_s)\in B_s]>\tfrac12:\ \tfrac12e^{-\varepsilon L}\le\Pr[\mathcal A(M_0)\in B_s]"
        ),
    }
    printed = (
        r"$`\Pr(\mathcal A(M_i)\in B(M_j,\eta r))\ge\frac12e^{-\varepsilon(d+16\alpha^2r^2)}`$ for all "
        r"$`i\in[n]`$."
    )
    verdict = Verdict.VERIFIED
    relation = (Relation.REPLACE, Relation.ADD_REMOVE)
    uses = ("MWKTV-E9", "MWKTV-PATH")
    note = "lower_bounds.md#probability-of-another-ball"
    examples = 50
    cases = staticmethod(instances)

    def fast(self, places: Any, weights: Any, epsilon: float, s: int) -> Parts:
        steps, table = laws(places, weights, epsilon)
        if table[s, s] > HALF:
            yield AtMost(np.exp(-epsilon * steps[0, s]) / 2, table[0, s], part="probability of another ball")

    def oracle(self, places: Any, weights: Any, epsilon: float, s: int) -> Parts:
        distances, table = exact_laws(places, weights, epsilon)
        if table[s][s] > HALF:
            yield AtMost(mp.exp(-epsilon * distances[0][s]) / 2, table[0][s], part="probability of another ball")

    def tight(self) -> list[Any]:
        """Nearly no privacy loss, where all successes are nearly one half."""
        return [(np.array([0.0, 1.0]), None, 2.0**-24, 1)]

    def beyond(self) -> dict[str, AtMost]:
        """Two points are three steps apart: first all data get one answer, then the mechanism tells the truth."""
        part = "probability of another ball"
        return {
            "half of the answers are right": AtMost(mp.exp(-3) / 2, mp.mpf(0), part=part),
            "the mechanism is private": AtMost(mp.exp(-3) / 2, mp.mpf(0), part=part),
        }
