"""Gaps of the orbit mechanism in the real field, where public bounds on the matrix are needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.formulas import real_line_gap, utility_gap_quantile
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


def line_gap(spectrum: NDArray[Any], epsilon: float, relation: str, beta: float | None, spread: float | None) -> float:
    """Return the gap of lines or their complements at probability ``beta``, or its mean for None (MWKTV-N1L).

    A public bound on the spread of the matrix bounds every gap.
    """
    width, n = float(spectrum[0] - spectrum[-1]), len(spectrum) - 1
    if width == 0:
        return 0.0
    units = real_line_gap.mean_bound(n) if beta is None else real_line_gap.quantile_bound(n, beta)
    gap = units / float(inverse_temperature(spectrum, epsilon, relation))
    return gap if spread is None else min(gap, width * spread)


def covered_gap(spectrum: NDArray[Any], epsilon: float, relation: str, beta: float | None, trace: float) -> float:
    """Return the gap on any orbit at probability ``beta``, or its mean for None, given the trace (MWKTV-L6.5).

    An orbit does not change in shape if a constant is added to a spectrum or its sign is turned, so its rank is the
    number of values that differ from the smallest one, or from the largest. The mean is the integral of the tail.
    """
    width, kappa = float(spectrum[0] - spectrum[-1]), float(inverse_temperature(spectrum, epsilon, relation))
    k = min(int(np.count_nonzero(spectrum != end)) for end in spectrum[[0, -1]])
    risk, rest = (1.0, 2 / kappa) if beta is None else (beta, 0.0)
    return utility_gap_quantile.smallest_bound(len(spectrum), k, width, trace, kappa, risk, field="real") + rest
