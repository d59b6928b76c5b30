"""Random unit vectors, and how many draws most frequencies of the chapter are counted over."""

from typing import Any

import numpy as np

TRIALS = 4000
"""Number of vectors or matrices drawn for a frequency."""


def directions(m: int, seed: int) -> Any:
    """Uniform unit vectors of ``m`` dimensions as rows."""
    g = np.random.default_rng(seed).standard_normal((TRIALS, m))
    return g / np.linalg.norm(g, axis=1, keepdims=True)
