"""Loops that a run has entered, and functions that are told before each draw and look."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Rounds:
    """Loops with rounds that are alike, in forced runs and replays; see `rejected_rounds`."""

    entered: list[Any] = field(default_factory=list)
    cut: bool = True
    """Whether a forced run ends where a round is rejected."""
    log: float = 0.0
    """Log of what rounds that may be rejected multiply the density by."""


WATCHERS: list[Callable[[Any], None]] = []
"""Functions that are told before each draw and look; `rejected_rounds` puts its own here."""


def before(tape: Any) -> None:
    """Tell that a tape is about to draw or to look."""
    for watcher in WATCHERS:
        watcher(tape)
