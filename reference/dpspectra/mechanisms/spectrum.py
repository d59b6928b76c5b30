"""The leading eigenvalues of a covariance, released with Laplace noise."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.certified import calibrate, grid, spectrum
from dpspectra.certified.entropy import Source
from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks
from dpspectra.lemmas.privacy.spectrum_release import radius, scale
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.added_noise import FINE
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, claimed, randomness
from dpspectra.mechanisms.release import Release

SPECTRUM = catalogue.get("private_spectrum")
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
    plan = SPECTRUM.planned(epsilon=epsilon, relation=relation)
    source = randomness(rng, arithmetic)
    value, details = decomposed(m).noisy(int(k), Fraction(plan.epsilon), plan.relation, begun(source))
    details["guarantee"] = Guarantee(
        "largest error of an eigenvalue", float(radius(k, epsilon, 1 - CONFIDENCE, plan.relation)), CONFIDENCE
    )
    claim = replace(plan, **claimed(source, SPECTRUM.labels, ("DPS-RESIDUAL",)))
    return Release(value, exactly(claim, source), details)


def exactly(claim: Claim, source: Source | Ideal) -> Claim:
    """A claim about a matrix that stands for itself if the arithmetic is certified."""
    return claim if isinstance(source, Ideal) else replace(claim, assumptions=(*claim.assumptions, EXACT_MATRIX))


class Decomposed(NamedTuple):
    """A positive semidefinite ``m``, its eigenvalues, descending, and its eigenvectors, as floats found them."""

    m: NDArray[Any]
    values: NDArray[Any]
    vectors: NDArray[Any]

    def noisy(
        self, k: int, epsilon: Fraction, relation: str, draw: Source | np.random.Generator
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """The ``k`` largest with Laplace noise, clipped at 0 and sorted; and the ``scale`` and ``step`` of that."""
        exact = scale(epsilon, relation)
        b = calibrate.least(lambda s: s >= exact, exact)
        if isinstance(draw, np.random.Generator):
            return noisy_spectrum(self.values[:k], float(epsilon), relation, draw), {"scale": b}
        exponent = grid.step_exponent(b, FINE)
        error = spectrum.residual_bound(self.m, self.vectors, self.values)
        sums = spectrum.laplace(self.m, self.values, error, k, exponent, math.ldexp(b, -exponent), draw)
        return clipped(grid.over(sums, exponent, 1)), {"scale": b, "step": math.ldexp(1.0, exponent)}


def decomposed(m: NDArray[Any], name: str = "M") -> Decomposed:
    """Eigenvalues and eigenvectors of a Hermitian ``m``; raises ``ValueError`` unless it is positive semidefinite."""
    values, vectors = eigenvectors(m)
    return Decomposed(m, checks.non_negative_spectrum(m, values, name), vectors)


def noisy_spectrum(top: NDArray[Any], epsilon: float, relation: str, rng: np.random.Generator) -> NDArray[np.float64]:
    """Laplace noise on a spectrum, then clipping at 0 and sorting. Checks nothing."""
    return clipped(top + rng.laplace(scale=scale(epsilon, relation), size=len(top)))


def clipped(noisy: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is below 0 set to 0, descending."""
    return np.sort(np.maximum(noisy, 0.0))[::-1]
