"""Measures of privacy loss: epsilon with a delta, ``mu`` of Gaussian privacy, ``rho`` of zCDP and Renyi divergences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import erfinv, log_expit, ndtri_exp

from dpspectra.certified import calibrate, composition, measures
from dpspectra.fast.gaussian_profile import epsilon_for
from dpspectra.ground import checks
from dpspectra.mechanisms.claims import upward
from dpspectra.mechanisms.gaussian_mu import whole_mu

MEASURES = ("epsilon", "mu", "rho", "renyi")
LABEL = "DPS-MEASURES"
SMALLEST, GREATEST = 2.0**-60, 2.0**20
"""Amounts that are looked for lie between these."""


def convert(
    to: str,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    mu: float | None = None,
    rho: float | None = None,
    renyi: Mapping[float, float] | None = None,
    order: float | None = None,
    largest: bool = False,
) -> float:
    """Return the smallest amount of a measure that is known to follow from another one, rounded upward (DPS-MEASURES).

    With ``largest`` it is the other way: the largest amount from which the other one follows, rounded downward.

    Parameters
    ----------
    to
        The measure that is asked for:

        ===========  ===========================================================================================
        ``epsilon``  nats: with ``delta`` above 0 of approximate privacy, else the pure loss; with ``largest`` and
                     ``delta`` above 0 the epsilon to ask of a mechanism with Gaussian noise
        ``mu``       of Gaussian privacy
        ``rho``      of zero-concentrated privacy (zCDP)
        ``renyi``    divergence (nats) of the ``order``
        ===========  ===========================================================================================

    epsilon, mu, rho, renyi
        The known amount, by one of these; ``renyi`` holds divergences by their orders, ``{8: 0.5}``.
    delta
        Probability that goes with the epsilon that is given or asked for.
    order
        Order of the divergence that is asked for, above 1.
    largest
        Whether to go from a limit to the largest amount within it.

    Returns
    -------
    float
        The amount.

    Raises
    ------
    ValueError
        For bad numbers, and where nothing follows: no ``rho`` from an epsilon with a delta, say.

    Examples
    --------
    >>> convert("rho", epsilon=1.0)
    0.5
    >>> round(convert("epsilon", rho=0.5, delta=1e-6), 3)
    5.222
    >>> round(convert("rho", epsilon=1.0, delta=1e-6, largest=True), 4)
    0.0244

    """
    checks.choice(to, "to", MEASURES)
    delta = checks.probability(delta, "delta", zero=True)
    given = {"epsilon": epsilon, "mu": mu, "rho": rho, "renyi": renyi}
    known = {name: amount for name, amount in given.items() if amount is not None}
    if len(known) != 1:
        raise ValueError(f"one amount must be given of {', '.join(MEASURES)}, got {len(known)}")
    if to in known:
        raise ValueError(f"to must be another measure than the known one, got {to}")
    if (to == "renyi") != (order is not None):
        raise ValueError(f"order must be given for renyi and nothing else, got {checks.shown(order)} for {to}")
    target = (to, order if order is None else order_of(order))
    ((name, amount),) = known.items()
    points = [*curve_of(amount)] if name == "renyi" else [(None, checks.positive(amount, name))]
    for each in (*(x for point in points for x in point if x is not None), target[1] or 1.0, delta or 1.0):
        if not SMALLEST <= each <= GREATEST:
            raise ValueError(f"amounts, orders and delta must lie between 2**-60 and 2**20, got {each:g}: give another")
    if not checks.flag(largest, "largest"):
        return min(follows((name, each), value, target, delta) for each, value in points)

    def within(x: float) -> bool:
        start = whole_mu((x, delta)) if to == "epsilon" and delta else x
        source = ("mu", None) if to == "epsilon" and delta else target
        if source[0] == "mu" and name == "epsilon" and delta:
            return all(calibrate.profile_at_most(value, start, delta) for _, value in points)
        return all(follows(source, start, (name, each), delta) <= value for each, value in points)

    return _largest(within)


def order_of(value: Any) -> float:
    """Return an order of Renyi divergence, above 1."""
    if checks.positive(value, "order") <= 1:
        raise ValueError(f"order must be above 1, got {checks.shown(value)}")
    return float(value)


def curve_of(divergences: Any) -> tuple[tuple[float, float], ...]:
    """Return divergences by their orders, checked, as pairs in ascending order."""
    if not isinstance(divergences, Mapping) or not divergences:
        raise ValueError(f"renyi must hold divergences by their orders, as {{8: 0.5}}, got {checks.shown(divergences)}")
    return tuple(sorted((order_of(order), checks.positive(each, "renyi")) for order, each in divergences.items()))


def follows(source: tuple[str, float | None], amount: float, to: tuple[str, float | None], delta: float) -> float:
    """Return the smallest amount that is known to follow, rounded upward, for measures with their orders.

    Raises ``ValueError`` if none does.
    """
    (have, have_order), (want, order) = source, to
    pure = have == "epsilon" and delta == 0
    if source == to and (have != "epsilon" or pure):
        return amount
    if want == "epsilon" and delta and have == "mu":
        return composition.gaussian(amount, delta, epsilon_for(delta, amount))
    if want == "epsilon" and delta and have == "rho":
        best = _best_order(amount, delta)
        return measures.epsilon_of_divergence(best, upward(Fraction(best) * Fraction(amount)), delta)
    if want == "epsilon" and delta and have_order is not None:
        return measures.epsilon_of_divergence(have_order, amount, delta)
    if pure and want == "mu":
        near = np.sqrt(8) * erfinv(np.tanh(amount / 2)) if amount < 1 else -2 * ndtri_exp(log_expit(-amount))
        return measures.mu_of_pure(amount, float(near))
    if pure and order is not None:
        return measures.divergence_of_pure(order, amount)
    if want in ("rho", "renyi") and (pure or have in ("mu", "rho")):
        rho = Fraction(amount) if have == "rho" else measures.half_square(amount)
        return upward(rho if order is None else Fraction(order) * rho)
    raise ValueError(_refusal(have, want, delta))


def _refusal(have: str, want: str, delta: float) -> str:
    known = f"{have} with delta {delta:g}" if have == "epsilon" and delta else have
    if want == "epsilon" and have != "epsilon":
        return f"delta must be above 0 for an epsilon that follows from {have}, got 0"
    way_out = (
        f"for the largest {want} within it call convert with largest=True" if want != "epsilon" else "give delta 0"
    )
    return f"{want} must be asked of a measure from which it follows, got {known}: {way_out}"


def _best_order(rho: float, delta: float) -> float:
    """Return an order above 1 at which the epsilon is about the smallest, from ordinary floats."""

    def epsilon(z: float) -> float:
        less = np.exp(z)
        return float((1 + less) * rho - np.log1p(1 / less) - (np.log(delta) + np.log1p(less)) / less)

    middle = np.log(-np.log(delta) / rho) / 2
    found = minimize_scalar(epsilon, bounds=(middle - 8, middle + 8), method="bounded", options={"xatol": 1e-9})
    return 1.0 + max(float(np.exp(found.x)), 2.0**-40)


def _largest(within: Callable[[float], bool]) -> float:
    """Return the largest float that is within limits, by bisection from 1 on."""
    low = high = 1.0
    while high < GREATEST and within(high):
        low, high = high, 2 * high
    while low > SMALLEST and not within(low):
        low, high = low / 2, low
    if within(high) or not within(low):
        raise ValueError(
            "the amount must lie between 2**-60 and 2**20, got a limit for which it does not: give another"
        )
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if within(middle) else (low, middle)
    return low
