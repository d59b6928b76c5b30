"""Means of ratios of quadratic forms in standard normals: the names of `dpspectra.fast.quadratic_ratios`."""

import itertools
from collections.abc import Sequence
from typing import Any

from flint import arb
from mpmath import mp

from dpspectra.oracle.quadrature import integral, working


def mean_ratio(numerators: Sequence[Any], weights: Sequence[Any]) -> Any:
    """Mean of ``sum_j c_j g_j^2 / sum_j w_j g_j^2``: the mean of ``c_j g_j^2 exp(-t Q)``, integrated over ``t``.

    With the square of a tangent for ``2 t``, in units of the inverse of the largest weight, there is no root at
    infinity.
    """
    largest = max(weights)
    turns = [1, *sorted({mp.sqrt(largest / w) for w in weights})]
    for low, high in itertools.pairwise(list(turns)):
        turns += [low * 4**j for j in range(1, int(mp.log(high / low, 4)) + 1)]
    with working():
        pairs = [(arb(c), arb(w / largest)) for c, w in zip(numerators, weights, strict=True)]

        def integrand(angle: Any) -> Any:
            sine, cosine = angle.sin_cos()
            terms, product = arb(0), arb(1)
            for c, w in pairs:
                below = cosine**2 + w * sine**2
                terms, product = terms + c / below, product * below
            return terms * cosine ** (len(pairs) - 1) * sine / product.sqrt()

        ends = [0, *sorted({mp.atan(turn) for turn in turns}), mp.pi / 2]
        return mp.mpf(integral(integrand, ends)) / largest


def mean_left_over(ratio: Any, width: int, m: int) -> Any:
    """Mean of ``1 - l`` for the leverage of a row of ``ratio`` times the variance: Euler's integral over Beta."""
    a, b = mp.mpf(width) / 2, mp.mpf(m - width) / 2
    return b / (a + b) * mp.hyp2f1(1, a, a + b + 1, 1 - ratio)
