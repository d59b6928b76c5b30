"""Error that no private mechanism avoids on data whose eigenvectors are uniform in a ball."""

from typing import Any

import numpy as np

from dpspectra.fast import lower_bound_radii


def share(n: Any, field: str = "complex") -> Any:
    """Quotient of ``rho^2`` and ``g^2 z^2`` for any output, from the number ``N``."""
    return n / (2 * (n + (2 if field == "real" else 1)))


def bound(spectrum: Any, epsilon: float, field: str = "complex", *, on_orbit: bool = False) -> float:
    """A squared Frobenius error that a mechanism exceeds with probability 1/2 or more on some matrix of the orbit.

    ``spectrum`` is descending and non-negative. The mechanism is ``epsilon``-DP if one row is replaced, added or
    removed, and sees the rows through ``M = X'X`` only. If ``on_orbit``, its outputs have the spectrum, too.
    """
    spectrum = np.asarray(spectrum, dtype=float)
    d, spread = len(spectrum), float(spectrum[0] - spectrum[-1])
    if spread == 0:
        return 0.0
    i, m = lower_bound_radii.places(spectrum)
    square = lower_bound_radii.separations(spread, i, m, epsilon, field, uniform=True)[0]
    shares = np.where(on_orbit & (i + m == d), 1.0, share(i * m, field))
    return float(np.max(np.maximum(spectrum[i - 1] - spectrum[-m], 0.0) ** 2 * square * shares))
