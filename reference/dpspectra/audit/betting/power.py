"""The power of an audit: losses that so many draws would most likely have refuted.

The *reference audit* draws like the engine: an opening of `OPENING` draws on each data set, then epochs that double.
It is told one event and how probable it is, and puts the share `SHARE` of every epoch on it; the rest counts as lost,
for the engine has to find the event. It looks at some of the places where the engine looks, so that it refutes a
little less often. The numbers depend on the claim and on the number of draws alone, never on what was drawn, and may
therefore be read at any time. They are estimated from `RUNS` simulated audits with fixed seeds.
"""

import functools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.betting.wealth import log_threshold
from dpspectra.audit.claims import CurveClaim
from dpspectra.fast import neyman_pearson
from dpspectra.fast.betting import FRACTIONS, expected, log_wealth
from dpspectra.fast.roots import bisect, bracket
from dpspectra.ground import checks

OPENING = 64
"""Draws on each data set before anything is bet, and in the first epoch."""
LOOKS, LAST = 4, 8
"""Looks at an epoch, at most, and the part of all draws in which epochs are short and get one look only: an eighth."""
SHARE = 0.5
"""Share of wealth that is put on the event."""
NEAR = 3
"""Distance from the best fraction, in places. A stake on a fraction further off counts as lost."""
RUNS = 1000
"""Simulated audits."""
PRECISION = 2.0**-7
"""Relative precision of the excess of a loss over the claim, and of a probability."""
HIGHEST = 64.0
"""Excess of a loss, in nats, that stands for an event that never occurs on the other data set."""


def refutable(
    draws: int, claim: CurveClaim, *, probability: float = 0.5, sure: float = 0.9, confidence: float = 0.999
) -> float:
    """Return the smallest loss, in nats, that ``draws`` on each data set would have refuted with probability ``sure``.

    The loss ``e`` is carried by one event, of the given ``probability`` under one law and
    ``(probability - delta) exp(-e)`` under the other. Of the points ``(epsilon, delta)`` of a claim that has several,
    the smallest loss counts, each at its own ``delta``. Infinite if even an event that never occurs on the other data
    set would not have been enough.

    Parameters
    ----------
    draws
        Number of draws on each data set.
    claim
        What `audit` takes as a claim.
    probability
        Probability of the event under one law.
    sure
        Probability with which the claim would have been refuted.
    confidence
        One less the probability of a false alarm.

    Returns
    -------
    float
        The loss, in nats.

    Raises
    ------
    ValueError
        For ``draws < 0``, or for a number that is no probability.

    Examples
    --------
    >>> from dpspectra.audit import PureDP
    >>> refutable(100_000, PureDP(1.0)) < refutable(1000, PureDP(1.0))
    True

    """
    _check(draws, sure, confidence)
    return _refutable(draws, claim, checks.probability(probability, "probability"), sure, 1 - confidence)[0]


def refutable_delta(
    draws: int, claim: CurveClaim, *, probability: float = 0.5, sure: float = 0.9, confidence: float = 0.999
) -> float:
    """Return the ``delta`` of the point of the claim at which the loss of `refutable` counts.

    Parameters
    ----------
    draws
        Number of draws on each data set.
    claim
        What `audit` takes as a claim.
    probability
        Probability of the event under one law.
    sure
        Probability with which the claim would have been refuted.
    confidence
        One less the probability of a false alarm.

    Returns
    -------
    float
        The ``delta``.

    Raises
    ------
    ValueError
        For ``draws < 0``, or for a number that is no probability.

    """
    _check(draws, sure, confidence)
    return _refutable(draws, claim, checks.probability(probability, "probability"), sure, 1 - confidence)[1]


def smallest_event(draws: int, claim: CurveClaim, *, sure: float = 0.9, confidence: float = 0.999) -> float:
    """Return the smallest probability of an event whose absence on the other data set would have been refuted.

    Parameters
    ----------
    draws
        Number of draws on each data set.
    claim
        What `audit` takes as a claim.
    sure
        Probability with which the claim would have been refuted.
    confidence
        One less the probability of a false alarm.

    Returns
    -------
    float
        The probability; infinite if a certain event would not have been refuted.

    Raises
    ------
    ValueError
        For ``draws < 0``, or for a number that is no probability.

    """
    _check(draws, sure, confidence)
    return _smallest_event(draws, claim, sure, 1 - confidence)


def fewest_draws(claim: CurveClaim, *, sure: float = 0.9, confidence: float = 0.999) -> float:
    """Return the draws on each data set without which no test refutes a claim with probability ``sure`` (DPS-NOTEST).

    Whatever the mechanism does, and whatever the test looks at.

    Parameters
    ----------
    claim
        What `audit` takes as a claim.
    sure
        Probability with which the claim would have been refuted.
    confidence
        One less the probability of a false alarm.

    Returns
    -------
    float
        The number; infinite if the claim excludes nothing.

    Raises
    ------
    ValueError
        For a number that is no probability.

    """
    _check(0, sure, confidence)
    error = max(float(neyman_pearson.smallest_error(*point)) for point in claim.points(claim.value))
    return neyman_pearson.fewest_draws(error, 1 - confidence, sure)


def _check(draws: int, sure: float, confidence: float) -> None:
    checks.integer(draws, "draws", 0)
    checks.probability(sure, "sure")
    checks.probability(confidence, "confidence")


@functools.lru_cache(maxsize=1024)
def _refutable(draws: int, claim: CurveClaim, probability: float, sure: float, risk: float) -> tuple[float, float]:
    """Return the loss and the ``delta`` of its point."""
    threshold, best, at = log_threshold(claim, risk), math.inf, 0.0
    for epsilon, delta in claim.points(claim.value):

        def stands(excess: float, epsilon: float = epsilon, delta: float = delta) -> bool:
            q = (probability - delta) * math.exp(-epsilon - excess)
            chances = _chances(draws, (epsilon, delta), (probability, q), threshold)
            return excess < HIGHEST and all(share < sure for share in chances)

        most = min(HIGHEST, best - epsilon) * (1 - PRECISION)
        if probability > delta and most > 0 and not stands(most):
            low, high = bracket(stands, 2.0**-6)
            best, at = epsilon + bisect(stands, low, min(high, most), relative=PRECISION)[1], delta
    return best, at


@functools.lru_cache(maxsize=1024)
def _smallest_event(draws: int, claim: CurveClaim, sure: float, risk: float) -> float:
    threshold, best = log_threshold(claim, risk), math.inf
    for point in claim.points(claim.value):

        def stands(p: float, point: tuple[float, float] = point) -> bool:
            return p <= point[1] or all(share < sure for share in _chances(draws, point, (p, 0.0), threshold))

        most = min(1.0, best * (1 - PRECISION))
        if not stands(most):
            best = bisect(stands, 0.0, most, relative=PRECISION)[1]
    return best


def chance(draws: int, point: tuple[float, float], rates: tuple[float, float], threshold: float) -> float:
    """Probability that the reference audit reaches a log wealth against ``point`` within ``draws``.

    ``rates``: probabilities of the event on the favoured data set and on the other one.
    """
    return max(_chances(draws, point, rates, threshold), default=0.0)


def _chances(draws: int, point: tuple[float, float], rates: tuple[float, float], threshold: float) -> Iterator[float]:
    """Yield the probability that the log wealth was reached by the end of each epoch: it never falls."""
    law, kinds = expected(*rates), log_wealth(np.eye(4), *point)  # kinds: (4, fractions)
    steps = np.abs(np.arange(len(FRACTIONS)) - int(np.argmax(law @ kinds)))
    shares = SHARE * np.exp2(-steps) / np.exp2(-steps).sum()
    near = steps <= NEAR
    total, highest = np.zeros(RUNS), np.full(RUNS, -np.inf)
    for epoch, takes in enumerate(_epochs(draws)):
        counts = np.random.default_rng(epoch).multinomial(takes[:, None], law, size=(len(takes), RUNS))
        logs = np.cumsum(counts, axis=0) @ kinds[:, near]  # (looks, runs, fractions)
        largest = logs.max(axis=-1)
        at_looks = total + largest + np.log(np.exp(logs - largest[..., None]) @ shares[near])
        highest, total = np.maximum(highest, at_looks.max(axis=0)), at_looks[-1]
        yield float(np.mean(highest >= threshold))


def _epochs(draws: int) -> list[NDArray[np.int64]]:
    """Draws from look to look of each epoch; the last one ends when the draws do."""
    epochs, used = [], OPENING
    while used < draws:
        looks = min(LOOKS if used * LAST > draws else 1, used // OPENING)
        ends = np.minimum(used + used // looks * np.arange(looks + 1), draws)
        epochs.append(np.trim_zeros(np.diff(ends)))
        used *= 2
    return epochs
