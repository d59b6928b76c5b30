"""What tests of audits share: a pair of numbers, seeds, and what every refutation says of itself."""

import functools

import numpy as np

from dpspectra.audit import specimens

SEEDS = range(5)
NUMBERS = (0.0, 1.0)
ROWS = (np.zeros((1, 2)), np.array([[1.0, 0.0]]))
wishart = functools.partial(specimens.wishart_one_sided, epsilon=1.0)


def refuted(result):
    assert result.violated
    assert result.stopped == "refuted"
    assert result.bound > result.claim.value
    assert result.history[-1] == (result.draws, result.log_e_value)
    return True


def laplace_of_the_mean(X, *, size, rng):
    """First coordinates summed, with noise for rows in the unit ball that change by at most 1: they change by 2."""
    return X[:, 0].sum() + rng.laplace(size=size)
