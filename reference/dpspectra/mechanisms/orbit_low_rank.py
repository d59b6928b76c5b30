"""Low-rank approximation by the orbit mechanism: what `private_low_rank` needs of its samplers."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpspectra.certified.entropy import Source
from dpspectra.formulas.spectrum_release import radius
from dpspectra.mechanisms.choice import Choice
from dpspectra.mechanisms.claims import CONFIDENCE, Claim, Guarantee, upward
from dpspectra.mechanisms.orbit_law import EXACT, law, law_of
from dpspectra.mechanisms.randomness import Ideal, begun, promised
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.second_moments import Summed
from dpspectra.mechanisms.usefulness import STATED, of_laplace_spectrum
from dpspectra.relations import Relation

QUANTITY = "squared Frobenius error beyond that of the best rank k"
LOW_RANK_LABELS = ("MWKTV-A2R", "MWKTV-T7.1", "MWKTV-L6.2X", "JXZ-T1")
RISK = 1 - CONFIDENCE
LARGEST = Fraction(sys.float_info.max)


def from_orbit(
    sums: Summed,
    k: int,
    plan: Claim,
    choice: Choice,
    first: float,
    neighbours: Relation,
    complex_data: bool,
    field: str | None,
    source: Source | Ideal,
) -> Release[NDArray[np.inexact]]:
    """Eigenvalues with ``first`` of epsilon, eigenvectors with the rest; called by the function that a user calls."""
    rest = Fraction(plan.epsilon) - Fraction(first)
    draw = begun(source, depth=2)
    released, known = sums.noisy_spectrum(k, Fraction(first), neighbours, draw)
    spectrum = np.concatenate([released, np.zeros(sums.moments.width - k)])
    of = law_of(complex_data, spectrum, field)
    chosen = law(sums.parts, spectrum, rest, neighbours, of, "auto", source, sums.unit)
    value, details = chosen.in_field(field is None and not complex_data, draw)
    t = float(radius(k, first, RISK / 2, neighbours))  # in units of a person, as is lambda_1, at most `top`
    second, top = float(rest), float(released[0]) / sums.person + t
    gap = chosen.gap(second, neighbours, RISK / 2, details["postprocessing"], spread=top) / sums.person
    bound = Fraction(sums.person) ** 2 * (k * Fraction(t) ** 2 + 2 * Fraction(float(gap)))
    spent = {"eigenvalues": released, "epsilon_spectrum": first, "epsilon_vectors": second}
    steps = {"spectrum_step": known["step"]} if "step" in known else {}
    claim = promised(plan, source, LOW_RANK_LABELS, (*sums.exact, *EXACT))
    stated = of_laplace_spectrum(released, known["scale"])
    stated[STATED] = (*stated[STATED], "loss")
    largest = sums.person * sums.count
    if plan.relation is Relation.REPLACE and math.isfinite(largest * largest):
        stated["largest_possible"] = largest * largest
    public = {**choice.details(), **stated, **spent, "kappa": chosen.kappa, **details, **steps, **_guaranteed(bound)}
    return Release(value, claim, public, {"method": chosen.method})


def _guaranteed(bound: Fraction) -> dict[str, Guarantee]:
    """Return the guarantee; none where its bound, a fourth power of the norm bound, is beyond floats."""
    if bound >= LARGEST:
        return {}
    return {"guarantee": Guarantee(QUANTITY, upward(bound), CONFIDENCE)}
