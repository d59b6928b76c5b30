"""Exact tail of the spectral norm of symmetric 1 x 1 or 2 x 2 noise with independent Laplace or Gaussian entries.

Entries on and above the diagonal have scale 1. For 2 x 2 the norm is ``|u| + r``, ``r^2 = v^2 + z^2``: ``u`` and ``v``
are half the sum and half the difference of the diagonal, ``z`` is the entry off it. One integral is numerical.
Oracle faces of ``lemmas.concentration`` compare tail bounds with it. It has no twin in `dpspectra.fast`, where the
noise is drawn instead.
"""

from typing import Any

from mpmath import mp


def laplace_norm_tail(s: Any, d: int) -> Any:
    """Probability that Laplace noise has norm above ``s >= 0``, ``d <= 2``.

    ``(u, v)`` has the density ``exp(-2 max(|u|, |v|)) / 2``. Given both, the norm is at most ``s`` with probability
    ``1 - exp(-w cos t)``, where ``w = s - |u|`` and ``|v| = w sin t``. The integral over ``w`` is in closed form on
    either side of ``|u| = |v|``; the integral over ``t`` is numerical.
    """
    s = mp.mpf(s)
    if d == 1:
        return mp.exp(-s)

    def moment(rate: Any, end: Any) -> Any:  # of w exp(rate w) from 0 to end
        return end**2 / 2 * mp.hyp1f1(2, 3, rate * end)

    def given(t: Any) -> Any:
        cosine, fall, equal = mp.cos(t), -2 * mp.sin(t), s / (1 + mp.sin(t))
        trace = mp.exp(-2 * s) * (moment(2, equal) - moment(2 - cosine, equal))
        difference = [moment(rate, s) - moment(rate, equal) for rate in (fall, fall - cosine)]
        return 2 * cosine * (trace + difference[0] - difference[1])

    return 1 - mp.quad(given, [0, mp.pi / 4, mp.pi / 2], method="gauss-legendre")


def gaussian_norm_tail(s: Any, d: int) -> Any:
    """Probability that standard Gaussian noise has norm above ``s >= 0``, ``d <= 2``.

    ``v`` and ``z`` have variances 1/2 and 1, so ``r`` has the density ``sqrt(2) r exp(-3 r^2 / 4) I_0(r^2 / 4)``.
    """
    s = mp.mpf(s)
    if d == 1:
        return mp.erfc(s / mp.sqrt(2))

    def density(r: Any) -> Any:
        return mp.sqrt(2) * r * mp.exp(-3 * r * r / 4) * mp.besseli(0, r * r / 4)

    inside = mp.quad(lambda r: density(r) * mp.erf(s - r), [0, s / 2, s], method="gauss-legendre")
    return 1 - inside
