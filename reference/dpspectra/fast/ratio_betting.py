"""Bets against a bound on a Renyi divergence: their stakes follow a likelihood ratio in steps.

For every ``s > 0`` of a draw and every order ``alpha > 1``,
``E_P[alpha s^(alpha - 1)] - E_Q[(alpha - 1) s^alpha]`` is at most ``c = exp((alpha - 1) D_alpha(P || Q))``, with
equality at the ratio of the densities (DPS-RENYIBET). With ``s`` of finitely many values the difference of a draw of
each law is at least ``-(M + c)``, where ``M`` is the largest of what is subtracted: a fraction of that is staked. Gains
and losses are whole parts of the largest ones, in `GRADES`, rounded against the bet, so that they can be added up and
counted exactly.

Do not change lightly: records of audits count grades.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpspectra.fast.betting import FRACTIONS

GRADES = 2**24
"""Parts of the largest gain, and of the largest loss."""
HALVINGS, WIDE = 32, 40.0
"""Steps of bisection, and the largest change of the log of a ratio that is looked for."""
HIGHEST = 300.0
"""Log of what is won or lost that stands for all larger ones when a ratio is planned."""

Steps = NDArray[np.float64]


def log_heights(logs: ArrayLike, order: float) -> tuple[Steps, Steps]:
    """Return logs of ``order s^(order - 1)`` and of ``(order - 1) s^order``, from those of ``s``."""
    logs = np.asarray(logs, dtype=float)
    return np.log(order) + (order - 1) * logs, np.log(order - 1) + order * logs


def grades(logs: ArrayLike, order: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Gains, rounded down, and losses, rounded up, in parts of the largest ones."""
    won, lost = (np.exp(heights - np.max(heights)) for heights in log_heights(logs, order))
    return np.floor(GRADES * won).astype(np.int64), np.ceil(GRADES * lost).astype(np.int64)


def log_factors(
    shares: NDArray[np.float64],
    log_won: ArrayLike,
    log_lost: ArrayLike,
    log_bound: ArrayLike,
    fractions: ArrayLike = FRACTIONS,
) -> NDArray[np.float64]:
    """Log of what pairs of calls multiply wealth by, shape ``(..., cells, len(fractions))``.

    ``shares``, shape ``(cells, 2)``: means over the rows of a call of what is won on one side and lost on the other, in
    parts of the largest ones, whose logs are given; ``log_bound`` is that of ``c``, infinite if nothing is claimed.
    """
    first, second = shares.T
    log_bound = np.asarray(log_bound, dtype=float)
    total = np.logaddexp(log_lost, log_bound)
    with np.errstate(invalid="ignore"):
        gains = np.exp(log_won - total) * first - np.exp(log_lost - total) * second - np.exp(log_bound - total)
    gains = np.where(np.isinf(log_bound), -1.0, np.maximum(gains, -1.0))
    return np.asarray(np.log1p(gains[..., None] * np.asarray(fractions, dtype=float)))


def moments(logs: ArrayLike, order: float, p: Steps, q: Steps, log_bound: float) -> tuple[Steps, Steps, Steps]:
    """Mean and variance of the gain of a pair of draws of two laws, and what may be lost, all divided by ``c``.

    ``logs`` has shape ``(..., steps)``, the laws ``(steps,)``.
    """
    won, lost = (np.exp(heights - log_bound) for heights in log_heights(logs, order))
    mean = won @ p - lost @ q - 1
    return mean, won**2 @ p - (won @ p) ** 2 + lost**2 @ q - (lost @ q) ** 2, np.max(lost, axis=-1) + 1


def tempered(p: Steps, q: Steps, order: float, log_bound: float, stakes: Steps) -> Steps:
    """Return logs of ratios by which wealth grows fast, for each stake: shape ``(stakes, steps)``.

    A stake multiplies the gain divided by ``c``. The ratio ``s`` of the fastest growth solves
    ``s E[1 / (1 - stake B)] = (p / q) E[1 / (1 + stake A)]``, where ``A`` and ``B`` are what ``s`` wins and loses, less
    about their means: small stakes leave ``p / q`` as it is, and no loss exceeds ``1 / stake`` by much. It serves to
    plan: any ratio makes a fair bet.
    """
    ratio, stakes = np.log(p) - np.log(q), np.asarray(stakes, dtype=float)[:, None]
    most, least = np.minimum(order, 0.5 / stakes), np.minimum(order - 1, 0.5 / stakes)
    low, high = ratio - WIDE + np.zeros_like(stakes), ratio + WIDE + np.zeros_like(stakes)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        won, lost = (np.exp(np.minimum(heights - log_bound, HIGHEST)) for heights in log_heights(middle, order))
        rises = np.exp(middle - ratio) * (1 + stakes * (won - most)) < 1 - stakes * (lost - least)
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return low
