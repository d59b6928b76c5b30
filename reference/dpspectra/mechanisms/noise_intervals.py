"""Intervals for the eigenvalues of released second moments, by draws of the noise that a release has."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpspectra.fast.linalg import eigenvalues
from dpspectra.formulas import noise_ranks
from dpspectra.ground import checks
from dpspectra.ground.array_types import Array, Floats
from dpspectra.mechanisms.catalogue import NOISES
from dpspectra.mechanisms.claims import CONFIDENCE
from dpspectra.mechanisms.release import Release

DRAWS = 999
"""Draws of small noise; of large noise as many as take about a second."""
WORK = 10**8
"""Cubes of the dimension that are drawn in all."""
LEADING = "leading eigenvectors"
"""Postprocessing after which eigenvalues are still those with the noise."""
AUGMENTED = "DPS-AUGMENTED"
"""Label of a covariance about a mean that has the noise of its second moments, in one dimension more."""
SHORT_PAIRS = "DPS-SHORTPAIRS"
"""Label of a covariance by differences of rows, which needs no mean."""
OF_PAIRS = "Frobenius error, of half the mean of u u' over the shortened differences u"
"""Quantity of which the guarantee of such a covariance speaks."""
OF_MATRIX = ("Frobenius error", OF_PAIRS)
"""Quantities of guarantees on a whole matrix."""


@dataclass(frozen=True, slots=True)
class EigenvalueIntervals:
    """Hold intervals that cover all eigenvalues, and all their shares of the trace, together with ``probability``."""

    eigenvalues: Floats
    """Lower and upper ends, ``(k, 2)``, in the order of the released eigenvalues."""
    shares: Floats
    """Lower and upper ends of the shares of the variance, ``(k, 2)``."""
    probability: float
    """Over the noise of the release and the draws together."""
    draws: int
    """How often the noise was drawn again."""


def eigenvalue_intervals(
    release: Release[Any], probability: float = CONFIDENCE, *, rng: checks.Rng = 0
) -> EigenvalueIntervals:
    """Return intervals for the eigenvalues of the data's second moments, from a release with noise on them.

    The noise of the release is drawn again, a thousand times in small dimensions. Ranks of the norms of the draws, and
    of their traces, bound those of the noise with the probability that is stated, by whatever law (DPS-RANK); Weyl's
    inequality does the rest. This is post-processing of the release and public numbers.

    Parameters
    ----------
    release
        Of `private_pca` by a noisy covariance, of a covariance or second moments as they were drawn, or of
        `components` of one.
    probability
        That all eigenvalues and all shares lie in their intervals.
    rng
        A seed or numpy Generator for the draws, which are not those of a release with the same seed.

    Returns
    -------
    EigenvalueIntervals
        ``eigenvalues`` and ``shares``, each ``(k, 2)``. They are about the rows that were released, as they were read
        (differences by pairs; of `private_pca` about a centre, of unit length), not about a population from which these
        came.

    Raises
    ------
    ValueError
        For a release without noisy eigenvalues, or one that was denoised.

    Examples
    --------
    >>> from dpspectra import private_pca
    >>> release = private_pca(np.diag([3.0, 4.0, 1.0])[[0, 1, 1] * 500] / 4, 2, epsilon=1.0, center="none")
    >>> found = eigenvalue_intervals(release)
    >>> bool(np.all(found.eigenvalues[:, 0] <= [2 / 3, 3 / 16]) and np.all(found.eigenvalues[:, 1] >= [2 / 3, 3 / 16]))
    True

    """
    failure = 1 - Fraction(checks.probability(probability, "probability"))
    values, trace = spectrum_of(release)
    noise, d = _noise(release)
    beside = AUGMENTED in release.claim.labels
    about_mean = beside and "mean" in release.details
    parts = 3 if about_mean else 2
    least = math.ceil(parts / failure) - 1
    draws = max(least, min(DRAWS, WORK // d**3))
    generator = np.random.default_rng(checks.generator(rng).integers(0, 2**63, 4))  # not the stream of a release
    sizes = np.array([_sizes(noise(generator), beside) for _ in range(draws)])
    rank = noise_ranks.rank_of(draws, failure / parts)
    moved, change, error = (float(size) for size in np.sort(sizes, axis=0)[rank - 1])
    if about_mean:
        mean, known = float(np.linalg.norm(release.details["mean"])), release.details["constant"]
        moved, change = (noise_ranks.about_mean(bound, mean, error / known) for bound in (moved, change))
    most = release.details.get("largest_possible", math.inf)
    ends = np.maximum(values - moved, 0.0), np.clip(values + moved, 0.0, most)
    shares = noise_ranks.shares(values, trace, moved, change)
    return EigenvalueIntervals(np.column_stack(ends), np.column_stack(shares), float(1 - failure), draws)


def spectrum_of(release: Release[Any]) -> tuple[Floats, float]:
    """Return the noisy eigenvalues of a release, descending, and the trace with the same noise.

    Raises ``ValueError`` for a release of something else.
    """
    checks.instance(release, "release", Release)
    details, value = release.details, release.value
    matrix = value[1] if isinstance(value, tuple) and len(value) == 2 else value
    square = np.ndim(matrix) == 2 and np.shape(matrix)[0] == np.shape(matrix)[1] and "noise_edge" in details
    if not (square or {"eigenvalues", "trace"} <= details.keys()):
        raise ValueError("release must have noisy eigenvalues, as those of covariances and private_pca have")
    if details.get("postprocessing") not in (None, LEADING):
        raise ValueError("release must be of a matrix as it was drawn, got one that was changed: leave denoise out")
    if "eigenvalues" in details:
        return np.asarray(details["eigenvalues"], dtype=np.float64), float(details["trace"])
    return np.asarray(eigenvalues(matrix), dtype=np.float64), float(np.trace(matrix))


def _noise(release: Release[Any]) -> tuple[Callable[[np.random.Generator], Array], int]:
    """Return a draw of the noise of a release, and its dimension; found by the statements that the claim rests on."""
    claim, details = release.claim, release.details
    value = release.value[0] if isinstance(release.value, tuple) else release.value
    d, scale = len(value) + (AUGMENTED in claim.labels), details["scale"]
    if "degrees_of_freedom" in details:
        from dpspectra.fast.wishart import bartlett

        degrees = int(details["degrees_of_freedom"])
        return lambda rng: scale * (bartlett(degrees, d, rng) - degrees * np.eye(d)), d
    for record in NOISES.values():
        if record.gaussian and not claim.delta:
            continue
        shape = {"shape": details["shape"]} if record.gaussian and "shape" in details else {}
        try:
            law: Any = record.law()
            noise = law.sized(d, (claim.epsilon, claim.delta), Fraction(1), claim.relation, **shape)
        except ValueError:  # a law of few columns
            continue
        if set(noise.labels) <= set(claim.labels):
            return lambda rng, law=noise.law: law.ideal(d, scale, rng), d
    raise ValueError("release must have noise on second moments whose law is known, got another one")


def _sizes(noise: Array, beside: bool) -> tuple[float, float, float]:
    """Norm of noise on second moments, modulus of its trace, and length of the noise ``beside`` them, on the mean."""
    square = noise[1:, 1:] if beside else noise
    values = np.linalg.eigvalsh(square)
    length = float(np.linalg.norm(noise[0, 1:])) if beside else 0.0
    return float(max(values[-1], -values[0])), float(abs(np.trace(square))), length
