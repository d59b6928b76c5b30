"""Inverse of the Gaussian privacy profile."""

from __future__ import annotations

from typing import Any

from mpmath import mp

from dpspectra.oracle.gaussian import profile


def mu_for(epsilon: Any, delta: Any) -> Any:
    """Largest ``mu`` whose profile at ``epsilon`` is at most ``delta``: the profile increases from 0 to 1 in ``mu``."""
    low, high = mp.mpf(0), mp.mpf(1)
    while profile(epsilon, high) < delta:
        low, high = high, 2 * high
    while low == 0 or high > low * (1 + mp.mpf(2) ** -10):  # a root finder in logarithms needs a tight bracket
        middle = (low + high) / 2
        low, high = (middle, high) if profile(epsilon, middle) < delta else (low, middle)
    return mp.findroot(lambda mu: mp.log(profile(epsilon, mu) / delta), (low, high), solver="anderson", verify=False)
