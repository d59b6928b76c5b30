"""The ball chart in floats: the tilt at which it accepts most."""

import numpy as np
import pytest

from dpspectra.sampling import ball_chart


@pytest.mark.parametrize(
    "rates", [[3.0, 4.0], [0.5, 0.5], [2.0, 1.9], [0.01, 5.0, 0.3], [0.0, 2.0], [0.0, 0.0, 0.0], [0.0]]
)
def test_the_best_tilt_accepts_most(rates):
    """The logarithm of the acceptance is ``sum log(r + t) - t`` and a constant."""
    r, t = np.array(rates), np.linspace(0.01, len(rates) + 1, 200_001)
    best = ball_chart.best_tilt(r)
    values = np.sum(np.log(r + t[:, None]), axis=1) - t
    assert np.sum(np.log(r + max(best, 0.01))) - max(best, 0.01) >= np.max(values) - 1e-8
    assert best == 0 or abs(np.sum(1 / (r + best)) - 1) < 1e-9
