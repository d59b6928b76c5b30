"""Gauss-Legendre rules, each computed once and when it is first used."""

import functools

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_legendre


@functools.cache
def gauss_legendre(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes in ``(-1, 1)`` and weights, ``count`` of each; exact for polynomials of degree below ``2 count``.

    The arrays are shared by all callers and read-only.
    """
    nodes, weights = roots_legendre(count)
    nodes.flags.writeable = weights.flags.writeable = False
    return nodes, weights
