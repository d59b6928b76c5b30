"""Low-rank approximation by the orbit mechanism: what `private_low_rank` needs of its samplers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.entropy import Source
from dpspectra.lemmas.privacy.spectrum_release import radius
from dpspectra.mechanisms.choice import Choice
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee
from dpspectra.mechanisms.orbit_law import EXACT, law, law_of
from dpspectra.mechanisms.randomness import Ideal, begun, claimed
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.spectrum import decomposed, exactly
from dpspectra.relations import Relation

LOW_RANK_LABELS = ("MWKTV-A2R", "MWKTV-T7.1", "MWKTV-L6.2X", "JXZ-T1")
RISK = 1 - CONFIDENCE


def from_orbit(
    m: NDArray[Any],
    k: int,
    epsilon: float,
    first: float,
    choice: Choice,
    relation: Relation,
    field: str | None,
    source: Source | Ideal,
) -> Release[NDArray[np.inexact]]:
    """Eigenvalues with ``first`` of epsilon, eigenvectors with the rest; called by the function that a user calls."""
    parts = decomposed(m)
    draw = begun(source, depth=2)
    released, known = parts.noisy(k, Fraction(first), relation, draw)
    spectrum = np.concatenate([released, np.zeros(len(m) - k)])
    rest = Fraction(epsilon) - Fraction(first)
    chosen = law(parts, spectrum, rest, relation, law_of(m, spectrum, field), "auto", source)
    value, details = chosen.in_field(field is None and not np.iscomplexobj(m), draw)
    t = float(radius(k, first, RISK / 2, relation))  # of the values, so lambda_1 is at most released[0] + t
    second, top = float(rest), float(released[0]) + t
    gap = chosen.gap(second, relation, RISK / 2, details["postprocessing"], spread=top)
    guarantee = Guarantee("squared Frobenius error beyond that of the best rank k", k * t**2 + 2 * gap, CONFIDENCE)
    spent = {"eigenvalues": released, "epsilon_spectrum": first, "epsilon_vectors": second}
    steps = {"spectrum_step": known["step"]} if "step" in known else {}
    claim = Claim(relation, epsilon, **claimed(source, LOW_RANK_LABELS, EXACT))
    public = {**choice.details(), **spent, "kappa": chosen.kappa, **details, **steps, "guarantee": guarantee}
    return Release(value, exactly(claim, source), public, {"method": chosen.method})
