"""Algorithm 1 loses at most ``(8 lambda_1 / eps)(beta d k log(1 + eps Gamma / 2) + 1 + log(1/b)) + 2 lambda_1``.

That holds with probability at least ``1 - b``, over the complex numbers (``beta`` is 2) and over the reals (``beta`` is
1), for every ``epsilon``; ``Gamma`` is the trace of ``M`` or the smallest ``sum |gamma_i - c|``. Put the covering
number into the tail at ``s = tau / 2``: it is enough that
``kappa tau / 2 >= beta d k log(1 + 4 lambda_1 Gamma / tau) + log(1/b) + slack``, whose root is up to ten times smaller;
and ``tau >= 2 / kappa`` makes the logarithm explicit. Printed was a constant times
``(lambda_1 / eps)(d k log Gamma + log(1/b))``, true with 36 for ``Gamma >= 2`` and ``eps <= 1``, and negative for small
``Gamma``, while a gap is never negative.
"""

import math
from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.nets import real_dimension
from dpspectra.formulas.utility_gap_quantile import bound, smallest_bound
from dpspectra.ledger import AtMost, Equal, Outcome, Parts, Real, Relation, Slack, Verdict, statement
from dpspectra.lemmas.covering.line_gaps import exact_line_tail, line_tail, lines
from dpspectra.oracle import roots as exact_roots
from dpspectra.strategies import deltas, dyadics, epsilons, st


@statement
class GapQuantile:
    labels = ("MWKTV-L6.5", "MWKTV-E21")
    given = r"\kappa=\tfrac\varepsilon{4\lambda_1},\ \delta=\tfrac\varepsilon4,\ M\succeq0"
    claim = {
        "condition at the root": (
            r"e^{\delta-\kappa\tau_0/2}\big(1+\tfrac{4\lambda_1\Gamma}{\tau_0}\big)^{\beta_{\mathbb F}dk}=\beta"
        ),
        "tail at the root": r"e^\delta\Pr[\mathrm{gap}\ge\tau_0]\le\beta",
        "explicit value": (
            r"\tau_0\le\tau^*=\tfrac{8\lambda_1}\varepsilon\big(\beta_{\mathbb F}dk\log(1+\tfrac{\varepsilon\Gamma}2)+1"
            r"+\log\tfrac1\beta\big)+2\lambda_1"
        ),
        "printed order": (
            r"\Gamma\ge2,\ \varepsilon\le1:\ "
            r"\tau^*\le\tfrac{36\lambda_1}\varepsilon\big(dk\log\Gamma+\log\tfrac1\beta\big)"
        ),
    }
    printed = {
        "MWKTV-L6.5": (
            r"With probability at least $`1-\beta`$, $`\langle "
            r"M,H\rangle\ge\sum_i\lambda_i\gamma_i-O\big(\frac{\lambda_1}\varepsilon(dk\log\sum_i\gamma_i+\log"
            r"\frac1\beta)\big)`$."
        ),
        "MWKTV-E21": (
            r"$`\langle M,H\rangle\ge\sum_{i=1}^k\lambda_i\hat\lambda_i-O\big(\frac{\hat\lambda_1}\varepsilon"
            r"\big(dk\log\sum_{i=1}^d\lambda_i+\log\frac1\beta\big)\big)`$."
        ),
    }
    where = {
        r"\tau^*": "explicit bound on the loss of utility",
        r"\tau_0": "bound on the loss of utility",
        r"\beta": "probability of a larger loss",
        r"\delta": "error of an approximate sampler: largest modulus of the logarithm of the ratio of densities",
        "k": "rank of the released spectrum",
    }
    verdict = Verdict.CORNER
    relation = (Relation.REPLACE,)
    uses = ("MWKTV-L6.4", "MWKTV-L6.3X", "MWKTV-A1")
    examples = 20
    note = "covering.md#utility-of-algorithm-1"
    slack = {
        "tail at the root": Slack(
            6.11603e-08, "a covering number of frames at half the gap stands for the measure of small gaps"
        ),
        "explicit value": Slack(
            0.804104, "its logarithm is taken at tau = 2 / kappa, far below the root in many dimensions"
        ),
        "printed order": Slack(0.635307, "a constant for all dimensions and for both fields"),
    }

    def cases(self) -> Any:
        return st.tuples(lines(), dyadics(0, 4, 3), epsilons(2.0**-5, 16.0), deltas(2.0**-20, 0.75))

    def fast(self, line: Any, shift: float, epsilon: float, beta: float) -> Parts:
        field, d, b = line
        kappa, g = epsilon / 4, 4 * b / epsilon
        trace = g + d * shift
        explicit, least = (f(d, 1, 1.0, trace, kappa, beta, slack=kappa, field=field) for f in (bound, smallest_bound))
        seen = line_tail(field, d, b, kappa * least) if least < g else 0.0
        covered = math.exp(epsilon / 4 - kappa * least / 2) * (1 + 4 * trace / least) ** real_dimension(d, 1, field)
        yield Equal(covered, beta, part="condition at the root")
        yield AtMost(seen * np.exp(epsilon / 4), beta, part="tail at the root")
        yield AtMost(least, explicit, part="explicit value")
        if trace >= 2 and epsilon <= 1:
            yield AtMost(explicit, 36 / epsilon * (d * np.log(trace) + np.log(1 / beta)), part="printed order")

    def oracle(self, line: Any, shift: Real, epsilon: Real, beta: Real) -> Parts:
        """Take Algorithm 1 with eigenvalue 1 and the largest slack, ``gamma = (g + shift, shift, .., shift)``."""
        field, d, b = line
        b = mp.mpf(b)
        g, dimension = 4 * b / epsilon, d * (2 if field == "complex" else 1)
        trace = g + d * shift
        explicit = 8 / epsilon * (dimension * mp.log(1 + epsilon * trace / 2) + 1 + mp.log(1 / beta)) + 2

        def covered(tau: Any) -> Any:
            """Covering number at half of ``tau`` times the weight of a gap of ``tau``, and the slack of the sampler."""
            return (1 + 2 / (tau / 2 / trace)) ** dimension * mp.exp(epsilon / 4 - epsilon / 4 * (tau - tau / 2))

        def too_small(tau: Any) -> bool:
            return bool(covered(tau) > beta)

        _, least = exact_roots.bisect(too_small, *exact_roots.bracket(too_small))
        seen = exact_line_tail(field, d, b, epsilon / 4 * least) if least < g else mp.mpf(0)
        yield Equal(covered(least), beta, part="condition at the root")
        yield AtMost(seen * mp.exp(epsilon / 4), beta, part="tail at the root")
        yield AtMost(least, explicit, part="explicit value")
        if trace >= 2 and epsilon <= 1:
            yield AtMost(explicit, 36 / epsilon * mp.log(trace**d / beta), part="printed order")

    def tight(self) -> list[Any]:
        """Lines of the real plane, many copies of one row; a small ``M`` and failure probability; a trace near 2.

        In the last two the trace is too small for the printed order, and epsilon too large.
        """
        return [
            (("real", 2, 128.0), 0.0, 1.0, 0.75),
            (("complex", 2, 0.5), 0.0, 1.0, 2.0**-20),
            (("complex", 2, 0.25), 0.515625, 1.0, 1 - 2.0**-10),
            (("complex", 2, 0.25), 0.0, 1.0, 0.75),
            (("complex", 2, 8.0), 0.0, 16.0, 0.75),
        ]

    def beyond(self) -> dict[str, Outcome]:
        """A line drawn at almost no ``kappa`` in the real plane, for 16384 copies of one row and ``epsilon = 1``."""
        copies, tiny = 16384, mp.mpf(2) ** -24
        share = smallest_bound(2, 1, 1.0, copies, 0.25, 0.75, slack=0.25, field="real") / copies
        seen = exact_line_tail("real", 2, tiny, tiny * share)
        return {"H has the inverse temperature kappa": AtMost(seen, mp.mpf(3) / 4, part="tail at the root")}

    def as_printed(self, d: int, k: int, total: float, epsilon: float, beta: float, constant: float) -> AtMost:
        """Compare the smallest gap, 0, with the printed value for eigenvalue 1."""
        inside = d * k * mp.log(mp.mpf(total)) + mp.log(1 / mp.mpf(beta))
        return AtMost(mp.mpf(0), constant / mp.mpf(epsilon) * inside, part="printed form")

    def hypotheses(
        self, d: int, k: int, total: float, epsilon: float, beta: float, constant: float
    ) -> dict[str, AtMost]:
        return {
            "epsilon is in (0, 1]": AtMost(abs(2 * mp.mpf(epsilon) - 1), 1),
            "beta is in (0, 1)": AtMost(abs(2 * mp.mpf(beta) - 1), 1),
            "k <= d, and M is positive semidefinite": AtMost(0, min(d - k, total)),
        }

    def counterexample(self) -> Any:
        """One row of squared norm 1/8."""
        return 2, 1, 0.125, 1.0, 0.5, 8.0

    certificate = (
        "d = 2, k = 1, trace 1/8, beta = 1/2: the printed value is 8 (2 log(1/8) + log 2), and a gap is at least 0",
        "0",
        ["mul", "8", ["add", ["mul", "2", ["log", "1/8"]], ["log", "2"]]],
    )
