"""Privacy of the exponential law on an orbit, by the spread of its spectrum."""

from typing import Any

CHANGES = {"replace": 2, "add_remove": 1}
"""Largest ``a + b``, the nuclear norm of ``M' - M``, for rows in the unit ball."""


def loss_bound(spectrum: Any, kappa: Any, relation: str) -> Any:
    """Smallest ``epsilon`` for which the mechanism is ``epsilon``-DP, at inverse temperature ``kappa``."""
    return CHANGES[relation] * kappa * (spectrum[0] - spectrum[-1])


def inverse_temperature(spectrum: Any, epsilon: Any, relation: str) -> Any:
    """Largest ``kappa`` that is ``epsilon``-DP on the orbit of a descending ``spectrum`` that is not constant."""
    return epsilon / loss_bound(spectrum, 1, relation)
