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
from dpspectra.lemmas.privacy.orbit_accounting import inverse_temperature
from dpspectra.mechanisms.release import EXACT_EIGENVECTORS, IDEAL_RANDOMNESS, IDEAL_REALS, Claim, Guarantee, Release
from dpspectra.mechanisms.spectrum import noisy_spectrum
from dpspectra.sampling.orbit import Plan, plan

RELATIONS = ("replace", "add_remove")
ASSUMPTIONS = (IDEAL_REALS, IDEAL_RANDOMNESS, EXACT_EIGENVECTORS)
CONFIDENCE = 0.95
SPECTRUM_SHARE = 0.25
"""Part of the budget that `private_low_rank` spends on eigenvalues, unless told otherwise."""


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
    largest that is ``epsilon``-DP; ``spread`` is the largest minus the least eigenvalue. ``field`` and ``method`` as in
    `dpspectra.sampling.orbit`. All methods sample the same law; how long they run may depend on the data.

    ``details``: ``kappa`` and ``method``. Raises ``ValueError`` for bad input, before any randomness is spent.
    """
    m = checks.hermitian(M, "M", psd=True)
    spectrum = checks.spectrum(eigenvalues, len(m))
    checks.choice(relation, "relation", RELATIONS)
    kappa, chosen = _calibrated(m, spectrum, checks.positive(epsilon, "epsilon"), relation, field, method)
    value = chosen.draw(1, checks.generator(rng))[0]
    claim = Claim(relation, float(epsilon), assumptions=ASSUMPTIONS, labels=("MWKTV-L6.2X", "MWKTV-T5.3"))
    return Release(value, claim, {"kappa": kappa, "method": chosen.method})


def _calibrated(
    m: NDArray[Any], spectrum: NDArray[Any], epsilon: float, relation: str, field: str | None, method: str = "auto"
) -> tuple[float, Plan]:
    """Inverse temperature and sampling plan; a constant spectrum needs neither noise nor budget."""
    kappa = float(inverse_temperature(spectrum, epsilon, relation)) if spectrum[0] > spectrum[-1] else 0.0
    return kappa, plan(m, spectrum, kappa, field, method)


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
    """Release a PSD approximation of ``M`` of rank at most ``k``; ``epsilon``-DP (MWKTV-A2, repaired).

    ``M`` as in `private_orbit`. A share ``split`` of ``epsilon`` (a quarter by default) pays for the ``k`` largest
    eigenvalues, released as by `private_spectrum`; the rest pays for the eigenvectors, drawn by the orbit mechanism
    with the *released* spectrum, so the temperature depends on nothing private. Built for ``k = 1``.

    The value is ``(d, d)``; ``details`` hold the released ``eigenvalues``, both budgets and ``method``.
    Raises ``ValueError`` for bad input.
    """
    m = checks.hermitian(M, "M", psd=True)
    checks.integer(k, "k", 1, len(m))
    _rank_one_only(k, "private_low_rank")
    checks.choice(relation, "relation", RELATIONS)
    share = SPECTRUM_SHARE if split is None else checks.probability(split, "split")
    first = share * checks.positive(epsilon, "epsilon")
    generator = checks.generator(rng)
    plan(m, np.zeros(len(m)), 0.0, field)  # the field is checked before randomness is spent
    released = noisy_spectrum(spectrum_of(m)[:k], first, relation, generator)
    spectrum = np.concatenate([released, np.zeros(len(m) - k)])
    _, chosen = _calibrated(m, spectrum, epsilon - first, relation, field)
    claim = Claim(relation, float(epsilon), assumptions=ASSUMPTIONS, labels=("MWKTV-T7.1", "MWKTV-L6.2X", "JXZ-T1"))
    details = {"eigenvalues": released, "epsilon_spectrum": first, "epsilon_vectors": epsilon - first}
    return Release(chosen.draw(1, generator)[0], claim, {**details, "method": chosen.method})


def private_pca(
    X: ArrayLike, k: int, epsilon: float, *, norm_bound: float = 1.0, relation: str = "replace", rng: Any = None
) -> Release:
    """Release the leading direction of the rows' second-moment matrix; ``epsilon``-DP (MWKTV-L6.2X).

    ``X`` is real ``(n, d)``, one row a person; the claim holds because rows have norm at most ``norm_bound`` (checked,
    never clipped). The value is ``(d, k)`` with orthonormal columns; the sign means nothing. Built for ``k = 1``: the
    density on the sphere is proportional to ``exp(kappa v' X'X v / norm_bound^2)``, ``kappa = epsilon / 2``
    (``epsilon`` under ``"add_remove"``). Nothing is centred.

    ``details``: ``kappa``, ``method``, and ``guarantee`` on the lost variance ``lambda_1 - v' A v`` of
    ``A = X'X/n``, from MWKTV-T5.4 with the exact measure of a cap. It is stated under ``"replace"`` only, where ``n``
    is public. Raises ``ValueError`` for bad input.
    """
    x = checks.rows(X, norm_bound) / float(norm_bound)
    n, d = x.shape
    checks.integer(k, "k", 1, d)
    _rank_one_only(k, "private_pca")
    checks.choice(relation, "relation", RELATIONS)
    spectrum = np.eye(d)[0]
    kappa, chosen = _calibrated(x.T @ x, spectrum, checks.positive(epsilon, "epsilon"), relation, "real")
    details: dict[str, Any] = {"kappa": kappa, "method": chosen.method}
    if relation == "replace":
        bound = float(norm_bound) ** 2 * shortfall_radius(d, kappa, float(n), 1 - CONFIDENCE, "real") / n
        details["guarantee"] = Guarantee("lost variance lambda_1 - v'Av", bound, CONFIDENCE)
    claim = Claim(relation, float(epsilon), assumptions=ASSUMPTIONS, labels=("MWKTV-L6.2X", "MWKTV-T5.3"))
    return Release(chosen.unit_vectors(1, checks.generator(rng)).T, claim, details)


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


def _rank_one_only(k: int, name: str) -> None:
    if k != 1:
        raise ValueError(f"{name} has an exact sampler for k = 1 only so far, got k = {k}")
