"""The tape of one run: what it drew, and what it looked at (events), each with its line.

A run *records*, or *replays*: then outcomes of the recorded run are handed out again, whatever the data. Two more modes
serve checks: *plain* hands out given draws as ordinary numbers, and *forced* lets somebody choose hidden decisions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.laws import Law
from dpspectra.symbolic.program_lines import place, shown
from dpspectra.symbolic.rounds_of_run import Rounds, before
from dpspectra.symbolic.verdict import FAILED

RECORD, REPLAY, PLAIN, FORCED = "record", "replay", "plain", "forced"
OUTPUT = "output"
VALUE, BITS, LARGEST, WHOLE, POINT = "value", "bits", "largest", "whole", "point"
MOST_DRAWS = 2_000_000
"""Draws of one run that are followed."""
MANY = 8
"""Decisions of one look, such as whether each of some rows is sampled, that are surely summed over."""
MOST_DECISIONS = 100
"""Hidden decisions of one run that are enumerated."""


class NotFollowed(BaseException):
    """Ends a run that cannot be followed; no exception of the program's own kind, lest the program catch it."""


class Beside(NotFollowed):
    """Another thread drew while the program ran."""


class OtherQuestions(NotFollowed):
    """A replay looked at something else than the record."""


@dataclass(frozen=True)
class Rows:
    """Numbers ``mu + sum of coefficients times draws``; slots ``(k, n)`` hold the draws and coefficients of each."""

    mu: Floats
    draw: NDArray[np.int64]
    coefficient: Floats

    def __len__(self) -> int:
        return len(self.mu)


NO_ROWS = Rows(np.zeros(0), np.zeros((0, 0), dtype=np.int64), np.zeros((0, 0)))


@dataclass
class Event:
    """A look: at values, at signs, at which row is the largest, at what a row rounds to, or at a draw with a law."""

    kind: str
    place: str
    rows: Rows
    outcome: Any = None
    options: int | None = None
    """Number of outcomes, if they can be enumerated."""
    log_probability: Callable[[Any], float] | None = None
    """Log-probability of the outcome of a point."""
    edges: Callable[[int], tuple[float, float]] | None = None
    """Ends of the interval that rounds to a whole number."""
    law: str = ""
    """Name of the law of a point."""


def is_decision(event: Event) -> bool:
    """Whether an event has a list of outcomes, so that all of them can be summed over."""
    return event.kind != VALUE and (event.kind != POINT or event.options is not None)


@dataclass
class Block:
    """Draws that were made together."""

    law: Law
    start: int
    values: Floats
    place: str
    computed: Any = None
    """How a draw that was computed from another depends on it."""


@dataclass
class Tape:
    """The run under way, or what it left behind."""

    rng: Any = None
    """Generator of the run until that ends. A tape in a cycle would keep it alive, for the next audit to find."""
    mode: str = RECORD
    at_once: bool = False
    """Whether numbers are rounded to plain ones, which are decided at once."""
    past: Tape | None = None
    """The record that is replayed, or whose draws are handed out."""
    chooser: Callable[[Tape, Event, int], int] | None = None
    """Chooses outcomes of hidden decisions, of a forced run: of an event, and of its n-th row."""
    blocks: list[Block] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hints: set[str] = field(default_factory=set)
    """Reasons that make the run harder to decide, told if nothing is decided; ``notes`` are of one data set."""
    decisions: int = 0  # of a forced run, so far
    seeds: list[str] = field(default_factory=list)
    """Seeds of generators that were made in this run."""
    seeded: dict[str, Any] = field(default_factory=dict)
    """Generators that stand for a module's own after it was given a seed."""
    functions: list[Any] = field(default_factory=list)
    """Functions of noise whose numbers are draws, see `functions_of_noise`; ``released`` are in the output."""
    released: str = ""
    raw: list[tuple[str, Any]] = field(default_factory=list)
    """Draws in order, each the name of the law and the values; ``rounded`` says if rounded ones stayed symbolic."""
    rounds: Rounds = field(default_factory=Rounds)
    size: int = 0
    tensors: Any = None
    """Noise in torch's memory in this run, if torch is loaded."""
    single: bool = False  # whether noise is kept in single precision somewhere
    rounded: bool = False
    left_out: bool = False  # whether a law of a loop leaves out what hardly ever happens
    scalings: list[tuple[str, list[Any]]] | None = None
    """Where numbers that hold noise are multiplied or divided, and by what; noted if there is a list."""
    listed: int = 1
    """Outcomes of all points of several draws that are listed, together."""
    stopped: NotFollowed | None = None
    thread: int = field(default_factory=threading.get_ident)

    def stop(self, why: str, kind: type[NotFollowed] = NotFollowed) -> NotFollowed:
        """Remember why this run ends, in case something swallows the exception; to be raised."""
        self.stopped = self.stopped or kind(why)
        return self.stopped

    def omega(self) -> Floats:
        """Values of all draws."""
        return np.concatenate([b.values for b in self.blocks]) if self.blocks else np.zeros(0)

    def handed_out(self, name: str) -> Any:
        """Return the next draw of the record, in a plain run."""
        assert self.past is not None
        k = len(self.raw)
        if k >= len(self.past.raw) or self.past.raw[k][0] != name:
            raise self.stop(f"a draw at {place()} is made only when draws are ordinary numbers")
        self.raw.append(self.past.raw[k])
        return self.past.raw[k][1]

    def draw(self, law: Law, count: int) -> tuple[int, Floats]:
        """Make new draws: the number of the first, and their values (NaN in a replay, where nobody may need them)."""
        if self.size + count > MOST_DRAWS:
            raise self.stop(f"more than {MOST_DRAWS} draws, at {place()}")
        before(self)
        if self.mode == REPLAY:
            values = np.full(count, np.nan)
        else:
            values = np.asarray(law.sample(self.rng, count), dtype=float).reshape(count)
        self.raw.append((law.name, values))
        return self.block(law, values), values

    def block(self, law: Law, values: Floats, computed: Any = None) -> int:
        """Write draws down; the number of the first."""
        start = self.size
        self.blocks.append(Block(law, start, values, place(), computed))
        self.size += len(values)
        return start

    def point(
        self, name: str, sample: Callable[[], Any], log_probability: Callable[[Any], float], options: int | None
    ) -> Any:
        """Look at a draw with a law of its own; its outcomes are 0, 1, ... if there are ``options`` of them."""
        if self.mode == PLAIN:
            return self.handed_out(name)
        event = Event(POINT, place(), NO_ROWS, options=options, log_probability=log_probability, law=name)
        outcome = self.look(event, sample)
        self.raw.append((name, outcome))
        return outcome

    def look(self, event: Event, sample: Callable[[], Any]) -> Any:
        """Return the outcome of an event: sampled in a record, taken from the list or from the record otherwise.

        A failure of it is no exception of the program.
        """
        try:
            return self._looked(event, sample)
        except Exception as problem:
            raise self.stop(f"{FAILED} with {type(problem).__name__} at {event.place}") from problem

    def _looked(self, event: Event, sample: Callable[[], Any]) -> Any:
        if event.place != OUTPUT:
            before(self)
        k = len(self.events)
        self.events.append(event)
        if self.mode == REPLAY:
            assert self.past is not None
            old = self.past.events[k] if k < len(self.past.events) else None
            asked = event.kind, len(event.rows), event.options is None
            if old is None or (old.kind, len(old.rows), old.options is None) != asked:
                was = "nothing more" if old is None else f"{len(old.rows)} ({old.kind}) at {shown(old.place)}"
                now = f"{len(event.rows)} ({event.kind}) at {shown(event.place)}"
                raise self.stop(f"the two data sets ask other questions: {was}, and {now}", OtherQuestions)
            event.outcome = old.outcome
        elif self.mode == FORCED and event.place != OUTPUT:
            event.outcome = self._forced(event)
        else:
            event.outcome = sample()
        return event.outcome

    def _forced(self, event: Event) -> Any:
        assert self.chooser is not None
        if not is_decision(event):
            raise self.stop(f"what is hidden at {event.place} has no list of outcomes")
        count = len(event.rows) if event.kind == BITS else 1
        self.decisions += count
        if count > MANY:
            self.hints.add(
                f"{count} decisions are made at once at {event.place}; of {MANY} all outcomes are summed over"
            )
        if self.decisions > MOST_DECISIONS:
            raise self.stop(f"more than {MOST_DECISIONS} hidden decisions, at {event.place}")
        taken = [self.chooser(self, event, j) for j in range(count)]
        return np.array(taken, dtype=bool) if event.kind == BITS else taken[0]


CURRENT: list[Tape] = []
"""The tape of the run under way, if any; no two runs are under way at a time."""


def current() -> Tape:
    """Return the tape of the run under way in this thread."""
    if not CURRENT:
        raise NotFollowed("a number that holds noise is used after the run that drew it")
    if not is_here():
        raise CURRENT[-1].stop("noise is used by another thread")
    return CURRENT[-1]


def is_here() -> bool:
    """Whether a run is under way in this thread."""
    return bool(CURRENT) and CURRENT[-1].thread == threading.get_ident()


def following() -> bool:
    """Whether a run is under way in this thread; a draw that another thread makes meanwhile ends it."""
    if CURRENT and not is_here():
        CURRENT[-1].stop("another thread draws meanwhile", Beside)
    return is_here()
