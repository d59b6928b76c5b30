"""Moments of K-norm noise on symmetric matrices: density proportional to ``exp(-max(tr Z_+, tr Z_-))``."""

import math

MEAN_SQUARES = (
    2.0, 15.571428571428571, 56.0, 133.7867200848406, 258.7404583610716, 440.8297562802603, 689.5432203772782,
    1014.970940768344, 1426.667626206081, 1934.720901073379,
)  # fmt: skip
"""Means of the squared Frobenius norm in the dimensions from 1, by integrals over the eigenvalues."""

TRACE_VARIANCES = (
    2.0, 4.571428571428571, 5.80952380952381, 6.59152772049726, 6.996464600706686, 7.271656538926226,
    7.439331496671605, 7.561829977433299, 7.645047501065033, 7.709142669444013,
)  # fmt: skip
"""Variances of the trace in the dimensions from 1."""


def moments(d: int) -> tuple[float, float]:
    """Mean of the squared Frobenius norm, and variance of the trace, in dimension ``d``.

    Beyond the tables the variance off the diagonal is taken as ``pi^2 (d + 1) / 6``, which is within 1 %, and that of
    the trace is a fit.
    """
    if d <= len(MEAN_SQUARES):
        return MEAN_SQUARES[d - 1], TRACE_VARIANCES[d - 1]
    trace = 8 - 29 / d**2
    return math.pi**2 / 6 * (d + 1) * (d + 2) * (d - 1) + trace / d, trace


def off_diagonal_variance(d: int) -> float:
    """Variance of an entry off the diagonal, ``d`` at least 2.

    The traceless part is isotropic in ``(d + 2)(d - 1) / 2`` dimensions, in which such an entry has weight 2.
    """
    square, trace = moments(d)
    return (square - trace / d) / ((d + 2) * (d - 1))
