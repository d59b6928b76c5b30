"""Input perturbation: the second-moment matrix of the rows plus independent noise on its upper triangle."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra import checks
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.linalg import mirror, psd_projection
from dpspectra.lemmas.sensitivity.covariance_l1 import upper_triangle_l1, upper_triangle_l2
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.moments import Moments, second_moments
from dpspectra.mechanisms.release import Claim, Guarantee, Release, noise_source
from dpspectra.relations import Relation, among

NEAREST_PSD = "nearest positive semidefinite matrix"


def laplace_covariance(
    X: Data,
    epsilon: float,
    *,
    norm_bound: float = 1.0,
    relation: str = "replace",
    psd: bool = False,
    rng: checks.Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release ``X'X / n`` with Laplace noise; ``epsilon``-DP when one row is replaced (JXZ-A1 with exact sensitivity).

    ``X`` is real ``(n, d)``, one row a person: an array, a scipy sparse matrix, a dask array (extra ``outofcore``), or
    an iterator over chunks of rows, and the claim holds because every row has norm at most ``norm_bound`` (checked;
    never clipped). The value is symmetric ``(d, d)`` and not centred. Entries on and above the diagonal get independent
    noise of density ``exp(-|x|/b)/2b``, ``b = S norm_bound^2 / (n epsilon)``, where ``S`` is the l1 sensitivity of that
    triangle: about ``d / sqrt 2`` where the printed algorithm has ``2 d``. With ``psd`` the nearest positive
    semidefinite matrix is released, which is post-processing and never farther from the truth.

    ``details``: ``scale`` (``b``), ``variance`` of an entry, ``guarantee`` on the Frobenius error, ``postprocessing``.
    Raises ``ValueError`` for bad input.
    """
    checks.positive(epsilon, "epsilon")
    relation, moments = checked_moments(X, norm_bound, relation, (Relation.REPLACE,))
    d = len(moments.gram)
    b = upper_triangle_l1(d) * float(norm_bound) ** 2 / (moments.count * epsilon)
    noise = noise_source(rng).laplace(scale=b, size=d * (d + 1) // 2)
    claim = Claim(relation, float(epsilon), labels=("JXZ-T1", "JXZ-L2-X"))
    guarantee = frobenius_guarantee(d, 2 * b**2, 6.0)
    return perturbed(moments, mirror(noise, d), claim, psd, scale=b, variance=2 * b**2, guarantee=guarantee)


def gaussian_covariance(
    X: Data,
    epsilon: float,
    delta: float,
    *,
    norm_bound: float = 1.0,
    relation: str = "replace",
    psd: bool = False,
    rng: checks.Rng = None,
) -> Release[NDArray[np.float64]]:
    """Release ``X'X / n`` with Gaussian noise; ``(epsilon, delta)``-DP when one row is replaced, calibrated exactly.

    As `laplace_covariance`, with independent normal noise of standard deviation ``sqrt 2 norm_bound^2 / (n mu)`` on and
    above the diagonal (``1`` for ``sqrt 2`` if ``d = 1``); ``mu`` is the largest at which the exact Gaussian profile at
    ``epsilon`` stays within ``delta`` (HR-T2.6R), so any ``epsilon > 0`` is allowed.

    ``details``: ``scale`` (the standard deviation), ``variance``, ``guarantee``, ``postprocessing``.
    """
    mu = mu_for(checks.positive(epsilon, "epsilon"), checks.probability(delta, "delta"))
    relation, moments = checked_moments(X, norm_bound, relation, (Relation.REPLACE,))
    d = len(moments.gram)
    sigma = upper_triangle_l2(d) * float(norm_bound) ** 2 / (moments.count * mu)
    noise = noise_source(rng).normal(scale=sigma, size=d * (d + 1) // 2)
    claim = Claim(relation, float(epsilon), float(delta), gdp_mu=mu, labels=("HR-T2.6R", "JXZ-L2-X"))
    guarantee = frobenius_guarantee(d, sigma**2, 3.0)
    return perturbed(moments, mirror(noise, d), claim, psd, scale=sigma, variance=sigma**2, guarantee=guarantee)


def checked_moments(
    X: Data, norm_bound: float, relation: str, relations: tuple[Relation, ...]
) -> tuple[Relation, Moments]:
    """The sum of ``x x'`` over rows of norm at most ``norm_bound``, once the relation is known to be one of these."""
    return among(relation, relations), second_moments(X, norm_bound)


def perturbed(
    moments: Moments, noise: NDArray[Any], claim: Claim, psd: bool, **details: Any
) -> Release[NDArray[np.float64]]:
    """Release the second moments over ``n`` plus symmetric ``(d, d)`` noise, projected on the PSD cone if asked."""
    value = moments.gram / moments.count + noise
    if psd:
        value = psd_projection(value)
    return Release(value, claim, {**details, "postprocessing": NEAREST_PSD if psd else None})


def frobenius_guarantee(d: int, variance: float, kurtosis: float) -> Guarantee:
    """Bound on the Frobenius norm of symmetric noise whose entries on and above the diagonal are independent.

    With ``w = 1`` on and ``2`` above the diagonal the squared norm is ``sum w_i x_i^2``, of mean ``v d^2`` and variance
    ``(kappa - 1) v^2 sum w_i^2 = (kappa - 1) v^2 (2 d^2 - d)``, for entries of variance ``v`` and kurtosis ``kappa``
    (fourth moment over ``v^2``).
    """
    return Guarantee.of_square("Frobenius error", variance * d**2, variance**2 * (kurtosis - 1) * (2 * d**2 - d))
