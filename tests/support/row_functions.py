"""Functions of rows of patterns by the oracle's divided differences."""

import functools
import itertools

import flint
from mpmath import mp

from dpspectra.oracle import divided_differences

CLOSE = 2.0**-120
"""Relative radius of what is found with 160 bits."""
DIGITS = 400
"""Digits of the oracle: integrals between points far from 0 are differences of numbers near 1."""


def exact(x):
    """An mpmath number of 50 digits as a ball."""
    return flint.arb(mp.nstr(x, 50)) * (1 + flint.arb(0, 1e-48))


def differences(nodes, t, order):
    """Derivatives of the functions of the oracle, one after the other; of the integrals where ``order`` is -1."""
    with mp.workdps(DIGITS):
        before = [] if order >= 0 else [0.0]
        of = functools.partial(divided_differences.derivative, max(order, 0), t)
        return [divided_differences.divided_difference(of, [*before, *nodes[:i]]) for i in range(1, len(nodes) + 1)]


POINTS = [flint.arb(x) for x in (2.0**-4, 0.5, 1.0, 3.0)]


BELOW = {
    "one node": [-3.0],
    "two": [-8.0, -7.5],
    "ties": [-9.0, -9.0, -9.0, -2.0],
    "ties at 0": [-5.0, -4.5, 0.0, 0.0],
    "nearly 0": [-70.0, -69.0, -(2.0**-40)],
}
"""Nodes that are not positive."""


def integral_between(nodes, low, high):
    """Integrals of the functions by the oracle."""
    ends = [differences(nodes, float(t), -1) for t in (low, high)]
    with mp.workdps(DIGITS):
        return [b - a for a, b in zip(*ends, strict=True)]


def check_enclosed(row, nodes, scales=None):
    """Compare functions and integrals between points with the oracle, each with the factor of its function."""
    scales, values = scales or [1] * len(nodes), [row.integrals(t) for t in POINTS]
    for t in POINTS:
        for x, true, s in zip(row.derivatives(t), differences(nodes, float(t), 0), scales, strict=True):
            assert (x / s).overlaps(exact(true))
    for (low, at_low), (high, at_high) in itertools.pairwise(zip(POINTS, values, strict=True)):
        for x, y, true, s in zip(at_low, at_high, integral_between(nodes, low, high), scales, strict=True):
            assert ((y - x) / s).overlaps(exact(true))
