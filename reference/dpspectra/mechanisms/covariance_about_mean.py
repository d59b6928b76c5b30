"""The covariance of rows about their mean: by one noise on mean and second moments, or by differences of rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dpspectra.certified.entropy import Source
from dpspectra.ground import checks
from dpspectra.ground.array_types import Floats
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import Reading, moderate
from dpspectra.mechanisms import plain_words
from dpspectra.mechanisms.added_noise import AddedNoise, noisy
from dpspectra.mechanisms.catalogue import NOISES, get
from dpspectra.mechanisms.choice import AUTO, MEAN, PAIRS, chosen_noise
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee
from dpspectra.mechanisms.covariance import SUMS, denoised, denoising
from dpspectra.mechanisms.mean_and_moments import ERROR_OF_MEAN, joint, of_mean
from dpspectra.mechanisms.noise_intervals import OF_PAIRS, SHORT_PAIRS
from dpspectra.mechanisms.paired_rows import paired
from dpspectra.mechanisms.planning import reading_of
from dpspectra.mechanisms.private_data import foreseen
from dpspectra.mechanisms.randomness import Ideal, Rng, promised, randomness
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.usefulness import with_rows

if TYPE_CHECKING:
    from dpspectra.certified.exact_moments import Moments
    from dpspectra.matrices.column_bounds import ColumnBounds

COVARIANCE = get("private_covariance")
CONSTANT = 0.5
"""Entry beside each row, in units of the norm bound."""


def private_covariance(
    X: Data | Moments,
    epsilon: float,
    delta: float = 0.0,
    *,
    constant: float = CONSTANT,
    mechanism: str = "auto",
    center: str = "mean",
    difference_bound: float | None = None,
    norm_bound: float = 1.0,
    rows: str = "refuse",
    bad_rows: str = "refuse",
    bounds: ColumnBounds | None = None,
    relation: str = "replace",
    denoise: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[Floats]:
    """Release the covariance of the rows about their mean; ``(epsilon, delta)``-DP when one row is replaced.

    It is ``S - m m'`` of what `private_moments` releases by one noise: the mean ``m``, which is in ``details``, and the
    second moments ``S``. All it takes is as there. With ``center="pairs"`` it is half the mean of ``u u'`` over
    differences ``u`` of rows, and no mean is released. For directions alone `private_pca` has less noise.

    Parameters
    ----------
    X, epsilon, delta, constant, mechanism, norm_bound, rows, bad_rows, bounds, relation, arithmetic, rng
        As in `private_moments`.
    center
        ``"mean"`` or ``"pairs"``. Pairs are as in `private_pca`, which says how chunks are paired. The noise is that of
        second moments of rows of norm ``difference_bound`` (DPS-SHORTPAIRS), wherever the rows lie and however long
        they are: ``norm_bound`` counts for ``rows="clip"`` only, which shortens rows first. `Moments` hold no rows to
        be paired. See Notes on which to take when.
    difference_bound
        Public bound on the Euclidean norm of a difference of two rows, with pairs: longer ones are shortened to it, and
        none is refused. By default it is ``norm_bound``.
    denoise
        As in `laplace_covariance`; the trace of a covariance has the same bound, and by pairs that of
        ``difference_bound^2 / 2``.

    Returns
    -------
    Release
        Its value is symmetric, ``(d, d)``. ``details`` are those of `private_moments`, and ``mean``. With the errors
        ``g`` and ``e`` of second moments and mean, the ``guarantee`` on the Frobenius error is ``g + e (2 |m| + e)``
        for the released mean ``m``; it holds together with ``mean_guarantee`` with probability .95. With
        ``denoise="psd"`` and much noise both are by its spectral norm, and the former is the root of ``2 norm_bound^2``
        times that sum. With pairs there are ``difference_bound`` and ``paired_rows`` instead of the mean and its
        guarantee, and the ``guarantee`` is on the distance from what the differences have without noise: neither what
        shortening takes nor the order of the rows is in it.

    Raises
    ------
    ValueError
        For bad input.

    Notes
    -----
    Of people who count as ``m`` rows (`Moments`), with rows of zeros where they have fewer, the value is ``m`` times
    the covariance of all these rows, and ``mean`` is ``m`` times their mean.

    With the defaults pairs have less noise: that of rows of norm ``norm_bound``, where with the mean it is that of rows
    of squared norm ``1 + constant^2`` times as much, in one dimension more. A ``difference_bound`` of a half of that
    divides the noise by four. It pays where rows lie nearer to each other than to zero, or where there are few of them
    for the noise. Take the mean where rows are many, where ``norm_bound`` is hardly above the distance of rows, or
    where the mean is wanted too: by pairs variances are too small if differences are shortened, and the order of rows
    adds an error of about the covariance over ``sqrt n``.

    Examples
    --------
    >>> release = private_covariance(np.eye(3), 1.0, 1e-6, denoise="psd")
    >>> release.value.shape, release.details["mean"].shape
    ((3, 3), (3,))
    >>> release = private_covariance(np.eye(3) + 1000, 1.0, center="pairs", difference_bound=1.5)
    >>> release.value.shape, release.details["difference_bound"]
    ((3, 3), 1.5)

    """
    denoising(denoise)
    checks.choice(center, "center", (MEAN, PAIRS))
    reading = reading_of(X, norm_bound, rows, bad_rows, bounds)
    given = {"epsilon": epsilon, "delta": delta, "relation": relation, "constant": constant, "mechanism": mechanism}
    given["center"] = center
    if center == PAIRS:
        if constant != CONSTANT:
            raise ValueError(f"constant must be {CONSTANT} for center='pairs', got {checks.shown(constant)}")
        longest = moderate(reading.norm_bound if difference_bound is None else difference_bound, "difference_bound")
        return _by_pairs(X, given, longest, reading, denoise, randomness(rng, arithmetic))
    if difference_bound is not None:
        raise ValueError(f"difference_bound must be None where center is 'mean', got {checks.shown(difference_bound)}")
    found = joint(COVARIANCE, X, given, reading, rng, arithmetic)
    mean, square = found.mean, float(reading.square)
    guarantee, mean_error = of_covariance(found.noise, found.details, mean, square if denoise == "psd" else None)
    computed = plain_words.moments(X, reading, plain_words.ABOUT_MEAN)
    return denoised(
        found.moments - np.outer(mean, mean) / reading.per_person,  # both are sums over all rows of a person
        found.noise,
        found.claim,
        denoise,
        reading.square,
        {**computed, **found.details, "mean": mean, "mean_guarantee": mean_error},
        guarantee,
        found.displaced(float(reading.reach)),
    )


def _by_pairs(
    X: Data | Moments,
    given: dict[str, Any],
    longest: float,
    reading: Reading,
    denoise: str | None,
    source: Source | Ideal,
) -> Release[Floats]:
    """Release half the second moments of shortened differences; called by the function that a user calls."""
    checks.choice(given["mechanism"], "mechanism", (AUTO, *NOISES))
    plan = COVARIANCE.planned(X=X, **given, **asdict(reading))
    square = Fraction(longest) ** 2
    privacy = plan.epsilon, float(given["delta"])
    choose = foreseen(X, lambda d: chosen_noise(given["mechanism"], d, privacy, 2 * square, plan.relation))
    pairs = paired(X, reading, source, choose, longest)
    n = pairs.moments.count
    choice, noise, promise = choose(pairs.moments.width)
    value, details = noisy(replace(pairs.moments, count=2 * n), noise.law, noise.scale, pairs.draw)
    claim = pairs.claimed(promised(plan, source, (SHORT_PAIRS, *noise.labels), SUMS, **promise))
    computed = plain_words.by_pairs(X, longest, reading)
    known = {**computed, **choice.details(), "difference_bound": longest, "paired_rows": n, **details}
    found = denoised(value, noise, claim, denoise, square / 2, {**known, **with_rows(claim, n)})
    if (guarantee := found.details.get("guarantee")) is None:
        return found
    return replace(found, details={**found.details, "guarantee": replace(guarantee, quantity=OF_PAIRS)})


def of_covariance(
    noise: AddedNoise, details: Mapping[str, Any], mean: Floats, trace: float | None
) -> tuple[Guarantee, Guarantee]:
    """Bound the errors of a covariance and of its mean, which hold together.

    With a ``trace`` they are of the nearest positive semidefinite matrix of at most this trace. Whether the Frobenius
    norm of all noise bounds them or its spectral norm depends on public numbers alone, such as the longest mean.
    """
    scale, constant = details["scale"], details["constant"]

    def reach(error: float, mean_error: float, length: float) -> float:
        return error + mean_error * (2 * length + mean_error)

    whole = noise.frobenius(scale).bound
    errors = whole, of_mean(whole, constant)
    bound = reach(*errors, float(np.linalg.norm(mean)))
    if trace is not None and noise.norm is not None:
        others, longest = (scale * noise.norm, scale * noise.norm / constant), math.sqrt(trace)
        if math.sqrt(2 * trace * reach(*others, longest)) < reach(*errors, longest):
            errors, bound = others, math.sqrt(2 * trace * reach(*others, float(np.linalg.norm(mean))))
    return Guarantee("Frobenius error", bound, CONFIDENCE), Guarantee(ERROR_OF_MEAN, errors[1], CONFIDENCE)
