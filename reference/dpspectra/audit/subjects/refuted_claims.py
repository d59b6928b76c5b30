"""Refuted claims: each mechanism of `specimens` with its claim and the pair of data sets that shows it to be false.

Importing it warns, as importing `dpspectra.audit.specimens` does.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.audit.claims import ApproxDP, CurveClaim, PureDP
from dpspectra.audit.engine import audit
from dpspectra.audit.result import AuditResult
from dpspectra.audit.specimens import (
    classical_gaussian,
    covariance_without_clipping,
    entry_by_entry_laplace,
    low_rank_with_private_temperature,
    moments_clipped_once,
    power_method,
    pruned_by_the_data,
    wishart_deviation_for_variance,
    wishart_one_sided,
    wishart_support,
)
from dpspectra.lemmas.privacy.projection import printed_scale


@dataclass(frozen=True, slots=True)
class RefutedClaim:
    """A broken mechanism, its claim, and a pair of data sets that shows that the claim is false."""

    mechanism: Callable[..., Any]
    """Function of the data set, ``size`` and ``rng`` only."""
    claim: CurveClaim
    pair: tuple[Any, Any]
    labels: tuple[str, ...]
    """Statements of the ledger that the claim, or its refutation, is about; none for a mere slip of the pen."""
    support: Callable[[Any, Any], Any] | None = None

    def audit(self, **options: Any) -> AuditResult:
        """Audit it; ``options`` as in `dpspectra.audit.audit`. Rows of a call are independent runs of a specimen."""
        return audit(
            self.mechanism, self.pair, self.claim, **({"support": self.support, "independent": True} | options)
        )


_UNIT, _TURNED = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
_FLAT = np.full((2, 1), math.sqrt(0.5))
_LEVEL = printed_scale(1, 0.5, 0.005)
"""Row norm from which `pruned_by_the_data` keeps the basis of a ``(1, 1)`` matrix, at its claim in `REFUTED`."""

REFUTED: dict[str, RefutedClaim] = {
    "one-sided Wishart noise": RefutedClaim(
        functools.partial(wishart_one_sided, epsilon=1.0),
        PureDP(1.0),
        (0 * _UNIT, _UNIT),
        ("JXZ-A2", "JXZ-T4"),
        wishart_support,
    ),
    "Wishart noise, deviation for variance": RefutedClaim(
        functools.partial(wishart_deviation_for_variance, epsilon=1.0),
        PureDP(1.0),
        (0 * _UNIT, _UNIT),
        ("JXZ-T4",),
        functools.partial(wishart_support, divided=False),
    ),
    "classical Gaussian noise at epsilon = 8": RefutedClaim(
        functools.partial(classical_gaussian, epsilon=8.0, delta=0.1),
        ApproxDP(8.0, 0.1),
        (0.0, 1.0),
        ("HR-T2.6", "HR-TA.1"),
    ),
    "noise for one entry on every entry": RefutedClaim(
        functools.partial(entry_by_entry_laplace, epsilon=1.0),
        PureDP(1.0),
        (_UNIT, _TURNED),
        ("JXZ-L2-X",),
    ),
    "private temperature of Algorithm 2": RefutedClaim(
        functools.partial(low_rank_with_private_temperature, k=1, epsilon=0.25),
        PureDP(0.25),
        (np.diag([1.0, 0.0]), np.diag([0.0, 1.0])),
        ("MWKTV-A2",),
    ),
    "missing clip": RefutedClaim(
        functools.partial(covariance_without_clipping, epsilon=1.0, delta=0.01),
        ApproxDP(1.0, 0.01),
        (0 * _UNIT, 4 * _UNIT),
        (),
    ),
    "clipped, then used unclipped": RefutedClaim(
        functools.partial(moments_clipped_once, epsilon=1.0, delta=0.01),
        ApproxDP(1.0, 0.01),
        (0 * _UNIT, 4 * _UNIT),
        (),
    ),
    "pruning level from the data": RefutedClaim(
        functools.partial(pruned_by_the_data, width=1, epsilon=1.0, delta=0.01),
        ApproxDP(1.0, 0.01),
        (np.array([[_LEVEL - 0.5]]), np.array([[_LEVEL + 0.5]])),
        ("HR-Fig4", "HR-T6.2"),
    ),
    "power method at epsilon = 4": RefutedClaim(
        functools.partial(power_method, epsilon=4.0, delta=0.5, start=_FLAT),
        ApproxDP(4.0, 0.5),
        (np.zeros((2, 2)), np.array([[0.0, 1.0], [1.0, 0.0]])),
        ("HP-K4.2",),
    ),
}
