"""Error that no private mechanism avoids, with explicit constants from two groups of eigenvalues."""

from typing import Any

import numpy as np

from dpspectra.fast.lower_bound_radii import places
from dpspectra.fast.packing import ball_constant


def radius(i: Any, m: Any, epsilon: float) -> Any:
    """Distance ``omega`` on the orbit within which paths are short enough; 0 if ``epsilon`` is too large."""
    rank, steps = 2 * np.minimum(i, m), i * m * np.log(3.0) / epsilon
    return np.where(steps > rank, np.sqrt(np.maximum(steps - rank, (steps - 2) ** 2 / rank)), 0.0)


def share(i: Any, m: Any, field: str = "complex") -> Any:
    """Quotient of ``rho^2`` and ``g^2`` times the squared radius, by a packing or by a uniform law."""
    n = i * m
    if field == "real":
        return np.maximum(1 / 64, n / (18 * (n + 2)) * (2 / 9) ** (1 / n))
    return np.maximum(1 / 16, n / (6 * (n + 1)) * 2 ** (-1 / n))


def reach(spectrum: Any, i: Any, m: Any, epsilon: float, field: str = "complex") -> Any:
    """Squared gap ``g^2`` times the squared radius, as far as volumes count, of a ball that short paths reach."""
    spectrum = np.asarray(spectrum, dtype=float)
    spread, gap = spectrum[0] - spectrum[-1], np.maximum(spectrum[i - 1] - spectrum[-m], 0.0)
    square = (radius(i, m, epsilon) / (spread or 1.0)) ** 2
    far = 0.0 if field == "real" else ball_constant(i, m) ** 2 * np.minimum(square, 2.0 * np.minimum(i, m))
    return gap**2 * np.maximum(np.minimum(square, 2.0), far)


def pair_bound(spectrum: Any, i: Any, m: Any, epsilon: float, field: str = "complex") -> Any:
    """Squared error ``rho^2`` from the first ``i`` and the last ``m`` values of a descending spectrum.

    Numbers or arrays. It is 0 where the argument gives nothing.
    """
    return share(i, m, field) * reach(spectrum, i, m, epsilon, field)


def bound(spectrum: Any, epsilon: float, field: str = "complex") -> float:
    """A squared Frobenius error that a mechanism exceeds with probability 1/2 or more on some matrix of the orbit.

    ``spectrum`` is descending and non-negative. The mechanism is ``epsilon``-DP if one row is replaced, added or
    removed, and sees the rows through ``M = X'X`` only; without this premise the bound is false.
    """
    return float(np.max(pair_bound(spectrum, *places(spectrum), epsilon, field), initial=0.0))
