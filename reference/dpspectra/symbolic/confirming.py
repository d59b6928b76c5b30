"""Test on fresh runs, with nothing replaced, whether what no noise seems to cover is an event that the claim forbids.

A difference between a record and its replay refutes nothing by itself: the other data set may give the same output by
other outcomes. In each pair a coin decides which data set runs first, so that what a program keeps between calls cannot
tell them apart.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.symbolic.bets import event_log_wealth
from dpspectra.symbolic.running import NOISE

PAIRS = 200
"""Pairs of runs of one test at most."""

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
    plain = [p for p in first if p in second and first[p] != second[p] and first[p] != NOISE]
    noisy = [p for p in first if p in second and first[p] != second[p] and first[p] == NOISE]
    order = [] if alone or plain or noisy or list(first) == list(second) else ["the order of its parts"]
    return list(dict.fromkeys([*alone, *plain, *noisy, *order]))


def event_of(path: str, example: Leaves, other: Leaves) -> tuple[str, Callable[[Leaves], bool]]:
    """Return an event that a data set seems to have always: a leaf as in an example, or the same parts in one order."""
    if path in example and path in other:
        return f"{path} as it was", lambda leaves: leaves.get(path) == example[path]
    names = list(example)
    return "the same parts of the output", lambda leaves: list(leaves) == names


def confirmed(
    runs: tuple[Callable[[], Leaves], Callable[[], Leaves]],
    path: str,
    other: Leaves,
    epsilon: float,
    delta: float,
    risk: float,
    rng: np.random.Generator,
    go_on: Callable[[], bool],
) -> Confirmation:
    """Bet on one event in pairs of fresh runs; ``runs`` begin with the data set that has it."""
    text, event = event_of(path, runs[0](), other)
    pairs: list[tuple[bool, bool]] = []
    refuted = False
    while len(pairs) < PAIRS and not refuted and go_on():
        if rng.random() < 0.5:
            first = event(runs[0]())
            second = event(runs[1]())
        else:
            second = event(runs[1]())
            first = event(runs[0]())
        pairs.append((first, second))
        refuted = event_log_wealth(pairs, epsilon, delta) > math.log(1 / risk)
    hits = sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    return Confirmation(text, hits, len(pairs), refuted)
