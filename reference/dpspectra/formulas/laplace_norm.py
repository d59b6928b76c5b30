"""Spectral norm that symmetric Laplace noise exceeds rarely, at scale 1; it needs no special functions."""

from typing import Any

import numpy as np


def sub_gamma(level: Any, weight: Any) -> Any:
    """An ``s`` at which the smallest ``exp(-t s) (1 - t^2)^-weight`` over ``0 < t < 1`` is at most ``exp(-level)``."""
    return 2 * np.sqrt(weight * level) + level


def radius(eta: Any, d: Any) -> Any:
    """Norm that is exceeded with probability at most ``eta`` (JXZ-A1-U)."""
    return sub_gamma(np.log(2 * d / eta), d)
