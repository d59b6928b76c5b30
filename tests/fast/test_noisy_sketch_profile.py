"""A change far below the noise: the threshold exceeds all floats, and nothing is lost."""

import pytest

from dpspectra.fast.noisy_sketch_profile import hidden_profile


@pytest.mark.parametrize("moves", [(1.3e-322, 0.0), (1.3e-322, -1.3e-322), (5e-324, -0.01)])
def test_a_change_below_all_thresholds_has_no_loss(moves):
    assert hidden_profile(0.078125, 3, moves) == (0.0, 0.0)
