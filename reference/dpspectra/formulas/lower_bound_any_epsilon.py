"""Error that no private mechanism avoids, for every epsilon, with the separation of the packing left free."""

from typing import Any

from dpspectra.fast import lower_bound_radii


def bound(spectrum: Any, epsilon: float, field: str = "complex") -> float:
    """A squared Frobenius error that a mechanism exceeds with probability 1/2 or more on some matrix of the orbit.

    ``spectrum`` is descending and non-negative. The mechanism is ``epsilon``-DP if one row is replaced, added or
    removed, and sees the rows through ``M = X'X`` only; without this premise the bound is false. Every ``epsilon`` is
    allowed.
    """
    return lower_bound_radii.best(spectrum, epsilon, field)[0]
