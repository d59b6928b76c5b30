"""Exact privacy of the best attack on several outputs, each ``(epsilon0, delta0)``-private, chosen adaptively."""

import itertools

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit


def optimal_delta(epsilon: float, k: int, epsilon0: float, delta0: float) -> float:
    """Smallest ``delta`` at ``epsilon >= 0`` that all ``k``-fold compositions share (Kairouz, Oh and Viswanath).

    The worst mechanism gives itself away with probability ``delta0`` and else answers truthfully with odds
    ``e^epsilon0``; with ``j`` false answers among ``k`` the loss is ``(k - 2 j) epsilon0``.
    """
    from scipy.stats import binom  # half a second, which a start of the program need not spend

    false_answers = np.arange(k + 1)
    losses = (k - 2 * false_answers) * epsilon0
    likelihood = binom.pmf(false_answers, k, 1 / (1 + np.exp(epsilon0)))
    pure = float(np.sum(likelihood * -np.expm1(np.minimum(epsilon - losses, 0.0))))
    revealed = -np.expm1(k * np.log1p(-delta0)) if delta0 < 1 else 1.0
    return float(pure + revealed * (1 - pure))


def unequal_delta(epsilon: float, epsilons: ArrayLike, deltas: ArrayLike) -> float:
    """`optimal_delta` for outputs with an epsilon and a delta each, summed over all patterns of false answers."""
    each, failures = np.asarray(epsilons, dtype=float), np.asarray(deltas, dtype=float)
    answers = np.array(list(itertools.product((1.0, -1.0), repeat=len(each)))) * each
    likelihood = np.prod(expit(answers), axis=1)
    pure = float(np.sum(likelihood * -np.expm1(np.minimum(epsilon - answers.sum(axis=1), 0.0))))
    with np.errstate(divide="ignore"):  # a certain failure, whose logarithm is -inf
        revealed = -np.expm1(np.sum(np.log1p(-failures)))
    return float(pure + revealed * (1 - pure))
