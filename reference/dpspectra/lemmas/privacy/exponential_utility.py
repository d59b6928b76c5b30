"""Density ``exp(kappa q)`` misses the best score by ``t`` with probability at most ``e^(-kappa (t - s)) / mu(S_s)``.

``S_s`` is the set of outcomes less than ``s`` below the optimum. The outcomes at ``OPT - t`` or below contribute at
most ``e^(kappa (OPT - t))`` times their base measure to the normaliser, and ``S_s`` alone contributes more than
``e^(kappa (OPT - s)) mu(S_s)``. Printed was the case ``s = t/2`` with the whole exponent ``kappa t`` instead of
``kappa t / 2``; this fails for an outcome of tiny measure at the optimum, half the measure just above ``OPT - t/2`` and
the rest at ``OPT - t``. If ``S_s`` has base measure 0 nothing is claimed. Nothing in the proof needs the optimum: any
number may stand for ``OPT``, and ``s`` and ``t`` may have any order and sign.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from dpspectra.ledger import Statement, Verdict

lemma = Statement(
    labels=("MWKTV-T5.4", "MWKTV-E5"),
    claim=r"\Pr[q(r)\le\mathrm{OPT}-t]\le e^{-\kappa(t-s)}\,\frac{\mu(S_t^c)}{\mu(S_s)}\ (s,t\in\mathbb R);"
    r"\quad s=\tfrac t2,\ \kappa=\tfrac{\varepsilon}{2\Delta}:\ \le\frac{e^{-\varepsilon t/(4\Delta)}}{\mu(S_{t/2})}",
    verdict=Verdict.REPAIRED,
    note="privacy.md#utility-of-the-exponential-mechanism",
)


def bound(loss_rate: Any, shortfall: Any, slack: Any, mass_good: Any) -> Any:
    """Largest probability that the score is at least ``shortfall`` below the optimum.

    ``loss_rate`` is the inverse temperature: the density falls by ``exp(-loss_rate)`` per unit of score.
    ``mass_good`` is the base probability, or a lower bound on it, of being less than ``slack`` below the optimum.
    """
    return np.exp(-loss_rate * (shortfall - slack)) / mass_good


def radius(loss_rate: float, beta: float, log_mass_good: Callable[[float], float], largest: float) -> float:
    """Smallest shortfall at which `bound` is at most ``beta`` for some slack, and at most ``largest``.

    ``largest`` is an upper bound on every shortfall; ``log_mass_good`` maps a slack to the logarithm of ``mass_good``.
    """

    def shortfall(log_share: float) -> float:
        slack = math.exp(log_share) * largest
        return slack + (math.log(1 / beta) - log_mass_good(slack)) / loss_rate

    best = minimize_scalar(shortfall, bounds=(-50.0, 0.0), method="bounded")
    return float(min(best.fun, largest))
