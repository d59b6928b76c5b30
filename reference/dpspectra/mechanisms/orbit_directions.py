"""Principal components from the exponential mechanism on projectors: what `private_pca` needs of its samplers."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.bounds import one_apart
from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import ExactMoments
from dpspectra.fast.linalg import eigenvectors
from dpspectra.ground import checks
from dpspectra.matrices.moments import Moments
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.choice import Choice
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee
from dpspectra.mechanisms.covariance import SUMS
from dpspectra.mechanisms.directions import LOST
from dpspectra.mechanisms.orbit_law import (
    EXACT,
    SILENT_REFUSAL,
    ExponentialLaw,
    IdealLaw,
    law,
    law_of,
)
from dpspectra.mechanisms.randomness import Ideal, begun, claimed
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.spectrum import Decomposed, decomposed
from dpspectra.relations import Relation
from dpspectra.sampling.orbit import law_field

TOP = "leading eigenvectors of the real part"


def from_orbit(
    moments: Moments | ExactMoments,
    k: int,
    epsilon: float,
    choice: Choice,
    norm_bound: float,
    relation: Relation,
    field: str | None,
    source: Source | Ideal,
) -> Release[NDArray[np.float64]]:
    """Directions from the exponential mechanism; called by the function that a user calls."""
    n, gram, unit = _second_moments(moments, norm_bound)
    d = moments.width
    spectrum = np.concatenate([np.ones(k), np.zeros(d - k)])
    field = law_of(gram.m, spectrum, None if field is None else law_field(field, gram.m))
    chosen = law(gram, spectrum, Fraction(epsilon), relation, field, "auto", source, unit)
    value, step = _directions(chosen, k, begun(source, depth=2))
    details: dict[str, Any] = {**choice.details(), "kappa": chosen.kappa, "field": chosen.field, **step}
    details["postprocessing"] = TOP if chosen.field == "complex" else None
    if relation == "replace" or chosen.field == "complex":
        public, people, name = (float(n), n, "A = X'X/n") if relation == "replace" else (None, 1, "A = X'X")
        gap = chosen.gap(epsilon, relation, 1 - CONFIDENCE, details["postprocessing"], trace=public)
        details["guarantee"] = Guarantee(LOST.format(name), gap * norm_bound**2 / people, CONFIDENCE)
    claim = Claim(relation, epsilon, **claimed(source, get("private_orbit").labels, (*SUMS, *EXACT)))
    if chosen.field == "real" and not one_apart(spectrum):
        claim = replace(claim, assumptions=(*claim.assumptions, SILENT_REFUSAL))
    return Release(value, claim, details, {"method": chosen.method})


def _second_moments(moments: Moments | ExactMoments, norm_bound: float) -> tuple[int, Decomposed, Fraction]:
    """The number of rows, their second moments in some unit, and the largest squared norm of a row in this unit."""
    if isinstance(moments, Moments):
        gram = checks.hermitian(moments.gram / norm_bound**2, "X'X")
        return moments.count, decomposed(gram, "X'X"), Fraction(1)
    unit = math.floor(Fraction(norm_bound) ** 2 * Fraction(4) ** moments.exponent)
    return moments.count, Decomposed(moments.total, *eigenvectors(moments.total.astype(float))), Fraction(unit)


def _directions(
    chosen: ExponentialLaw, k: int, draw: Source | np.random.Generator
) -> tuple[NDArray[Any], dict[str, Any]]:
    """An orthonormal ``(d, k)`` frame that depends on the data through a draw of the projector only."""
    frame = chosen.frame(draw) if isinstance(chosen, IdealLaw) else None
    if frame is not None:
        return frame, {}
    projector, step = chosen.draw(draw)
    return eigenvectors(projector.real)[1][:, :k], step
