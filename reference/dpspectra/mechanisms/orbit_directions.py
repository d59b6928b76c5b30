"""Principal components from the exponential mechanism on projectors: what `private_pca` needs of its samplers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.bounds import one_apart
from dpspectra.certified.entropy import Source
from dpspectra.certified.gram import Exact
from dpspectra.fast.linalg import eigenvectors
from dpspectra.matrices.float_moments import FloatMoments
from dpspectra.matrices.reading_rule import Reading
from dpspectra.mechanisms.catalogue import get
from dpspectra.mechanisms.choice import Choice
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee
from dpspectra.mechanisms.covariance import SUMS
from dpspectra.mechanisms.directions import LOST
from dpspectra.mechanisms.orbit_law import EXACT, SILENT_REFUSAL, ExponentialLaw, IdealLaw, law, law_of
from dpspectra.mechanisms.randomness import Ideal, begun, promised
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.second_moments import of_moments
from dpspectra.mechanisms.usefulness import STATED

TOP = "leading eigenvectors of the real part"


def from_orbit(
    moments: FloatMoments | Exact,
    k: int,
    plan: Claim,
    choice: Choice,
    reading: Reading,
    field: str | None,
    source: Source | Ideal,
) -> Release[NDArray[np.float64]]:
    """Directions from the exponential mechanism; called by the function that a user calls."""
    epsilon, relation = plan.epsilon, plan.relation
    sums, n, d = of_moments(moments, reading), moments.count, moments.width
    spectrum = np.concatenate([np.ones(k), np.zeros(d - k)])
    chosen = law(
        sums.parts, spectrum, Fraction(epsilon), relation, law_of(False, spectrum, field), "auto", source, sums.unit
    )
    value, step = _directions(chosen, k, begun(source, depth=2))
    details: dict[str, Any] = {**choice.details(), "kappa": chosen.kappa, "field": chosen.field, **step}
    details |= {"postprocessing": TOP if chosen.field == "complex" else None, STATED: ("loss",)}
    if relation == "replace":
        details["largest_possible"] = float(reading.square)
    if relation == "replace" or chosen.field == "complex" or one_apart(spectrum):
        public, people, name = (float(n), n, "A = X'X/n") if relation == "replace" else (None, 1, "A = X'X")
        gap = chosen.gap(epsilon, relation, 1 - CONFIDENCE, details["postprocessing"], trace=public)
        details["guarantee"] = Guarantee(LOST.format(name), gap * float(reading.square) / people, CONFIDENCE)
    claim = promised(plan, source, get("private_orbit").labels, (*SUMS, *EXACT))
    if chosen.field == "real" and not one_apart(spectrum):
        claim = replace(claim, assumptions=(*claim.assumptions, SILENT_REFUSAL))
    return Release(value, claim, details, {"method": chosen.method})


def _directions(
    chosen: ExponentialLaw, k: int, draw: Source | np.random.Generator
) -> tuple[NDArray[Any], dict[str, Any]]:
    """Return an orthonormal ``(d, k)`` frame that depends on the data through a draw of the projector only."""
    frame = chosen.frame(draw) if isinstance(chosen, IdealLaw) else None
    if frame is not None:
        return frame, {}
    projector, step = chosen.draw(draw)
    return eigenvectors(projector.real)[1][:, :k], step
