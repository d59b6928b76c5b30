"""Probability vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.strategies.arguments import checked
from dpspectra.strategies.lazy import st
from dpspectra.strategies.numbers import dyadics

TINY = 2.0**-40
"""Mass of an outcome that almost never happens."""


@checked
@st.composite
def distributions(draw: st.DrawFn, outcomes: int) -> NDArray[Any]:
    """Draw dyadic probabilities with sum exactly 1: differences of ordered cuts, so masses of 0, 1 and `TINY` occur.

    Parameters
    ----------
    outcomes
        Number of probabilities.

    Returns
    -------
    SearchStrategy
        Draws arrays of ``outcomes`` probabilities.

    Raises
    ------
    ValueError
        For bad input, when the strategy is built.

    """
    cut = dyadics(0, 1) | st.sampled_from([TINY, 1 - TINY])
    cuts = sorted(draw(st.lists(cut, min_size=outcomes - 1, max_size=outcomes - 1)))
    return np.diff([0.0, *cuts, 1.0])
