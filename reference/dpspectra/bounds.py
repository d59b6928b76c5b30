"""Bounds of the ledger as functions of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit

from dpspectra.fast.caps import log_line_cap
from dpspectra.ground import checks
from dpspectra.lemmas.covering import gap_quantile
from dpspectra.lemmas.lower_bounds import any_epsilon, explicit_bound
from dpspectra.lemmas.orbit import low_rank_mean_error, real_part, utility
from dpspectra.lemmas.perturbation import sin_theta as one_sided
from dpspectra.lemmas.perturbation import sin_theta_symmetric as two_sided
from dpspectra.lemmas.privacy.exponential_utility import radius
from dpspectra.lemmas.privacy.orbit_accounting import inverse_temperature
from dpspectra.relations import Relation, among

__all__ = ["OrbitUtility", "best_split", "one_apart", "orbit_gap", "orbit_mean_gap", "orbit_utility", "sin_theta"]

LARGEST_DIMENSION = 10**7
"""Dimension above which bounds would take minutes, and memory that few have."""
RELATIONS = (Relation.REPLACE, Relation.ADD_REMOVE)
FIELDS = ("complex", "real")

REAL_PART = real_part.FACTOR
"""Gap of the real matrix nearest to the real part of a complex one of the same spectrum, over that one's, at most."""


@dataclass(frozen=True, slots=True)
class OrbitUtility:
    """What is known of the gap ``OPT - <M, H>`` if ``M`` and ``H`` have the same public spectrum.

    The squared Frobenius error ``|M - H|_F^2`` is twice the gap.
    """

    epsilon: float
    guaranteed: float
    """The orbit mechanism's gap exceeds this with probability at most ``beta``, for every ``M``."""
    mean: float
    """Its mean gap is at most this."""
    impossible: float
    """For every ``epsilon``-private mechanism that sees ``M = X'X`` only, not the rows, there is an ``M`` on which the
    gap exceeds this with probability 1/2 or more; 0 if that is below what float64 can hold."""
    worst: float
    """No gap is larger; a guarantee of this says nothing."""

    @property
    def factor(self) -> float:
        """The guarantee over the lower bound; infinite where none is proved, 1 where there is nothing to lose."""
        if self.impossible == 0:
            return math.inf if self.guaranteed > 0 else 1.0
        return self.guaranteed / self.impossible


def orbit_utility(
    d: int,
    k: int,
    eigenvalues: ArrayLike,
    epsilon: float,
    *,
    relation: str = "replace",
    beta: float = 0.05,
    field: str = "complex",
) -> OrbitUtility:
    """Guarantee of `private_orbit` and what no private mechanism of ``M`` can reach; ``M`` is ``(d, d)`` of rank ``k``.

    ``eigenvalues`` are the ``k`` largest of ``M`` and of what is released, descending and non-negative; the rest is 0.
    The guarantees hold with probability ``1 - beta`` and in the mean. They are MWKTV-T2.2; for real ``M``, as ``field``
    may say, twice that (DPS-REALPART), and MWKTV-T5.4 where all eigenvalues but one agree, as `private_orbit` draws
    the real law then.
    ``impossible`` (MWKTV-T2.4S) holds under either relation for every ``epsilon``-private mechanism whose output
    depends on the rows through ``M = X'X`` only, as that of `private_orbit`; one that looks at the rows themselves can
    err by less (MWKTV-ROWEXP). Raises ``ValueError`` for bad input.

    >>> known = orbit_utility(20, 5, [50.0] * 5, 4.0)
    >>> round(known.guaranteed), known.mean, round(known.impossible, 3), known.worst
    (2245, 1875.0, 2.379, 12500.0)
    """
    checks.integer(d, "d", 1, LARGEST_DIMENSION)
    checks.integer(k, "k", 1, d)
    values = checks.spectrum(eigenvalues, k)
    checks.non_negative(float(values[-1]), "the smallest of eigenvalues")
    checks.positive(epsilon, "epsilon")
    checks.choice(field, "field", FIELDS)
    spectrum = np.concatenate([values, np.zeros(d - k)])
    law = "real" if field == "real" and one_apart(spectrum) else "complex"
    cost, spread = REAL_PART if field != law else 1.0, float(spectrum[0] - spectrum[-1])
    worst = float(spectrum @ (spectrum - spectrum[::-1]))
    gap = cost * orbit_gap(spectrum, epsilon, relation=relation, beta=beta, field=law, spread=spread)
    mean = cost * orbit_mean_gap(spectrum, epsilon, relation=relation, field=law, spread=spread)
    impossible = max(lower.bound(spectrum, epsilon, field) for lower in (any_epsilon, explicit_bound)) / 2
    return OrbitUtility(float(epsilon), min(gap, worst), min(mean, worst), impossible, worst)


def one_apart(spectrum: ArrayLike) -> bool:
    """Whether at least all but one of some descending values agree: an orbit of lines, or of their complements.

    Raises ``ValueError`` for what is not a vector of finite descending numbers.
    """
    spectrum = checks.descending(spectrum, "spectrum")
    return bool(spectrum[1:-1].size == 0 or spectrum[0] == spectrum[-2] or spectrum[1] == spectrum[-1])


def orbit_gap(
    eigenvalues: ArrayLike,
    epsilon: float,
    *,
    relation: str = "replace",
    beta: float = 0.05,
    field: str = "complex",
    spread: float | None = None,
    trace: float | None = None,
) -> float:
    """Bound on ``OPT - <M, H>`` with probability at least ``1 - beta``, for an exact draw of the orbit mechanism.

    The law is on the orbit of ``field`` at the inverse temperature that ``epsilon`` allows; ``eigenvalues`` are all of
    ``H``, descending. In the complex field MWKTV-T2.2, for every Hermitian ``M``. In the real one public bounds on
    ``M``, PSD, are needed: ``spread`` on the difference of its largest and smallest eigenvalue where all
    ``eigenvalues`` but one agree (MWKTV-T5.4 with the exact measure of a cap), else ``trace`` (MWKTV-L6.5), which
    bounds the spread as well. Raises ``ValueError`` for bad input.
    """
    spectrum = _checked(eigenvalues, epsilon, relation, field)
    checks.probability(beta, "beta")
    if field == "complex":
        return float(utility.bound(spectrum, epsilon, beta, relation))
    return min(gap for gap, _ in _real_gaps(spectrum, epsilon, relation, beta, spread, trace))


def orbit_mean_gap(
    eigenvalues: ArrayLike,
    epsilon: float,
    *,
    relation: str = "replace",
    field: str = "complex",
    spread: float | None = None,
    trace: float | None = None,
) -> float:
    """Bound on the mean of that gap, with the same arguments; over the reals from the tail of `orbit_gap`."""
    spectrum = _checked(eigenvalues, epsilon, relation, field)
    if field == "complex":
        return float(utility.mean_bound(spectrum, epsilon, relation))
    return min(gap + scale for gap, scale in _real_gaps(spectrum, epsilon, relation, 1.0, spread, trace))


def _checked(eigenvalues: ArrayLike, epsilon: float, relation: str, field: str) -> NDArray[np.float64]:
    spectrum = checks.descending(eigenvalues, "eigenvalues")
    checks.positive(epsilon, "epsilon")
    among(relation, RELATIONS)
    checks.choice(field, "field", FIELDS)
    return spectrum


def _real_gaps(
    spectrum: NDArray[Any], epsilon: float, relation: str, beta: float, spread: float | None, trace: float | None
) -> list[tuple[float, float]]:
    """Gaps exceeded with probability at most ``beta``, each with the scale at which the tail falls beyond it.

    An orbit does not change in shape if a constant is added to a spectrum or its sign is turned, so its rank is the
    number of values that differ from the smallest one, or from the largest.
    """
    width, gaps = float(spectrum[0] - spectrum[-1]), list[tuple[float, float]]()
    if width == 0:
        return [(0.0, 0.0)]
    kappa, d = float(inverse_temperature(spectrum, epsilon, relation)), len(spectrum)
    spread = trace if spread is None else checks.non_negative(spread, "spread")
    if one_apart(spectrum) and spread is not None:
        gaps.append((_line_gap(d, kappa, width * spread, beta), 1 / kappa))
    if trace is not None:
        checks.non_negative(trace, "trace")
        k = min(int(np.count_nonzero(spectrum != end)) for end in spectrum[[0, -1]])
        gaps.append((gap_quantile.smallest_bound(d, k, width, trace, kappa, beta, field="real"), 2 / kappa))
    if not gaps:
        raise ValueError(f"{'spread' if one_apart(spectrum) else 'trace'} must be given in the real field, got None")
    return gaps


def _line_gap(d: int, kappa: float, largest: float, beta: float) -> float:
    """Lines within squared sine ``t`` of the best one lose at most ``t`` of the largest gap; these are a cap."""
    if largest == 0:
        return 0.0
    return radius(kappa, beta, lambda slack: log_line_cap(slack / largest, d, "real"), largest)


def best_split(d: int, k: int, lambda1: float, epsilon: float, *, relation: str = "replace") -> float:
    """Share of ``epsilon`` for the eigenvalues that minimises the mean error bound of `private_low_rank` (MWKTV-T2.3).

    ``lambda1`` is a guess of the largest eigenvalue of ``M``, which must be public: the split says what it was.
    Raises ``ValueError`` for bad input.

    >>> round(best_split(20, 5, 50.0, 1.0), 2)
    0.22
    """
    checks.integer(k, "k", 1, checks.integer(d, "d", 1, LARGEST_DIMENSION))
    among(relation, RELATIONS)
    checks.positive(epsilon, "epsilon")
    values = np.append(checks.positive(lambda1, "lambda1"), np.zeros(d - 1))

    def error(log_odds: float) -> float:
        share = expit(log_odds)
        return float(low_rank_mean_error.bound(values, k, share * epsilon, (1 - share) * epsilon, relation))

    return float(expit(minimize_scalar(error, bounds=(-30.0, 30.0), method="bounded").x))


def sin_theta(difference: float, gap: float, other_gap: float | None = None) -> float:
    """Largest Frobenius distance between top-``k`` spectral projectors of two Hermitian matrices.

    ``difference`` is the Frobenius norm of the matrices' difference. With one number, ``gap`` is the one-sided gap
    ``lambda_k(M) - lambda_{k+1}(N) > 0`` and the bound is ``sqrt(2) difference / gap`` (MWKTV-L8.2, repaired). With
    two, they are the gaps after place ``k`` of the one matrix and of the other, and the bound is
    ``2 difference / (gap + other_gap)`` (MWKTV-L8.2S). Raises ``ValueError`` for bad input.

    >>> sin_theta(0.1, gap=1.0, other_gap=1.0)
    0.1
    >>> round(sin_theta(0.1, gap=1.0), 6)
    0.141421
    """
    checks.non_negative(difference, "difference")
    if other_gap is None:
        return float(one_sided.bound(difference, checks.positive(gap, "gap")))
    total = checks.non_negative(gap, "gap") + checks.non_negative(other_gap, "other_gap")
    checks.positive(total, "gap + other_gap")
    return float(two_sided.bound(difference, gap, other_gap))
