"""Noise for vectors, in float64."""

import numpy as np
from numpy.typing import NDArray


def l2_gamma(d: int, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw from the density proportional to ``exp(-|z| / scale)`` (DPS-L2GAMMA): a direction and a Gamma length."""
    g = rng.standard_normal(d)
    return g * (scale * rng.gamma(d) / np.linalg.norm(g))


def gaussian(d: int, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw normal numbers of standard deviation ``scale``."""
    return rng.normal(scale=scale, size=d)


def laplace(d: int, scale: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw independent Laplace numbers of mean absolute value ``scale``."""
    return rng.laplace(scale=scale, size=d)
