"""Bounds of the ledger as functions of numbers."""

from __future__ import annotations

from dpspectra.fast import checks
from dpspectra.lemmas.perturbation import sin_theta as one_sided
from dpspectra.lemmas.perturbation import sin_theta_symmetric as two_sided

__all__ = ["sin_theta"]


def sin_theta(difference: float, gap: float, other_gap: float | None = None) -> float:
    """Largest Frobenius distance between top-``k`` spectral projectors of two Hermitian matrices.

    ``difference`` is the Frobenius norm of the matrices' difference. With one number, ``gap`` is the one-sided gap
    ``lambda_k(M) - lambda_{k+1}(N) > 0`` and the bound is ``sqrt(2) difference / gap`` (MWKTV-L8.2, repaired). With
    two, they are the gaps after place ``k`` of the one matrix and of the other, and the bound is
    ``2 difference / (gap + other_gap)`` (MWKTV-L8.2S). Raises ``ValueError`` for bad input.

    >>> sin_theta(0.1, gap=1.0, other_gap=1.0)
    0.1
    >>> round(sin_theta(0.1, gap=1.0), 6)
    0.141421
    """
    checks.non_negative(difference, "difference")
    if other_gap is None:
        return float(one_sided.bound(difference, checks.positive(gap, "gap")))
    total = checks.non_negative(gap, "gap") + checks.non_negative(other_gap, "other_gap")
    checks.positive(total, "gap + other_gap")
    return float(two_sided.bound(difference, gap, other_gap))
