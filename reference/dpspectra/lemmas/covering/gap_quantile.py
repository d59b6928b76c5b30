"""Algorithm 1 loses at most ``(8 lambda_1 / eps)(beta d k log(1 + eps Gamma / 2) + 1 + log(1/b)) + 2 lambda_1``.

That holds with probability at least ``1 - b``, over the complex numbers (``beta`` is 2) and over the reals (``beta`` is
1), for every ``epsilon``; ``Gamma`` is the trace of ``M`` or the smallest ``sum |gamma_i - c|``. Put the covering
number into the tail at ``s = tau / 2``: it is enough that
``kappa tau / 2 >= beta d k log(1 + 4 lambda_1 Gamma / tau) + log(1/b) + slack``, whose root is up to ten times smaller;
and ``tau >= 2 / kappa`` makes the logarithm explicit. Printed was a constant times
``(lambda_1 / eps)(d k log Gamma + log(1/b))``, true for ``Gamma >= 2``, and negative for small ``Gamma``, while a gap
is never negative.
"""

import math
from typing import Any

import numpy as np

from dpspectra.fast import roots
from dpspectra.fast.nets import real_dimension
from dpspectra.ledger import Relation, Slack, Statement, Verdict

lemma = Statement(
    labels=("MWKTV-L6.5",),
    claim=r"\Pr[\mathrm{gap}>\tau_0]\le\beta,\ \tfrac{\kappa\tau_0}2=\beta_{\mathbb F}dk\log\big(1+\tfrac{4\lambda_1"
    r"\Gamma}{\tau_0}\big)+\log\tfrac1\beta+\delta,\quad\tau_0\le\tfrac2\kappa\big("
    r"\beta_{\mathbb F}dk\log(1+2\kappa\lambda_1\Gamma)+1+\log\tfrac1\beta+\delta\big);\quad\kappa=\tfrac\varepsilon"
    r"{4\lambda_1},\ \delta=\tfrac\varepsilon4:\ \tfrac{8\lambda_1}\varepsilon\big(\beta_{\mathbb F}dk"
    r"\log(1+\tfrac{\varepsilon\Gamma}2)+1+\log\tfrac1\beta\big)+2\lambda_1",
    verdict=Verdict.CORNER,
    relation=(Relation.REPLACE,),
    uses=("MWKTV-L6.4", "MWKTV-L6.3X", "MWKTV-A1"),
    examples=20,
    note="covering.md#utility-of-algorithm-1",
    slack={
        "tail at the root": Slack(
            6.11603e-08, "a covering number of frames at half the gap stands for the measure of small gaps"
        ),
        "explicit value": Slack(
            0.804104, "its logarithm is taken at tau = 2 / kappa, far below the root in many dimensions"
        ),
    },
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


def smallest_bound(
    d: int, k: int, largest: float, total: float, kappa: float, beta: float, *, slack: float = 0, field: str = "complex"
) -> float:
    """The root of the condition behind `bound`, with the same arguments (``beta <= 1``): smaller, and as valid.

    Beyond it the probability falls at least like ``exp(-kappa tau / 2)``.
    """
    dimension, rest = real_dimension(d, k, field), math.log(1 / beta) + slack
    if largest * total == 0:
        return 2 / kappa * rest

    def excess(tau: float) -> float:
        return dimension * math.log1p(4 * largest * total / tau) + rest - kappa * tau / 2

    # A root below 4 lambda_1 Gamma has a logarithm above log 2.
    least = max(rest, min(dimension * math.log(2), 2 * kappa * largest * total)) / kappa
    return roots.root(excess, least, bound(d, k, largest, total, kappa, beta, slack=slack, field=field))
