"""The algorithms. Each returns a `Release`: a value, a claim as data, and details, all of them public.

A family is imported when one of its names is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpspectra.mechanisms.claims import Claim, Guarantee
    from dpspectra.mechanisms.covariance import gaussian_covariance, laplace_covariance
    from dpspectra.mechanisms.knorm import knorm_covariance
    from dpspectra.mechanisms.low_rank import private_low_rank
    from dpspectra.mechanisms.mean import private_mean
    from dpspectra.mechanisms.orbit import private_orbit
    from dpspectra.mechanisms.pca import private_pca
    from dpspectra.mechanisms.power import noisy_power_method, private_power_method, sufficient_iterations
    from dpspectra.mechanisms.power_plan import LargeEntryError, PowerState
    from dpspectra.mechanisms.range_finding import (
        private_projection,
        private_range_finder,
        project_find_prune,
        randomized_range_finder,
        randomized_response_low_rank,
    )
    from dpspectra.mechanisms.release import Release, ReusedSeedWarning
    from dpspectra.mechanisms.row_counting import row_counting_direction
    from dpspectra.mechanisms.spectrum import private_spectrum
    from dpspectra.mechanisms.streaming import StreamingPowerMethod, streaming_power_method
    from dpspectra.mechanisms.wishart import symmetric_wishart_covariance, wishart_covariance

__all__ = [
    "Claim",
    "Guarantee",
    "LargeEntryError",
    "PowerState",
    "Release",
    "ReusedSeedWarning",
    "StreamingPowerMethod",
    "gaussian_covariance",
    "knorm_covariance",
    "laplace_covariance",
    "noisy_power_method",
    "private_low_rank",
    "private_mean",
    "private_orbit",
    "private_pca",
    "private_power_method",
    "private_projection",
    "private_range_finder",
    "private_spectrum",
    "project_find_prune",
    "randomized_range_finder",
    "randomized_response_low_rank",
    "row_counting_direction",
    "streaming_power_method",
    "sufficient_iterations",
    "symmetric_wishart_covariance",
    "wishart_covariance",
]

if not TYPE_CHECKING:  # type checkers see the names above and no others
    _FAMILY = {
        "Claim": "claims",
        "Guarantee": "claims",
        "LargeEntryError": "power_plan",
        "PowerState": "power_plan",
        "Release": "release",
        "ReusedSeedWarning": "release",
        "StreamingPowerMethod": "streaming",
        "gaussian_covariance": "covariance",
        "knorm_covariance": "knorm",
        "laplace_covariance": "covariance",
        "noisy_power_method": "power",
        "private_low_rank": "low_rank",
        "private_orbit": "orbit",
        "private_pca": "pca",
        "private_power_method": "power",
        "private_projection": "range_finding",
        "private_range_finder": "range_finding",
        "private_mean": "mean",
        "private_spectrum": "spectrum",
        "project_find_prune": "range_finding",
        "randomized_range_finder": "range_finding",
        "randomized_response_low_rank": "range_finding",
        "row_counting_direction": "row_counting",
        "streaming_power_method": "streaming",
        "sufficient_iterations": "power",
        "symmetric_wishart_covariance": "wishart",
        "wishart_covariance": "wishart",
    }

    def __getattr__(name: str) -> Any:
        if name in _FAMILY:
            return getattr(importlib.import_module(f"{__name__}.{_FAMILY[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
