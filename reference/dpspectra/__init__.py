"""Differentially private spectral methods, statement by statement.

The ledger (`dpspectra.ledger`) holds every statement with its verdict; mechanisms return a value with a claim; the
auditor (`dpspectra.audit`) judges other people's code. Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_ROOMS = (
    "angles",
    "audit",
    "bounds",
    "calibrate",
    "ledger",
    "mechanisms",
    "profile",
    "sampling",
    "strategies",
)
_HOME = {
    "Claim": "mechanisms",
    "Guarantee": "mechanisms",
    "LargeEntryError": "mechanisms",
    "PowerState": "mechanisms",
    "Release": "mechanisms",
    "StreamingPowerMethod": "mechanisms",
    "gaussian_covariance": "mechanisms",
    "laplace_covariance": "mechanisms",
    "noisy_power_method": "mechanisms",
    "private_low_rank": "mechanisms",
    "private_orbit": "mechanisms",
    "private_pca": "mechanisms",
    "private_power_method": "mechanisms",
    "private_projection": "mechanisms",
    "private_range_finder": "mechanisms",
    "private_spectrum": "mechanisms",
    "project_find_prune": "mechanisms",
    "randomized_range_finder": "mechanisms",
    "randomized_response_low_rank": "mechanisms",
    "streaming_power_method": "mechanisms",
    "sufficient_iterations": "mechanisms",
    "symmetric_wishart_covariance": "mechanisms",
    "wishart_covariance": "mechanisms",
}

__all__ = ["__version__", *_ROOMS, *_HOME]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"dpspectra.{name}")
    if name in _HOME:
        return getattr(importlib.import_module(f"dpspectra.{_HOME[name]}"), name)
    raise AttributeError(f"module 'dpspectra' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
