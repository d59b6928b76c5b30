"""The exponential mechanism on a unitary orbit, and what is built on it: low-rank approximation and PCA."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from dpspectra.fast import checks
from dpspectra.fast.caps import log_line_cap
from dpspectra.fast.linalg import eigenvalues as spectrum_of
from dpspectra.fast.linalg import eigenvectors, orbit_projection
from dpspectra.lemmas.privacy.orbit_accounting import inverse_temperature
from dpspectra.mechanisms.covariance import checked_moments
from dpspectra.mechanisms.release import (
    CONFIDENCE,
    EXACT_EIGENVECTORS,
    IDEAL_RANDOMNESS,
    IDEAL_REALS,
    Claim,
    Guarantee,
    Release,
)
from dpspectra.mechanisms.spectrum import noisy_spectrum
from dpspectra.sampling.orbit import Plan, plan

RELATIONS = ("replace", "add_remove")
ASSUMPTIONS = (IDEAL_REALS, IDEAL_RANDOMNESS, EXACT_EIGENVECTORS)
LABELS = ("MWKTV-L6.2X", "MWKTV-T5.3")
SILENT_REFUSAL = "nobody learns whether the sampler asked for refused the input, which depends on the data"
SPECTRUM_SHARE = 0.25
"""Part of the budget that `private_low_rank` spends on eigenvalues, unless told otherwise."""
NEAREST = "nearest real matrix of the same spectrum to the real part"
TOP = "leading eigenvectors of the real part"


def private_orbit(
    M: ArrayLike,
    eigenvalues: ArrayLike,
    epsilon: float,
    *,
    relation: str = "replace",
    field: str | None = None,
    method: str = "auto",
    rng: Any = None,
) -> Release:
    """Release a Hermitian matrix of the given public spectrum, close to ``M``; ``epsilon``-DP (MWKTV-A1, MWKTV-L6.2X).

    ``M`` is PSD ``(d, d)``, the sum of ``x x*`` over people of norm at most 1 (what the claim needs); ``eigenvalues``
    are public, descending, of length ``d``. The density is proportional to ``exp(kappa <M, H>)`` on the orbit, with
    ``kappa = epsilon / (2 spread)`` under ``"replace"`` and ``epsilon / spread`` under ``"add_remove"``, exactly the
    largest that is ``epsilon``-DP; ``spread`` is the largest minus the least eigenvalue.

    A complex ``M`` gives a complex ``H``. A real ``M`` gives a real ``H``: of the real law where all eigenvalues but
    one agree, else `orbit_projection` of the real part of a draw of the complex law, as no exact real sampler serves
    every ``M``. Which of the two depends on ``eigenvalues`` only. ``field="complex"`` asks for the complex draw itself,
    ``field="real"`` for the real law whatever the spectrum, ``method`` for one of `dpspectra.sampling.orbit`; with
    these a ``ValueError`` may depend on the data, and the claim assumes that nobody learns of it. How long sampling
    takes may depend on the data always.

    ``details``: ``kappa``, ``method``, ``field`` of the law and ``postprocessing``. Raises ``ValueError`` for bad
    input, before any randomness is spent.
    """
    m = checks.hermitian(M, "M", psd=True)
    spectrum = checks.spectrum(eigenvalues, len(m))
    checks.choice(relation, "relation", RELATIONS)
    checks.positive(epsilon, "epsilon")
    asked, law = field, _field(m, spectrum, field)
    kappa, chosen = _calibrated(m, spectrum, epsilon, relation, law, method)
    silent = method != "auto" or (law == "real" and not _one_apart(spectrum))
    claim = Claim(
        relation,
        float(epsilon),
        assumptions=(*ASSUMPTIONS, SILENT_REFUSAL) if silent else ASSUMPTIONS,
        labels=LABELS,
    )
    value, details = _drawn(chosen, asked is None and not np.iscomplexobj(m), checks.generator(rng))
    return Release(value, claim, {"kappa": kappa, **details})


def _field(m: NDArray[Any], spectrum: NDArray[Any], field: str | None) -> str | None:
    """Field of the law, unless told: a function of the spectrum and of the type of ``m``, never of its entries.

    Two laws may each be private while a choice between them by the data is not.
    """
    if field is not None or np.iscomplexobj(m):
        return field
    return "real" if _one_apart(spectrum) else "complex"


def _one_apart(spectrum: NDArray[Any]) -> bool:
    """Whether all values but one agree at least; a real sampler serves every ``M`` then."""
    return bool(spectrum[1:-1].size == 0 or spectrum[0] == spectrum[-2] or spectrum[1] == spectrum[-1])


def _calibrated(
    m: NDArray[Any], spectrum: NDArray[Any], epsilon: float, relation: str, field: str | None, method: str = "auto"
) -> tuple[float, Plan]:
    """Inverse temperature and sampling plan; a constant spectrum needs neither noise nor budget."""
    kappa = float(inverse_temperature(spectrum, epsilon, relation)) if spectrum[0] > spectrum[-1] else 0.0
    return kappa, plan(m, spectrum, kappa, field, method)


def _drawn(chosen: Plan, real: bool, rng: np.random.Generator) -> tuple[NDArray[Any], dict[str, Any]]:
    """One matrix of the spectrum, made real if asked, and the details that say how."""
    value, details = chosen.draw(1, rng)[0], {"method": chosen.method, "field": chosen.field, "postprocessing": None}
    if not (real and np.iscomplexobj(value)):
        return value, details
    return orbit_projection(value.real, chosen.spectrum), {**details, "postprocessing": NEAREST}


def private_low_rank(
    M: ArrayLike,
    k: int,
    epsilon: float,
    *,
    relation: str = "replace",
    split: float | None = None,
    field: str | None = None,
    rng: Any = None,
) -> Release:
    """Release a PSD approximation of ``M`` of rank at most ``k``; ``epsilon``-DP (MWKTV-A2R, the repaired MWKTV-A2).

    ``M`` as in `private_orbit`. A share ``split`` of ``epsilon`` (a quarter by default) pays for the ``k`` largest
    eigenvalues, released as by `private_spectrum`; the rest pays for the eigenvectors, drawn by the orbit mechanism
    with the *released* spectrum, so the temperature depends on nothing private. ``field`` as in `private_orbit`, but
    ``"real"`` serves ``k = 1`` and ``d <= 2`` only.

    The value is ``(d, d)``; ``details`` hold the released ``eigenvalues``, both budgets, ``kappa``, ``method``,
    ``field`` and ``postprocessing``. Raises ``ValueError`` for bad input.
    """
    m = checks.hermitian(M, "M", psd=True)
    d = len(m)
    checks.integer(k, "k", 1, d)
    checks.choice(relation, "relation", RELATIONS)
    share = SPECTRUM_SHARE if split is None else checks.probability(split, "split")
    first = share * checks.positive(epsilon, "epsilon")
    plan(m, np.zeros(d), 0.0, field)  # the field is checked before randomness is spent
    if field == "real" and k > 1 and d > 2:
        raise ValueError(f"field must be 'complex' or None for k > 1, got 'real' with k = {k}")
    generator = checks.generator(rng)
    released = noisy_spectrum(spectrum_of(m)[:k], first, relation, generator)
    spectrum = np.concatenate([released, np.zeros(d - k)])
    kappa, chosen = _calibrated(m, spectrum, epsilon - first, relation, _field(m, spectrum, field))
    claim = Claim(relation, float(epsilon), assumptions=ASSUMPTIONS, labels=("MWKTV-T7.1", "MWKTV-L6.2X", "JXZ-T1"))
    value, details = _drawn(chosen, field is None and not np.iscomplexobj(m), generator)
    budgets = {"eigenvalues": released, "epsilon_spectrum": first, "epsilon_vectors": epsilon - first}
    return Release(value, claim, {**budgets, "kappa": kappa, **details})


def private_pca(
    X: Any,
    k: int,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    relation: str = "replace",
    field: str | None = None,
    rng: Any = None,
) -> Release:
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

    ``details``: ``kappa``, ``method``, ``field`` of the law, ``postprocessing``, and for ``k = 1`` in the real field
    ``guarantee`` on the lost variance ``lambda_1 - v' A v`` of ``A = X'X/n``, from MWKTV-T5.4 with the exact measure of
    a cap. It is stated under ``"replace"`` only, where ``n`` is public. Raises ``ValueError`` for bad input.
    """
    checks.positive(epsilon, "epsilon")
    moments = checked_moments(X, norm_bound, relation, RELATIONS)
    n, gram = moments.count, moments.gram / float(norm_bound) ** 2
    d = len(gram)
    checks.integer(k, "k", 1, d)
    spectrum = np.concatenate([np.ones(k), np.zeros(d - k)])
    kappa, chosen = _calibrated(gram, spectrum, epsilon, relation, _field(gram, spectrum, field))
    value = _directions(chosen, k, checks.generator(rng))
    details: dict[str, Any] = {"kappa": kappa, "method": chosen.method, "field": chosen.field}
    details["postprocessing"] = TOP if chosen.field == "complex" else None
    if relation == "replace" and k == 1 and chosen.field == "real":
        bound = float(norm_bound) ** 2 * shortfall_radius(d, kappa, float(n), 1 - CONFIDENCE, "real") / n
        details["guarantee"] = Guarantee("lost variance lambda_1 - v'Av", bound, CONFIDENCE)
    silent = chosen.field == "real" and not _one_apart(spectrum)
    assumptions = (*ASSUMPTIONS, SILENT_REFUSAL) if silent else ASSUMPTIONS
    return Release(value, Claim(relation, float(epsilon), assumptions=assumptions, labels=LABELS), details)


def _directions(chosen: Plan, k: int, rng: np.random.Generator) -> NDArray[Any]:
    """An orthonormal ``(d, k)`` frame that depends on the data through a draw of the projector only."""
    frames = chosen.frames(1, rng) if chosen.field == "real" else None
    return eigenvectors(chosen.draw(1, rng)[0].real)[1][:, :k] if frames is None else frames[0]


def shortfall_radius(d: int, kappa: float, spread: float, beta: float, field: str) -> float:
    """A number that ``gamma_1 - v* M v`` exceeds with probability at most ``beta``.

    ``v`` has density proportional to ``exp(kappa v* M v)``; ``spread`` bounds the largest minus the least eigenvalue of
    ``M``. Vectors within squared sine ``s / spread`` of the top one lose less than ``s``, so the repaired utility bound
    reads ``P(loss >= t) <= exp(-kappa (t - s)) / cap(s / spread)``; the least ``t`` over ``s`` is returned.
    """
    if d == 1 or spread == 0:
        return 0.0

    def loss(log_share: float) -> float:
        share = math.exp(log_share)
        return share * spread + (math.log(1 / beta) - log_line_cap(share, d, field)) / kappa

    best = minimize_scalar(loss, bounds=(-50.0, 0.0), method="bounded")
    return float(min(best.fun, spread))
