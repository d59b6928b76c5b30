"""Rejection keeps what is accepted first."""

import numpy as np

from dpspectra.sampling.rejection import BATCH, accepted


def test_what_is_kept_is_the_first_accepted_in_order():
    """Whatever the batches; mass that depends on batches would be a bias."""
    asked = []

    def propose(count):
        start = sum(asked)
        asked.append(count)
        numbers = np.arange(start, start + count)
        return numbers, numbers % 7 == 3

    kept = accepted(propose, 1000, 64, lambda numbers: 2 * numbers)
    assert np.array_equal(kept, 2 * (7 * np.arange(1000) + 3))
    assert max(asked) <= BATCH // 64
    assert accepted(propose, 0, 64).shape == (0,)
