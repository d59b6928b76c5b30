"""Noise of Gamma-distributed length: floats decide as balls do, both follow the definition, the law is exact."""

import math

import numpy as np
import pytest
from scipy import stats

from dpspectra.certified import ball_noise, noise_on_grid
from dpspectra.certified import l2_gamma as certified
from dpspectra.certified.grid import Steps
from dpspectra.fast import vector_noise
from tests.support.helpers import entropy

RARE = 1e-6
"""False alarms of each test of a law."""


def in_balls(steps, ratio, source):
    """A release with all numbers left to balls."""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noise_on_grid, "SLACK", math.inf)
        return certified.l2_gamma(steps, ratio, source)


def by_definition(d, source):
    """A length times a direction, from the words that the source gives."""
    words = source.words(d + d % 2)
    with ball_noise.precision(160):
        g = np.array([float(ball_noise.normal(words, i, 64)) for i in range(d)])
        words = source.words(d)
        length = math.fsum(float(ball_noise.exponential(words, i, 64)) for i in range(d))
    return length * g / np.linalg.norm(g)


@pytest.mark.parametrize("d", [1, 2, 3, 40])
def test_floats_decide_as_balls_do_and_both_follow_the_definition(d):
    steps = Steps(np.arange(d, dtype=np.int64), np.arange(d, dtype=np.int64) % 8, 3)
    for i in range(6):
        for ratio in (0.3, 2.0**23.5, 2.0**38, 2.0**44, 2.0**49):
            fast = certified.l2_gamma(steps, ratio, entropy(i))
            assert (fast == in_balls(steps, ratio, entropy(i))).all()
        exact = np.arange(d) + np.arange(d) % 8 / 8 + 2.0**36 * by_definition(d, entropy(i))
        assert np.max(np.abs(certified.l2_gamma(steps, 2.0**36, entropy(i)) - exact)) < 2.0**36 * 1e-9


@pytest.mark.parametrize("arithmetic", ["ideal", "certified"])
@pytest.mark.parametrize("d", [1, 3])
def test_law_of_the_noise(d, arithmetic):
    """Length and first coordinate of the direction, against their exact laws, at `RARE`."""
    size, rng = 3000, np.random.default_rng(d)
    if arithmetic == "ideal":
        z = np.array([vector_noise.l2_gamma(d, 2.0, rng) for _ in range(size)]) / 2
    else:
        steps, source = Steps.of(np.zeros(d, dtype=np.int64), 0), entropy(d)
        z = np.array([certified.l2_gamma(steps, 2.0**30, source) for _ in range(size)]) / 2.0**30
    lengths = np.linalg.norm(z, axis=1)
    assert stats.kstest(lengths, stats.gamma(d).cdf).pvalue > RARE
    if d == 3:  # a coordinate of a direction in space is uniform
        assert stats.kstest(z[:, 0] / lengths, stats.uniform(-1, 2).cdf).pvalue > RARE
    else:
        assert stats.binomtest(int(np.sum(z > 0)), size).pvalue > RARE
