"""Steps of proofs that bound a function on an interval piece by piece, repeated here."""

import math

import numpy as np
import pytest
from scipy.special import erfcx


def largest_relative_delta(epsilon):
    """Bound on ``delta_G(epsilon, epsilon / s) / delta`` over ``s = sqrt(2 log(1.25 / delta))``, for all ``delta < 1``.

    The proof of JXZ-T2 in ``proofs_notes/privacy.md``: pieces of length 2^-12 up to 4, then one inequality.
    """

    def mills(x):
        """``Phi(-x) / phi(x)``."""
        return math.sqrt(math.pi / 2) * erfcx(x / math.sqrt(2))

    scale = 1.25 * math.sqrt(2 * math.pi)
    start = math.sqrt(2 * math.log(1.25))
    ends = start + np.arange(math.ceil((4 - start) * 2**12) + 1) / 2**12
    low, high = ends[:-1], ends[1:]
    assert high[-1] >= 4
    below, above = ends - epsilon / (2 * ends), ends + epsilon / (2 * ends)  # increasing, and convex
    factor = np.exp(epsilon / 2 - epsilon**2 / (8 * high**2)) / scale
    pieces = factor * (mills(below[:-1]) - mills(np.maximum(above[:-1], above[1:])))
    beyond = math.exp(epsilon / 2) / scale * (epsilon / 4) / (1 + (4 - epsilon / 8) ** 2)
    assert np.all(np.diff(below) > 0)
    assert low[0] == start
    return max(float(np.max(pieces)), beyond)


def test_the_classical_gaussian_noise_is_private_up_to_fifteen_quarters():
    assert largest_relative_delta(15 / 4) == pytest.approx(0.9968, abs=1e-4)
    assert largest_relative_delta(3.8) > 1  # the smallest root is 3.78686
