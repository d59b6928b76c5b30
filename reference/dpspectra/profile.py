"""Privacy profiles of the Gaussian and the Wishart mechanism: the smallest delta at each epsilon.

Public functions (``dpspectra.profile``); the formulas are in `dpspectra.fast` and `dpspectra.formulas`, only input is
checked here. Keep what the docstrings promise: exact at every ``epsilon >= 0`` for the neighbours they name (a
bound for several releases), a number for a number and an array for an array, ``ValueError`` for bad input.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.fast import chi_square_profile
from dpspectra.fast import gaussian_profile as kernel
from dpspectra.formulas import wishart_renyi
from dpspectra.ground import checks

__all__ = ["gaussian", "wishart", "wishart_one_sided", "wishart_releases"]

MOST = 10**9
"""Largest number of releases."""


def gaussian(epsilon: ArrayLike, sensitivity: float, sigma: float) -> np.float64 | NDArray[np.float64]:
    """Return the smallest ``delta`` for which Gaussian noise is ``(epsilon, delta)``-DP (HR-T2.6R).

    Parameters
    ----------
    epsilon
        Privacy loss in nats, at least 0; a number or an array.
    sensitivity
        The l2 sensitivity of the released value, for the neighbour relation that you use.
    sigma
        Standard deviation of the noise on each coordinate, in the units of ``sensitivity``.

    Returns
    -------
    float or array
        Of the shape of ``epsilon``; exact in any dimension, up to rounding.

    Raises
    ------
    ValueError
        For a number out of its range.

    Examples
    --------
    >>> f"{gaussian(1.0, sensitivity=1.0, sigma=3.73063163482):.3e}"
    '1.000e-05'
    >>> gaussian([0.0, 1.0], sensitivity=0.0, sigma=1.0).tolist()
    [0.0, 0.0]

    """
    values = checks.non_negatives(epsilon, "epsilon")
    mu = checks.non_negative(sensitivity, "sensitivity") / checks.positive(sigma, "sigma")
    return kernel.profile(values, mu)


def wishart_one_sided(epsilon: ArrayLike, sensitivity: float, scale: float) -> np.float64 | NDArray[np.float64]:
    """Return the smallest ``delta`` for which ``X'X + W``, ``W ~ W_d(d + 1, scale I)``, is ``(epsilon, delta)``-DP.

    It is exact when one row is replaced or becomes zero, in any dimension: ``1 - exp(-sensitivity / (2 scale))``,
    whatever ``epsilon`` (JXZ-T4-X). The mechanism as printed for ``epsilon = b`` has ``scale = 3 sensitivity / (2 b)``.

    Parameters
    ----------
    epsilon
        Privacy loss in nats, at least 0; a number or an array.
    sensitivity
        Bound on the squared norm of a row.
    scale
        Scale of the Wishart matrix, in the units of ``sensitivity``.

    Returns
    -------
    float or array
        Of the shape of ``epsilon``.

    Raises
    ------
    ValueError
        For a number out of its range.

    Examples
    --------
    >>> round(float(wishart_one_sided(1e6, sensitivity=1.0, scale=1.5)), 12)
    0.283468689426

    """
    values = checks.non_negatives(epsilon, "epsilon")
    ratio = checks.non_negative(sensitivity, "sensitivity") / checks.positive(scale, "scale")
    return np.full(values.shape, -np.expm1(-ratio / 2))[()]


def wishart(
    epsilon: ArrayLike, degrees_of_freedom: float, d: int, sensitivity: float, scale: float
) -> np.float64 | NDArray[np.float64]:
    """Return the smallest ``delta`` for which ``X'X + W``, ``W ~ W_d(m, scale I)``, is ``(epsilon, delta)``-DP.

    It is exact when one row of squared norm at most ``sensitivity`` becomes zero, or a zero row becomes such a row
    (JXZ-T4-G).

    Parameters
    ----------
    epsilon
        Privacy loss in nats, at least 0; a number or an array.
    degrees_of_freedom
        ``m``, at least ``d + 1``; it need not be an integer.
    d
        Dimension.
    sensitivity
        Bound on the squared norm of a row.
    scale
        Scale of the Wishart matrix, in the units of ``sensitivity``.

    Returns
    -------
    float or array
        Of the shape of ``epsilon``.

    Raises
    ------
    ValueError
        For a number out of its range.

    Examples
    --------
    >>> f"{wishart(1.0, degrees_of_freedom=52, d=10, sensitivity=1.0, scale=1.0):.3e}"
    '9.621e-07'

    """
    values = checks.non_negatives(epsilon, "epsilon")
    return chi_square_profile.profile(values, *_of_row(degrees_of_freedom, d, sensitivity, scale))


def wishart_releases(
    epsilon: ArrayLike, degrees_of_freedom: float, d: int, sensitivity: float, scale: float, releases: int
) -> np.float64 | NDArray[np.float64]:
    """Return a ``delta`` for which several releases as of `wishart` are ``(epsilon, delta)``-DP together.

    Their noises are independent, and each may be of other sums of the same people, chosen by what was released before.
    The bound is that of AFTER-LEV, by the best of some orders of Renyi divergence, and far below what follows from one
    ``epsilon`` and ``delta`` of each release.

    Parameters
    ----------
    epsilon, degrees_of_freedom, d, sensitivity, scale
        As in `wishart`.
    releases
        Number of releases, at most ``10**9``.

    Returns
    -------
    float or array
        Of the shape of ``epsilon``.

    Raises
    ------
    ValueError
        For a number out of its range.

    Examples
    --------
    >>> f"{wishart_releases(2.25, degrees_of_freedom=71, d=10, sensitivity=1.0, scale=1.0, releases=16):.1e}"
    '4.2e-07'
    >>> f"{wishart(1.0, degrees_of_freedom=71, d=10, sensitivity=1.0, scale=1.0):.1e}"  # one of them
    '9.4e-09'

    """
    values = checks.non_negatives(epsilon, "epsilon")
    degrees, shift = _of_row(degrees_of_freedom, d, sensitivity, scale)
    return wishart_renyi.together(values, degrees, shift, checks.integer(releases, "releases", 1, MOST))[()]


def _of_row(degrees_of_freedom: float, d: int, sensitivity: float, scale: float) -> tuple[float, float]:
    """Return degrees of freedom and shift of the chi-square variable that tells of a row."""
    degrees = checks.positive(degrees_of_freedom, "degrees_of_freedom") - checks.integer(d, "d", 1) + 1
    if degrees < 2:
        raise ValueError(f"degrees_of_freedom must be at least d + 1 = {d + 1}, got {degrees_of_freedom!r}")
    return degrees, checks.non_negative(sensitivity, "sensitivity") / checks.positive(scale, "scale")
