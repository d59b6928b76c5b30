"""A sum and a number of rows: each spends the whole claim."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpspectra.audit.claims import PureDP

THREAD = "dp-recorder: double spending"
CLAIM = PureDP(1.0)
PAIR: tuple[Any, Any] = (np.zeros(100), np.append(np.zeros(100), 1.0))
EXPECTED = ("refuted", "explained")
LINE = "np.random.laplace(0.0, 1.0)"


def wrong(x: Any) -> Any:
    """All of it twice."""
    total = np.sum(x) + np.random.laplace(0.0, 1.0)  # noqa: NPY002
    return total, float(len(x)) + np.random.laplace(0.0, 1.0)  # noqa: NPY002


def right(x: Any) -> Any:
    """Half of it twice."""
    total = np.sum(x) + np.random.laplace(0.0, 2.0)  # noqa: NPY002
    return total, float(len(x)) + np.random.laplace(0.0, 2.0)  # noqa: NPY002
