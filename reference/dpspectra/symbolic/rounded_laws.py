"""Laws of whole numbers: a number with noise that is rounded, and the difference of two geometric draws."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, floor, log, log1p
from typing import Any

import numpy as np

from dpspectra.symbolic.laws import NORMAL, Law

ROUNDING: dict[str, tuple[Callable[[Any], Any], Callable[[int], tuple[float, float]]]] = {
    "floor": (np.floor, lambda k: (k, k + 1)),
    "ceil": (np.ceil, lambda k: (k - 1, k)),
    "rint": (np.rint, lambda k: (k - 0.5, k + 0.5)),
    "trunc": (np.trunc, lambda k: (k - (k <= 0), k + (k >= 0))),
}
"""Ways of rounding, each with the interval that rounds to a whole number."""
SAME = 1e-12
"""Relative difference of two scales that is rounding."""
NEAR = 1e-6
"""Distance of an edge from the middle between two whole numbers up to which it is that."""

EXACT = 2.0**52
"""Size of whole numbers from which on float64 does not tell all apart; rounded numbers are far smaller."""


@dataclass(frozen=True)
class RoundedLaw(Law):
    """The law of ``at + scale z``, rounded in one of the ways, with ``z`` a continuous draw."""

    way: str = "rint"
    root: Law = NORMAL
    at: float = 0.0
    scale: float = 1.0

    @property
    def error(self) -> float:
        """Bound on the error of log-masses within 64 scales, as the ends of cells are rounded."""
        return 8 * float(np.finfo(float).eps) * (abs(self.at) + 64 * abs(self.scale) + 1)

    def cell(self, k: int) -> tuple[float, float]:
        """Return the ends of the interval of the draw that gives a whole number."""
        low, high = sorted((e - self.at) / self.scale for e in ROUNDING[self.way][1](k))
        return low, high


def rounded_law(root: Law, way: str, at: float, scale: float) -> RoundedLaw:
    """Return the law of ``at + scale z`` rounded; a shift of it by whole numbers loses at most what one of `root` does.

    Rounding, towards 0 excepted, goes along with a shift by a whole number.
    """
    tails = (root.lower, root.upper) if scale > 0 else (root.upper, root.lower)
    edges = ROUNDING[way][1]

    def end(t: float) -> float:
        return (edges(floor(t))[1] - at) / scale

    def lower(t: float) -> float:
        if math.isinf(t):
            return 0.0 if t > 0 else -math.inf
        return float(tails[0](end(t)))

    def upper(t: float) -> float:
        if math.isinf(t):
            return 0.0 if t < 0 else -math.inf
        return float(tails[1](end(t)))

    def mass(k: float) -> float:
        below, above = (lower(k - 1), lower(k)), (upper(k), upper(k - 1))
        less, more = below if below[1] < above[1] else above
        return more + log(-math.expm1(less - more)) if less < more else -math.inf

    def loss(shift: float) -> float:
        if shift == 0:
            return 0.0
        return root.loss(shift / scale) if float(shift).is_integer() and way != "trunc" else math.inf

    return RoundedLaw(
        f"{way} of {root.key} {at!r} {scale!r}",
        _each(mass),
        _each(lower),
        _each(upper),
        _cannot,
        concave=root.concave,
        discrete=True,
        loss=loss,
        title=f"{root.shown}, rounded",
        way=way,
        root=root,
        at=at,
        scale=scale,
    )


def two_sided_geometric(rate: float) -> Law:
    """Return the law with masses ``tanh(rate / 2) e^(-rate |k|)``: that of the difference of two geometric draws.

    The draws have probability ``1 - e^(-rate)`` of ending. A shift by ``n`` loses ``rate |n|``.
    """
    ratio = exp(-rate)

    def lower(t: Any) -> Any:
        k = np.floor(np.asarray(t, dtype=float))
        tail = -rate * np.where(k < 0, -k, k + 1) - log1p(ratio)
        return np.where(k < 0, tail, np.log1p(-np.exp(tail)))

    def mass(k: Any) -> Any:
        return log(-math.expm1(-rate)) - log1p(ratio) - rate * np.abs(k)

    def sample(rng: np.random.Generator, n: Any) -> Any:
        return (rng.geometric(-math.expm1(-rate), n) - rng.geometric(-math.expm1(-rate), n)).astype(float)

    return Law(
        f"two-sided geometric {rate!r}",
        mass,
        lower,
        lambda t: lower(-np.floor(np.asarray(t, dtype=float)) - 1),
        sample,
        concave=True,
        discrete=True,
        loss=lambda shift: rate * abs(shift) if float(shift).is_integer() else math.inf,
        title="two-sided geometric",
    )


def of_one_kind(law: Law, other: Law) -> bool:
    """Whether noise of one law and scale is rounded in one way."""
    if not (isinstance(law, RoundedLaw) and isinstance(other, RoundedLaw)):
        return False
    alike = (law.root.key, law.way) == (other.root.key, other.way)
    return alike and abs(law.scale - other.scale) <= SAME * abs(law.scale)


def half_integer(edge: float) -> bool:
    """Whether an edge lies in the middle between two whole numbers, or at infinity."""
    return math.isinf(edge) or abs(edge - floor(edge) - 0.5) < NEAR


def _each(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """Return a function of numbers as one of arrays."""
    several = np.vectorize(function, otypes=[float])

    def called(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return several(x)

    return called


def _cannot(rng: Any, n: Any) -> Any:
    raise AssertionError("a computed draw is not sampled")


__all__ = ["EXACT", "ROUNDING", "RoundedLaw", "half_integer", "of_one_kind", "rounded_law", "two_sided_geometric"]
