"""Draw the cases at which an entry is checked. They depend on the strategy and the seed, and on nothing else.

Hypothesis's own generator also draws constants that it reads in the source of the loaded modules, unless these lie in
``site-packages``. So its cases depend on where a package is installed, and on what else its user has loaded.
Here strategies build their values from what `Choices` draws, and nothing of Hypothesis but the strategies runs: its
records of a case serve to shrink it, which nobody asks for, and take most of the time.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from inspect import signature
from random import Random
from typing import Any, TypeVar

from hypothesis.control import BuildContext
from hypothesis.errors import StopTest, UnsatisfiedAssumption
from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.conjecture.providers import PrimitiveProvider
from hypothesis.internal.intervalsets import IntervalSet
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")

PATIENCE = 200
"""Attempts in a row without a new case after which a strategy is taken to have no more."""
FEW = 32
"""Length of a range whose integers are equally likely: they are choices or dimensions, and corners come up anyway."""
FAR = 2**64
"""Distance at which a range without an end is cut off."""
LONG = 64
"""Characters or bytes beyond the fewest allowed at which a text is cut off."""
ASCII = 128
WAYS = ("even", "even", "even", "end", "near", "again")
"""Ways to draw an integer of a range; each case mixes `MIXED` of them."""
MIXED = 3


CONTEXT: dict[str, Any] = {"wrapped_test": None} if "wrapped_test" in signature(BuildContext).parameters else {}
"""Arguments that newer versions of Hypothesis want."""


class _Drawing:
    """Where the drawing of cases stands."""

    def __init__(self, seed: str) -> None:
        self.random = Random(seed)
        self.made = list[object]()
        self.simplest = True
        """Whether this case is the first one, which is the simplest."""

    def begin(self, first: bool) -> None:
        """Forget the case before."""
        self.simplest = first
        if not first:
            self.random.random()  # nothing uses it: cases remain those that were drawn when Hypothesis ran
        self.made = list[object]()
        """Choices of this case."""
        self.ways = list[str]()
        self.earlier = defaultdict[tuple[int, int], list[int]](list)
        """Integers of this case, by range."""


def drawn(strategy: SearchStrategy[T], number: int, seed: str) -> list[T]:
    """Return up to ``number`` different cases, the simplest first; fewer if the strategy has fewer.

    A larger ``number`` prolongs the list. Raises ``ValueError`` if the strategy yields none.
    """
    drawing, found = _Drawing(seed), dict[tuple[object, ...], T]()
    attempts = idle = 0
    while len(found) < number and idle < PATIENCE:
        drawing.begin(first=attempts == 0)
        attempts, idle = attempts + 1, idle + 1
        data = _Data(random=None, provider=Choices, provider_kw={"drawing": drawing})
        try:
            with BuildContext(data, **CONTEXT):
                case = data.draw(strategy)
        except (StopTest, UnsatisfiedAssumption):  # a filter lets nothing through
            continue
        if (key := tuple(drawing.made)) not in found:
            found[key], idle = case, 0
    if not found:
        raise ValueError(f"the strategy must yield a case, got none in {PATIENCE} attempts: {strategy!r}")
    return list(found.values())


class _Data(ConjectureData):
    """Hands the choices of a case on to strategies, and keeps no record of them."""

    def draw(self, strategy: SearchStrategy[T], label: int | None = None, observe_as: str | None = None) -> T:
        """Return a value of a strategy."""
        strategy.validate()
        if strategy.is_empty:
            self.mark_invalid(f"empty strategy {strategy!r}")
        return strategy.do_draw(self)

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
        forced: int | None = None,
        observe: bool = True,
    ) -> int:
        """Return an integer of a range."""
        if forced is not None:
            return forced
        return self.provider.draw_integer(min_value, max_value, weights=weights, shrink_towards=shrink_towards)

    def draw_boolean(self, p: float = 0.5, *, forced: bool | None = None, observe: bool = True) -> bool:
        """Return true with probability ``p``."""
        return self.provider.draw_boolean(p) if forced is None else forced

    def start_span(self, label: int) -> None:
        """Count how deep a collection lies in others."""
        self.depth += 1

    def stop_span(self, *, discard: bool = False) -> None:
        """Count back."""
        self.depth -= 1


class Choices(PrimitiveProvider):
    """Draws booleans, integers, floats, strings and bytes for Hypothesis, corners more often than the rest."""

    def __init__(self, data: ConjectureData, /, drawing: _Drawing) -> None:
        super().__init__(data)
        self.drawing = drawing
        self.random = drawing.random

    def draw_boolean(self, p: float = 0.5) -> bool:
        """Return true with probability ``p``."""
        return self._made(p >= 1 if self.drawing.simplest else self.random.random() < p)

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        """Return an integer of a range. Hypothesis's own ``weights`` are not heeded, as its versions differ in them."""
        low = min(shrink_towards, 0 if max_value is None else max_value) - FAR if min_value is None else min_value
        high = max(shrink_towards, low) + FAR if max_value is None else max_value
        return self._made(self._integer(low, high, min(max(low, shrink_towards), high)))

    def draw_float(
        self,
        *,
        min_value: float = -math.inf,
        max_value: float = math.inf,
        allow_nan: bool = True,
        smallest_nonzero_magnitude: float,
    ) -> float:
        """Return an end, a small integer, a number of any magnitude, one between the ends, or nan."""
        if self.drawing.simplest:
            return self._made(min(max(0.0, min_value), max_value))
        share, largest = self.random.random(), sys.float_info.max
        between = (1 - share) * max(min_value, -largest) + share * min(max_value, largest)
        spread = math.ldexp(self.random.uniform(-1, 1), self.random.randint(-60, 60))
        inside = [float(self.random.randint(-2, 2)), spread, between]
        permitted = [x for x in inside if min_value < x < max_value and (not x or abs(x) >= smallest_nonzero_magnitude)]
        return self._made(self.random.choice([min_value, max_value, *permitted, *permitted, *[math.nan] * allow_nan]))

    def draw_string(self, intervals: IntervalSet, *, min_size: int = 0, max_size: int = 10**10) -> str:
        """Return characters of ``intervals``, half of the texts from its simplest ones."""
        size, among = self._size(min_size, max_size), self.random.choice((len(intervals), min(len(intervals), ASCII)))
        places = [self.random.randrange(among) for _ in range(size if among else 0)]
        return self._made("".join(map(intervals.char_in_shrink_order, places)))

    def draw_bytes(self, min_size: int = 0, max_size: int = 10**10) -> bytes:
        """Return bytes."""
        return self._made(self.random.randbytes(self._size(min_size, max_size)))

    def _size(self, low: int, high: int) -> int:
        return low if self.drawing.simplest else min(high, low + self._log_even(LONG.bit_length()))

    def _log_even(self, bits: int) -> int:
        """Draw an integer with up to that many bits, each number of bits equally often."""
        return self.random.getrandbits(self.random.randint(0, bits))

    def _integer(self, low: int, high: int, centre: int) -> int:
        if self.drawing.simplest:
            return centre
        if high - low < FEW:
            return self.random.randint(low, high)
        if not self.drawing.ways:
            self.drawing.ways = self.random.choices(WAYS, k=MIXED)
        earlier = self.drawing.earlier[low, high]
        match self.random.choice(self.drawing.ways):
            case "end":
                value = self.random.choice((low, centre, high))
            case "near":
                end = self.random.choice([x for x in (low, high) if x != centre])
                distance = min(abs(end - centre), self._log_even(abs(end - centre).bit_length()))
                value = centre + (distance if end > centre else -distance)
            case "again" if earlier:
                value = self.random.choice(earlier)
            case _:
                value = self.random.randint(low, high)
        earlier.append(value)
        return value

    def _made(self, value: T) -> T:
        self.drawing.made.append(value)
        return value
