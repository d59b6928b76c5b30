"""Call a mechanism under audit and read what it returns.

A mechanism is called for one run, or, where its signature has `SIZE`, for many, which it returns along a leading axis.
Anything that a call for one run returns or raises is an outcome (`dpspectra.audit.reading.outcomes`): never drop
or redraw failed runs, or a leak through failures is lost. The result of a call for many runs must be readable as rows,
each by itself; if one row changes what the others look like, or the call raises, the call is *lost*, and whoever made
it must count it against himself. `NO_OUTCOMES` and exceptions with a true attribute ``not_an_outcome`` say that the
mechanism cannot be run, and are raised again.
Every audit and `conforms` draws through `Caller`; `SIZE` and `SEED_NAMES` are part of the public interface.
"""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.audit.reading.outcomes import ROOT, failure, inner, outcome
from dpspectra.audit.reading.stacked_outputs import FLOAT, Form, Rows, Stacks, readable_rows
from dpspectra.contents.object_state import plain_memory
from dpspectra.ground.checks import NUMERIC

SIZE = "size"
"""Name of the parameter that asks for a number of draws, as in numpy."""
SEED_NAMES = ("rng", "random_state", "seed")
"""Names of parameters that seed a mechanism; the first one present is used."""
SEEDS = 2**31
"""Integer seeds are below this: larger ones are beyond the random generators of some languages."""
NO_OUTCOMES = (KeyboardInterrupt, GeneratorExit, NotImplementedError)
"""Exceptions of a call that say nothing of the data. Any other one is an outcome, and so is an exit of the program."""
IMMUTABLE = (int, float, complex, str, bytes, bool, type(None))


class Caller:
    """Adapter around a mechanism: seeds it where its signature allows, and hands it a fresh copy of its data.

    A parameter (other than the first) named ``size`` asks for that many draws; one named ``rng`` is given a numpy
    Generator, ``random_state`` or ``seed`` an integer. ``batched`` is cleared by whoever meets a lost call: from then
    on a call asks for one draw. An attribute ``most_rows`` of the mechanism is the most that it can be asked for at
    once, ``independent_rows`` declares that the rows of a call are independent runs.
    """

    def __init__(self, mechanism: Callable[..., Any]) -> None:
        self.mechanism = mechanism
        try:
            self.signature: inspect.Signature | None = inspect.signature(mechanism)
        except (TypeError, ValueError):  # some callables written in C have none
            self.signature = None
        parameters = self.signature.parameters if self.signature else {}
        self.size_name = _recognised(parameters, (SIZE,))
        self.seed_name = _recognised(parameters, SEED_NAMES)
        self.most_rows = int(getattr(mechanism, "most_rows", 2**62))
        self.batched = self.size_name is not None and self.most_rows > 1
        self.independent = bool(getattr(mechanism, "independent_rows", False))
        self.problem: str = ""
        """Error of the call that failed last."""
        self._form: Form | None = None
        self._plain: tuple[int, ...] | None = None
        """Shape of a row, if the rows of a call are one array."""
        self.shape: tuple[int, ...] | None = None
        """Shape of the first array that `one_by_one` has met, with which it returns bytes."""

    @classmethod
    def checked(cls, function: Any, name: str, *data: Any) -> Caller:
        """Caller of a callable; raises ``ValueError`` with ``name`` if it cannot be called with each data set."""
        caller = cls(function)
        for each in data:
            caller.check_call(each, name)
        return caller

    def check_call(self, data: Any, name: str) -> None:
        """Raise ``ValueError`` if the mechanism does not accept the data set and its size and seed parameters alone."""
        if self.signature is None:
            return
        names = [name for name in (self.size_name, self.seed_name) if name]
        try:
            self.signature.bind(data, **dict.fromkeys(names))
        except TypeError as problem:
            raise ValueError(
                f"{name} must take the data set as its only other argument, got one that cannot: {problem}"
            ) from None

    def many(
        self, data: Callable[[], Any], rng: np.random.Generator, count: int
    ) -> Callable[[], Rows | NDArray[Any] | None]:
        """Return a function that asks for ``count`` draws in one call.

        It returns ``None`` if so many cannot be read.

        ``data`` makes a copy of the data set (see `copies`). `together` takes the return value.
        """
        (call, own), array = self._caller(rng, count), np.ndarray
        usual = None if self._plain is None else (count, *self._plain)

        def rows() -> Rows | NDArray[Any] | None:
            nonlocal usual
            try:
                value = call(data(), rng=rng) if own else call(data())
                if type(value) is array and value.shape == usual and value.dtype is FLOAT:
                    return value.copy()  # the mechanism may write to it again
                value = inner(value)
            except BaseException as problem:
                self._note(problem)
                return None
            found = readable_rows(value, count)
            if found is None:
                self.problem = f"{self.size_name}={count} must return that many rows"
                return None
            read, form = found
            if self._form is None:
                self._form = form
                self._plain = read.arrays[ROOT].shape[1:] if isinstance(read, Stacks) and not read.bundled else None
            if form != self._form:
                self.problem = "a call returned another shape or type than those before"
                return None
            usual = None if self._plain is None else (count, *self._plain)
            return read

        return rows

    def one_by_one(self, data: Callable[[], Any], rng: np.random.Generator) -> Callable[[], Any]:
        """Return a function that makes one run and gives `gathered` a float, an array of its own or an `Outcome`.

        Of arrays of float64 numbers with the ``shape`` of the first one it returns the bytes, which are copied faster.
        """
        (call, own), has_size, array, usual = self._caller(rng, 1), self.size_name is not None, np.ndarray, self.shape

        def run() -> Any:
            nonlocal usual
            try:
                value = call(data(), rng=rng) if own else call(data())
                kind = type(value)
                if kind is float:
                    return value
                if kind is array and value.shape == usual and value.dtype is FLOAT and plain_memory(value):
                    return value.tobytes()
                if usual is None and kind is array and value.dtype is FLOAT and not has_size and plain_memory(value):
                    if self.shape is None:  # another data set may have fixed it since
                        self.shape = value.shape
                    usual = self.shape
                    if value.shape == usual:
                        return value.tobytes()
                if has_size or kind is not array:
                    value = inner(value)
                    value = _only(value) if has_size else value
            except BaseException as problem:
                self._note(problem)
                return failure(problem)
            if type(value) is array and value.dtype.kind in NUMERIC and value.dtype.metadata is None:
                if has_size or plain_memory(value):
                    return value.copy()  # the mechanism may write to it again
                return outcome(value)
            return value if type(value) in (float, np.float64) else outcome(value)

        return run

    def _caller(self, rng: np.random.Generator, count: int) -> tuple[Callable[..., Any], bool]:
        """Return what to call with data, for so many draws where it can make several, and whether it takes ``rng``.

        Another function in between would take a tenth of the time of a quick mechanism.
        """
        mechanism, seed = self.mechanism, self.seed_name
        call = mechanism if self.size_name is None else functools.partial(mechanism, size=count)
        if seed in (None, "rng"):
            return call, seed == "rng"
        return lambda data: call(data, **{seed: int(rng.integers(SEEDS))}), False

    def _note(self, problem: BaseException) -> None:
        """Remember an error, and raise it again if it is no outcome."""
        if isinstance(problem, NO_OUTCOMES) or getattr(problem, "not_an_outcome", False):
            raise problem
        self.problem = f"{type(problem).__name__}: {problem}"


def copies(data: Any) -> Callable[[], Any]:
    """Return a function that makes the data set afresh on every call, so that a mechanism may change its copy.

    A data set that cannot be copied is handed out as it is.
    """
    if isinstance(data, IMMUTABLE):
        return itertools.repeat(data).__next__
    if type(data) is np.ndarray and data.dtype != object:
        kept = data.copy()
        return kept.copy
    try:
        text = pickle.dumps(data, protocol=pickle.HIGHEST_PROTOCOL)
        pickle.loads(text)
        return functools.partial(pickle.loads, text)
    except Exception:  # whatever cannot be pickled says so in its own way
        pass
    try:
        held = copy.deepcopy(data)
        return lambda: copy.deepcopy(held)
    except Exception:
        return lambda: data


def _recognised(parameters: Mapping[str, inspect.Parameter], options: tuple[str, ...]) -> str | None:
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    free = [p.name for i, p in enumerate(parameters.values()) if i > 0 and p.kind in named]
    return next((name for name in options if name in free), None)


def _only(value: Any) -> Any:
    """Return the one row that a call for one draw returned; the whole value, if it is not one row."""
    if isinstance(value, np.ndarray) and value.shape[:1] == (1,):
        row = value[0]
        return row.item() if type(row) in (np.float64, np.complex128) else row
    if isinstance(value, list) and len(value) == 1:
        return value[0]
    if isinstance(value, tuple) and value and all(np.shape(part)[:1] == (1,) for part in value):
        return tuple(part[0] for part in value)
    return value
