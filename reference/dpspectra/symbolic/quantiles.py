"""Inverse cumulatives of a uniform number, and its angles: draws of known laws."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from dpspectra.symbolic.laws import LOGISTIC, NORMAL, TURN, UNIFORM, Law
from dpspectra.symbolic.noisy_numbers import Noisy, made
from dpspectra.symbolic.origins import Origin, single
from dpspectra.symbolic.tape import current

Derived = tuple[Law, Origin, float, float]
"""Law and origin of a computed draw, and what it is shifted and multiplied by."""


@dataclass(frozen=True)
class Quantile:
    """A function that takes a number uniform between two ends to so many times a draw of a law."""

    law: Law
    """Law of the draw; with the ends, and whether it falls, it tells the function from others."""
    function: Callable[[Any], Any]
    inverse: Callable[[Any], Any]
    low: float = 0.0
    factor: float = 1.0
    falling: bool = False


QUANTILES: dict[Any, Quantile] = {
    special.ndtri: Quantile(NORMAL, special.ndtri, special.ndtr),
    special.logit: Quantile(LOGISTIC, special.logit, special.expit),
    special.erfinv: Quantile(NORMAL, special.erfinv, special.erf, -1.0, math.sqrt(0.5)),
    np.arctanh: Quantile(LOGISTIC, np.arctanh, np.tanh, -1.0, 0.5),
}


def derived(function: Any, law: Law, mu: float, coefficient: float, draw: int) -> Derived | None:
    """Return a function of a uniform draw, if it is one of a known law."""
    if law is not UNIFORM:
        return None
    if function in (np.cos, np.sin):
        return _turn(function, mu, coefficient, draw)
    known = QUANTILES.get(function)
    return None if known is None else _inverse(known, mu, coefficient, draw)


def _inverse(known: Quantile, mu: float, coefficient: float, draw: int) -> Derived | None:
    if sorted((mu, mu + coefficient)) != [known.low, 1.0]:
        return None

    def forward(value: Any) -> float:
        with np.errstate(all="ignore"):
            return float(known.function(mu + coefficient * value)) / known.factor

    def backward(value: float) -> tuple[float, ...]:
        return (float((known.inverse(value * known.factor) - mu) / coefficient),)

    key = "quantile", known.law.key, known.low, known.factor, known.falling, mu, coefficient
    return known.law, Origin(key, (draw,), forward, backward, (coefficient > 0) != known.falling), 0.0, known.factor


def _turn(function: Any, mu: float, coefficient: float, draw: int) -> Derived | None:
    """Return the cosine or the sine of an angle that is uniform on a full turn."""
    if abs(abs(coefficient) - 2 * math.pi) > 2 * math.ulp(2 * math.pi):
        return None

    def forward(value: Any) -> float:
        return float(function(mu + coefficient * value))

    def backward(value: float) -> tuple[float, ...]:
        angle = math.acos(value) if function is np.cos else math.asin(value)
        return ((angle - mu) / coefficient % 1.0,)

    return TURN, Origin((function.__name__, mu, coefficient), (draw,), forward, backward, None, (-1.0, 1.0)), 0.0, 1.0


def quantile_of(
    law: Law, function: Callable[[Any], Any], inverse: Callable[[Any], Any], x: Noisy, falling: bool = False
) -> Any:
    """Return the inverse cumulative of a law at numbers uniform on (0, 1); ``None`` if some are not."""
    tape = current()
    ones = single(tape, x)
    known = Quantile(law, function, inverse, falling=falling)
    found = [None if b.law is not UNIFORM else _inverse(known, m, c, j) for b, j, m, c in ones or ()]
    if not found or any(f is None for f in found):
        return None
    starts = []
    for (block, draw, _, _), f in zip(ones or (), found, strict=True):
        assert f is not None
        origin = f[1]
        starts.append(tape.block(law, np.array([origin.forward(block.values[draw - block.start])]), origin))
    slots = (1, *x.shape)
    return made(tape, np.zeros(x.shape), np.array(starts).reshape(slots), np.ones(slots))
