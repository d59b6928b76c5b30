"""With the average of both gaps the constant is 1: ``|P - Q|_F (delta_M + delta_N) / 2 <= |M - N|_F``.

``<M, P - Q> >= delta_M (k - <P, Q>) = delta_M |P - Q|_F^2 / 2`` because ``P`` is the best projector for ``M``; add the
same for ``N`` and apply Cauchy-Schwarz. Davis-Kahan is not needed; if both gaps are zero, nothing is claimed.
"""

from typing import Any

from dpspectra.ledger import Statement, Verdict

lemma = Statement(
    labels=("MWKTV-L8.2S",),
    claim=r"\tfrac{\delta+\hat\delta}{2}\|P-Q\|_F^2\le\langle M-N,P-Q\rangle\le\|M-N\|_F\|P-Q\|_F",
    verdict=Verdict.NEW,
    examples=40,
    note="perturbation.md#sin-theta-with-both-gaps",
    without_beyond="It holds for all pairs of Hermitian matrices: where eigenvalues are tied at place k, for all "
    "projectors that may be taken.",
)


def bound(difference: Any, gap: Any, other_gap: Any) -> Any:
    """Largest ``|P - Q|_F`` for ``|M - N|_F = difference``, when the two gaps after place ``k`` do not both vanish."""
    return 2 * difference / (gap + other_gap)
