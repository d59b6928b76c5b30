"""On a complex orbit the utility gap of the exponential law is at most a Gamma variable of shape ``n`` and rate kappa.

``n`` counts the pairs of distinct values of the spectrum. The gap is an affine function on the polytope of patterns, on
which the Haar law is uniform, and is 0 at one of its points; shrinking towards that point shows that the density of the
gap at ``t``, divided by ``t^(n-1)``, decreases. So with the factor ``exp(-kappa t)`` its law is below the Gamma law in
likelihood ratio order. The trace of ``M`` does not enter. Over the reals the law of the pattern is not uniform, and the
statement is a conjecture.
"""

from collections import Counter
from typing import Any

from scipy.special import gammainccinv

from dpspectra.ledger import Statement, Verdict

lemma = Statement(
    labels=("MWKTV-N1",),
    claim=r"\Pr_{H\sim\nu_M}[\mathrm{OPT}-\langle M,H\rangle\ge\tau]\le Q_n(\kappa\tau)=e^{-\kappa\tau}\sum_{j<n}"
    r"\frac{(\kappa\tau)^j}{j!},\qquad\kappa\,\mathbb E\,\mathrm{gap}\le n=\#\{i<j:\lambda_i>\lambda_j\}",
    verdict=Verdict.NEW,
    uses=("DPS-GT", "MWKTV-HCIZ"),
    note="orbit.md#gap-domination",
    examples=80,
)


def shape(spectrum: Any) -> int:
    """Number of pairs of distinct values."""
    d = len(spectrum)
    return (d**2 - sum(count**2 for count in Counter(spectrum).values())) // 2


def bound(spectrum: Any, kappa: float, beta: float) -> float:
    """A number that the gap exceeds with probability at most ``beta``."""
    n = shape(spectrum)
    return float(gammainccinv(n, beta)) / kappa if n else 0.0
