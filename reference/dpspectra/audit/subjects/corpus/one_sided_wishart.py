"""A covariance with Wishart noise: the noise is positive, and so an output tells which rows it cannot have."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "diffprivlib 23, 42"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
EXPECTED = ("undecided", "explained")
LINE = None


def wrong(x: Any, rng: Any) -> Any:
    """Add a square of normal noise, which is never negative."""
    g = rng.normal(scale=0.8, size=(x.shape[1] + 1, x.shape[1]))
    return x.T @ x + g.T @ g


def right(x: Any, rng: Any) -> Any:
    """Laplace noise on each entry on and above the diagonal, which move by 2 together."""
    z = np.triu(x.T @ x + rng.laplace(scale=2.0, size=(x.shape[1], x.shape[1])))
    return z + np.triu(z, 1).T
