"""One run of a mechanism with its draws followed, and one with nothing replaced."""

import copy
import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.symbolic import arrays, universal  # noqa: F401 - they say what functions of numpy do
from dpspectra.symbolic.canonical import NOISE, NoForm, opened
from dpspectra.symbolic.numpy_draws import PCG64, RealGenerator
from dpspectra.symbolic.numpy_sources import followed_generator
from dpspectra.symbolic.rows import evaluated, joined
from dpspectra.symbolic.tape import CURRENT, OUTPUT, PLAIN, VALUE, Event, NotFollowed, Rows, Tape
from dpspectra.symbolic.values import rows_of

SEED = 12345
"""Seed that a mechanism is given if it asks for one: a number, and no noise."""


@dataclass
class Run:
    """Output of one run: plain leaves by path, and the numbers that hold noise, in their order."""

    leaves: dict[str, Any]
    rows: Rows | None
    """Rows of the noisy leaves, if there are any."""
    values: Any
    """Their outcomes."""
    tape: Tape

    @property
    def hidden(self) -> list[Event]:
        """Looks that were not at the output."""
        return [e for e in self.tape.events if e.place != OUTPUT]


def _called(mechanism: Callable[..., Any], data: Any, rng: Any, seed: int) -> Any:
    try:
        parameters = inspect.signature(mechanism).parameters
    except (TypeError, ValueError):
        parameters = {}  # type: ignore[assignment]
    given = {"rng": rng} if "rng" in parameters else {}
    if "size" in parameters and parameters["size"].default is inspect.Parameter.empty:
        given["size"] = 1  # as the auditor of samples asks for so many draws in one call
    given |= {name: seed for name in ("random_state", "seed") if name in parameters and "rng" not in given}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return mechanism(copy.deepcopy(data), **given)
        except Exception as problem:
            return Raised(type(problem).__name__, str(problem))


@dataclass
class Raised:
    """An exception, which is an output like any other."""

    kind: str
    text: str


def run(mechanism: Callable[..., Any], data: Any, tape: Tape) -> Run:
    """One run on a copy of the data, on a tape. Raises `NotFollowed` if it cannot be followed."""
    CURRENT.append(tape)
    try:
        out = _called(mechanism, data, followed_generator(), SEED)
        if tape.stopped is not None:
            raise tape.stopped
        try:
            leaves, noisy = opened(out)
        except NoForm as problem:
            raise tape.stop(str(problem)) from None
        if not noisy:
            return Run(leaves, None, np.zeros(0), tape)
        rows = joined([rows_of(x) for x in noisy])
        values = tape.look(Event(VALUE, OUTPUT, rows), lambda: evaluated(rows, tape.omega()))
        return Run(leaves, rows, values, tape)
    finally:
        CURRENT.pop()


def plain_run(mechanism: Callable[..., Any], data: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Leaves of one run with nothing replaced. Raises `NotFollowed` if they have no canonical form."""
    seed = int(rng.integers(2**32))
    out = _called(mechanism, data, RealGenerator(PCG64(int(rng.integers(2**63)))), seed)
    try:
        return opened(out)[0]
    except NoForm as problem:
        raise NotFollowed(str(problem)) from None


__all__ = ["NOISE", "PLAIN", "Raised", "Run", "plain_run", "run"]
