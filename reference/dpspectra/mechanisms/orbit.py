"""The exponential mechanism on a unitary orbit, and low-rank approximation by it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra import checks
from dpspectra.bounds import best_split, one_apart
from dpspectra.lemmas.privacy.spectrum_release import radius
from dpspectra.mechanisms.orbit_law import EXACT, LABELS, RELATIONS, SILENT_REFUSAL, arithmetic_for, law, law_of
from dpspectra.mechanisms.randomness import Rng, begun, claimed, randomness
from dpspectra.mechanisms.release import CONFIDENCE, Claim, Guarantee, Release
from dpspectra.mechanisms.spectrum import decomposed, exactly
from dpspectra.relations import among
from dpspectra.sampling.orbit import law_field

LOW_RANK_LABELS = ("MWKTV-A2R", "MWKTV-T7.1", "MWKTV-L6.2X", "JXZ-T1")
SPECTRUM_SHARE = 0.25
"""Share of epsilon that `private_low_rank` spends on eigenvalues, unless told otherwise."""
RISK = 1 - CONFIDENCE


def private_orbit(
    M: ArrayLike,
    eigenvalues: ArrayLike,
    epsilon: float,
    *,
    relation: str = "replace",
    field: str | None = None,
    method: str = "auto",
    trace: float | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.inexact]]:
    """Release a Hermitian matrix of the given public spectrum, close to ``M``; ``epsilon``-DP (MWKTV-A1, MWKTV-L6.2X).

    ``M`` is PSD ``(d, d)``, the sum of ``x x*`` over people of norm at most 1 (what the claim needs); ``eigenvalues``
    are public, descending, of length ``d``. The density is proportional to ``exp(kappa <M, H>)`` on the orbit, with
    ``kappa = epsilon / (2 spread)`` under ``"replace"`` and ``epsilon / spread`` under ``"add_remove"``, exactly the
    largest that is ``epsilon``-DP; ``spread`` is the largest minus the smallest eigenvalue.

    A complex ``M`` gives a complex ``H``. A real ``M`` gives a real ``H``: of the real law where all eigenvalues but
    one agree, else `orbit_projection` of the real part of a draw of the complex law, as no exact real sampler serves
    every ``M``. Which of the two depends on ``eigenvalues`` only. ``field="complex"`` asks for the complex draw itself,
    ``field="real"`` for the real law whatever the spectrum, ``method`` for one of `dpspectra.sampling.orbit`; with
    these a ``ValueError`` may depend on the data, and the claim assumes that nobody learns of it. How long sampling
    takes may depend on the data always.

    By default, with fresh entropy or a `dpspectra.Entropy`, the arithmetic is certified: the matrix that is drawn is
    the ideal one, correctly rounded to multiples of ``details["step"]`` (of the projector, if the eigenvalues take two
    values), and the value is the nearest matrix to it of the given eigenvalues. The claim then holds for the program as
    it runs, and needs that the matrices of neighbours differ by exactly ``x x* - y y*``. A Generator or a seed,
    ``arithmetic="ideal"``, a ``method``, or ``field="real"`` where not all eigenvalues but one agree mean float64, and
    a claim for ideal real numbers.

    ``details``: ``kappa``, ``field`` of the law, ``postprocessing``, and a ``guarantee`` on the gap ``OPT - <M, H>`` of
    the value, ``OPT`` being the largest score on the orbit. For the complex law it is MWKTV-T2.2, and twice that if the
    nearest real matrix was taken. The real law has one where ``trace``, a public bound on the trace of ``M`` such as
    the number of people, is given. ``private``: ``method``, the sampler. Raises ``ValueError`` for bad input, before
    any randomness is spent.

    >>> release = private_orbit(np.diag([900.0, 50.0, 3.0]), [1.0, 0.0, 0.0], epsilon=1.0)
    >>> np.allclose(np.linalg.eigvalsh(release.value), [0, 0, 1]), release.details["kappa"]
    (True, 0.5)
    """
    m = checks.hermitian(M, "M")
    spectrum = checks.spectrum(eigenvalues, len(m))
    relation = among(relation, RELATIONS)
    exact = Fraction(checks.positive(epsilon, "epsilon"))
    source = arithmetic_for(law_field(field, m) if field else None, method, spectrum, rng, arithmetic)
    if trace is not None and np.trace(m).real > checks.non_negative(trace, "trace") * (1 + checks.RELATIVE_ROUNDING):
        raise ValueError(f"trace must bound the trace of M, got {trace:g}, which is less")
    chosen = law(decomposed(m), spectrum, exact, relation, law_of(m, spectrum, field), method, source)
    value, details = chosen.in_field(field is None and not np.iscomplexobj(m), begun(source))
    if chosen.field == "complex" or trace is not None:
        gap = chosen.gap(epsilon, relation, RISK, details["postprocessing"], trace=trace)
        details["guarantee"] = Guarantee("gap OPT - <M, H>", gap, CONFIDENCE)
    claim = exactly(Claim(relation, float(epsilon), **claimed(source, LABELS, EXACT)), source)
    if method != "auto" or (chosen.field == "real" and not one_apart(spectrum)):
        claim = replace(claim, assumptions=(*claim.assumptions, SILENT_REFUSAL))
    return Release(value, claim, {"kappa": chosen.kappa, **details}, {"method": chosen.method})


def private_low_rank(
    M: ArrayLike,
    k: int,
    epsilon: float,
    *,
    relation: str = "replace",
    split: float | None = None,
    lambda1: float | None = None,
    field: str | None = None,
    arithmetic: str | None = None,
    rng: Rng = None,
) -> Release[NDArray[np.inexact]]:
    """Release a PSD approximation of ``M`` of rank at most ``k``; ``epsilon``-DP (MWKTV-A2R, the repaired MWKTV-A2).

    ``M`` as in `private_orbit`. A share ``split`` of ``epsilon`` pays for the ``k`` largest eigenvalues, released as by
    `private_spectrum`: a quarter by default, or the best share for a *public* guess ``lambda1`` of the largest one (see
    `bounds.best_split`). The rest pays for the eigenvectors, drawn by the orbit mechanism with the *released* spectrum,
    so the temperature depends on nothing private. ``field`` as in `private_orbit`, but ``"real"`` serves ``k = 1`` and
    ``d <= 2`` only.

    ``arithmetic`` and ``rng`` as in `private_orbit`; ``spectrum_step`` is the grid of the eigenvalues.

    The value ``H`` is ``(d, d)``; ``details`` hold the released ``eigenvalues``, ``epsilon_spectrum``,
    ``epsilon_vectors``, ``kappa``, ``field``, ``postprocessing``, and a ``guarantee`` on ``|M - H|_F^2`` less its
    smallest value at rank ``k``, the sum of the squares of the other eigenvalues: MWKTV-T2.3R with the released
    spectrum for the true one. ``private``: ``method``, the sampler. Raises ``ValueError`` for bad input.

    >>> release = private_low_rank(np.diag([900.0, 50.0, 3.0]), 1, epsilon=1.0)
    >>> release.details["epsilon_spectrum"], release.details["epsilon_vectors"]
    (0.25, 0.75)
    """
    m = checks.hermitian(M, "M")
    d = len(m)
    checks.integer(k, "k", 1, d)
    relation = among(relation, RELATIONS)
    first = _share(d, k, epsilon, relation, split, lambda1) * checks.positive(epsilon, "epsilon")
    law_field(field, m)  # checked before randomness is spent
    if field == "real" and k > 1 and d > 2:
        raise ValueError(f"field must be 'complex' or None for k > 1, got 'real' with k = {k}")
    source = randomness(rng, arithmetic)
    parts = decomposed(m)
    draw = begun(source)
    released, known = parts.noisy(int(k), Fraction(first), relation, draw)
    spectrum = np.concatenate([released, np.zeros(d - k)])
    rest = Fraction(float(epsilon)) - Fraction(first)
    chosen = law(parts, spectrum, rest, relation, law_of(m, spectrum, field), "auto", source)
    value, details = chosen.in_field(field is None and not np.iscomplexobj(m), draw)
    t = float(radius(k, first, RISK / 2, relation))  # of the values, so lambda_1 is at most released[0] + t
    second, top = float(rest), float(released[0]) + t
    gap = chosen.gap(second, relation, RISK / 2, details["postprocessing"], spread=top)
    guarantee = Guarantee("squared Frobenius error beyond that of the best rank k", k * t**2 + 2 * gap, CONFIDENCE)
    spent = {"eigenvalues": released, "epsilon_spectrum": first, "epsilon_vectors": second}
    steps = {"spectrum_step": known["step"]} if "step" in known else {}
    claim = Claim(relation, float(epsilon), **claimed(source, LOW_RANK_LABELS, EXACT))
    public = {**spent, "kappa": chosen.kappa, **details, **steps, "guarantee": guarantee}
    return Release(value, exactly(claim, source), public, {"method": chosen.method})


def _share(d: int, k: int, epsilon: float, relation: str, split: float | None, lambda1: float | None) -> float:
    """Share of epsilon for the eigenvalues: as told, or the best one for a guess, or `SPECTRUM_SHARE`."""
    if split is None:
        return SPECTRUM_SHARE if lambda1 is None else best_split(d, k, lambda1, epsilon, relation=relation)
    if lambda1 is not None:
        raise ValueError(f"lambda1 must be None where the split is given, got {lambda1!r}")
    return checks.probability(split, "split")
