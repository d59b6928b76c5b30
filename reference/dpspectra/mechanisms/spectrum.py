"""The leading eigenvalues of a covariance, released with Laplace noise."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra import checks
from dpspectra.certified import calibrate, grid, spectrum
from dpspectra.fast.linalg import eigenvalues
from dpspectra.lemmas.privacy.spectrum_release import radius, scale
from dpspectra.mechanisms.covariance import FINE
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, claimed, randomness
from dpspectra.mechanisms.release import CONFIDENCE, Claim, Guarantee, Release
from dpspectra.relations import Relation, among

EXACT_MATRIX = "the matrices of neighbours differ by exactly x x* - y y*, also where they were rounded"


def private_spectrum(
    M: ArrayLike,
    k: int,
    epsilon: float,
    *,
    relation: str = "replace",
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release the ``k`` largest eigenvalues of ``M``, descending and non-negative; ``epsilon``-DP (MWKTV-T7.1).

    ``M`` is PSD ``(d, d)``: the sum of ``x x*`` over the people, each of norm at most 1, which is what the claim needs
    and cannot be checked here. ``relation`` is ``"replace"`` (one ``x`` changes) or ``"add_remove"``. Laplace noise of
    scale ``2/epsilon`` (``1/epsilon``) on each value; sorting and clipping at 0 come after the noise.

    In certified arithmetic (as in `laplace_covariance`) the numbers are those of the matrix exactly as it is given: the
    claim needs that the matrices of neighbours differ by exactly ``x x* - y y*``.

    ``details``: ``scale`` of the noise, ``guarantee`` on the largest error, and ``step`` if the arithmetic is
    certified. Raises ``ValueError`` for bad input.

    >>> release = private_spectrum(np.diag([900.0, 50.0, 3.0]), 2, epsilon=1.0)
    >>> release.value.shape, release.details["scale"], bool(release.value[0] >= release.value[1] >= 0)
    ((2,), 2.0, True)
    """
    m = checks.hermitian(M, "M")
    checks.integer(k, "k", 1, len(m))
    relation = among(relation, (Relation.REPLACE, Relation.ADD_REMOVE))
    checks.positive(epsilon, "epsilon")
    source = randomness(rng, arithmetic)
    values: NDArray[Any]
    values, error = (eigenvalues(m), 0.0) if isinstance(source, Ideal) else spectrum.eigenvalues(m)
    checks.non_negative_spectrum(m, values, "M")
    exact = scale(Fraction(float(epsilon)), relation)
    b = calibrate.least(lambda s: s >= exact, exact)
    details: dict[str, Any] = {"scale": b}
    draw = begun(source)
    if isinstance(draw, np.random.Generator):
        value = noisy_spectrum(values[:k], epsilon, relation, draw)
    else:
        exponent = grid.step_exponent(b, FINE)
        noisy = spectrum.laplace(m, values, error, int(k), exponent, math.ldexp(b, -exponent), draw)
        value = clipped(grid.over(noisy, exponent, 1))
        details["step"] = math.ldexp(1.0, exponent)
    details["guarantee"] = Guarantee(
        "largest error of an eigenvalue", float(radius(k, epsilon, 1 - CONFIDENCE, relation)), CONFIDENCE
    )
    claim = Claim(relation, float(epsilon), **claimed(source, ("MWKTV-T7.1", "MWKTV-E20", "JXZ-T1"), ("DPS-RESIDUAL",)))
    if not isinstance(source, Ideal):
        claim = replace(claim, assumptions=(*claim.assumptions, EXACT_MATRIX))
    return Release(value, claim, details)


def noisy_spectrum(top: NDArray[Any], epsilon: float, relation: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """Laplace noise on a spectrum, then clipping at 0 and sorting. Checks nothing."""
    return clipped(top + rng.laplace(scale=scale(epsilon, relation), size=len(top)))


def clipped(noisy: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is below 0 set to 0, descending."""
    return np.sort(np.maximum(noisy, 0.0))[::-1]
