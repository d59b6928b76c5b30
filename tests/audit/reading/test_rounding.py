"""Rounding to a grid keeps what the grid holds, and tames what is not finite."""

import math

import numpy as np

from dpspectra.audit.reading.labels import NOTHING, label, named, readable
from dpspectra.audit.reading.rounding import LARGEST_NUMBER, grid_of, snapped, steps_of, tamed, within


def test_rounding_keeps_what_the_grid_holds():
    stack = np.array([[1.0, 1e9], [1.0 + 2.0**-40, -1e9], [3.0, 0.0]])
    grid = grid_of(stack, 30)
    assert grid.tolist() == [2.0**-29, 2.0 ** (30 - 30)]
    near = snapped(stack, grid)
    assert near[0, 0] == near[1, 0] == 1.0
    assert not np.signbit(snapped(np.array([-1e-12]), np.array(2.0**-29))).any()
    huge = np.array([1e300, 0.75])
    assert snapped(huge, np.array(0.5)).tolist() == [1e300, 1.0]
    assert snapped(np.array([0.6 + 0.6j]), np.array(1.0)).tolist() == [1 + 1j]
    assert snapped(stack, None) is stack


def test_the_step_follows_the_spread_of_numbers_and_never_passes_one_for_whole_ones():
    rng = np.random.default_rng(0)
    noise = rng.laplace(size=256)
    columns = np.stack(
        [
            noise,
            1e6 + noise,
            1e12 + noise,
            np.where(rng.random(256) < 0.5, 0.0, 1e6 + noise),
            rng.integers(2**50, size=256).astype(float),
            np.full(256, 2.0**31 + 1),
            1e20 * noise,
            1.0 + 2.0**-50 * rng.integers(-3, 3, 256),
            np.where(np.arange(256) < 250, np.nan, 1e6 + noise),
        ],
        axis=1,
    )
    powers = np.log2(steps_of([columns], 30)).tolist()
    assert powers == [-30, 20 - 44, 40 - 44, 20 - 44, 0, 32 - 44, 67 - 30, -44, 20 - 44]
    near = snapped(columns, steps_of([columns], 30))
    assert len(np.unique(near[:, 7])) == 1  # the rounding of a sum
    np.testing.assert_array_equal(near[:, 4], columns[:, 4])
    assert steps_of([np.array([[5.0]])], 30).tolist() == [2.0 ** (3 - 44)]
    wide = steps_of([1e-17 * columns[:, :1], columns[:, :1]], 30)
    assert wide.tolist() == [2.0**-30]


def test_what_is_not_finite_becomes_a_label_and_a_moderate_number():
    stack = np.array([[1.0, 2.0], [math.nan, 2.0], [math.inf, -math.inf], [1e200, -1e200]])
    tame, pattern = tamed(stack)
    clipped = [LARGEST_NUMBER, -LARGEST_NUMBER]
    assert tame.tolist() == [[1.0, 2.0], [0.0, 2.0], clipped, clipped]
    assert pattern[0] == pattern[3] == NOTHING
    assert len(set(pattern.tolist())) == 3
    assert readable[int(pattern[2])] == "inf -inf"
    assert named("x") == label(b"x", "anything")


def test_a_number_at_the_limit_is_within_it():
    assert within(np.array([-1.0, 1.0]), 1.0)
    assert not within(np.array([-1.5, 1.0]), 1.0)
