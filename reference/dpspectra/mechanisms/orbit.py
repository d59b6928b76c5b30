"""The exponential mechanism on a unitary orbit."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.bounds import one_apart
from dpspectra.ground import checks
from dpspectra.mechanisms import catalogue
from dpspectra.mechanisms.claims import CONFIDENCE, Guarantee
from dpspectra.mechanisms.orbit_law import EXACT, SILENT_REFUSAL, arithmetic_for, law, law_of
from dpspectra.mechanisms.randomness import Rng, begun, claimed
from dpspectra.mechanisms.release import Release
from dpspectra.mechanisms.spectrum import decomposed, exactly
from dpspectra.sampling.methods import METHODS
from dpspectra.sampling.orbit import law_field

ORBIT = catalogue.get("private_orbit")


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
    plan = ORBIT.planned(epsilon=epsilon, relation=relation)
    checks.choice(method, "method", ("auto", *METHODS))
    source = arithmetic_for(None if field is None else law_field(field, m), method, spectrum, rng, arithmetic)
    if trace is not None and np.trace(m).real > checks.non_negative(trace, "trace") * (1 + checks.RELATIVE_ROUNDING):
        raise ValueError(f"trace must bound the trace of M, got {trace:g}, which is less")
    of = law_of(m, spectrum, field)
    chosen = law(decomposed(m), spectrum, Fraction(plan.epsilon), plan.relation, of, method, source)
    value, details = chosen.in_field(field is None and not np.iscomplexobj(m), begun(source))
    if chosen.field == "complex" or trace is not None:
        gap = chosen.gap(epsilon, plan.relation, 1 - CONFIDENCE, details["postprocessing"], trace=trace)
        details["guarantee"] = Guarantee("gap OPT - <M, H>", gap, CONFIDENCE)
    claim = exactly(replace(plan, **claimed(source, ORBIT.labels, EXACT)), source)
    if method != "auto" or (chosen.field == "real" and not one_apart(spectrum)):
        claim = replace(claim, assumptions=(*claim.assumptions, SILENT_REFUSAL))
    return Release(value, claim, {"kappa": chosen.kappa, **details}, {"method": chosen.method})
