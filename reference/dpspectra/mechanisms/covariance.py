"""Input perturbation: the second-moment matrix of the rows plus independent noise on its upper triangle."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra import checks
from dpspectra.certified import calibrate, grid, noise
from dpspectra.certified import shaped as certified_shaped
from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import ExactMoments, exact_moments
from dpspectra.fast import shaped
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.linalg import mirror, psd_projection, upper_triangle
from dpspectra.lemmas.sensitivity.covariance_l1 import covers_l1, upper_triangle_l1
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.moments import Moments, second_moments
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, claimed, randomness
from dpspectra.mechanisms.release import Claim, Guarantee, Release
from dpspectra.relations import Relation, among

NEAREST_PSD = "nearest positive semidefinite matrix"
FINE = 24
"""The grid of a certified release is finer than the noise by ``2**FINE``."""

SUMS = ("DPS-QUANTISER", "DPS-EXACTSUM")
"""Statements behind exact sums."""

Matrix = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Law:
    """A law of symmetric noise, in both arithmetics."""

    ideal: Callable[[int, float, np.random.Generator], Matrix]
    """Noise ``(d, d)`` of some scale."""
    certified: Callable[[grid.Steps, int, float, Source], grid.Integers]
    """Noise of some scale in steps, added to exact numbers on and above the diagonal, row by row."""
    spread: Callable[[int], float] = lambda d: 1.0
    """The grid is finer than the scale times this by `FINE`: the size of an entry in dimension ``d``, or a little more.

    A power of two is enough.
    """


LAPLACE = Law(
    lambda d, scale, rng: mirror(rng.laplace(scale=scale, size=d * (d + 1) // 2), d),
    lambda steps, d, ratio, source: noise.laplace(steps, ratio, source),
)
TRIANGLE = Law(
    lambda d, scale, rng: mirror(rng.normal(scale=scale, size=d * (d + 1) // 2), d),
    lambda steps, d, ratio, source: noise.gaussian(steps, ratio, source),
)
OPTIMAL = Law(shaped.gaussian, certified_shaped.gaussian)
SHAPES = ("optimal", "triangle")


def laplace_covariance(
    X: Data,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    relation: str = "replace",
    psd: bool = False,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[Matrix]:
    """Release ``X'X / n`` with Laplace noise; ``epsilon``-DP when one row is replaced (JXZ-A1 with exact sensitivity).

    ``X`` is real ``(n, d)``, one row a person: an array, a scipy sparse matrix, a dask array (extra ``outofcore``), or
    an iterator over chunks of rows, and the claim holds because every row has norm at most ``norm_bound`` (checked;
    never clipped). The value is symmetric ``(d, d)`` and not centred. Entries on and above the diagonal get independent
    noise of density ``exp(-|x|/b)/2b``, ``b = S norm_bound^2 / (n epsilon)``, where ``S`` is the l1 sensitivity of that
    triangle: about ``d / sqrt 2`` where the printed algorithm has ``2 d``. With ``psd`` the nearest positive
    semidefinite matrix is released, which is post-processing and never farther from the truth.

    By default, with fresh entropy or a `dpspectra.Entropy`, the arithmetic is certified: rows are rounded to a grid of
    about ``norm_bound 2**-20``, their sum is exact, and what is released is the ideal noisy sum, correctly rounded to a
    multiple of ``details["step"]`` and divided by ``n``; the claim holds for the program as it runs. A Generator or a
    seed, or ``arithmetic="ideal"``, means float64, and a claim for ideal real numbers.

    ``details``: ``scale`` (``b``), ``variance`` of an entry, ``guarantee`` on the Frobenius error (but for the rounding
    of rows), ``postprocessing``, and ``step``. Raises ``ValueError`` for bad input.

    >>> release = laplace_covariance(np.eye(3), epsilon=1.0)
    >>> release.value.shape, release.claim.epsilon, release.claim.delta, release.claim.arithmetic
    ((3, 3), 1.0, 0.0, 'certified')
    >>> laplace_covariance(2 * np.eye(3), epsilon=1.0)
    Traceback (most recent call last):
    ValueError: X must have rows of norm at most 1, which row 0 has not
    """
    checks.positive(epsilon, "epsilon")
    relation, source = among(relation, (Relation.REPLACE,)), randomness(rng, arithmetic)
    moments = moments_in(source, X, norm_bound)
    d, square = moments.width, Fraction(float(norm_bound)) ** 2
    unit = square / Fraction(float(epsilon))
    scale = calibrate.least(lambda b: covers_l1(b / unit, d), Fraction(upper_triangle_l1(d)) * unit)
    labels = ("JXZ-T1", "JXZ-L2-X")
    claim = Claim(relation, float(epsilon), **claimed(source, labels, SUMS))
    value, details = noisy(moments, LAPLACE, scale, source)
    return _with_variance(value, claim, psd, details, 2 * details["scale"] ** 2, 6.0)


def gaussian_covariance(
    X: Data,
    epsilon: float,
    delta: float,
    *,
    shape: str = "optimal",
    norm_bound: float = 1.0,
    relation: str = "replace",
    psd: bool = False,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[Matrix]:
    """Release ``X'X / n`` with Gaussian noise; ``(epsilon, delta)``-DP when one row is replaced, calibrated exactly.

    As `laplace_covariance`, with the normal noise of least mean square for this claim (DPS-SHAPE): with ``c =
    norm_bound^2 / (n mu)`` the variance is ``c^2`` off the diagonal and ``2 c^2 d / (d + 1)`` on it, where entries have
    the covariance ``-2 c^2 / (d + 1)``. Its law is invariant under rotations, and its trace has the variance ``2 c^2 d
    / (d + 1)`` only. ``shape="triangle"`` means independent entries on and above the diagonal, of standard deviation
    ``sqrt 2 c`` (``c`` if ``d = 1``): about twice the mean square. ``mu`` is the largest at which the exact Gaussian
    profile at ``epsilon`` stays within ``delta`` (HR-T2.6R), so any ``epsilon > 0`` is allowed.

    ``details``: ``shape``; ``scale`` (``c``, or the standard deviation of the triangle); ``variance`` off the diagonal;
    ``guarantee``, ``postprocessing``, and ``step``.

    >>> release = gaussian_covariance(np.eye(3), epsilon=1.0, delta=1e-6)
    >>> bool(np.all(release.value == release.value.T)), round(release.details["scale"], 3)
    (True, 1.408)
    """
    checks.positive(epsilon, "epsilon")
    checks.probability(delta, "delta")
    optimal = checks.choice(shape, "shape", SHAPES) == "optimal"
    relation, source = among(relation, (Relation.REPLACE,)), randomness(rng, arithmetic)
    mu = calibrate.gaussian_mu(float(epsilon), float(delta), mu_for(epsilon, delta))
    moments = moments_in(source, X, norm_bound)
    d = moments.width
    scale = calibrate.at_least_root((1 if optimal else min(d, 2)) * Fraction(float(norm_bound)) ** 4, mu)
    labels = ("HR-T2.6R", "DPS-SHAPE" if optimal else "JXZ-L2-X")
    claim = Claim(relation, float(epsilon), float(delta), gdp_mu=mu, **claimed(source, labels, SUMS))
    value, details = noisy(moments, OPTIMAL if optimal else TRIANGLE, scale, source)
    variance, details = details["scale"] ** 2, {**details, "shape": shape}
    if not optimal:
        return _with_variance(value, claim, psd, details, variance, 3.0)
    guarantee = frobenius(*shaped.gaussian_moments(d), details["scale"])
    return projected(value, claim, psd, {**details, "variance": variance, "guarantee": guarantee})


def moments_in(source: Source | Ideal, X: Data, norm_bound: float) -> Moments | ExactMoments:
    """The sum of ``x x'`` over rows of norm at most ``norm_bound``, exact if the arithmetic is certified."""
    return second_moments(X, norm_bound) if isinstance(source, Ideal) else exact_moments(X, norm_bound)


def noisy(
    moments: Moments | ExactMoments, law: Law, scale: float, source: Source | Ideal
) -> tuple[Matrix, dict[str, Any]]:
    """Second moments over ``n`` with noise, of the given scale on the sum; and details, of the scale over ``n``."""
    d, n, draw = moments.width, moments.count, begun(source, depth=2)
    details = {"scale": scale / n}
    if isinstance(draw, np.random.Generator):
        assert isinstance(moments, Moments)
        return moments.gram / n + law.ideal(d, scale / n, draw), details
    assert isinstance(moments, ExactMoments)
    exponent = grid.step_exponent(scale * law.spread(d), FINE)
    steps = grid.Steps.of(upper_triangle(moments.total), -2 * moments.exponent - exponent)
    sums = law.certified(steps, d, math.ldexp(scale, -exponent), draw)
    return mirror(grid.over(sums, exponent, n), d), {**details, "step": math.ldexp(1.0, exponent)}


def projected(value: Matrix, claim: Claim, psd: bool, details: dict[str, Any]) -> Release[Matrix]:
    """Release a noisy matrix; projected on the PSD cone if asked, which is post-processing."""
    return Release(
        psd_projection(value) if psd else value, claim, {**details, "postprocessing": NEAREST_PSD if psd else None}
    )


def _with_variance(
    value: Matrix, claim: Claim, psd: bool, details: dict[str, Any], variance: float, kurtosis: float
) -> Release[Matrix]:
    """Release a matrix whose entries on and above the diagonal have independent noise of this variance and kurtosis."""
    guarantee = frobenius_guarantee(len(value), variance, kurtosis)
    return projected(value, claim, psd, {**details, "variance": variance, "guarantee": guarantee})


def frobenius_guarantee(d: int, variance: float, kurtosis: float) -> Guarantee:
    """Bound on the Frobenius norm of symmetric noise whose entries on and above the diagonal are independent.

    With ``w = 1`` on and ``2`` above the diagonal the squared norm is ``sum w_i x_i^2``, of mean ``v d^2`` and variance
    ``(kappa - 1) v^2 sum w_i^2 = (kappa - 1) v^2 (2 d^2 - d)``, for entries of variance ``v`` and kurtosis ``kappa``
    (fourth moment over ``v^2``).
    """
    return Guarantee.of_square("Frobenius error", variance * d**2, variance**2 * (kurtosis - 1) * (2 * d**2 - d))


def frobenius(mean: float, variance: float, scale: float) -> Guarantee:
    """Bound on the Frobenius error, from the mean and variance of the squared norm of the noise at scale 1."""
    return Guarantee.of_square("Frobenius error", scale**2 * mean, scale**4 * variance)
