"""Rejection keeps what is accepted first."""

import numpy as np
import pytest

from dpspectra.sampling import rejection
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


def test_the_first_batch_of_proposals_expects_them_to_be_accepted():
    asked = []

    def propose(count):
        asked.append(count)
        return np.zeros((count, 1)), np.arange(count) % 2 == 0

    assert len(rejection.accepted(propose, 1000, 1)) == 1000
    assert asked[0] == 1050
    assert asked[1] == pytest.approx(1.05 * (1000 - 525) * 2, rel=0.02)
    assert len(asked) == 2
    assert rejection.accepted(propose, 0, 1).shape == (0, 1)
