"""The smallest noise that meets a privacy claim."""

from __future__ import annotations

import math

from dpspectra.fast.gaussian_profile import mu_for
from dpspectra.ground import checks

__all__ = ["gaussian", "laplace"]


def gaussian(epsilon: float, delta: float, sensitivity: float) -> float:
    """Return the smallest standard deviation of Gaussian noise that is ``(epsilon, delta)``-DP, exactly (HR-T2.6R).

    Parameters
    ----------
    epsilon
        Privacy loss in nats, above 0, of any size.
    delta
        Probability that approximate privacy allows, between 0 and 1.
    sensitivity
        The l2 sensitivity under the neighbour relation meant.

    Returns
    -------
    float
        The standard deviation on each coordinate, in the units of ``sensitivity``.

    Raises
    ------
    ValueError
        For a number out of its range, and for noise beyond that of float64.

    Examples
    --------
    >>> round(gaussian(1.0, 1e-5, sensitivity=1.0), 9)
    3.730631635

    """
    mu = mu_for(checks.positive(epsilon, "epsilon"), checks.probability(delta, "delta"))
    return _held(checks.non_negative(sensitivity, "sensitivity") / mu)


def laplace(epsilon: float, sensitivity: float) -> float:
    """Return the smallest scale ``b`` of Laplace noise that is ``epsilon``-DP (JXZ-T1).

    Parameters
    ----------
    epsilon
        Privacy loss in nats, above 0.
    sensitivity
        The l1 sensitivity under the neighbour relation meant.

    Returns
    -------
    float
        ``b`` of the density ``exp(-|x|/b) / 2b``, in the units of ``sensitivity``. The standard deviation of the noise
        is ``sqrt(2) b``.

    Raises
    ------
    ValueError
        For a number out of its range, and for noise beyond that of float64.

    Examples
    --------
    >>> laplace(0.5, sensitivity=2.0)
    4.0

    """
    return _held(checks.non_negative(sensitivity, "sensitivity") / checks.positive(epsilon, "epsilon"))


def _held(scale: float) -> float:
    """Return a scale; ``ValueError`` for one that is beyond every number of float64."""
    if math.isinf(scale):
        raise ValueError("the noise must be below 1.8e308, got more: ask for a larger epsilon or a smaller sensitivity")
    return scale
