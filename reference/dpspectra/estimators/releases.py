"""Releases in estimators: fewer components, and whom claims are for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.mechanisms.claims import UNIT, Claim, Guarantee
from dpspectra.mechanisms.derived_releases import counted
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import of_directions


def with_fewer(release: Release[NDArray[np.float64]], share: float) -> Release[NDArray[np.float64]]:
    """As few of all components as explain a share of the released variance, which is post-processing."""
    details = {name: each for name, each in release.details.items() if not isinstance(each, Guarantee)}
    k = counted(share, details["explained_ratio"], "n_components")
    details |= {"explained_ratio": details["explained_ratio"][:k]}
    details |= of_directions(details["eigenvalues"], k, len(release.value), details["noise_edge"])
    return replace(release, value=release.value[:, :k], details=details)


def unit_of(claim: Claim) -> dict[str, Any]:
    """Which data sets are neighbours, as fields of a claim."""
    return {name: getattr(claim, name) for name in UNIT}
