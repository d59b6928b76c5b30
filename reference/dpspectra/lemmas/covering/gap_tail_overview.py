"""``P(gap >= t) <= N e^(-kappa t / 2)`` where ``N`` balls of spectral radius ``t / (2 tr M)`` cover the orbit.

It is the tail of the gap at ``s = t / 2``, with the trace of a PSD ``M`` in place of ``Gamma'``, and here too
``x / (1 + x)`` is sharper. Printed (as we read it) with both signs turned, as a lower bound for ``P(gap <= t)``.
"""

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.ledger import AtMost, Parts, Real, Slack, Verdict, inequality, statement
from dpspectra.lemmas.covering.gap_tail import bound
from dpspectra.lemmas.covering.line_gaps import (
    exact_line_tail,
    exact_log_counts,
    exact_sublevel_bound,
    line_tail,
    lines,
    log_counts,
    sublevel_bound,
)
from dpspectra.strategies import dyadics, st


@statement
class GapTailOverview:
    labels = ("MWKTV-E6",)
    given = (
        r"M\succeq0,\ \Gamma=\operatorname{tr}M,\ "
        r"x=e^{-\kappa t/2}\tfrac{\mu\{\mathrm{gap}\ge t\}}{\mu\{\mathrm{gap}\le t/2\}}"
    )
    claim = {
        "tail by measures of gaps": r"\Pr[\mathrm{gap}\ge t]\le\tfrac x{1+x}",
        "tail of the gap": (
            r"\Pr[\mathrm{gap}\ge t]\le N\big(\mathcal O_\Lambda,\|\cdot\|_2,\tfrac t{2\Gamma}\big)e^{-\kappa t/2}"
        ),
        "logarithm of the tail": (
            r"\log\Pr[\mathrm{gap}\ge t]\le\log N\big(\mathcal O_\Lambda,\|\cdot\|_2,\tfrac t{2\Gamma}\big)"
            r"-\tfrac{\kappa t}2"
        ),
    }
    printed = (
        r"$`\Pr\big(\sum_i\gamma_i\lambda_i-\langle M,H\rangle\le t\big)\ge N\big(\mathcal "
        r"O_\Lambda,\lVert\cdot\rVert_2,\frac t{2\Gamma}\big)\exp\big(-\frac\varepsilon{2\Delta}t\big)`$."
    )
    where = {
        "t": "loss of utility",
        "x": "odds of a loss above $`t`$, at most",
        "N": "covering number; over the complex numbers, its bound of MWKTV-L6.3X",
    }
    verdict = Verdict.REPAIRED
    uses = ("MWKTV-L6.4",)
    examples = 20
    note = "covering.md#tail-of-the-gap-overview"
    digits = 30
    slack = {
        "tail of the gap": Slack(0.0848112, "a cover of balls of half the gap stands for all gaps up to t"),
        "logarithm of the tail": Slack(0.486267, "half of the exponent kappa t pays for the measure of small gaps"),
    }

    def cases(self) -> Any:
        return st.tuples(lines(), dyadics(2.0**-6, 1), dyadics(0, 2, 2))

    def fast(self, line: Any, share: float, shift: float) -> Parts:
        field, d, b = line
        seen, radius = line_tail(field, d, b, share * b), share / (2 * (1 + d * shift))
        limit = bound(b, share, share / 2, log_counts(field, d, radius)[1])
        yield AtMost(seen, sublevel_bound(field, d, b, share, share / 2), part="tail by measures of gaps")
        yield AtMost(seen, limit, part="tail of the gap")
        if share < 1:  # else the probability is 0
            yield AtMost(np.log(seen), np.log(limit), scale=1, part="logarithm of the tail")

    def oracle(self, line: Any, share: Real, shift: Real) -> Parts:
        """Take ``gamma = (1 + shift, shift, .., shift)``, of trace ``1 + d shift``, and a line of eigenvalue 1."""
        field, d, b = line
        b = mp.mpf(b)
        seen, radius = exact_line_tail(field, d, b, share * b), share / (2 * (1 + d * shift))
        limit = mp.exp(exact_log_counts(field, d, radius)[1] - b * share / 2)
        yield AtMost(seen, exact_sublevel_bound(field, d, b, share, share / 2), part="tail by measures of gaps")
        yield AtMost(seen, limit, part="tail of the gap")
        if share < 1:
            yield AtMost(mp.log(seen), mp.log(limit), scale=1, part="logarithm of the tail")

    def tight(self) -> list[Any]:
        """A small gap of complex lines, and five lines that cover the real plane, with ``kappa`` near 0.

        A third instance has a large ``kappa``, so that only the exponent counts.
        """
        hot = [(("complex", 2, 2.0**-24), 2.0**-24, 0.0), (("real", 2, 2.0**-24), 1266 / 2048, 0.0)]
        return [*hot, (("complex", 2, 1280.0), 0.5, 0.0)]

    def beyond(self) -> dict[str, AtMost]:
        """``kappa g = 4``, ``t = g / 2`` for a line of the complex plane, and the bound for ``kappa g = 16``."""
        seen = exact_line_tail("complex", 2, mp.mpf(4), mp.mpf(2))
        limit = exact_sublevel_bound("complex", 2, mp.mpf(16), mp.mpf(1) / 2, mp.mpf(1) / 4)
        return {"H has the inverse temperature kappa": AtMost(seen, limit, part="tail by measures of gaps")}

    def as_printed(self, kappa: float, t: float) -> AtMost:
        """Compare ``N e^(-kappa t / 2)`` and ``P(gap <= t)``, for lines of the complex plane and ``gamma = (1, 0)``.

        Balls of radius ``t / 2`` have measure ``t^2 / 4`` each, so ``N`` is at least ``4 / t^2``.
        """
        t, kappa = mp.mpf(t), mp.mpf(kappa)
        within = (1 - mp.exp(-kappa * t)) / (1 - mp.exp(-kappa))
        return AtMost(4 / t**2 * mp.exp(-kappa * t / 2), within, part="printed form")

    def hypotheses(self, kappa: float, t: float) -> dict[str, AtMost]:
        """``kappa = epsilon / lambda_1`` and ``Delta = lambda_1`` in the overview: its exponent is ``kappa t / 2``."""
        return {"epsilon is in (0, 1)": AtMost(abs(2 * mp.mpf(kappa) - 1), 1), "t is in (0, Gamma)": AtMost(t, 1)}

    def counterexample(self) -> Any:
        return (0.25, 0.5)

    def certificate(self) -> dict[str, Any]:
        def missing(x: str) -> list[Any]:
            return ["sub", "1", ["exp", x]]

        return inequality(
            "MWKTV-E6",
            "d = 2, k = 1, kappa = 1/4, t = 1/2: N >= 16, and 16 exp(-1/16) is no lower bound of a probability",
            ["mul", "16", ["exp", "-1/16"]],
            ["div", missing("-1/8"), missing("-1/4")],
        )
