"""The smallest noise that meets a privacy claim."""

from __future__ import annotations

from dpspectra.fast.gaussian import mu_for
from dpspectra.ground import checks

__all__ = ["gaussian", "laplace"]


def gaussian(epsilon: float, delta: float, sensitivity: float) -> float:
    """Smallest standard deviation of Gaussian noise that is ``(epsilon, delta)``-DP, exactly calibrated (HR-T2.6R).

    ``sensitivity`` is the l2 sensitivity under the neighbour relation meant; ``epsilon > 0`` in nats, of any size;
    ``0 < delta < 1``. Raises ``ValueError`` for bad input.

    >>> round(gaussian(1.0, 1e-5, sensitivity=1.0), 9)
    3.730631635
    """
    mu = mu_for(checks.positive(epsilon, "epsilon"), checks.probability(delta, "delta"))
    return checks.non_negative(sensitivity, "sensitivity") / mu


def laplace(epsilon: float, sensitivity: float) -> float:
    """Smallest scale ``b`` of Laplace noise (density ``exp(-|x|/b) / 2b``) that is ``epsilon``-DP (JXZ-T1).

    ``sensitivity`` is the l1 sensitivity under the neighbour relation meant; ``epsilon > 0`` in nats. The standard
    deviation of the noise is ``sqrt(2) b``. Raises ``ValueError`` for bad input.

    >>> laplace(0.5, sensitivity=2.0)
    4.0
    """
    return checks.non_negative(sensitivity, "sensitivity") / checks.positive(epsilon, "epsilon")
