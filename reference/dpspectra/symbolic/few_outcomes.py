"""Draws with few outcomes, each with its exact probability; draws with more of them end the run."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpspectra.symbolic.given_draws import MOST_LISTED, point, whole_numbers
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.tape import current

MOST_THINGS = 100_000
"""Things up to which the ways to take some of them are counted."""


def listed(name: str, outcomes: Sequence[Any], probabilities: Sequence[Any]) -> Any:
    """Return one of these, all of which have a positive probability."""
    logs = [math.log(p.numerator) - math.log(p.denominator) for p in map(Fraction, probabilities)]
    weights = [math.exp(x) for x in logs]

    def sample(rng: Any) -> int:
        return int(rng.choice(len(weights), p=[w / math.fsum(weights) for w in weights]))

    return outcomes[point(name, sample, lambda k: logs[k] if k < len(logs) else -math.inf, len(logs))]


def drawn_without(good: int, bad: int, taken: int) -> int:
    """Return how many of those that are taken, without putting them back, are good ones."""
    numbers = range(max(0, taken - bad), min(taken, good) + 1)
    if len(numbers) > MOST_LISTED or good + bad > MOST_THINGS:
        raise _too_many("hypergeometric")
    ways = [math.comb(good, k) * math.comb(bad, taken - k) for k in numbers]
    return int(listed("hypergeometric", numbers, [Fraction(w, sum(ways)) for w in ways]))


def counted(n: int, probabilities: Any) -> tuple[int, ...]:
    """Return how often each of several things happens in ``n`` trials; the last one has what is left of 1."""
    cells = len(probabilities)
    if not 0 < cells <= MOST_LISTED or n > MOST_LISTED or math.comb(n + cells - 1, cells - 1) > MOST_LISTED:
        raise _too_many("multinomial")
    first = [Fraction(float(p)) for p in probabilities[:-1]]
    exact = [*first, max(1 - sum(first, Fraction(0)), Fraction(0))]
    found = []
    for counts in _counts(n, cells):
        ways, left = Fraction(1), n
        for k, p in zip(counts, exact, strict=True):
            ways, left = ways * math.comb(left, k) * p**k, left - k
        found.append((counts, ways))
    return tuple(listed("multinomial", *zip(*((c, w) for c, w in found if w), strict=True)))


def _counts(n: int, cells: int) -> list[tuple[int, ...]]:
    happened = itertools.combinations_with_replacement(range(cells), n)
    return [tuple(one.count(k) for k in range(cells)) for one in happened]


def one_byte(count: Any, name: str) -> bytes:
    """Return no byte, or one; more of them end the run."""
    if count not in (0, 1):
        raise _too_many(name)
    return bytes([whole_numbers(0, 256, None, name) for _ in range(count)])


def _too_many(name: str) -> BaseException:
    return current().stop(f"{name} at {place()} is a source of randomness that is not followed")
