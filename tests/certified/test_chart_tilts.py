"""Tilts of the certified chart: those of the float sampler, and the share that they accept."""

import numpy as np
import pytest

from dpspectra.certified import chart_tilts
from dpspectra.certified.ball_chart import BallChart
from dpspectra.sampling import ball_chart
from tests.support.helpers import entropy

RATES = [[3.0, 4.0], [0.5, 0.5], [1.9, 2.0], [0.01, 0.3, 5.0], [0.0, 2.0], [0.0, 0.0, 0.0], [0.0]]


@pytest.mark.parametrize("rates", RATES)
def test_tilts_are_those_of_the_float_sampler(rates):
    r = np.array(rates)
    assert chart_tilts.best_tilt(r) == pytest.approx(ball_chart.best_tilt(r), abs=len(r) * 2.0**-23)


@pytest.mark.parametrize(
    ("weights", "k"), [([6.0, 4.0, 1.0, 0.0], 2), ([2.0, 1.0, 1.0, 0.0, 0.0], 1), ([40.0, 0.0, 0.0], 1)]
)
def test_the_share_is_that_of_draws(weights, k):
    """Made of 64 draws; the share of 256 pilots is within a fifth, and a geometric mean of 64 within a half."""
    chart, source, asked = BallChart(np.array(weights), k), entropy(3), 0
    chart._count = 1

    class Counted:
        def words(self, count):
            nonlocal asked
            asked += 1
            return source.words(count)

    for _ in range(64):
        chart.draw(Counted())
    calls = 2 if chart.tilts.any() else 1
    assert chart.share() == pytest.approx(64 * calls / asked, rel=0.5)
