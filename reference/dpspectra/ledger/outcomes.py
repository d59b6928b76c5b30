"""Outcomes, a statement evaluated at one instance: an inequality, an equality, or a frequency.

Each outcome is decided three ways: ``True`` (holds outright), ``None`` (only the slack of the arithmetic
separates it from failing, so this arithmetic cannot tell) and ``False`` (contradicted). ``part`` names the part of the
statement that an outcome belongs to: parts are judged one by one, and both faces give them the same names.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from dpspectra.ledger import exact_types

FALSE_ALARM = 1e-9
"""Probability with which one `Frequency` contradicts a true statement (exact binomial tail)."""


@dataclass(frozen=True, slots=True)
class AtMost:
    """State that ``left <= right``, for one ``part`` of a statement.

    ``scale`` is the size of the terms that cancelled on the way, when it exceeds both sides: rounding errors are
    relative to it.
    """

    left: Any
    right: Any
    scale: Any = 0
    part: str = field(default="", kw_only=True)

    def decide(self, slack: Any) -> bool | None:
        """Compare both sides.

        Parameters
        ----------
        slack
            Allowed difference, relative to their size.

        Returns
        -------
        bool or None
            Whether it holds; None if it cannot be decided.

        """
        if self.left <= self.right:
            return True
        return None if self.left <= self.right + _allowance(slack, self.size) else False

    @property
    def size(self) -> Any:
        """Largest magnitude a rounding error is relative to."""
        return max(abs(self.left), abs(self.right), self.scale)

    @property
    def closeness(self) -> float | None:
        """Ratio of the two sides, 1 at equality: left over right, or right over left where the right one is negative.

        Where it is 0, both sides are first raised by their size, so that 0 <= 0 is an equality as any other one.
        """
        if self.right > 0:
            return float(self.left / self.right)
        if self.right < 0:
            return float(self.right / self.left) if self.left < 0 else None
        return 1 + float(self.left / self.size) if self.size else 1.0

    def scaled(self, factor: Any) -> AtMost:
        """Return the inequality, its right side lower by ``1 - factor`` of its modulus (of the size where it is 0).

        Parameters
        ----------
        factor
            A number such as 0.99.

        Returns
        -------
        AtMost
            The challenged inequality.

        """
        return replace(self, right=self.right - (1 - factor) * (abs(self.right) or self.size))


@dataclass(frozen=True, slots=True)
class Equal:
    """State that ``left = right``, for one ``part`` of a statement.

    Agreement up to the slack counts as decided, since no arithmetic shows more. ``scale`` as for `AtMost`.
    """

    left: Any
    right: Any
    scale: Any = 0
    part: str = field(default="", kw_only=True)

    def decide(self, slack: Any) -> bool | None:
        """Compare both sides.

        Parameters
        ----------
        slack
            Allowed difference, relative to their size.

        Returns
        -------
        bool or None
            Whether it holds; None if it cannot be decided.

        """
        return bool(self.left == self.right or abs(self.left - self.right) <= _allowance(slack, self.size))

    @property
    def size(self) -> Any:
        """Largest magnitude a rounding error is relative to."""
        return max(abs(self.left), abs(self.right), self.scale)

    @property
    def closeness(self) -> float | None:
        """Nothing is close about an equation."""
        return None

    def scaled(self, factor: Any) -> Equal:
        """Return the same equation with its right side changed by ``factor - 1`` times its size (0 stays no refuge).

        Parameters
        ----------
        factor
            A number such as 0.99.

        Returns
        -------
        Equal
            The challenged equation.

        """
        return replace(self, right=self.right + (factor - 1) * self.size)


@dataclass(frozen=True, slots=True)
class Frequency:
    """State that an event of probability at most ``bound`` was seen ``count`` times in ``trials`` independent draws.

    It is contradicted when so many occurrences have probability below `FALSE_ALARM` under the bound. ``part`` names the
    part of a statement.
    """

    count: int
    trials: int
    bound: float
    part: str = field(default="", kw_only=True)

    def decide(self, slack: Any) -> bool | None:
        """Apply the exact binomial test.

        Parameters
        ----------
        slack
            Ignored, as there is no rounding to allow for.

        Returns
        -------
        bool or None
            Whether the counts are compatible with the bound.

        """
        from scipy.special import bdtrc

        return self.count == 0 or self.bound >= 1 or bool(bdtrc(self.count - 1, self.trials, self.bound) >= FALSE_ALARM)

    @property
    def closeness(self) -> float | None:
        """Observed frequency over the bound."""
        return self.count / self.trials / self.bound if self.bound > 0 else None

    def scaled(self, factor: Any) -> Frequency:
        """Return the same observation against ``factor`` times the bound.

        Parameters
        ----------
        factor
            A number such as 0.99.

        Returns
        -------
        Frequency
            The challenged observation.

        """
        return replace(self, bound=self.bound * float(factor))

    def compatible(self, probability: Any) -> bool:
        """Say whether the counts could come from an event of this exact probability (two-sided, `FALSE_ALARM`).

        Parameters
        ----------
        probability
            A number from 0 to 1.

        Returns
        -------
        bool
            Whether they could.

        """
        from scipy.special import bdtr, bdtrc

        p = min(max(float(probability), 0.0), 1.0)
        if p in (0.0, 1.0):
            return self.count == p * self.trials
        below, above = bdtr(self.count, self.trials, p), bdtrc(self.count - 1, self.trials, p) if self.count else 1.0
        return bool(min(below, above) >= FALSE_ALARM / 2)


Outcome = AtMost | Equal | Frequency
Parts = Iterator[Outcome]
"""Outcomes that a face yields, one for each part whose premise the case meets."""


def all_parts(outcomes: Parts) -> tuple[Any, ...]:
    """Return the parts that a face gives at a case, for another face that needs one of them.

    Parameters
    ----------
    outcomes
        What ``fast`` or ``oracle`` of a class returns.

    Returns
    -------
    tuple of outcomes
        All of them, in order.

    """
    return tuple(outcomes)


def _allowance(slack: Any, size: Any) -> Any:
    """Return the rounding error of numbers of this size; none of infinite ones, which differ from every number."""
    return slack * size if size < math.inf else 0


def disagreement(fast: Outcome, exact: Outcome, rounding: float) -> str | None:
    """Say how the two arithmetics differ by more than ``rounding`` relative to the numbers' size, if they do.

    Of numbers below the smallest normal float, which numpy may round to zero, nothing is asked.
    """
    if isinstance(fast, Frequency) or isinstance(exact, Frequency):
        return _frequency_disagreement(fast, exact, rounding)
    if type(fast) is not type(exact):
        return f"fast gives {type(fast).__name__}, oracle {type(exact).__name__}"
    allowance = _allowance(rounding, max(exact.size, abs(fast.scale)))
    for side in ("left", "right"):
        a, b = exact_types.number(getattr(fast, side)), getattr(exact, side)
        if not (a == b or abs(a - b) <= allowance + sys.float_info.min):
            return f"{side}: fast {float(a)!r}, oracle {float(b)!r}"
    return None


def _frequency_disagreement(fast: Outcome, exact: Outcome, rounding: float) -> str | None:
    if not isinstance(fast, Frequency) or not isinstance(exact, AtMost):
        return f"a frequency is judged by an exact probability, not {type(fast).__name__} by {type(exact).__name__}"
    if not fast.compatible(exact.left):
        return f"{fast.count} of {fast.trials} draws, exact probability {float(exact.left)!r}"
    if abs(fast.bound - exact.right) > rounding * max(exact.right, exact.scale) + sys.float_info.min:
        return f"bound: fast {fast.bound!r}, oracle {float(exact.right)!r}"
    return None
