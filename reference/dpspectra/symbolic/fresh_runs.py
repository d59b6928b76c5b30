"""Test on fresh runs, with nothing replaced, whether what no noise seems to cover is an event that the claim forbids.

A difference between a record and its replay refutes nothing by itself: the other data set may give the same output by
other outcomes. In each pair a coin decides which data set runs first, so that what a program keeps between calls cannot
tell them apart.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from dpspectra.symbolic.canonical_output import is_noise
from dpspectra.symbolic.loss_bets import event_log_wealth

PAIRS = 200
"""Pairs of runs of one test at most, unless more are asked for."""
AT_ONCE = 5
"""Pairs that are made before it is seen which of their runs are in the event."""

Leaves = dict[str, Any]


@dataclass(frozen=True)
class Confirmation:
    """Result of a test of an event."""

    text: str
    hits: tuple[int, int]
    pairs: int
    refuted: bool

    def __str__(self) -> str:
        word = "confirmed" if self.refuted else "not confirmed"
        first, second = self.hits
        return f"{word}: {self.text} in {first} of {self.pairs} fresh runs on one data set, in {second} on the other"


def differing(first: Leaves, second: Leaves) -> list[str]:
    """Paths of leaves that differ: first those that only one output has, then those that are plain in the first."""
    alone = [p for p in (*first, *second) if (p in first) != (p in second)]
    plain = [p for p in first if p in second and first[p] != second[p] and not is_noise(first[p])]
    noisy = [p for p in first if p in second and first[p] != second[p] and is_noise(first[p])]
    order = [] if alone or plain or noisy or list(first) == list(second) else ["the order of its parts"]
    return list(dict.fromkeys([*alone, *plain, *noisy, *order]))


Event = tuple[str, Callable[[list[Leaves]], list[bool]]]
"""Something that may happen in a run, in words and as a function of the leaves of the outputs of several runs."""


def event_of(path: str, example: Leaves, other: Leaves) -> Event:
    """Return an event that a data set seems to have always: a leaf as in an example, or the same parts in one order."""
    if path in example and path in other:
        return f"{path} as it was", lambda runs: [leaves.get(path) == example[path] for leaves in runs]
    names = list(example)
    return "the same parts of the output", lambda runs: [list(leaves) == names for leaves in runs]


def confirmed(
    runs: tuple[Callable[[], Leaves], Callable[[], Leaves]],
    happening: Event,
    epsilon: float,
    delta: float,
    risk: float,
    rng: np.random.Generator,
    go_on: Callable[[], bool],
    most: int = PAIRS,
) -> Confirmation:
    """Bet on one event in pairs of fresh runs; ``runs`` begin with the data set that has it more often."""
    text, event = happening
    pairs: list[tuple[bool, bool]] = []
    refuted = False
    while len(pairs) < most and not refuted and go_on():
        made = [_pair(runs, rng) for _ in range(AT_ONCE)]
        happened = event([leaves for pair in made for leaves in pair])
        for pair in zip(happened[::2], happened[1::2], strict=True):
            pairs.append(pair)
            refuted = event_log_wealth(pairs, epsilon, delta) > log(1 / risk)
            if refuted:
                break
    hits = sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    return Confirmation(text, hits, len(pairs), refuted)


def _pair(runs: tuple[Callable[[], Leaves], Callable[[], Leaves]], rng: np.random.Generator) -> tuple[Leaves, Leaves]:
    """Run both, in an order by a coin."""
    if rng.random() < 0.5:
        first = runs[0]()
        return first, runs[1]()
    second = runs[1]()
    return runs[0](), second
