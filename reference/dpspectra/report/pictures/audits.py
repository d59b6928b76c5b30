"""Audits against the number of draws: wealth, bounds, intervals, and what no test can do."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpspectra.fast import betting, binomial, neyman_pearson
from dpspectra.report.drawing import linear, logarithmic
from dpspectra.report.pictures.picture import Line, Picture, curve, level

SEED = 2026
RISK = 0.05
EPSILON = 1.0
FALSE, TRUE = (0.6, 0.1), (0.1 * math.e, 0.1)
"""Probabilities of the event on both data sets: far beyond ``EPSILON``, and at it."""


def counts(p: float, q: float, draws: int) -> NDArray[np.int_]:
    """Return counts of the four kinds of pair after each draw, shape ``(draws, 4)``."""
    rng = np.random.default_rng(SEED)
    kinds = rng.choice(4, size=draws, p=betting.expected(p, q))
    return np.cumsum(np.eye(4, dtype=int)[kinds], axis=0)


def wealth(seen: NDArray[np.int_], epsilon: float) -> NDArray[np.float64]:
    """Logarithm of the wealth shared equally among the stakes, after each draw."""
    each = betting.log_wealth(seen, epsilon, 0.0)
    return np.asarray(logsumexp(each, axis=-1) - math.log(each.shape[-1]))


def bets() -> Picture:
    """Wealth of a bet against a false and a true claim."""
    draws = 400
    x = linear("draws on each side", 0, draws)
    names = {"the claim is false": FALSE, "the claim is true, just": TRUE}
    lines = [
        Line(name, [(i + 1.0, float(y)) for i, y in enumerate(np.exp(wealth(counts(*pair, draws), EPSILON)))])
        for name, pair in names.items()
    ]
    return Picture(
        f"Wealth from betting against ε = {EPSILON:g}, one run each (seed {SEED})",
        x,
        logarithmic("wealth (stakes)", 0.01, 1e10),
        [*lines, level(f"1/{RISK:g}: refuted", 1 / RISK, x)],
        f"Against a false claim wealth grows exponentially; against a true one it ever reaches {1 / RISK:g} "
        f"with probability {RISK:g} at most.",
    )


def lower_bounds() -> Picture:
    """Draw the proved epsilon after each draw."""
    draws = 2000
    seen = counts(*FALSE, draws)
    steps = np.unique(np.geomspace(1, draws, 60).astype(int))
    truth = math.log(FALSE[0] / FALSE[1])
    x = logarithmic("draws on each side", 1, draws)

    def proved(n: float) -> float:
        return betting.bound_by_bisection(
            lambda values: np.array([wealth(seen[int(n) - 1 : int(n)], value)[0] for value in values]), RISK
        )

    return Picture(
        f"Bound on ε proved by betting, at confidence {1 - RISK:g} at all times (seed {SEED})",
        x,
        linear("ε (nats)", 0, 2),
        [curve("proved bound", proved, steps), level("truth", truth, x)],
        "The bound may be read after any draw: that it ever exceeds the truth has a small probability; it "
        "climbs towards the truth.",
    )


def intervals() -> Picture:
    """Exact limits of a probability."""
    p, grid = 0.25, np.unique(np.geomspace(4, 4000, 40).astype(int) // 4 * 4)
    x = logarithmic("draws", 4, 4000)
    return Picture(
        f"Exact limits of a probability at confidence {1 - RISK:g} each, when a quarter of the draws are in the event",
        x,
        linear("probability", 0, 1),
        [
            curve("upper limit", lambda n: binomial.at_most(int(p * n), int(n), RISK), grid),
            curve("lower limit", lambda n: binomial.at_least(int(p * n), int(n), RISK), grid),
            level("share that is seen", p, x),
        ],
        "The limits close in like one over the root of the number of draws.",
    )


def impossible() -> Picture:
    """Draw the largest power that any test of a claim can have, against the draws."""
    grid = np.arange(0, 61)
    errors = {epsilon: float(neyman_pearson.smallest_error(epsilon, 0.0)) for epsilon in (0.5, 2.0, 4.0)}
    return Picture(
        f"Largest probability with which any test of level {RISK:g} refutes, against whatever mechanism",
        linear("draws on each side", 0, 60),
        linear("probability of a refutation", 0, 1),
        [
            curve(f"claim ε = {epsilon:g}", lambda n, x=error: neyman_pearson.largest_power(x, n, RISK), grid)
            for epsilon, error in errors.items()
        ],
        "The larger the claimed ε, the more draws it takes to refute even the plainest leak.",
    )


def ever_reached() -> Picture:
    """How often wealth against a true claim ever reaches a level."""
    law = betting.pair_law(0.25, EPSILON, 0.0, 1.0, 0.0)
    grid = np.geomspace(1.02, 60, 14)

    def reached(c: float) -> float:
        return betting.ever(law, 30, lambda seen: wealth(seen, EPSILON) >= math.log(c))

    return Picture(
        "Probability that wealth against a true claim ever reaches c within 30 draws",
        logarithmic("level c (stakes)", 1, 60),
        logarithmic("probability", 0.001, 1),
        [curve("Ville's bound, 1/c", lambda c: 1 / c, grid), curve("exact", reached, grid)],
        "However often one looks, wealth reaches c with a probability below 1/c.",
    )


def long_calls() -> Picture:
    """Draw the growth of wealth by the number of rows in a call."""
    grid = np.unique(np.geomspace(1, 200, 24).astype(int))
    return Picture(
        f"Growth of wealth against ε = {EPSILON:g} by the rows that a call returns",
        logarithmic("rows in a call", 1, 200),
        linear("mean growth at the best stake (nats)", 0, 0.15),
        [
            curve("for each call", lambda m: np.max(betting.growth(*FALSE, int(m), EPSILON, 0.0)), grid),
            curve("for each row", lambda m: np.max(betting.growth(*FALSE, int(m), EPSILON, 0.0)) / m, grid),
        ],
        "Rows of one call may depend on each other, so that their gain is averaged: more rows make a call "
        "surer, not worth many calls.",
    )


PICTURES = {
    "DPS-EPROCESS": bets,
    "DPS-LOWER": lower_bounds,
    "DPS-CP": intervals,
    "DPS-NOTEST": impossible,
    "DPS-VILLE": ever_reached,
    "DPS-CALLS": long_calls,
}
