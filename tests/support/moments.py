"""Moments of the utility of draws, in standard deviations."""

from functools import cache

import numpy as np

from dpspectra.oracle.patterns import utility_moments

MANY, FEW = 30_000, 8_000
LIMIT = 4.0


@cache
def cumulants(values, spectrum, kappa):
    """Mean, variance and fourth cumulant of ``<M, H>``; the latter is the second derivative of the variance."""
    h = kappa / 1000
    (_, low), (mean, variance), (_, high) = (utility_moments(values, spectrum, kappa + i * h) for i in (-1, 0, 1))
    return float(mean), float(variance), float((high - 2 * variance + low) / h**2)


def deviations(x, mean, variance, fourth):
    """Mean and variance of ``x`` off their exact values, in standard errors."""
    n = len(x)
    spread = np.sqrt((fourth + 2 * variance**2) / n)
    return abs(np.mean(x) - mean) / np.sqrt(variance / n), abs(np.mean((x - mean) ** 2) - variance) / spread


def utility(h, values):
    return np.einsum("nii,i->n", h, np.asarray(values, dtype=float)).real
