"""Laplace noise of the largest eigenvalues, and the radius within which all of them stay."""

from typing import Any

import numpy as np

from dpspectra.formulas.spectrum_sensitivity import SENSITIVITY

LARGEST = 1
"""Sensitivity of the largest eigenvalue alone, under both relations, for rows in the unit ball."""


def scale(k: int, epsilon: Any, relation: str) -> Any:
    """Scale of the Laplace noise on each of the ``k`` largest eigenvalues, for rows in the unit ball."""
    return (LARGEST if k == 1 else SENSITIVITY[relation]) / epsilon


def radius(k: int, epsilon: float, beta: float, relation: str) -> Any:
    """Number that the largest of ``k`` errors exceeds with probability ``beta`` (at most, once sorted and clipped)."""
    return -scale(k, epsilon, relation) * np.log(-np.expm1(np.log1p(-beta) / k))
