"""Radii on an orbit within which counting gives the best lower bound, and the lengths of the paths in them."""

from typing import Any

import numpy as np

from dpspectra.fast.packing import log_tableaux

ROUNDS = 60
"""Iterations that find where two slopes agree; each gains at least half a digit."""


EVERY = 400
"""Number of eigenvalues up to which every pair of places is tried."""
FINENESS = 1.1
"""Ratio of neighbouring places that are tried beyond."""


def places(spectrum: Any) -> tuple[Any, Any]:
    """Pairs ``i``, ``m`` of how many eigenvalues to take from either end: a pair has its bound, the largest is best.

    All pairs without overlap, of up to `EVERY` eigenvalues. Of more, those in a geometric progression and, for up to
    `EVERY` distinct ones, those at which a value is exhausted: some pairs less, and so a bound as valid.
    """
    d = len(spectrum)
    if d <= EVERY:
        taken = np.arange(1, d)
        i, m = np.meshgrid(taken, taken, indexing="ij")
    else:
        spaced = np.unique(np.floor(FINENESS ** np.arange(np.log(d) / np.log(FINENESS))).astype(np.int64))
        ends = 1 + np.flatnonzero(np.diff(spectrum))
        ends = ends if len(ends) < EVERY else ends[:0]
        i, m = np.meshgrid(np.union1d(spaced, ends), np.union1d(spaced, d - ends), indexing="ij")
    apart = i + m <= d
    return i[apart], m[apart]


def _radii(spread: float, i: Any, m: Any, epsilon: float, field: str, centre: float) -> list[tuple[Any, Any]]:
    """Squared radii ``omega^2`` among which the best one is, and the lengths of the paths within them, for all pairs.

    The separation times a power of the radius has one maximum; the radius is the largest one at which half the length,
    an integer, is next to that maximum, or one beyond which the volume of the ball does not grow.
    """
    q, power = np.minimum(i, m), i * m / (2 if field == "real" else 1)
    half = 2 * power / epsilon
    for _ in range(ROUNDS):
        half = power / epsilon * (1 + centre * np.exp(-2 * epsilon * half))
    found = []
    for cap in (np.full(q.shape, 2.0), 2.0 * q):
        end = cap * spread**2
        trace = np.sqrt(q * end / 2)
        found.append((end, 2 * np.maximum(q, np.ceil(trace))))
        for rounded in (np.floor, np.ceil):
            c = np.clip(rounded(half), q, np.maximum(np.floor(trace), q))
            found.append((2 * c**2 / q, 2 * c))
    return found


def separations(
    spread: float, i: Any, m: Any, epsilon: float, field: str = "complex", *, uniform: bool = False
) -> tuple[Any, Any, Any]:
    """Squared distances ``z^2`` of as many projectors as counting asks for, for arrays of pairs ``i`` and ``m``.

    If ``uniform``: squared radii of a ball with the share ``e^(-epsilon L) / 2`` of that of radius ``omega``.
    ``spread``, the largest eigenvalue less the smallest, is positive. Next come the squared radii ``omega^2`` and the
    lengths of the paths with which that is so.
    """
    i, m = np.asarray(i), np.asarray(m)
    n = i * m
    constants = np.exp(log_tableaux(i, m) / n) / np.minimum(i, m)
    power, far = (n / 2, 0.0) if field == "real" else (n, constants)
    squares, lengths = map(np.array, zip(*_radii(spread, i, m, epsilon, field, 1.0 - uniform), strict=True))
    ratios = squares / spread**2
    volumes = np.maximum(np.minimum(ratios, 2.0), far * np.minimum(ratios, 2.0 * np.minimum(i, m)))
    points = np.log(2) + epsilon * lengths if uniform else np.logaddexp(0, epsilon * lengths)
    values = volumes * np.exp(-points / power)
    places = np.argmax(values, axis=0)[None]
    value, square, length = (np.take_along_axis(x, places, axis=0)[0] for x in (values, squares, lengths))
    if field == "real":
        value = np.minimum(value, 1.0)
        value *= (1 - value / 2) ** (1 / n)
    return value, square, length


def best(spectrum: Any, epsilon: float, field: str = "complex") -> tuple[float, int, int, float, float]:
    """Largest squared error ``rho^2`` that counting gives, and with what.

    That is the pair ``i``, ``m``, the squared radius ``omega^2`` and the length of the paths.
    """
    spectrum = np.asarray(spectrum, dtype=float)
    spread = float(spectrum[0] - spectrum[-1])
    if spread == 0:
        return 0.0, 1, 1, 0.0, 2.0
    i, m = places(spectrum)
    value, square, length = separations(spread, i, m, epsilon, field)
    errors = np.maximum(spectrum[i - 1] - spectrum[-m], 0.0) ** 2 / 4 * value
    p = int(np.argmax(errors))
    return float(errors[p]), int(i[p]), int(m[p]), float(square[p]), float(length[p])
