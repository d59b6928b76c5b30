"""Principal components by the exponential mechanism on projectors."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra import checks
from dpspectra.bounds import one_apart
from dpspectra.certified.entropy import Source
from dpspectra.fast.linalg import eigenvectors
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.moments import Moments
from dpspectra.mechanisms.covariance import SUMS, moments_in
from dpspectra.mechanisms.orbit_law import (
    EXACT,
    LABELS,
    RELATIONS,
    SILENT_REFUSAL,
    ExponentialLaw,
    IdealLaw,
    law,
    law_of,
)
from dpspectra.mechanisms.randomness import Ideal, Rng, begun, claimed, where_possible
from dpspectra.mechanisms.release import CONFIDENCE, Claim, Guarantee, Release
from dpspectra.mechanisms.spectrum import Decomposed, decomposed
from dpspectra.relations import among
from dpspectra.sampling.orbit import law_field

TOP = "leading eigenvectors of the real part"


def private_pca(
    X: Data,
    k: int,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    relation: str = "replace",
    field: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release the leading directions of the rows' second-moment matrix; ``epsilon``-DP (MWKTV-L6.2X).

    ``X`` is real ``(n, d)``, one row a person (an array, sparse, a dask array or an iterator over chunks of rows); the
    claim holds because rows have norm at most ``norm_bound`` (checked, never clipped). The value is ``(d, k)`` with
    orthonormal columns, of which only the span means anything. Its projector ``H`` has density proportional to
    ``exp(kappa <X'X, H> / norm_bound^2)``, ``kappa = epsilon / 2`` (``epsilon`` under ``"add_remove"``). Nothing is
    centred.

    For ``k = 1`` and ``k = d - 1`` that is the law on real projectors. In between no exact sampler of it serves all
    data, so ``H`` is complex and the value holds the ``k`` leading eigenvectors of its real part: post-processing, at
    no cost in privacy and little in accuracy. ``field="complex"`` asks for this always; ``field="real"`` for the real
    law always, in which case a ``ValueError`` may depend on the data, and the claim assumes that nobody learns of it.

    By default, with fresh entropy or a `dpspectra.Entropy`, the arithmetic is certified: rows are rounded to a grid of
    about ``norm_bound 2**-20``, ``X'X`` is exact, ``H`` is the ideal draw for it, correctly rounded to multiples of
    ``details["step"]``, and the value holds leading eigenvectors of that; the claim holds for the program as it runs.
    A Generator or a seed, ``arithmetic="ideal"``, or ``field="real"`` with ``k > 1`` mean float64, and a claim for
    ideal real numbers.

    ``details``: ``kappa``, ``field`` of the law, ``postprocessing``, and ``guarantee`` on the lost variance of the
    value ``V``: ``lambda_1 + .. + lambda_k - tr V'AV`` for ``A = X'X/n`` under ``"replace"``, where ``n`` is public,
    and for ``A = X'X`` under ``"add_remove"``. After the complex law it is twice MWKTV-T2.2, as the real part
    may cost as much as the draw. The real law has one under ``"replace"`` only: MWKTV-T5.4 with the exact measure of a
    cap for ``k = 1`` and ``k = d - 1``, else MWKTV-L6.5. ``private``: ``method``, the sampler. Raises ``ValueError``
    for bad input.

    >>> release = private_pca(np.eye(3), 2, epsilon=1.0)
    >>> release.value.shape, np.allclose(release.value.T @ release.value, np.eye(2))
    ((3, 2), True)
    """
    exact = Fraction(checks.positive(epsilon, "epsilon"))
    relation = among(relation, RELATIONS)
    source = where_possible(
        k == 1 or field != "real", "field must be None or 'complex' for k > 1", repr(field), rng, arithmetic
    )
    n, gram, unit = _second_moments(X, norm_bound, source)
    d = len(gram.m)
    checks.integer(k, "k", 1, d)
    spectrum = np.concatenate([np.ones(k), np.zeros(d - k)])
    field = law_of(gram.m, spectrum, law_field(field, gram.m) if field else None)
    chosen = law(gram, spectrum, exact, relation, field, "auto", source, unit)
    value, step = _directions(chosen, k, begun(source))
    details: dict[str, Any] = {"kappa": chosen.kappa, "field": chosen.field, **step}
    details["postprocessing"] = TOP if chosen.field == "complex" else None
    if relation == "replace" or chosen.field == "complex":
        public, people, name = (float(n), n, "A = X'X/n") if relation == "replace" else (None, 1, "A = X'X")
        gap = chosen.gap(float(epsilon), relation, 1 - CONFIDENCE, details["postprocessing"], trace=public)
        lost = gap * float(norm_bound) ** 2 / people
        details["guarantee"] = Guarantee(f"lost variance lambda_1 + .. + lambda_k - tr V'AV, {name}", lost, CONFIDENCE)
    claim = Claim(relation, float(epsilon), **claimed(source, LABELS, (*SUMS, *EXACT)))
    if chosen.field == "real" and not one_apart(spectrum):
        claim = replace(claim, assumptions=(*claim.assumptions, SILENT_REFUSAL))
    return Release(value, claim, details, {"method": chosen.method})


def _second_moments(X: Data, norm_bound: float, source: Source | Ideal) -> tuple[int, Decomposed, Fraction]:
    """The number of rows, their second moments in some unit, and the largest squared norm of a row in this unit."""
    moments = moments_in(source, X, norm_bound)
    if isinstance(moments, Moments):
        gram = checks.hermitian(moments.gram / float(norm_bound) ** 2, "X'X")
        return moments.count, decomposed(gram, "X'X"), Fraction(1)
    unit = math.floor(Fraction(float(norm_bound)) ** 2 * Fraction(4) ** moments.exponent)
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
