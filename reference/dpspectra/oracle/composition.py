"""Privacy of repeated worst mechanisms, one output at a time."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from mpmath import mp


def optimal_delta(epsilon: Any, k: int, epsilon0: Any, delta0: Any) -> Any:
    """``sup_S P(S) - e^epsilon Q(S)`` for ``k`` outputs of the mechanism that reveals itself or answers with odds.

    An output with loss ``l`` leaves ``epsilon - l`` for the others: the recursion is the sum over outputs of their
    probability under ``P`` times the same supremum for one output less.
    """
    epsilon, epsilon0, delta0 = mp.mpf(epsilon), mp.mpf(epsilon0), mp.mpf(delta0)
    truth = mp.exp(epsilon0) / (1 + mp.exp(epsilon0))

    @cache
    def rest(left: int, surplus: int) -> Any:
        """Supremum for ``left`` outputs after ``surplus`` more true than false answers."""
        if left == 0:
            return max(1 - mp.exp(epsilon - surplus * epsilon0), mp.mpf(0))
        hidden = truth * rest(left - 1, surplus + 1) + (1 - truth) * rest(left - 1, surplus - 1)
        return delta0 + (1 - delta0) * hidden

    return rest(k, 0)


def unequal_delta(epsilon: Any, epsilons: Sequence[Any], deltas: Sequence[Any]) -> Any:
    """`optimal_delta` for outputs with an epsilon and a delta each, output by output."""
    if not epsilons:
        return max(1 - mp.exp(epsilon), mp.mpf(0))
    (first, *rest), (failure, *failures) = epsilons, deltas
    first, failure = mp.mpf(first), mp.mpf(failure)
    truth = mp.exp(first) / (1 + mp.exp(first))
    after = [unequal_delta(mp.mpf(epsilon) - loss, rest, failures) for loss in (first, -first)]
    return failure + (1 - failure) * (truth * after[0] + (1 - truth) * after[1])
