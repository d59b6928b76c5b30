"""Input perturbation by Wishart noise: pure privacy from a difference of two, approximate privacy from one."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified import calibrate, grid, noise_on_grid, one_sided_wishart_profile
from dpspectra.certified.entropy import Source
from dpspectra.fast import chi_square_profile, wishart_row_exchange
from dpspectra.fast.linalg import upper_triangle
from dpspectra.fast.spectral_noise import SpectralNoise, centred_wishart
from dpspectra.fast.wishart import bartlett, centred_moments
from dpspectra.ground import checks, memory
from dpspectra.matrices.kinds import Data
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.added_noise import AddedNoise, Law, noisy
from dpspectra.mechanisms.covariance import SUMS, denoised, denoising, moments_in, released
from dpspectra.mechanisms.noises import symmetric_wishart
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import foreseen
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import with_rows

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

SYMMETRIC, ONE_SIDED = catalogue.get("symmetric_wishart_covariance"), catalogue.get("wishart_covariance")
BYTES = 16
"""Memory for a normal number and the word that it is made of."""
LARGEST_EPSILON = 256.0
"""Loss up to which one-sided noise is calibrated; a larger one is promised for the same noise."""


def symmetric_wishart_covariance(
    X: Data | Moments,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    denoise: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release ``X'X / n`` plus a tilted difference of two Wishart matrices; ``epsilon``-DP, exactly (DPS-TILT).

    Let ``g`` be the density of ``G G' - H H'``, both of shape ``(d, d + 1)`` with independent normal entries of
    variance ``c``. Where a row is replaced, the noise has a density proportional to ``g(M) exp(-|tr M| / 2 c)`` with
    ``c = norm_bound^2 / (n epsilon)``. So the trace is known almost as well as if it had been released alone. For ``d =
    1`` that is Laplace noise.

    Parameters
    ----------
    X, norm_bound, rows, bad_rows, bounds, denoise, arithmetic, rng
        As in `laplace_covariance`.
    epsilon
        Privacy loss in nats, above 0.
    relation
        As in `laplace_covariance`. With ``"zero_out"`` (a row becomes zero or stops being zero) the noise has the
        density ``g`` itself, for half that ``c`` (JXZ-T4-R1).

    Returns
    -------
    Release
        Its value is symmetric ``(d, d)``. ``details``: ``scale`` (``c``), ``guarantee`` on the Frobenius error,
        ``postprocessing``, and ``step`` if the arithmetic is certified.

    Raises
    ------
    ValueError
        As `laplace_covariance`.

    Notes
    -----
    The mean square, at most ``2 d (d + 1)^2 c^2``, is below that of `laplace_covariance` from ``d = 2`` on, and by a
    factor of about ``d / 2`` in high dimension.

    Examples
    --------
    >>> release = symmetric_wishart_covariance(np.eye(3), epsilon=1.0)
    >>> release.value.shape, release.claim.delta, round(release.details["scale"], 6)
    ((3, 3), 0.0, 0.333333)

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    plan = SYMMETRIC.planned(epsilon=epsilon, relation=relation, X=X, **asdict(reading))
    return released(X, plan, symmetric_wishart.sized, reading, denoise, rng, arithmetic)


def wishart_covariance(
    X: Data | Moments,
    epsilon: float,
    delta: float,
    *,
    degrees_of_freedom: int | None = None,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    denoise: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release ``X'X / n`` plus one Wishart matrix less its mean; ``(epsilon, delta)``-DP (JXZ-T4-G, JXZ-T4-E).

    The calibration is exact under ``"zero_out"`` and for ``d = 1``. Otherwise it is by an upper bound: the sum of the
    exact profiles of three pairs of rows, or that of two steps through data with both rows or neither (JXZ-T4-R2).
    Profiles are bounded from above in both arithmetics (DPS-DEGREES).

    Parameters
    ----------
    X, norm_bound, rows, bad_rows, bounds, relation, denoise, rng
        As in `symmetric_wishart_covariance`.
    epsilon
        Privacy loss in nats, above 0; above 256 it is taken as 256.
    delta
        Probability that approximate privacy allows, between 0 and 1.
    degrees_of_freedom
        ``m``, at least ``d + 1``: the noise gets the smallest sufficient ``c``. More degrees mean less noise, and in
        the limit it is Gaussian. Without it the noise is ``W_d(m, c I) - m c I`` with ``c = norm_bound^2 / n`` and the
        smallest sufficient ``m``.
    arithmetic
        As in `laplace_covariance`. In certified arithmetic the mean is ``m c`` to the nearest multiple of the step,
        which is public, so that the value is an integer times the step over ``n``; time and memory grow as ``m d``.

    Returns
    -------
    Release
        Its value is symmetric ``(d, d)``. The mean is subtracted afterwards, so ``value + details["mean"] I`` is
        positive semidefinite (without ``denoise``), up to rounding. ``details``: ``scale`` (``c``),
        ``degrees_of_freedom``, ``mean``, ``guarantee`` on the Frobenius error, ``postprocessing``, and ``step``.

    Raises
    ------
    ValueError
        As `laplace_covariance`, unless ``delta`` lies between 0 and 1, for too few degrees of freedom, and for so many
        that certified noise would not fit in memory, as for a small ``epsilon``.

    Examples
    --------
    >>> release = wishart_covariance(np.eye(3), epsilon=1.0, delta=1e-6)
    >>> release.value.shape, release.details["degrees_of_freedom"]
    ((3, 3), 49)

    """
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    plan = ONE_SIDED.planned(epsilon=epsilon, delta=delta, relation=relation, X=X, **asdict(reading))
    denoising(denoise)
    reading.require_single("one-sided noise")
    source = randomness(rng, arithmetic)

    def sized(d: int) -> tuple[int, float]:
        """Degrees of freedom and scale."""
        if degrees_of_freedom is not None:
            checks.integer(degrees_of_freedom, "degrees_of_freedom", d + 1)
        degrees, shift = calibrated(d, plan.epsilon, plan.delta, degrees_of_freedom, plan.relation)
        if not isinstance(source, Ideal):
            memory.require(BYTES * d * degrees, "degrees_of_freedom", degrees, "gaussian_covariance needs none")
        exact = Fraction(reading.norm_bound) ** 2 / Fraction(shift)
        return degrees, calibrate.least(lambda c: c >= exact, exact)

    calibration = foreseen(X, sized)
    moments = moments_in(source, X, reading)
    d = moments.width
    m, scale = calibration(d)
    claim = promised(plan, source, ONE_SIDED.labels, SUMS)
    noise = AddedNoise(centred(m), scale, ONE_SIDED.labels, centred_moments(m, d), _spectrum(m))
    value, details = noisy(moments, noise.law, scale, begun(source))
    c = details["scale"]
    mean = mean_steps(m, scale / details["step"]) * details["step"] / moments.count if "step" in details else m * c
    details |= {"degrees_of_freedom": m, "mean": mean, **with_rows(claim, moments.count)}
    return denoised(value, noise, claim, denoise, reading.square, details)


def _spectrum(degrees: int) -> Callable[[int, float, float], SpectralNoise]:
    return lambda d, scale, mean_square: centred_wishart(d, degrees, scale, mean_square)


def centred(degrees: int) -> Law:
    """Return the law of a Wishart matrix less its mean."""

    def certified(steps: grid.Steps, d: int, ratio: float, source: Source) -> grid.Integers:
        mean = mean_steps(degrees, ratio) * upper_triangle(np.eye(d, dtype=np.int64))
        return noise_on_grid.wishart(steps, d, degrees, ratio, (1,), source) - mean

    return Law(
        lambda d, scale, rng: scale * (bartlett(degrees, d, rng) - degrees * np.eye(d)),
        certified,
        lambda d: 2.0 ** (degrees.bit_length() // 2),
    )


def mean_steps(degrees: int, ratio: float) -> int:
    """Return the mean of a diagonal entry, to the nearest whole number of steps."""
    return round(degrees * Fraction(ratio))


@functools.lru_cache(maxsize=64)
def calibrated(
    d: int, epsilon: float, delta: float, degrees_of_freedom: int | None, relation: str
) -> tuple[int, float]:
    """Degrees of freedom, and the largest squared norm of a row in units of the scale that they can hide.

    Candidates come from floats and are certified; an ``epsilon`` above `LARGEST_EPSILON` is taken as that. Remembered,
    because it takes longer than drawing a small matrix.
    """
    epsilon = min(epsilon, LARGEST_EPSILON)
    alone = relation == "zero_out" or d == 1

    def hidden(degrees: int, shift: float) -> bool:
        if alone:
            return one_sided_wishart_profile.row_at_most(epsilon, degrees, shift, delta)
        share = chi_square_profile.best_share(epsilon, degrees, shift)
        return one_sided_wishart_profile.exchange_at_most(epsilon, degrees, shift, delta, share)

    if degrees_of_freedom is None:
        profile = chi_square_profile.profile
        least = (
            chi_square_profile.least_degrees(epsilon, delta, profile)
            if alone
            else wishart_row_exchange.least_degrees(epsilon, delta)
        )
        return next(m for m in itertools.count(least) if hidden(m, 1.0)) + d - 1, 1.0
    m = int(degrees_of_freedom)
    left = m - d + 1
    if alone:
        shift = chi_square_profile.largest_shift(epsilon, delta, chi_square_profile.profile, left)
    else:
        shift = wishart_row_exchange.largest_shift(epsilon, delta, left)
    return m, calibrate.largest(lambda s: hidden(left, s), shift)
