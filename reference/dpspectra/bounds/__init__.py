"""Bounds of the ledger as functions of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import expit

from dpspectra.bounds.real_field import covered_gap, line_gap, one_apart
from dpspectra.formulas import (
    low_rank_mean_error,
    lower_bound_any_epsilon,
    lower_bound_uniform,
    orbit_utility_gap,
    real_part_utility_gap,
)
from dpspectra.formulas import sin_theta as one_sided
from dpspectra.formulas import sin_theta_symmetric as two_sided
from dpspectra.ground import checks
from dpspectra.relations import Relation, among

__all__ = ["OrbitUtility", "best_split", "one_apart", "orbit_gap", "orbit_mean_gap", "orbit_utility", "sin_theta"]

LARGEST_DIMENSION = 10**7
"""Dimension above which bounds would take minutes, and memory that few have."""
RELATIONS = (Relation.REPLACE, Relation.ADD_REMOVE)
FIELDS = ("complex", "real")

REAL_PART = real_part_utility_gap.FACTOR
"""Gap of the real matrix nearest to the real part of a complex one of the same spectrum, over that one's, at most."""


@dataclass(frozen=True, slots=True)
class OrbitUtility:
    """Hold what is known of the gap ``OPT - <M, H>`` at ``epsilon`` if ``M`` and ``H`` have the same public spectrum.

    The squared Frobenius error ``|M - H|_F^2`` is twice the gap.
    """

    epsilon: float
    guaranteed: float
    """The orbit mechanism's gap exceeds this with probability at most ``beta``, for every ``M``."""
    mean: float
    """Its mean gap is at most this."""
    impossible: float
    """For every such ``epsilon``-private mechanism that sees ``M = X'X`` only, not the rows, there is an ``M`` on which
    the gap exceeds this with probability 1/2 or more; 0 if that is below what float64 can hold."""
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
    """Return the guarantee of `private_orbit`, and what no private mechanism of ``M`` can reach.

    Parameters
    ----------
    d, k
        ``M`` is ``(d, d)`` of rank ``k``.
    eigenvalues
        The ``k`` largest of ``M`` and of the value, descending and non-negative; the rest is 0.
    epsilon
        Privacy loss in nats, above 0.
    relation
        ``"replace"`` or ``"add_remove"``.
    beta
        Probability with which ``guaranteed`` may fail.
    field
        ``"complex"``, or ``"real"`` for real ``M``.

    Returns
    -------
    OrbitUtility
        The guarantees hold with probability ``1 - beta`` and in the mean. They are MWKTV-T2.2; for a real ``M`` twice
        that (DPS-REALPART), and MWKTV-N1L where all eigenvalues but one agree, as `private_orbit` draws the real law
        then. ``impossible`` (MWKTV-T2.4S, MWKTV-T2.4U) holds under either relation for every ``epsilon``-private
        mechanism whose values have this spectrum and depend on the rows through ``M = X'X`` only, as that of
        `private_orbit`. A mechanism that looks at the rows themselves can err by less (MWKTV-ROWEXP).

    Raises
    ------
    ValueError
        For a number out of its range, and for eigenvalues that do not descend.

    Examples
    --------
    >>> known = orbit_utility(20, 5, [50.0] * 5, 4.0)
    >>> round(known.guaranteed), known.mean, round(known.impossible, 3), known.worst
    (2245, 1875.0, 9.427, 12500.0)

    """
    checks.integer(d, "d", 1, LARGEST_DIMENSION)
    checks.integer(k, "k", 1, d)
    values = checks.spectrum(eigenvalues, k)
    checks.non_negative(float(values[-1]), "the smallest of eigenvalues")
    checks.epsilon(epsilon)
    checks.choice(field, "field", FIELDS)
    spectrum = np.concatenate([values, np.zeros(d - k)])
    law = "real" if field == "real" and one_apart(spectrum) else "complex"
    cost, spread = REAL_PART if field != law else 1.0, float(spectrum[0] - spectrum[-1])
    worst = float(spectrum @ (spectrum - spectrum[::-1]))
    gap = cost * orbit_gap(spectrum, epsilon, relation=relation, beta=beta, field=law, spread=spread)
    mean = cost * orbit_mean_gap(spectrum, epsilon, relation=relation, field=law, spread=spread)
    packed = lower_bound_any_epsilon.bound(spectrum, epsilon, field)
    impossible = max(packed, lower_bound_uniform.bound(spectrum, epsilon, field, on_orbit=True)) / 2
    return OrbitUtility(float(epsilon), min(gap, worst), min(mean, worst), impossible, worst)


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
    """Bound ``OPT - <M, H>`` with probability at least ``1 - beta``, for an exact draw of the orbit mechanism.

    The law is on the orbit of ``field`` at the inverse temperature that ``epsilon`` allows.

    Parameters
    ----------
    eigenvalues
        All eigenvalues of ``H``, descending.
    epsilon
        Privacy loss in nats, above 0.
    relation
        ``"replace"`` or ``"add_remove"``.
    beta
        Probability with which the bound may fail.
    field
        ``"complex"``: MWKTV-T2.2, for every Hermitian ``M``. ``"real"``: MWKTV-N1L, for every symmetric ``M``, where
        all ``eigenvalues`` but one agree; other spectra need a ``trace``.
    spread
        In the real field, where all ``eigenvalues`` but one agree: public bound on the difference of the largest and
        smallest eigenvalue of ``M``, which may bound the gap more closely.
    trace
        In the real field: public bound on the trace of a PSD ``M`` (MWKTV-L6.5), which bounds the spread as well.

    Returns
    -------
    float
        The bound, in the units of ``<M, H>``.

    Raises
    ------
    ValueError
        For a number out of its range, or in the real field without the bound it needs.

    """
    spectrum = _checked(eigenvalues, epsilon, relation, field)
    checks.probability(beta, "beta")
    if field == "complex":
        return float(orbit_utility_gap.bound(spectrum, epsilon, beta, relation))
    return _real_gap(spectrum, epsilon, relation, beta, spread, trace)


def orbit_mean_gap(
    eigenvalues: ArrayLike,
    epsilon: float,
    *,
    relation: str = "replace",
    field: str = "complex",
    spread: float | None = None,
    trace: float | None = None,
) -> float:
    """Bound the mean of ``OPT - <M, H>`` for an exact draw of the orbit mechanism.

    Parameters
    ----------
    eigenvalues, epsilon, relation, field, spread, trace
        As in `orbit_gap`.

    Returns
    -------
    float
        The bound; by a trace it is the integral of the tail of `orbit_gap`.

    Raises
    ------
    ValueError
        As `orbit_gap`.

    """
    spectrum = _checked(eigenvalues, epsilon, relation, field)
    if field == "complex":
        return float(orbit_utility_gap.mean_bound(spectrum, epsilon, relation))
    return _real_gap(spectrum, epsilon, relation, None, spread, trace)


def _real_gap(
    spectrum: NDArray[np.float64],
    epsilon: float,
    relation: str,
    beta: float | None,
    spread: float | None,
    trace: float | None,
) -> float:
    """Return the gap at probability ``beta``, or its mean for None; the trace bounds the spread as well."""
    trace, spread = (
        value if value is None else checks.non_negative(value, name)
        for value, name in ((trace, "trace"), (spread, "spread"))
    )
    if one_apart(spectrum):
        return line_gap(spectrum, epsilon, relation, beta, trace if spread is None else spread)
    if trace is None:
        raise ValueError("trace must be given in the real field, got None")
    return covered_gap(spectrum, epsilon, relation, beta, trace)


def _checked(eigenvalues: ArrayLike, epsilon: float, relation: str, field: str) -> NDArray[np.float64]:
    spectrum = checks.descending(eigenvalues, "eigenvalues")
    checks.epsilon(epsilon)
    among(relation, RELATIONS)
    checks.choice(field, "field", FIELDS)
    return spectrum


def best_split(d: int, k: int, lambda1: float, epsilon: float, *, relation: str = "replace") -> float:
    """Return the share of ``epsilon`` for the eigenvalues that minimises the mean error bound of `private_low_rank`.

    Parameters
    ----------
    d, k
        Dimension, and rank of the approximation.
    lambda1
        A guess of the largest eigenvalue of ``M``. It must be public: the split says what it was.
    epsilon
        Privacy loss in nats, above 0.
    relation
        ``"replace"`` or ``"add_remove"``.

    Returns
    -------
    float
        A share between 0 and 1, by MWKTV-T2.3.

    Raises
    ------
    ValueError
        For a number out of its range, or another relation.

    Examples
    --------
    >>> round(best_split(20, 5, 50.0, 1.0), 2)
    0.22

    """
    checks.integer(k, "k", 1, checks.integer(d, "d", 1, LARGEST_DIMENSION))
    among(relation, RELATIONS)
    checks.epsilon(epsilon)
    values = np.append(checks.positive(lambda1, "lambda1"), np.zeros(d - 1))

    def error(log_odds: float) -> float:
        share = expit(log_odds)
        return float(low_rank_mean_error.bound(values, k, share * epsilon, (1 - share) * epsilon, relation))

    return float(expit(minimize_scalar(error, bounds=(-30.0, 30.0), method="bounded").x))


def sin_theta(difference: float, gap: float, other_gap: float | None = None) -> float:
    """Return the largest Frobenius distance between top-``k`` spectral projectors of two Hermitian matrices.

    Parameters
    ----------
    difference
        Frobenius norm of the matrices' difference.
    gap
        Alone, the one-sided gap ``lambda_k(M) - lambda_{k+1}(N) > 0``. With ``other_gap``, the gap after place ``k`` of
        the one matrix.
    other_gap
        The gap after place ``k`` of the other matrix.

    Returns
    -------
    float
        ``sqrt(2) difference / gap`` for one number (MWKTV-L8.2, repaired), ``2 difference / (gap + other_gap)`` for two
        (MWKTV-L8.2S).

    Raises
    ------
    ValueError
        If the difference is negative, or the gap or the sum of both gaps is not positive.

    Examples
    --------
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
