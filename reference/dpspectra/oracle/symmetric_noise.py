"""Exact tail of the spectral norm of symmetric 1 x 1 or 2 x 2 noise with independent Laplace or Gaussian entries.

Entries on and above the diagonal have scale 1. For 2 x 2 the norm is ``|u| + r``, ``r^2 = v^2 + z^2``: ``u`` and ``v``
are half the sum and half the difference of the diagonal, ``z`` is the entry off it. One integral is numerical.
Oracle faces of ``lemmas.concentration`` compare tail bounds with it. It has no twin in `dpspectra.fast`, where the
noise is drawn instead.
"""

from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.quadrature import integral, working


def laplace_norm_tail(s: Any, d: int) -> Any:
    """Probability that Laplace noise has norm above ``s >= 0``, ``d <= 2``.

    ``(u, v)`` has the density ``exp(-2 max(|u|, |v|)) / 2``. Given both, the norm is at most ``s`` with probability
    ``1 - exp(-w cos t)``, where ``w = s - |u|`` and ``|v| = w sin t``. The integral over ``w`` is in closed form on
    either side of ``|u| = |v|``; the integral over ``t`` is numerical.
    """
    s = mp.mpf(s)
    if d == 1:
        return mp.exp(-s)

    with working():
        last = arb(s)

        def moment(rate: Any, end: Any) -> Any:  # of w exp(rate w) from 0 to end
            return end**2 / 2 * (rate * end).hypgeom_1f1(arb(2), arb(3))

        def given(t: Any) -> Any:
            sine, cosine = t.sin_cos()
            fall, equal = -2 * sine, last / (1 + sine)
            trace = (-2 * last).exp() * (moment(arb(2), equal) - moment(2 - cosine, equal))
            difference = [moment(rate, last) - moment(rate, equal) for rate in (fall, fall - cosine)]
            return 2 * cosine * (trace + difference[0] - difference[1])

        return 1 - mp.mpf(integral(given, [0, mp.pi / 4, mp.pi / 2]))


def gaussian_norm_tail(s: Any, d: int) -> Any:
    """Probability that standard Gaussian noise has norm above ``s >= 0``, ``d <= 2``.

    ``v`` and ``z`` have variances 1/2 and 1, so ``r`` has the density ``sqrt(2) r exp(-3 r^2 / 4) I_0(r^2 / 4)``.
    """
    s = mp.mpf(s)
    if d == 1:
        return mp.erfc(s / mp.sqrt(2))

    with working():
        last, root = arb(s), arb(2).sqrt()

        def density(r: Any) -> Any:
            return root * r * (-3 * r * r / 4).exp() * (r * r / 4).bessel_i(arb(0))

        return 1 - mp.mpf(integral(lambda r: density(r) * (last - r).erf(), [0, s / 2, s]))
