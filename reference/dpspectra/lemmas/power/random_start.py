"""Tail of the largest angle between a fixed ``k``-plane and a uniform ``p``-plane of ``R^d``: HP-L2.5 and HP-L2.5P.

``P(tan > R) <= Q (1 + R^2)^(-m/2)``, ``m = p - k + 1``, ``Q`` in `log_factor`; with ``R = tau sqrt d / (sqrt p -
sqrt(k-1))`` at most ``(K/tau)^m``, ``K(k, p) <= sqrt e``. Proof by the matrix beta law of the squared cosines and
Selberg's integral. The printed lemma has unnamed constants, and its proof a gap; its form is checked for ``tau >= e``.
`tail` and `largest_tangent` enter the public `sufficient_iterations`: replace them by other upper bounds only, and keep
``d = p + k`` (``R`` instead of ``sqrt(1 + R^2)``) and ``p = d`` as separate cases.
"""

import math
from typing import Any

import numpy as np
from scipy.special import betaln, gammaln

from dpspectra.ledger import Slack, Statement, Verdict

explicit = Statement(
    labels=("HP-L2.5P",),
    claim=r"m=p-k+1,\ R>0:\ \Pr[\tan\theta_k(U,X)>R]\le QR_*^{-m},\ Q=\frac{2^m\,\Gamma(\frac{p+1}2)\Gamma(\frac{d-k+1}"
    r"2)}{m!\,\Gamma(\frac k2)\Gamma(\frac{d-p}2)},\ R_*=\sqrt{1+R^2}\ (R_*=R\text{ if }d=p+k);\quad R=\tfrac{\tau\sqrt"
    r" d}{\sqrt p-\sqrt{k-1}}:\ QR^{-m}\le\Big(\frac{K(k,p)}\tau\Big)^m,\ K\le\sqrt e",
    verdict=Verdict.NEW,
    uses=("HP-K2.2",),
    note="power.md#angle-of-a-random-start-with-constants",
    digits=20,  # double integrals
    examples=40,
    slack={"constant of the tail": Slack(0.999937, "K(k, p) < sqrt e: equality only as p grows, k = 1")},
)
printed_form = Statement(
    labels=("HP-L2.5",),
    claim=r"\tau\ge e:\quad\Pr\Big[\tan\theta_k(U,X)>\frac{\tau\sqrt d}{\sqrt p-\sqrt{k-1}}\Big]\le\tau^{-(p-k+1)/2}",
    verdict=Verdict.PROOF_GAP,
    uses=("HP-L2.5P",),
    note="power.md#angle-of-a-random-start",
    without_beyond="Its hypothesis is tau of at least e. At most 1 it bounds a probability by 1 or more, and "
    "between 1 and e no failure is known.",
    digits=20,
    examples=40,
    slack={
        "tail of the tangent": Slack(
            0.467209, "the factor is at most (K / sqrt e)^m, 0.484 for m = 1, tau = e, large d"
        )
    },
)


def radius(tau: Any, k: int, p: int, d: int) -> Any:
    """Tangent ``tau sqrt d / (sqrt p - sqrt(k - 1))``."""
    return tau * np.sqrt(d) / (np.sqrt(p) - np.sqrt(k - 1))


def log_factor(k: int, p: int, d: int) -> float:
    """Logarithm of the factor ``Q`` of the bound, for ``p < d``; it does not overflow."""
    m = p - k + 1
    rising = 2 * gammaln(m / 2) - betaln(k / 2, m / 2) - betaln((d - p) / 2, m / 2)
    return float(m * np.log(2) - gammaln(m + 1) + rising)


def tail(tangent: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that the tangent of a uniform ``p``-plane exceeds ``tangent >= 0``."""
    length = tangent if d == p + k else np.hypot(1.0, tangent)
    if p == d:
        return np.zeros_like(length, dtype=float)[()]
    with np.errstate(divide="ignore"):  # for no tangent the bound is 1
        logarithm = np.log(length)
    return np.exp(np.minimum(0.0, log_factor(k, p, d) - (p - k + 1.0) * logarithm))


def largest_tangent(failure: float, k: int, p: int, d: int) -> float:
    """Tangent that a uniform ``p``-plane exceeds with probability at most ``failure``; 0 for ``p = d``."""
    length = 0.0 if p == d else math.exp((log_factor(k, p, d) - math.log(failure)) / (p - k + 1))
    return length if d == p + k else float(np.sqrt(max(length**2 - 1, 0.0)))
