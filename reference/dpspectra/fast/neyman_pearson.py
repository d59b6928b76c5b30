"""Most powerful tests of one law against another, and what no test of a privacy claim can do."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit


def power(null: NDArray[Any], alternative: NDArray[Any], level: float) -> float:
    """Largest probability with which a test refutes under the alternative, if at most ``level`` under the null.

    Both laws are on the same finite set, and the null gives mass to each outcome that the alternative does: outcomes
    are refuted in the order of the likelihood ratio, the last one with a probability of its own.
    """
    order = np.argsort(-alternative / np.where(null > 0, null, 1.0))
    before = np.concatenate([[0.0], np.cumsum(null[order])[:-1]])
    refuted = np.clip((level - before) / np.where(null[order] > 0, null[order], 1.0), 0.0, 1.0)
    return float(alternative[order] @ refuted)


def smallest_error(epsilon: ArrayLike, delta: ArrayLike) -> Any:
    """Smallest equal error ``x`` of telling two data sets apart by one output: ``1 - x = e^epsilon x + delta``."""
    return (1 - np.asarray(delta, dtype=float)) * expit(-np.asarray(epsilon, dtype=float))


def largest_power(error: float, draws: ArrayLike, risk: float) -> Any:
    """Return the power that no test of level ``risk`` exceeds with ``draws`` on each side (DPS-NOTEST).

    It holds whatever the laws are.

    ``error`` is the `smallest_error` that the claim allows.
    """
    return np.exp(np.minimum(0.0, math.log(risk) - 2 * np.asarray(draws, dtype=float) * np.log1p(-error)))[()]


def fewest_draws(error: float, risk: float, power: float) -> float:
    """Smallest number of draws on each side with which a test of level ``risk`` may refute with this ``power``.

    0 if ``power <= risk``, infinite if ``error`` is 0.
    """
    if power <= risk or error == 0:
        return 0.0 if power <= risk else math.inf
    return float(np.ceil(math.log(power / risk) / (-2 * math.log1p(-error)) * (1 - 2.0**-40)))  # never one too many
