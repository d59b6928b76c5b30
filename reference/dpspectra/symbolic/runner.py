"""The runs of one audit from inside: records, replays, plain and forced runs, and the checks that all of them meet."""

import contextlib
import functools
import inspect
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dpspectra.contents.object_state import full_name
from dpspectra.ground.array_types import Floats
from dpspectra.symbolic.faithful_runs import faithful, with_draws
from dpspectra.symbolic.numpy_draws import PCG64, RealGenerator
from dpspectra.symbolic.observed_constraints import Unsolved
from dpspectra.symbolic.one_run import Raised, Run, at_rest, plain_run, run
from dpspectra.symbolic.program_lines import line_in
from dpspectra.symbolic.state import State
from dpspectra.symbolic.tape import FORCED, PLAIN, POINT, REPLAY, Beside, NotFollowed, OtherQuestions, Tape
from dpspectra.symbolic.verdict import Found, Question, in_single_precision

AGAIN = 2
"""Further runs where a thread drew beside one; a program that has its draws made by a thread has none without."""


class Runner:
    """A mechanism on a pair of data sets, with what its runs have shown so far."""

    def __init__(
        self,
        mechanism: Callable[..., Any],
        pair: tuple[Any, Any],
        question: Question,
        *,
        runs: int,
        risk: float,
        seconds: float,
        rng: np.random.Generator,
    ) -> None:
        self.mechanism, self.pair, self.question = mechanism, pair, question
        self.runs, self.risk, self.rng = runs, risk, rng
        self.seconds = seconds
        self.end = time.perf_counter() + seconds
        self.found = Found()
        self.begin_again(at_once=False)
        self.state = State(mechanism)
        self.beside: set[str] = set()
        """Names of what is changed there only while an output that is an object is alive."""
        self.left_out = False
        """Whether some law of a loop leaves out what hardly ever happens."""
        self.rounded = False
        """Whether rounded numbers stayed symbolic."""
        self.hints: set[str] = set()
        """Reasons that made runs harder to decide."""
        self.single = False
        """Whether noise is kept in single precision."""
        self.drew = False
        """Whether any draw was followed."""
        self.drawn_at: str | None = None
        """The line of the first draw that was followed."""

    def begin_again(self, at_once: bool) -> None:
        """Forget what was followed so far; runs are counted on."""
        self.found = Found(runs=self.found.runs, plain_runs=self.found.plain_runs)
        self.at_once = at_once
        """Whether numbers are rounded to plain ones, which are decided at once."""
        self.suspects: list[tuple[int, dict[str, Any], dict[str, Any]]] = []
        self.seeds: list[list[str] | None] = [None, None]
        self.laws: dict[int, Any] = {}
        self.ends: list[set[Any]] = [set(), set()]
        self.one_path: list[Run | None] = [None, None]
        """A record of each data set, if nothing is looked at before the output."""
        self.records: list[list[Run]] = [[], []]
        """Records to compare plain runs with, if something is."""

    @property
    def looks_again(self) -> bool:
        """Whether a second look follows in which numbers are decided at once, if this one decides nothing."""
        return not self.at_once and self.rounded

    def fresh(self) -> np.random.Generator:
        """Return a generator for one run."""
        return RealGenerator(PCG64(int(self.rng.integers(2**63))))

    def run(self, side: int, **settings: Any) -> Run:
        """One run on one of the data sets, made again if a thread drew beside it, as those of libraries do at times.

        Raises `NotFollowed`, or `Unsolved` if time is over.
        """
        for _ in range(AGAIN if settings.get("mode") != FORCED else 0):
            with contextlib.suppress(Beside):
                return self._run(side, settings)
        return self._run(side, settings)

    def _run(self, side: int, settings: dict[str, Any]) -> Run:
        if time.perf_counter() > self.end:
            raise Unsolved("time is over")
        self.found.runs += 1
        tape = Tape(self.fresh(), at_once=self.at_once, **settings)
        try:
            found = run(self.mechanism, self.pair[side], tape, self.end)
        finally:
            self.drew = self.drew or bool(tape.raw)
            self.rounded = self.rounded or tape.rounded
            self.left_out = self.left_out or tape.left_out
            self.hints |= tape.hints
            if self.drawn_at is None and tape.blocks:
                self.drawn_at = tape.blocks[0].place
        if any(path.endswith(".class") for path in found.leaves):
            alive, found.output = self.state.changed(), None
            self.beside |= alive - self.state.changed()
        found.output = None
        if found.tape.single and not self.single:
            self.single, self.question = True, in_single_precision(self.question)
        if found.tape.mode != FORCED:
            self._same_seeds(side, found)
        self.ends[side].add(end_of(found.leaves, whole=not found.hidden))
        return found

    def whereabouts(self) -> str:
        """Return the line at which noise was drawn first, or that at which the mechanism begins, in words."""
        if self.drawn_at is not None:
            return f"its noise begins at {self.drawn_at}"
        code = _code_of(self.mechanism)
        if code is None:
            return "no draw was followed"
        return f"no draw of {line_in(code, code.co_firstlineno)} was followed"

    def _same_seeds(self, side: int, found: Run) -> None:
        """Refuse seeds that vary from run to run, as nobody follows their noise."""
        if any(e.kind == POINT and e.options is None for e in found.hidden):
            return  # a seed may be such a point; what is seen then is a transcript
        known = self.seeds[side]
        if known is None:
            self.seeds[side] = found.tape.seeds
        elif known != found.tape.seeds:
            raise NotFollowed(f"a generator is made with another seed in each run: {(found.tape.seeds + known)[0]}")

    def record(self, side: int) -> Run:
        """Return a record."""
        return self.run(side)

    def replay(self, side: int, record: Run) -> Run | None:
        """Return the replay on the other data set; ``None`` if it asks other questions."""
        try:
            return self.run(1 - side, mode=REPLAY, past=record.tape)
        except OtherQuestions as problem:
            self.found.divergence = self.found.divergence or str(problem)
            return None

    def plain(self, side: int, tape: Tape, omega: Floats) -> Run:
        """Return a run that is handed out given draws as ordinary numbers."""
        return self.run(side, mode=PLAIN, past=with_draws(tape, omega).past)

    def check(self, side: int, record: Run) -> None:
        """Require that the draws of a record give its output as ordinary numbers, too."""
        other = self.plain(side, record.tape, record.tape.omega())
        if len(other.tape.raw) != len(record.tape.raw):
            raise NotFollowed("draws are made only when they are symbols")
        where = faithful(record, other.leaves)
        if where is not None:
            raise NotFollowed(f"the same draws as ordinary numbers give another output, at {where}")

    def plain_outcome(self, side: int) -> tuple[dict[str, Any], Any]:
        """Leaves of a run with nothing replaced, and the kinds of its numbers."""
        self.found.plain_runs += 1
        return plain_run(self.mechanism, self.pair[side], self.fresh(), self.end)

    def plain_outcomes(self, side: int, number: int) -> list[tuple[dict[str, Any], Any]]:
        """Return those of many runs, fewer if time is over."""
        runs: list[tuple[dict[str, Any], Any]] = []
        rng = self.fresh()
        with at_rest(self.end):
            while len(runs) < number and time.perf_counter() < self.end:
                self.found.plain_runs += 1
                elsewhere = moved(len(runs))
                runs.append(plain_run(self.mechanism, self.pair[side], rng, None))
                del elsewhere  # before the next ones are made, which would lie beside them
        return runs

    def plain_leaves(self, side: int) -> dict[str, Any]:
        """Leaves of a run with nothing replaced."""
        return self.plain_outcome(side)[0]


def moved(number: int) -> tuple[Any, Any]:
    """Return small objects of several sizes, while which are alive others lie at other places in memory."""
    return [object() for _ in bytes(37 * number % 127)], [[0.0] for _ in bytes(53 * number % 127)]


def _code_of(mechanism: Callable[..., Any]) -> Any:
    """Return the code of a function, of what a partial one calls, or of what an object does when it is called."""
    function: Any = inspect.unwrap(mechanism)
    while isinstance(function, functools.partial):
        function = inspect.unwrap(function.func)
    own = getattr(function, "__code__", None)
    return own if own is not None else getattr(inspect.unwrap(type(function).__call__), "__code__", None)


def end_of(leaves: dict[str, Any], whole: bool) -> Any:
    """How a run ended: which exception it raised, or which parts its output has, if these are the same in all runs."""
    if leaves.get("output.class") == ("class", full_name(Raised)):
        return "raised", leaves["output.kind"]
    return "output", tuple(leaves) if whole else None
