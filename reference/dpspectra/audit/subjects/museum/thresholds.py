"""Keys of the data that are shown where a noisy count passes a bar: what the bar must be for the noise."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

import dpspectra.calibrate as calibrate
from dpspectra.audit.claims import ApproxDP
from dpspectra.audit.subjects.museum.case import Both, case

KEYS = (["a", "a", "b"], ["a", "a"])
"""Keys of three rows; the last row, whose key nobody else has, leaves."""
HALF = 5e-4
"""Half of the claim's delta, for the noise; the other half is the chance that a key of one row is shown."""
SHOWN = np.exp(-4) / (1 + np.exp(-1))
"""Chance that a difference of geometric numbers of parameter 1 - 1/e is at least 4."""


def _shown(keys: Any, draw: Callable[[], Any], passes: Callable[[Any], Any]) -> dict[Any, Any]:
    """Noisy counts by key, those that pass."""
    noisy = {key: keys.count(key) + draw() for key in sorted(set(keys))}
    return {key: count for key, count in noisy.items() if passes(count)}


@case("opendp 2922", ApproxDP(1.0, float(SHOWN)), KEYS, expected=("refuted", "undecided"))
def bar_itself_passes() -> Both:
    """Whole counts pass at the bar, and delta is the chance of the noise beyond it."""

    def shown(keys: Any, rng: Any, passes: Callable[[Any], Any]) -> Any:
        rate = 1 - np.exp(-1)
        return _shown(keys, lambda: int(rng.geometric(rate)) - int(rng.geometric(rate)), passes)

    def wrong(keys: Any, rng: Any) -> Any:
        """Show a count that is the bar, whose chance delta leaves out."""
        return shown(keys, rng, lambda count: count >= 4)

    def right(keys: Any, rng: Any) -> Any:
        """Show what is above the bar."""
        return shown(keys, rng, lambda count: count > 4)

    return wrong, right


@case("smartnoise-sdk 204", ApproxDP(1.0, 2 * HALF), KEYS, expected=("undecided", "explained"))
def bar_of_another_noise() -> Both:
    """Counts have normal noise, and their bar is that for Laplace noise."""
    sigma = calibrate.gaussian(1.0, HALF, 1.0)

    def shown(keys: Any, rng: Any, bar: float) -> Any:
        return _shown(keys, lambda: rng.normal(scale=sigma), lambda count: count > bar)

    def wrong(keys: Any, rng: Any) -> Any:
        """Take the quantile of Laplace noise of scale 1."""
        return shown(keys, rng, 1 - np.log(2 * HALF))

    def right(keys: Any, rng: Any) -> Any:
        """Take the quantile of the noise that is drawn."""
        return shown(keys, rng, 1 + sigma * NormalDist().inv_cdf(1 - HALF))

    return wrong, right
