"""Rounds and admissible noise of the power method from a random start (HP-C1.1)."""

from typing import Any

import numpy as np

from dpspectra.formulas import power_flow, random_start


def start_tangent(radius: Any) -> Any:
    """Tangent ``sqrt(R^2 - 1)`` of the worst start that admits noise inside the target of ``gap / (5 R)``."""
    return np.sqrt((radius - 1) * (radius + 1))


def iterations(radius: float, epsilon: float, ratio: float) -> int:
    """Number of steps that suffice with probability at least 1 - `failure`; ``ratio = sigma_{k+1} / sigma_k < 1``."""
    return power_flow.iterations(float(start_tangent(radius)), epsilon, ratio)


def failure(radius: Any, k: int, p: int, d: int) -> Any:
    """Bound on the probability that the start is too far from the target."""
    return random_start.tail(start_tangent(radius), k, p, d)


def start_radius(failure: float, k: int, p: int, d: int) -> float:
    """Smallest ``R >= 1`` that the inverse cosine of the start exceeds with probability at most ``failure``."""
    return float(np.hypot(1.0, random_start.largest_tangent(failure, k, p, d)))


def tolerances(radius: float, epsilon: float, gap: float) -> tuple[float, float]:
    """Largest admissible norms of the noise and of its part in the target."""
    return epsilon * gap / power_flow.CONSTANT, gap / (power_flow.CONSTANT * radius)
