"""Means and variances of columns, by noise in proportion to what a row may change."""

from __future__ import annotations

import math
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dpspectra.certified import calibrate
from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import ExactMoments
from dpspectra.certified.integer_rows import exponent
from dpspectra.ground.array_types import Floats
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee
from dpspectra.mechanisms.covariance import exact_in
from dpspectra.mechanisms.gaussian_mu import whole_mu
from dpspectra.mechanisms.mean import ROWS, Sum, VectorNoise, gaussian, laplace, mean_noise
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import FALSE_ALARM, STATED, with_rows

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

SCALER = catalogue.get("private_scaler")
CHANGE = Fraction(9, 2)
"""Largest squared change of a row of norm 1 and of the squares of its entries, together (DPS-SCALER at ``a = 1``)."""
HALF = Fraction(1, 2)
"""Share of epsilon for the mean, where noise is pure."""


def private_scaler(
    X: Data | Moments,
    epsilon: float,
    delta: float = 0.0,
    *,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[tuple[Floats, Floats]]:
    """Release the mean and the variance of each column; ``(epsilon, delta)``-DP when one row is replaced.

    With a ``delta``, normal noise hides the sum of the rows and that of the squares of their entries together
    (DPS-SCALER): ``sqrt 4.5 / mu`` times ``norm_bound`` and ``norm_bound^2``. Without one, half of ``epsilon`` goes to
    a `private_mean`, and half to Laplace noise of scale ``4 norm_bound^2 / epsilon`` on the sums of squares. Variances
    are mean squares less squared means; those below the standard deviation of their noise are raised to it.

    Parameters
    ----------
    X, epsilon, delta, norm_bound, rows, bad_rows, bounds, relation, arithmetic, rng
        As in `private_mean`. With ``bounds`` means and variances are of mapped rows: ``bounds.mean(mean)`` and
        ``variances * bounds.units**2`` are in the user's units.

    Returns
    -------
    Release
        Its value is a pair of vectors ``(d,)``, the means and the variances. ``details``: ``scale`` and ``step`` of the
        noise on means, ``squares_scale`` and ``squares_step`` of that on mean squares; ``floored``, the number of
        variances that were raised; ``mean_off``, by how many standard deviations means are off, and ``variances_off``,
        by which share of themselves variances are, with probability .99; and ``guarantee``, on the Euclidean error of
        the means.

    Raises
    ------
    ValueError
        For bad input.

    Examples
    --------
    >>> means, variances = private_scaler(np.eye(4), 1.0, 1e-6).value
    >>> means.shape, bool(np.all(variances > 0))
    ((4,), True)

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    plan = SCALER.planned(epsilon=epsilon, delta=delta, relation=relation, X=X, **asdict(reading))
    reading.require_single("a scaler of rows")
    source = randomness(rng, arithmetic)
    for_mean, for_squares = _noises((plan.epsilon, plan.delta), reading)
    exponent(reading.norm_bound)
    first, squares = _sums(exact_in(X, reading), source)
    draw = begun(source)
    mean, of_mean = first.noisy_mean(for_mean, draw)
    mean_square, of_squares = squares.noisy_mean(for_squares, draw)
    d, variances = len(mean), mean_square - mean**2
    spread = for_mean.spread(d) * of_mean["scale"]
    noisy = np.hypot(for_squares.spread(d) * of_squares["scale"], 2 * mean * spread)
    claim = promised(plan, source, tuple(dict.fromkeys((*for_mean.labels, *for_squares.labels))), ROWS)
    length = Guarantee("Euclidean error of the means", of_mean["scale"] * for_mean.length(d), CONFIDENCE)
    details = {**of_mean, **{f"squares_{name}": number for name, number in of_squares.items()}}
    details |= {"floored": int(np.sum(variances < noisy)), "guarantee": length, **with_rows(claim, first.count)}
    rare = math.log(d / FALSE_ALARM) / math.sqrt(2)  # deviations of Laplace noise, of which the largest is beyond
    inverse = float(np.mean(1 / np.maximum(variances, noisy)))
    off = for_mean.length(d, 1 - FALSE_ALARM) * of_mean["scale"] * math.sqrt(inverse / d)
    details |= {STATED: ("variances",), "columns": d, "shown": int(np.sum(variances > rare * noisy)), "mean_off": off}
    details["variances_off"] = rare * float(np.max(noisy / np.maximum(variances, noisy)))
    return Release((mean, np.maximum(variances, noisy)), claim, details)


def _sums(sums: ExactMoments, source: Source | Ideal) -> tuple[Sum, Sum]:
    """Return sums of columns and of their squares; in float64 for ideal noise."""
    places = np.flatnonzero(np.equal(*np.triu_indices(sums.width)))
    found = []
    for integers, digits in ((sums.first, sums.exponent), (sums.upper, 2 * sums.exponent)):
        whole = integers.integers()
        whole = whole[places] if len(whole) > sums.width else whole
        if isinstance(source, Ideal):
            found.append(Sum(np.ldexp(whole.astype(float), -digits), sums.count, None))
        else:
            found.append(Sum(whole, sums.count, digits))
    return found[0], found[1]


def _noises(privacy: tuple[float, float], reading: Reading) -> tuple[VectorNoise, VectorNoise]:
    """Noise on the sum of rows, and on that of the squares of their entries."""
    bound = Fraction(reading.norm_bound)
    if privacy[1]:
        mu = whole_mu(privacy)
        scales = (calibrate.at_least_root(CHANGE * unit**2, mu) for unit in (bound, bound**2))
        one, two = (gaussian(scale, ("HR-T2.6R", "DPS-SCALER")) for scale in scales)
        return one, two
    exact = 2 * reading.square / (HALF * Fraction(privacy[0]))
    scale = calibrate.least(lambda b: b >= exact, exact)
    return mean_noise(privacy, reading.reach, HALF), laplace(scale, ("JXZ-T1", "DPS-SCALER"))
