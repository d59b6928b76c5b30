"""Spectra without near-ties, and Gelfand-Tsetlin patterns below them."""

from __future__ import annotations

import numpy as np

from dpspectra.ground.array_types import Array
from dpspectra.strategies.lazy import st

STEP = 0.25
"""Values of a spectrum are multiples of this: tied exactly, or well apart."""


@st.composite
def levels(draw: st.DrawFn, d: int, distinct: bool = False) -> Array:
    """Draw a descending vector of length ``d``, all gaps 0 or at least `STEP`; without zero gaps if ``distinct``.

    Corners: a ladder of step 1, two values, a ladder with its top values made equal; all equal, rarely.
    """
    ladder = np.arange(d)[::-1] * 1.0
    gaps = np.array(draw(st.lists(st.integers(int(distinct), 6), min_size=d - 1, max_size=d - 1)), dtype=float) * STEP
    free = np.append(np.cumsum(gaps[::-1])[::-1], 0.0)
    k = draw(st.integers(1, max(1, d - 1)))
    corners = (
        [free, ladder] if distinct else [free, ladder, (np.arange(d) < k) * 1.0, np.minimum(ladder, ladder[k - 1])]
    )
    return draw(st.sampled_from(corners)) + draw(st.sampled_from([0.0, 0.0, -1.5]))


@st.composite
def patterns(draw: st.DrawFn, spectrum: Array) -> Array:
    """Draw a Gelfand-Tsetlin pattern ``(d, d)`` with last row ``spectrum``: row ``r - 1`` is ``r`` values, then zeros.

    Every value is an eighth of its interval, so the pattern is exact; the ends of intervals are corners.
    """
    d = len(spectrum)
    out = np.zeros((d, d))
    out[-1] = spectrum
    for r in range(d - 1, 0, -1):
        low, high = out[r, 1 : r + 1], out[r, :r]
        shares = draw(st.lists(st.sampled_from([4, 1, 2, 3, 5, 7, 0, 8]), min_size=r, max_size=r))
        out[r - 1, :r] = low + (high - low) * np.array(shares) / 8
    return out
