"""Renyi divergence of two laws on a finite set, and the bound on delta implied by a bound on it, both by definition.

The oracle twin of `dpspectra.fast.renyi`, used by ``lemmas.auditing``. `profile` maximises
``(r - exp(e)) / r^alpha`` over the likelihood ratio ``r`` numerically; do not put the closed form here, which is what
the fast version computes and this one checks.
"""

from collections.abc import Sequence
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.quadrature import working


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


def largest_excess(e: Any, alpha: Any, epsilon: Any) -> Any:
    """Largest ``p - exp(e) q`` over coins ``p``, ``q`` whose divergence is at most ``epsilon`` in both orders.

    For each ratio ``p / q`` above ``exp(e)`` the largest such ``p`` is bisected; then golden section in the ratio.
    """
    e, alpha, epsilon = mp.mpf(e), mp.mpf(alpha), mp.mpf(epsilon)
    golden = (mp.sqrt(5) - 1) / 2

    def excess(log_ratio: Any) -> Any:
        with working():
            low = _largest_log(arb(log_ratio), arb(alpha), arb(epsilon))
            return mp.mpf(low.exp() * -(arb(e) - log_ratio).expm1())

    low, high = e, e + epsilon + 2 + 2 / (alpha - 1)
    left, right = high - golden * (high - low), low + golden * (high - low)
    values = [excess(left), excess(right)]
    for _ in range(5 * mp.dps // 2):
        if values[0] < values[1]:
            low, left, right = left, right, left + golden * (high - left)
            values = [values[1], excess(right)]
        else:
            high, left, right = right, right - golden * (right - low), left
            values = [excess(left), values[0]]
    return max(values)


def _largest_log(log_ratio: Any, alpha: Any, epsilon: Any) -> Any:
    """Bisect for the largest ``log p``, in balls."""
    low, high, most = arb(-64), arb(0), ((alpha - 1) * epsilon).exp()
    for _ in range(5 * mp.dps // 2):
        middle = ((low + high) / 2).mid()
        logs = [(x, (-x.exp()).log1p()) for x in (middle, middle - log_ratio)]  # of each coin's two outcomes
        means = (sum((b + alpha * (a - b)).exp() for a, b in zip(*pair, strict=True)) for pair in (logs, logs[::-1]))
        low, high = (middle, high) if all(mean <= most for mean in means) else (low, middle)
    return low


def bias(alpha: Any, epsilon: Any) -> Any:
    """Bias ``1 - 2 x`` of the coins ``(x, 1 - x)`` and ``(1 - x, x)`` with this divergence, by its definition."""
    low, high = mp.mpf(0), mp.mpf(1)
    for _ in range(4 * mp.dps):
        middle = (low + high) / 2
        one, other = ((1 - middle) / 2, (1 + middle) / 2), ((1 + middle) / 2, (1 - middle) / 2)
        low, high = (middle, high) if divergence(one, other, alpha) <= epsilon else (low, middle)
    return low
