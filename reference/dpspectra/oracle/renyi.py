"""Renyi divergence of two laws on a finite set, and the bound on delta implied by a bound on it, both by definition.

The oracle twin of `dpspectra.fast.renyi`, used by ``lemmas.auditing.curve``. `profile` maximises
``(r - exp(e)) / r^alpha`` over the likelihood ratio ``r`` numerically; do not put the closed form here, which is what
the fast version computes and this one checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpmath import mp


def divergence(p: Sequence[Any], q: Sequence[Any], alpha: Any) -> Any:
    """Divergence ``log E_Q[(p/q)^alpha] / (alpha - 1)``, ``alpha > 1``; infinite if ``q`` lacks an outcome of ``p``."""
    if any(a > 0 and b == 0 for a, b in zip(p, q, strict=True)):
        return mp.inf
    mean = mp.fsum(b * (a / b) ** alpha for a, b in zip(p, q, strict=True) if b > 0)
    return mp.log(mean) / (alpha - 1)


def profile(e: Any, alpha: Any, epsilon: Any) -> Any:
    """Bound on ``delta`` at the privacy parameter ``e`` if the divergence of order ``alpha`` is at most ``epsilon``.

    It is ``exp((alpha - 1) epsilon) max_r (r - exp(e)) / r^alpha``, capped at 1; the maximum over likelihood ratios
    ``r`` is found by golden-section search in ``log(r / exp(e))``.
    """
    alpha = mp.mpf(alpha)

    def height(x: Any) -> Any:
        return (1 - mp.exp(-x)) * mp.exp(-(alpha - 1) * x)

    low, high, golden = mp.mpf(0), 2 / (alpha - 1) + 2, (mp.sqrt(5) - 1) / 2
    for _ in range(int(2.5 * mp.dps)):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (left, high) if height(left) < height(right) else (low, right)
    return min(mp.mpf(1), mp.exp((alpha - 1) * (epsilon - e)) * height((low + high) / 2))
