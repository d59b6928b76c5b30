"""Input perturbation: the second-moment matrix of the rows plus independent noise on its upper triangle."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import ArrayLike, NDArray

from dpspectra.fast import checks
from dpspectra.fast.gaussian import mu_for
from dpspectra.fast.linalg import mirror
from dpspectra.lemmas.sensitivity.covariance_l1 import upper_triangle_l1, upper_triangle_l2
from dpspectra.mechanisms.release import CONFIDENCE, Claim, Guarantee, Release


def laplace_covariance(
    X: ArrayLike, epsilon: float, *, norm_bound: float = 1.0, relation: str = "replace", rng: Any = None
) -> Release:
    """Release ``X'X / n`` with Laplace noise; ``epsilon``-DP when one row is replaced (JXZ-A1 with exact sensitivity).

    ``X`` is real ``(n, d)``, one row a person, and the claim holds because every row has norm at most ``norm_bound``
    (checked; never clipped). The value is symmetric ``(d, d)``, not centred and not projected on the PSD cone. Entries
    on and above the diagonal get independent noise of density ``exp(-|x|/b)/2b``, ``b = S norm_bound^2 / (n epsilon)``,
    where ``S`` is the l1 sensitivity of that triangle: about ``d / sqrt 2`` where the printed algorithm has ``2 d``.

    ``details``: ``scale`` (``b``), ``variance`` of an entry, ``guarantee`` on the Frobenius error.
    Raises ``ValueError`` for bad input.
    """
    x, scale = _checked(X, norm_bound, relation)
    n, d = x.shape
    b = upper_triangle_l1(d) * scale / (n * checks.positive(epsilon, "epsilon"))
    noise = checks.generator(rng).laplace(scale=b, size=d * (d + 1) // 2)
    claim = Claim(relation, float(epsilon), labels=("JXZ-T1", "JXZ-L2-X"))
    return _release(x, noise, claim, scale=b, variance=2 * b**2, kurtosis=6.0)


def gaussian_covariance(
    X: ArrayLike, epsilon: float, delta: float, *, norm_bound: float = 1.0, relation: str = "replace", rng: Any = None
) -> Release:
    """Release ``X'X / n`` with Gaussian noise; ``(epsilon, delta)``-DP when one row is replaced, calibrated exactly.

    As `laplace_covariance`, with independent normal noise of standard deviation ``sqrt 2 norm_bound^2 / (n mu)`` on and
    above the diagonal (``1`` for ``sqrt 2`` if ``d = 1``); ``mu`` is the largest at which the exact Gaussian profile at
    ``epsilon`` stays within ``delta`` (HR-T2.6R), so any ``epsilon > 0`` is allowed.

    ``details``: ``scale`` (the standard deviation), ``variance``, ``guarantee``. Raises ``ValueError`` for bad input.
    """
    x, scale = _checked(X, norm_bound, relation)
    n, d = x.shape
    mu = mu_for(checks.positive(epsilon, "epsilon"), checks.probability(delta, "delta"))
    sigma = upper_triangle_l2(d) * scale / (n * mu)
    noise = checks.generator(rng).normal(scale=sigma, size=d * (d + 1) // 2)
    claim = Claim(relation, float(epsilon), float(delta), gdp_mu=mu, labels=("HR-T2.6R", "JXZ-L2-X"))
    return _release(x, noise, claim, scale=sigma, variance=sigma**2, kurtosis=3.0)


def _checked(X: ArrayLike, norm_bound: float, relation: str) -> tuple[NDArray[Any], float]:
    """The rows, and the square of their norm bound."""
    checks.choice(relation, "relation", ("replace",))
    return checks.rows(X, norm_bound), float(norm_bound) ** 2


def _release(
    x: NDArray[Any], noise: NDArray[Any], claim: Claim, *, scale: float, variance: float, kurtosis: float
) -> Release:
    d = x.shape[1]
    value = x.T @ x / len(x) + mirror(noise, d)
    bound = frobenius_radius(d, variance, kurtosis, CONFIDENCE)
    guarantee = Guarantee("Frobenius error", bound, CONFIDENCE)
    return Release(value, claim, {"scale": scale, "variance": variance, "guarantee": guarantee})


def frobenius_radius(d: int, variance: float, kurtosis: float, probability: float) -> float:
    """Radius that the Frobenius norm of symmetric noise, independent on the upper triangle, keeps with ``probability``.

    With ``w = 1`` on and ``2`` above the diagonal the squared norm is ``sum w_i x_i^2``, of mean ``v d^2`` and variance
    ``(kappa - 1) v^2 sum w_i^2 = (kappa - 1) v^2 (2 d^2 - d)``, for entries of variance ``v`` and kurtosis ``kappa``
    (fourth moment over ``v^2``); the one-sided Chebyshev inequality does the rest.
    """
    spread = variance * math.sqrt((kurtosis - 1) * (2 * d**2 - d))
    return math.sqrt(variance * d**2 + spread * math.sqrt(probability / (1 - probability)))
