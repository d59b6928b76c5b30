"""Rows within the unit ball whose second moments have a falling spectrum."""

import numpy as np
from scipy import stats

from tests.support.helpers import ALARM

ROWS = np.random.default_rng(0).standard_normal((400, 6)) * np.array([4.0, 3.0, 2.0, 1.0, 0.5, 0.25])
X = ROWS / np.linalg.norm(ROWS, axis=1).max()
M = X.T @ X
PHASES = np.exp(2j * np.pi * np.random.default_rng(1).random(6))
COMPLEX_M = PHASES[:, None] * M * PHASES.conj()
SMALL = np.array([[0.5, 0.5, 0.1, 0.0], [1.0, 0.0, 0.0, 0.0], [0.6, -0.6, 0.2, 0.1], [0.3, 0.1, 0.9, 0.2]] * 10)
GRAM = SMALL.T @ SMALL
TOP_OF_GRAM = np.linalg.eigvalsh(GRAM)[::-1]


def broken(failures, trials):
    """Whether a promise of probability 0.95 was broken more often than chance explains."""
    return stats.binomtest(failures, trials, 0.05, alternative="greater").pvalue <= ALARM


def spectrum(kind, d, k, n=1000.0):
    values = {
        "spiked": np.r_[np.full(k, 0.6 / k), np.zeros(d - k)] + 0.4 / d,
        "slow": 1 / np.arange(1, d + 1),
        "flat": np.linspace(1.5, 1, d),
    }[kind]
    return n * values / np.sum(values)
