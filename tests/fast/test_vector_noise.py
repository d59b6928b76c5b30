"""Noise on vectors under audit."""

import numpy as np

from dpspectra.audit import audit
from dpspectra.fast import vector_noise


def test_audits_are_silent_at_the_claim_and_loud_at_a_smaller_one():
    """Opposite rows in the plane; a false alarm has probability at most 1e-3."""
    pair, options = (np.array([[0.0, 1.0]]), np.array([[0.0, -1.0]])), {"seconds": 600, "independent": True, "rng": 0}

    def noisy(x, size, rng):
        return np.stack([x[0] + vector_noise.l2_gamma(2, 2.0, rng) for _ in range(size)])

    assert not audit(noisy, pair, 1.0, draws=8_000, **options).violated
    assert audit(noisy, pair, 1 / 1.3, draws=100_000, **options).violated
