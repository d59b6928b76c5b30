"""Top eigenspaces of close matrices are close, relative to the gap ``lambda_k(M) - lambda_{k+1}(N)`` between them.

Only one block, ``Q_perp P``, is bounded by the gap; ``P - Q`` contains it twice, hence the constants ``sqrt(2)`` in
Frobenius norm and 1 in spectral norm. The published lemma has the constant 1 in both; ``diag(1, 1/2)`` against
``diag(0, 1/2)`` attains ``sqrt(2)``.
"""

from typing import Any

import numpy as np

from dpspectra.ledger import Statement, Verdict

lemma = Statement(
    labels=("MWKTV-L8.2",),
    claim=r"\|P_k-Q_k\|_F\,(\lambda_k(M)-\lambda_{k+1}(N))\le\sqrt2\,\|M-N\|_F\text{; }1\text{ in }\|\cdot\|_2",
    verdict=Verdict.REPAIRED,
    note="perturbation.md#sin-theta",
    without_beyond="It holds for all pairs of Hermitian matrices: where there is no gap, the left side is not "
    "positive.",
    examples=65,
)


def bound(difference: Any, gap: Any) -> Any:
    """Largest ``|P - Q|_F`` for ``|M - N|_F = difference`` and one-sided ``gap > 0``."""
    return np.sqrt(2.0) * difference / gap
