"""Differentially private spectral methods, statement by statement.

The ledger (`dpspectra.ledger`) holds every statement with its verdict; mechanisms return a value with a claim; the
auditor (`dpspectra.audit`) judges other people's code. Names are imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpspectra import (
        angles,
        audit,
        bounds,
        calibrate,
        ledger,
        mechanisms,
        postprocessing,
        profile,
        sampling,
        strategies,
    )
    from dpspectra.accounting.budget import Budget, BudgetError
    from dpspectra.accounting.composition import compose
    from dpspectra.advice import advise
    from dpspectra.certified.entropy import Entropy
    from dpspectra.matrices.rows import clipped_rows, unit_rows
    from dpspectra.mechanisms import (
        Claim,
        Guarantee,
        LargeEntryError,
        PowerState,
        Release,
        ReusedSeedWarning,
        StreamingPowerMethod,
        gaussian_covariance,
        knorm_covariance,
        laplace_covariance,
        noisy_power_method,
        private_low_rank,
        private_mean,
        private_orbit,
        private_pca,
        private_power_method,
        private_projection,
        private_range_finder,
        private_spectrum,
        project_find_prune,
        randomized_range_finder,
        randomized_response_low_rank,
        row_counting_direction,
        streaming_power_method,
        sufficient_iterations,
        symmetric_wishart_covariance,
        wishart_covariance,
    )

__version__ = "0.1.0"

__all__ = [
    "Budget",
    "BudgetError",
    "Claim",
    "Entropy",
    "Guarantee",
    "LargeEntryError",
    "PowerState",
    "Release",
    "ReusedSeedWarning",
    "StreamingPowerMethod",
    "__version__",
    "advise",
    "angles",
    "audit",
    "bounds",
    "calibrate",
    "clipped_rows",
    "compose",
    "gaussian_covariance",
    "knorm_covariance",
    "laplace_covariance",
    "ledger",
    "mechanisms",
    "noisy_power_method",
    "postprocessing",
    "private_low_rank",
    "private_mean",
    "private_orbit",
    "private_pca",
    "private_power_method",
    "private_projection",
    "private_range_finder",
    "private_spectrum",
    "profile",
    "project_find_prune",
    "randomized_range_finder",
    "randomized_response_low_rank",
    "row_counting_direction",
    "sampling",
    "strategies",
    "streaming_power_method",
    "sufficient_iterations",
    "symmetric_wishart_covariance",
    "unit_rows",
    "wishart_covariance",
]

if not TYPE_CHECKING:  # type checkers see the names above and no others
    _ROOMS = {
        *("angles", "audit", "bounds", "calibrate", "ledger"),
        *("mechanisms", "postprocessing", "profile", "sampling", "strategies"),
    }

    _ELSEWHERE = {
        "Budget": "dpspectra.accounting.budget",
        "BudgetError": "dpspectra.accounting.budget",
        "Entropy": "dpspectra.certified.entropy",
        "advise": "dpspectra.advice",
        "compose": "dpspectra.accounting.composition",
        "clipped_rows": "dpspectra.matrices.rows",
        "unit_rows": "dpspectra.matrices.rows",
    }

    def __getattr__(name: str) -> Any:
        if name in _ROOMS:
            return importlib.import_module(f"dpspectra.{name}")
        if name in _ELSEWHERE:
            return getattr(importlib.import_module(_ELSEWHERE[name]), name)
        if name in __all__:
            return getattr(importlib.import_module("dpspectra.mechanisms"), name)
        raise AttributeError(f"module 'dpspectra' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)
