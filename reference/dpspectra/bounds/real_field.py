"""Gaps of the orbit mechanism in the real field, where public bounds on the matrix are needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.fast.caps import log_line_cap
from dpspectra.formulas import utility_gap_quantile
from dpspectra.formulas.exponential_utility import radius
from dpspectra.formulas.orbit_accounting import inverse_temperature
from dpspectra.ground import checks


def one_apart(spectrum: ArrayLike) -> bool:
    """Say whether at least all but one of some descending values agree: an orbit of lines, or of their complements.

    Parameters
    ----------
    spectrum
        Vector of finite numbers, descending.

    Returns
    -------
    bool
        Whether they do.

    Raises
    ------
    ValueError
        For anything but a vector of finite descending numbers.

    """
    spectrum = checks.descending(spectrum, "spectrum")
    return bool(spectrum[1:-1].size == 0 or spectrum[0] == spectrum[-2] or spectrum[1] == spectrum[-1])


def real_gaps(
    spectrum: NDArray[Any], epsilon: float, relation: str, beta: float, spread: float | None, trace: float | None
) -> list[tuple[float, float]]:
    """Return gaps exceeded with probability at most ``beta``, each with the scale at which the tail falls beyond it.

    An orbit does not change in shape if a constant is added to a spectrum or its sign is turned, so its rank is the
    number of values that differ from the smallest one, or from the largest.
    """
    width, gaps = float(spectrum[0] - spectrum[-1]), list[tuple[float, float]]()
    if width == 0:
        return [(0.0, 0.0)]
    kappa, d = float(inverse_temperature(spectrum, epsilon, relation)), len(spectrum)
    spread = trace if spread is None else checks.non_negative(spread, "spread")
    if one_apart(spectrum) and spread is not None:
        gaps.append((line_gap(d, kappa, width * spread, beta), 1 / kappa))
    if trace is not None:
        checks.non_negative(trace, "trace")
        k = min(int(np.count_nonzero(spectrum != end)) for end in spectrum[[0, -1]])
        gaps.append((utility_gap_quantile.smallest_bound(d, k, width, trace, kappa, beta, field="real"), 2 / kappa))
    if not gaps:
        raise ValueError(f"{'spread' if one_apart(spectrum) else 'trace'} must be given in the real field, got None")
    return gaps


def line_gap(d: int, kappa: float, largest: float, beta: float) -> float:
    """Return the gap of lines at probability ``beta``.

    Lines within squared sine ``t`` of the best one lose at most ``t`` of the largest gap; these are a cap.
    """
    if largest == 0:
        return 0.0
    return radius(kappa, beta, lambda slack: log_line_cap(slack / largest, d, "real"), largest)
