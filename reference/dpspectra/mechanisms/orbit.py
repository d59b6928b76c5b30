"""The exponential mechanism on a unitary orbit, and what is built on it: low-rank approximation and PCA."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra import checks
from dpspectra.bounds import REAL_PART, best_split, one_apart, orbit_gap
from dpspectra.fast.linalg import eigenvectors, orbit_projection
from dpspectra.lemmas.privacy.orbit_accounting import inverse_temperature
from dpspectra.lemmas.privacy.spectrum_release import radius
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.moments import second_moments
from dpspectra.mechanisms.release import (
    CONFIDENCE,
    EXACT_EIGENVECTORS,
    IDEAL_RANDOMNESS,
    IDEAL_REALS,
    Claim,
    Guarantee,
    Release,
    noise_source,
)
from dpspectra.mechanisms.spectrum import noisy_spectrum
from dpspectra.relations import Relation, among
from dpspectra.sampling.orbit import OrbitPlan, law_field, plan_in_eigenbasis

RELATIONS = (Relation.REPLACE, Relation.ADD_REMOVE)
ASSUMPTIONS = (IDEAL_REALS, IDEAL_RANDOMNESS, EXACT_EIGENVECTORS)
LABELS = ("MWKTV-A1", "MWKTV-L6.2X", "MWKTV-T5.3")
LOW_RANK_LABELS = ("MWKTV-A2R", "MWKTV-T7.1", "MWKTV-L6.2X", "JXZ-T1")
SILENT_REFUSAL = "nobody learns whether the sampler asked for refused the input, which depends on the data"
SPECTRUM_SHARE = 0.25
"""Share of epsilon that `private_low_rank` spends on eigenvalues, unless told otherwise."""
RISK = 1 - CONFIDENCE
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
    trace: float | None = None,
    rng: checks.Rng = None,
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

    ``details``: ``kappa``, ``field`` of the law, ``postprocessing``, and a ``guarantee`` on the gap ``OPT - <M, H>`` of
    the value, ``OPT`` being the largest score on the orbit. For the complex law it is MWKTV-T2.2, and twice that if the
    nearest real matrix was taken. The real law has one where ``trace``, a public bound on the trace of ``M`` such as
    the number of people, is given. ``private``: ``method``, the sampler. Raises ``ValueError`` for bad input, before
    any randomness is spent.

    >>> release = private_orbit(np.diag([900.0, 50.0, 3.0]), [1.0, 0.0, 0.0], epsilon=1.0)
    >>> np.allclose(np.linalg.eigvalsh(release.value), [0, 0, 1]), release.details["kappa"]
    (True, 0.5)
    """
    m, values, vectors = _decomposed(M)
    spectrum = checks.spectrum(eigenvalues, len(m))
    relation = among(relation, RELATIONS)
    checks.positive(epsilon, "epsilon")
    if trace is not None and np.trace(m).real > checks.non_negative(trace, "trace") * (1 + checks.RELATIVE_ROUNDING):
        raise ValueError(f"trace must bound the trace of M, got {trace:g}, which is less")
    asked, law = field, _field(m, spectrum, field)
    kappa, chosen = _calibrated(values, vectors, spectrum, epsilon, relation, law, method)
    silent = method != "auto" or (law == "real" and not one_apart(spectrum))
    claim = Claim(
        relation,
        float(epsilon),
        assumptions=(*ASSUMPTIONS, SILENT_REFUSAL) if silent else ASSUMPTIONS,
        labels=LABELS,
    )
    value, details = _drawn(chosen, asked is None and not np.iscomplexobj(m), noise_source(rng))
    if chosen.field == "complex" or trace is not None:
        gap = _gap(chosen, epsilon, relation, RISK, details["postprocessing"], trace=trace)
        details["guarantee"] = Guarantee("gap OPT - <M, H>", gap, CONFIDENCE)
    return Release(value, claim, {"kappa": kappa, **details}, {"method": chosen.method})


def _decomposed(M: ArrayLike) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A positive semidefinite matrix, its descending eigenvalues and its eigenvectors."""
    m = checks.hermitian(M, "M")
    values, vectors = eigenvectors(m)
    return m, checks.non_negative_spectrum(m, values, "M"), vectors


def _gap(
    chosen: OrbitPlan, epsilon: float, relation: str, beta: float, postprocessing: str | None, **known: Any
) -> float:
    """Bound on the gap of the value with probability at least ``1 - beta``, given public bounds on ``M``."""
    cost = REAL_PART if postprocessing else 1.0
    return cost * orbit_gap(chosen.spectrum, epsilon, relation=relation, beta=beta, field=chosen.field, **known)


def _field(m: NDArray[Any], spectrum: NDArray[Any], field: str | None) -> str | None:
    """Field of the law, unless told: a function of the spectrum and of the type of ``m``, never of its entries.

    Two laws may each be private while a choice between them by the data is not. A real sampler serves every ``M`` where
    at least all values but one agree.
    """
    if field is not None or np.iscomplexobj(m):
        return field
    return "real" if one_apart(spectrum) else "complex"


def _calibrated(
    values: NDArray[Any],
    vectors: NDArray[Any],
    spectrum: NDArray[Any],
    epsilon: float,
    relation: str,
    field: str | None,
    method: str = "auto",
) -> tuple[float, OrbitPlan]:
    """Inverse temperature and sampling plan for a decomposed matrix; a constant spectrum needs no noise."""
    kappa = float(inverse_temperature(spectrum, epsilon, relation)) if spectrum[0] > spectrum[-1] else 0.0
    return kappa, plan_in_eigenbasis(values, vectors, spectrum, kappa, field, method)


def _drawn(chosen: OrbitPlan, real: bool, rng: np.random.Generator) -> tuple[NDArray[Any], dict[str, Any]]:
    """One matrix of the spectrum, made real if asked, and the details that say how."""
    value, details = chosen.draw(1, rng)[0], {"field": chosen.field, "postprocessing": None}
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
    lambda1: float | None = None,
    field: str | None = None,
    rng: checks.Rng = None,
) -> Release[NDArray[np.inexact]]:
    """Release a PSD approximation of ``M`` of rank at most ``k``; ``epsilon``-DP (MWKTV-A2R, the repaired MWKTV-A2).

    ``M`` as in `private_orbit`. A share ``split`` of ``epsilon`` pays for the ``k`` largest eigenvalues, released as by
    `private_spectrum`: a quarter by default, or the best share for a *public* guess ``lambda1`` of the largest one (see
    `bounds.best_split`). The rest pays for the eigenvectors, drawn by the orbit mechanism with the *released* spectrum,
    so the temperature depends on nothing private. ``field`` as in `private_orbit`, but ``"real"`` serves ``k = 1`` and
    ``d <= 2`` only.

    The value ``H`` is ``(d, d)``; ``details`` hold the released ``eigenvalues``, ``epsilon_spectrum``,
    ``epsilon_vectors``, ``kappa``, ``field``, ``postprocessing``, and a ``guarantee`` on ``|M - H|_F^2`` less its
    smallest value at rank ``k``, the sum of the squares of the other eigenvalues: MWKTV-T2.3R with the released
    spectrum for the true one. ``private``: ``method``, the sampler. Raises ``ValueError`` for bad input.

    >>> release = private_low_rank(np.diag([900.0, 50.0, 3.0]), 1, epsilon=1.0)
    >>> release.details["epsilon_spectrum"], release.details["epsilon_vectors"]
    (0.25, 0.75)
    """
    m, values, vectors = _decomposed(M)
    d = len(m)
    checks.integer(k, "k", 1, d)
    relation = among(relation, RELATIONS)
    first = _share(d, k, epsilon, relation, split, lambda1) * checks.positive(epsilon, "epsilon")
    law_field(field, m)  # checked before randomness is spent
    if field == "real" and k > 1 and d > 2:
        raise ValueError(f"field must be 'complex' or None for k > 1, got 'real' with k = {k}")
    generator = noise_source(rng)
    released = noisy_spectrum(values[:k], first, relation, generator)
    spectrum = np.concatenate([released, np.zeros(d - k)])
    kappa, chosen = _calibrated(values, vectors, spectrum, epsilon - first, relation, _field(m, spectrum, field))
    claim = Claim(relation, float(epsilon), assumptions=ASSUMPTIONS, labels=LOW_RANK_LABELS)
    value, details = _drawn(chosen, field is None and not np.iscomplexobj(m), generator)
    t = float(radius(k, first, RISK / 2, relation))  # of the values, so lambda_1 is at most released[0] + t
    gap = _gap(chosen, epsilon - first, relation, RISK / 2, details["postprocessing"], spread=float(released[0]) + t)
    guarantee = Guarantee("squared Frobenius error beyond that of the best rank k", k * t**2 + 2 * gap, CONFIDENCE)
    spent = {"eigenvalues": released, "epsilon_spectrum": first, "epsilon_vectors": epsilon - first}
    public = {**spent, "kappa": kappa, **details, "guarantee": guarantee}
    return Release(value, claim, public, {"method": chosen.method})


def _share(d: int, k: int, epsilon: float, relation: str, split: float | None, lambda1: float | None) -> float:
    """Share of epsilon for the eigenvalues: as told, or the best one for a guess, or `SPECTRUM_SHARE`."""
    if split is None:
        return SPECTRUM_SHARE if lambda1 is None else best_split(d, k, lambda1, epsilon, relation=relation)
    if lambda1 is not None:
        raise ValueError(f"lambda1 must be None where the split is given, got {lambda1!r}")
    return checks.probability(split, "split")


def private_pca(
    X: Data,
    k: int,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    relation: str = "replace",
    field: str | None = None,
    rng: checks.Rng = None,
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
    checks.positive(epsilon, "epsilon")
    relation, moments = among(relation, RELATIONS), second_moments(X, norm_bound)
    n, gram = moments.count, moments.gram / float(norm_bound) ** 2
    d = len(gram)
    checks.integer(k, "k", 1, d)
    spectrum = np.concatenate([np.ones(k), np.zeros(d - k)])
    values, vectors = eigenvectors(checks.hermitian(gram, "X'X"))
    kappa, chosen = _calibrated(values, vectors, spectrum, epsilon, relation, _field(gram, spectrum, field))
    value = _directions(chosen, k, noise_source(rng))
    details: dict[str, Any] = {"kappa": kappa, "field": chosen.field}
    details["postprocessing"] = TOP if chosen.field == "complex" else None
    if relation == "replace" or chosen.field == "complex":
        public, unit, name = (float(n), n, "A = X'X/n") if relation == "replace" else (None, 1, "A = X'X")
        gap = _gap(chosen, epsilon, relation, RISK, details["postprocessing"], trace=public)
        lost = gap * float(norm_bound) ** 2 / unit
        details["guarantee"] = Guarantee(f"lost variance lambda_1 + .. + lambda_k - tr V'AV, {name}", lost, CONFIDENCE)
    silent = chosen.field == "real" and not one_apart(spectrum)
    assumptions = (*ASSUMPTIONS, SILENT_REFUSAL) if silent else ASSUMPTIONS
    claim = Claim(relation, float(epsilon), assumptions=assumptions, labels=LABELS)
    return Release(value, claim, details, {"method": chosen.method})


def _directions(chosen: OrbitPlan, k: int, rng: np.random.Generator) -> NDArray[Any]:
    """An orthonormal ``(d, k)`` frame that depends on the data through a draw of the projector only."""
    frames = chosen.frames(1, rng) if chosen.field == "real" else None
    return eigenvectors(chosen.draw(1, rng)[0].real)[1][:, :k] if frames is None else frames[0]
