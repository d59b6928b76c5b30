"""The ball chart in floats: how often it accepts."""

import numpy as np
import pytest

from dpspectra.sampling import ball_chart


@pytest.mark.parametrize("rates", [[3.0, 4.0], [0.5, 0.5], [2.0, 1.9], [0.01, 5.0, 0.3]])
def test_the_bound_on_a_columns_acceptance_is_the_smallest_that_markov_gives(rates):
    r, t = np.array(rates), np.linspace(0, len(rates), 200_001)
    values = t - np.sum(np.log1p(t[:, None] / r), axis=1)
    assert ball_chart._column_bound(r) == pytest.approx(np.min(values), abs=1e-8)
