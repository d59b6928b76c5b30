"""Exact privacy profiles: the smallest delta at each epsilon."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpspectra.fast import checks
from dpspectra.fast import gaussian as kernel

__all__ = ["gaussian"]


def gaussian(epsilon: ArrayLike, sensitivity: float, sigma: float) -> Any:
    """Smallest ``delta`` for which Gaussian noise is ``(epsilon, delta)``-DP (HR-T2.6R).

    ``sensitivity`` is the l2 sensitivity of what is released under the neighbour relation meant, ``sigma`` the standard
    deviation of the noise on each coordinate, in the same units; ``epsilon`` is in nats, a number or an array. The
    value is exact for every ``epsilon >= 0``, in any dimension, up to rounding. Raises ``ValueError`` for bad input.

    >>> f"{gaussian(1.0, sensitivity=1.0, sigma=3.73063163482):.3e}"
    '1.000e-05'
    >>> gaussian([0.0, 1.0], sensitivity=0.0, sigma=1.0).tolist()
    [0.0, 0.0]
    """
    values = np.asarray(epsilon, dtype=float)
    if not np.all((values >= 0) & np.isfinite(values)):
        raise ValueError(f"epsilon must be non-negative and finite, got {epsilon!r}")
    mu = checks.non_negative(sensitivity, "sensitivity") / checks.positive(sigma, "sigma")
    return kernel.profile(values, mu)
