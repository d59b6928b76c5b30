"""One run of a mechanism with its draws followed, and one with nothing replaced."""

from __future__ import annotations

import contextlib
import copy
import inspect
import math
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.symbolic import (  # noqa: F401 - they say what is done with noise
    noisy_arrays,
    python_operators,
    torch_modes,
    torch_tensors,
    whole_numbers,
)
from dpspectra.symbolic.canonical_output import NOISE, NoForm, opened, read
from dpspectra.symbolic.choke_points import is_ours, staying, uncollected, watched
from dpspectra.symbolic.given_seed import ABOVE, GivenSeed
from dpspectra.symbolic.noisy_numbers import raw_rows
from dpspectra.symbolic.noisy_rows import evaluated, joined
from dpspectra.symbolic.numpy_sources import followed_generator
from dpspectra.symbolic.program_lines import line_in
from dpspectra.symbolic.roots_of_functions import released, settle_output
from dpspectra.symbolic.tape import CURRENT, OUTPUT, PLAIN, VALUE, Event, NotFollowed, Rows, Tape, current
from dpspectra.symbolic.verdict import FAILED


@dataclass
class Run:
    """Output of one run: plain leaves by path, and the numbers that hold noise, in their order."""

    leaves: dict[str, Any]
    rows: Rows | None
    """Rows of the noisy leaves, if there are any."""
    values: Any
    """Their outcomes."""
    tape: Tape
    roots: int = 0
    """Numbers at the end of the rows that are no part of the output, but what parts of it are computed from."""
    output: Any = field(default=None, repr=False)
    """The output itself, until it was looked at."""

    @property
    def hidden(self) -> list[Event]:
        """Looks that were not at the output."""
        return [e for e in self.tape.events if e.place != OUTPUT]


@contextlib.contextmanager
def at_rest(end: float) -> Iterator[None]:
    """Hold what runs are made in: no warnings, errors of numpy ignored, no way out of the process, and an end."""
    with np.errstate(all="ignore"), warnings.catch_warnings(), torch_tensors.steady(), staying(end):
        warnings.simplefilter("ignore")
        yield


SEEDS = ("random_state", "seed")
"""Names by which a mechanism may ask for a seed, if it asks for no generator."""
NOTHING = contextlib.nullcontext()


_LAST: list[Any] = [None, frozenset()]
"""The last mechanism that was called, which need not be hashable, and what it asks for."""


def _asked(mechanism: Callable[..., Any]) -> frozenset[str]:
    """Return the names of what a mechanism is given, beside the data."""
    if _LAST[0] is not mechanism:
        parameters: Mapping[str, inspect.Parameter] = {}
        with contextlib.suppress(TypeError, ValueError):
            parameters = inspect.signature(mechanism).parameters
        names = [name for name in (("rng",) if "rng" in parameters else SEEDS) if name in parameters]
        sized = "size" in parameters and parameters["size"].default is inspect.Parameter.empty
        _LAST[:] = mechanism, frozenset((*names, "size") if sized else names)
    return _LAST[1]


def _called(mechanism: Callable[..., Any], data: Any, rng: Any, seed: int | None = None) -> Any:
    """Return what a mechanism gives; without a ``seed`` one is drawn if it asks for it."""
    names = _asked(mechanism)
    if seed is None and not names.isdisjoint(SEEDS):
        seed = int(rng.integers(1, ABOVE))
    known = {"rng": rng, "size": 1}  # as the auditor of samples asks for so many draws in one call
    given = {name: known.get(name, seed) for name in names}
    try:
        with _looked_after() if CURRENT else NOTHING:
            return mechanism(copy.deepcopy(data), **given)
    except (KeyboardInterrupt, NotFollowed):
        raise
    except BaseException as problem:  # SystemExit, too
        if CURRENT and is_ours(problem):
            raise current().stop(f"{FAILED} with {type(problem).__name__} at {place_of(problem)}") from problem
        return Raised(type(problem).__name__, _text_of(problem), problem)


@contextlib.contextmanager
def _looked_after() -> Iterator[None]:
    """Follow what the program does in torch, and end the run if it calls what it must not."""
    with torch_modes.followed(), watched():
        yield


def place_of(problem: BaseException) -> str:
    """Return the last line of the program that an exception came through."""
    own, lines = Path(__file__).parent, traceback.walk_tb(problem.__traceback__)
    frame, number = [line for line in lines if Path(line[0].f_code.co_filename).parent != own][-1]
    return line_in(frame.f_code, number)


def _text_of(problem: BaseException) -> str:
    try:
        return str(problem)
    except Exception:
        return "an exception without a text"


@dataclass
class Raised:
    """An exception, which is an output like any other."""

    kind: str
    text: str
    problem: BaseException


@uncollected()
def run(mechanism: Callable[..., Any], data: Any, tape: Tape, end: float = math.inf) -> Run:
    """One run on a copy of the data, on a tape. Raises `NotFollowed` if it cannot be followed."""
    CURRENT.append(tape)
    try:
        seed = GivenSeed(int(tape.rng.integers(1, ABOVE)))
        with at_rest(end):
            out = _called(mechanism, data, followed_generator(), seed)
        if tape.stopped is not None:
            raise tape.stopped
        try:
            leaves, noisy = opened(out)
            if settle_output(noisy):
                leaves, noisy = opened(out)
        except NoForm as problem:
            raise tape.stop(str(problem)) from None
        except TypeError as problem:  # of a library that holds noise in its own arrays
            raise tape.stop(f"the output has no canonical form: {problem}") from None
        if not noisy:
            return Run(leaves, None, np.zeros(0), tape, output=out)
        output = joined([raw_rows(x) for x in noisy])
        roots = released(output)
        rows = joined([output, roots])
        values = tape.look(Event(VALUE, OUTPUT, rows), lambda: evaluated(rows, tape.omega()))
        return Run(leaves, rows, values, tape, len(roots), out)
    finally:
        CURRENT.pop().rng = None


def plain_run(
    mechanism: Callable[..., Any], data: Any, rng: np.random.Generator, end: float | None = math.inf
) -> tuple[dict[str, Any], Any]:
    """Leaves and kinds of one run with nothing replaced, which draws from ``rng``.

    Raises `NotFollowed` if they have no canonical form. Without an ``end`` the caller is `at_rest`, for many runs.
    """
    with NOTHING if end is None else at_rest(end):
        out = _called(mechanism, data, rng)
    try:
        leaves, _, kinds = read(out)
    except NoForm as problem:
        raise NotFollowed(str(problem)) from None
    return leaves, kinds


__all__ = ["NOISE", "PLAIN", "Raised", "Run", "plain_run", "run"]
