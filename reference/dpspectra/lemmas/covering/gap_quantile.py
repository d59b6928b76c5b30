"""Algorithm 1 loses at most ``(8 lambda_1 / eps)(beta d k log(1 + eps Gamma / 2) + 1 + log(1/b)) + 2 lambda_1``.

That holds with probability at least ``1 - b``, over the complex numbers (``beta`` is 2) and over the reals (``beta`` is
1), for every ``epsilon``; ``Gamma`` is the trace of ``M`` or the smallest ``sum |gamma_i - c|``. Put the covering
number into the tail at ``s = tau / 2``: it is enough that
``kappa tau / 2 >= beta d k log(1 + 4 lambda_1 Gamma / tau) + log(1/b) + slack``, and ``tau >= 2 / kappa`` makes the
logarithm explicit. Printed was a constant times ``(lambda_1 / eps)(d k log Gamma + log(1/b))``, which is negative for
small ``Gamma``, while a gap is never negative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from mpmath import mp

from dpspectra.fast.nets import real_dimension
from dpspectra.ledger import AtMost, Statement, Verdict, inequality
from dpspectra.lemmas.covering.gap_tail import exact_line_tail, line_tail, lines
from dpspectra.relations import Relation
from dpspectra.strategies import deltas, dyadics, epsilons
from dpspectra.strategies.lazy import st

lemma = Statement(
    labels=("MWKTV-L6.5",),
    claim=r"\Pr\Big[\mathrm{gap}>\tfrac{8\lambda_1}\varepsilon\big(\beta_{\mathbb F}dk"
    r"\log(1+\tfrac{\varepsilon\Gamma}2)+1+\log\tfrac1\beta\big)+2\lambda_1\Big]\le\beta,\quad"
    r"\text{any }\kappa,\delta:\ \tfrac2\kappa\big("
    r"\beta_{\mathbb F}dk\log(1+2\kappa\lambda_1\Gamma)+1+\log\tfrac1\beta+\delta\big)",
    verdict=Verdict.REPAIRED,
    relation=(Relation.REPLACE,),
    cases=lambda: st.tuples(lines(), dyadics(0, 4, 3), epsilons(2.0**-5, 16.0), deltas(2.0**-20, 0.75)),
    uses=("MWKTV-L6.4", "MWKTV-L6.3X", "MWKTV-A1"),
    note="covering.md#utility-of-algorithm-1",
)


def bound(
    d: int, k: int, largest: Any, total: Any, kappa: Any, beta: Any, *, slack: Any = 0, field: str = "complex"
) -> Any:
    """Number that the gap exceeds with probability at most ``beta``.

    ``largest`` bounds the ``k`` eigenvalues of the PSD spectrum that are not 0, ``total`` the trace of ``M``; the law
    drawn from is within ``slack`` of the exact one in infinity distance. It decreases in ``kappa`` and increases in
    ``largest``.
    """
    net = real_dimension(d, k, field) * np.log1p(2 * kappa * largest * total)
    return 2 / kappa * (net + 1 + np.log(1 / beta) + slack)


@lemma.fast
def quantile(line: Any, shift: float, epsilon: float, beta: float) -> tuple[AtMost, ...]:
    field, d, b = line
    kappa, g = epsilon / 4, 4 * b / epsilon
    trace = g + d * shift
    tau = bound(d, 1, 1.0, trace, kappa, beta, slack=epsilon / 4, field=field)
    seen = line_tail(field, d, b, kappa * tau) if tau < g else 0.0
    needed = real_dimension(d, 1, field) * np.log1p(4 * trace / tau) + np.log(1 / beta) + epsilon / 4
    return (
        AtMost(seen * np.exp(epsilon / 4), beta, part="tail at the quantile"),
        AtMost(needed, kappa * tau / 2, part="condition on the quantile"),
    )


@lemma.oracle
def exact_quantile(line: Any, shift: float, epsilon: float, beta: float) -> tuple[AtMost, ...]:
    """Take Algorithm 1 with eigenvalue 1 and the largest slack, ``gamma = (g + shift, shift, .., shift)``."""
    field, d, b = line
    epsilon, beta, b = mp.mpf(epsilon), mp.mpf(beta), mp.mpf(b)
    g, dimension = 4 * b / epsilon, d * (2 if field == "complex" else 1)
    trace = g + d * mp.mpf(shift)
    tau = 8 / epsilon * (dimension * mp.log(1 + epsilon * trace / 2) + 1 + mp.log(1 / beta)) + 2
    seen = exact_line_tail(field, d, b, epsilon / 4 * tau) if tau < g else mp.mpf(0)
    needed = dimension * mp.log(1 + 4 * trace / tau) + mp.log(1 / beta) + epsilon / 4
    return (
        AtMost(seen * mp.exp(epsilon / 4), beta, part="tail at the quantile"),
        AtMost(needed, epsilon * tau / 8, part="condition on the quantile"),
    )


@lemma.as_printed
def printed_quantile(d: int, k: int, total: float, epsilon: float, beta: float, constant: float) -> AtMost:
    """Compare the smallest gap, 0, with the printed value for eigenvalue 1."""
    inside = d * k * mp.log(mp.mpf(total)) + mp.log(1 / mp.mpf(beta))
    return AtMost(mp.mpf(0), constant / mp.mpf(epsilon) * inside, part="printed form")


@lemma.counterexample
def short_row() -> Any:
    """One row of squared norm 1/8."""
    return 2, 1, 0.125, 1.0, 0.5, 8.0


@lemma.certificate
def short_row_certificate() -> dict[str, Any]:
    return inequality(
        "MWKTV-L6.5",
        "d = 2, k = 1, trace 1/8, beta = 1/2: the printed value is 8 (2 log(1/8) + log 2), and a gap is at least 0",
        "0",
        ["mul", "8", ["add", ["mul", "2", ["log", "1/8"]], ["log", "2"]]],
    )
