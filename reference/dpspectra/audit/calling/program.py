"""A program in any language that makes draws on request: it is kept open over a whole audit and asked line by line.

Version 1 of the line protocol, told to authors of programs in ``examples/README.md``: one JSON object a line, on
standard input and output, and outputs as raw little-endian float64 if both sides like. The program's answer to a call,
its death and its silence are outcomes of the mechanism, raised as a `ProgramError` whose type is named by the kind;
what breaks the protocol is an error of the set-up, `ProtocolError`, and never an outcome.

Do not change lightly: programs of users speak this protocol. If a line of it changes, so must `VERSION`.
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from dpspectra.audit.calling.process import GRACE, Child, TooLongError

VERSION = 1
"""Version of the protocol."""
MEMORY = 2**28
"""Most bytes in a line, and in the numbers after it."""
SEEDS = 2**31
"""Seeds are below this: larger ones do not fit the signed integers that weak generators take, and bias some of them."""
QUOTED = 80
"""Characters of what a program said wrong that a message quotes."""

NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""Numbers that JSON lacks, by the strings that stand for them."""
_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_INTERPRETER = re.compile(
    r"(.*/)?(python|pypy|perl|ruby|node|deno|(ba|z|da)?sh|[gm]?awk|tclsh|Rscript|julia|php|lua)[\d.]*$"
)
_PERHAPS_NOT_FINITE = re.compile(rb'NaN"|Infinity"|\\')


class ProtocolError(ValueError):
    """A program does not keep to the line protocol, or cannot be run."""

    not_an_outcome = True
    """Audits let this pass instead of counting it as something that the mechanism did."""


class ProgramError(Exception):
    """A call of a program failed. Subclasses are named by the kind that it gave, or ``Died`` and ``Timeout``."""


@dataclass(frozen=True, slots=True)
class Greeting:
    """The program's description of itself, sent before its first draw."""

    name: str = ""
    most: int = 1
    """Most rows that it returns in one call."""
    float64: bool = False
    """Whether it can answer in raw float64."""
    seeded: bool = False
    """Whether one request always has one answer."""
    independent: bool = False
    """Whether it declares that the rows of a call are independent runs."""


class Program:
    """A program under the line protocol, from its greeting until `close`; it is started again when a call has ended it.

    ``hello`` is the greeting that it is sent (see `hello`), ``timeout`` the time for each answer, in seconds, and
    ``greeting`` its own, if that is known already. Pickled, it is one program in each process that it comes to, which
    ends with that process. May be called from several threads. Raises `ProtocolError` if it cannot be run or does not
    greet as it should.
    """

    def __init__(
        self, command: tuple[str, ...], hello: bytes, timeout: float, greeting: Greeting | None = None
    ) -> None:
        self.command, self.hello, self.timeout = command, hello, timeout
        self._calls = 0
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._greeting = greeting
        if greeting is None:
            self._start()

    def __reduce__(self) -> tuple[Callable[..., Program], tuple[Any, ...]]:
        return _here, (self.command, self.hello, self.timeout, self.greeting)

    @property
    def greeting(self) -> Greeting:
        """The program's description of itself."""
        assert self._greeting is not None
        return self._greeting

    def draw(self, side: int, size: int, seed: int | None) -> Any:
        """Ask for ``size`` outputs on data set ``side`` (0 or 1); a list, or a float64 array, of that length.

        The seed is taken modulo `SEEDS`, a fresh one if it is ``None``. Raises `ProgramError` for a call that failed,
        `ProtocolError` for an answer that breaks the protocol.
        """
        seed = secrets.randbelow(SEEDS) if seed is None else int(seed) % SEEDS
        with self._lock:
            self._calls += 1
            raw = int(self.greeting.float64)
            request = _line({"id": self._calls, "side": side, "size": size, "seed": seed, "float64": raw})
            try:
                child = self._child or self._start()
                return self._answered(child, request, self._calls, size)
            except TimeoutError:
                self._stop()
                raise failure("Timeout")(f"no answer in {self.timeout:g} seconds") from None
            except EOFError:
                raise failure("Died")(self._stop(GRACE)) from None
            except ProgramError:
                raise
            except BaseException:  # it may be in the middle of an answer, which must not be taken for the next one
                self._stop()
                raise

    def close(self) -> None:
        """End it: it is told so, and killed if it is still there after a second. A later call would start it again."""
        with self._lock:
            child, self._child = self._child, None
            if child is not None:
                child.finish(_line({"bye": 1}))

    def _start(self) -> Child:
        try:
            child = Child(self.command)
        except (OSError, ValueError) as problem:
            self._wrong("be a program that can be run", str(problem))
        self._child, deadline = child, time.monotonic() + self.timeout
        try:
            child.send(self.hello, deadline)
            greeting = self._greeted(self._object(child, deadline))
        except TimeoutError:
            more = "it must flush each line; a larger timeout (--seconds, a quarter of them up to 10) gives longer"
            self._wrong("greet", f"no answer in {self.timeout:g} seconds: {more}")
        except EOFError:
            self._wrong("greet", self._stop(GRACE))
        if self._greeting not in (None, greeting):
            self._wrong("greet alike whenever it is started", f"{greeting} after {self._greeting}")
        self._greeting = greeting
        return child

    def _stop(self, grace: float = 0.0) -> str:
        child, self._child = self._child, None
        return "" if child is None else child.end(grace)

    def _wrong(self, requirement: str, found: str) -> NoReturn:
        self._stop()
        told = f"{script(self.command)} must {requirement}, got {' '.join(found.split())}"
        raise ProtocolError(f"{told}; see the page protocol")

    def _greeted(self, answer: dict[str, Any]) -> Greeting:
        if type(version := answer.get("hello")) is not int or version != VERSION:
            self._wrong(f"speak version {VERSION} of the line protocol", _quoted(version))
        said = {field.name: answer.get(field.name, field.default) for field in fields(Greeting)}
        for field in fields(Greeting):
            if type(value := said[field.name]) is not type(field.default):
                self._wrong(f"greet with {field.name} a JSON value like {json.dumps(field.default)}", _quoted(value))
        if said["most"] < 1:
            self._wrong("greet with most at least 1", str(said["most"]))
        return Greeting(**said)

    def _answered(self, child: Child, request: bytes, call: int, size: int) -> Any:
        deadline = time.monotonic() + self.timeout
        child.send(request, deadline)
        answer = self._object(child, deadline)
        if answer == json.loads(request):
            self._wrong("answer a request by the line protocol", "the request itself")
        if type(found := answer.get("id")) is not int or found != call:
            self._wrong(f"repeat the id {call} of the request", _quoted(found))
        if "error" in answer:
            kind, message = answer["error"], answer.get("message", "")
            if not isinstance(kind, str) or not kind or not kind.isprintable() or not isinstance(message, str):
                self._wrong("name an error, and its message, in printable text", _quoted((kind, message)))
            raise failure(kind)(message)
        if "float64" in answer:
            shape = self._shape(answer["float64"], size)
            return np.frombuffer(child.take(8 * math.prod(shape), deadline), "<f8").reshape(shape).copy()
        outputs = answer.get("outputs")
        if not isinstance(outputs, list) or len(outputs) != size:
            count = f"{len(outputs)} outputs" if isinstance(outputs, list) else _quoted(outputs)
            self._wrong(f"return a list of {size} outputs", count)
        return outputs

    def _object(self, child: Child, deadline: float) -> dict[str, Any]:
        """Next line as a JSON object, with numbers for the strings that stand for them in its outputs."""
        try:
            line = child.line(MEMORY, deadline)
        except TooLongError:
            self._wrong(f"answer in at most {MEMORY} bytes", "more")
        try:
            answer = json.loads(line.decode(), parse_constant=_not_json)
            if isinstance(answer, dict) and "outputs" in answer and _PERHAPS_NOT_FINITE.search(line):
                answer["outputs"] = decoded(answer["outputs"])
        except (ValueError, RecursionError) as problem:
            self._wrong("answer with a line of JSON", f"{_quoted(line)} ({problem})")
        if not isinstance(answer, dict):
            self._wrong("answer with a JSON object", _quoted(line))
        return answer

    def _shape(self, found: Any, size: int) -> tuple[int, ...]:
        lengths = isinstance(found, list) and all(type(length) is int and length >= 0 for length in found)
        if not lengths or found[:1] != [size] or 8 * math.prod(found) > MEMORY:
            self._wrong(f"return float64 of a shape that begins with {size}, at most {MEMORY} bytes", _quoted(found))
        return tuple(found)


def _here(*settings: Any) -> Program:
    """One program for each process, however often it is unpickled there; its first call starts it."""
    return _of_process(os.getpid(), *settings)  # a forked process must not talk into the pipes of its parent


@functools.cache
def _of_process(process: int, *settings: Any) -> Program:
    return Program(*settings)


@functools.lru_cache(2**10)
def failure(kind: str) -> type[ProgramError]:
    """Type of the exceptions that stand for one kind of failed calls."""
    return type(kind, (ProgramError,), {})


def hello(first: str, second: str) -> bytes:
    """Greeting for a program that is to draw on two data sets, given as JSON texts."""
    return f'{{"hello":{VERSION},"first":{first},"second":{second}}}\n'.encode()


def text_of(data: Any) -> str:
    """JSON text of a data set: numbers, text, truth values, ``None``, lists, tuples, arrays, dictionaries of those.

    Raises ``ValueError`` for anything else, and for numbers with more digits than Python converts.
    """
    return _text(encoded(data))


def encoded(value: Any) -> Any:
    """Return a value as JSON knows it; the strings of `NOT_FINITE` stand for NaN and infinities."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: encoded(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise ValueError(f"data sets must hold what JSON can say, got {type(value).__name__}")


def decoded(value: Any) -> Any:
    """Return the value that `encoded` was given, with lists for tuples and arrays."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, dict):
        return {key: decoded(item) for key, item in value.items()}
    return NOT_FINITE.get(value, value) if isinstance(value, str) else value


def _line(message: dict[str, int]) -> bytes:
    return _text(message).encode() + b"\n"


def script(command: Sequence[str]) -> str:
    """Return the program that is run, in words: the file that an interpreter is given, or the command's first word."""
    files = (
        [word for word in command[1:] if len(word) < 256 and Path(word).is_file()]
        if _INTERPRETER.match(command[0])
        else []
    )
    return [*files, command[0]][0]


def _quoted(found: Any) -> str:
    text = repr(found[:QUOTED] if isinstance(found, (bytes, str)) else found)
    return text if len(text) <= 2 * QUOTED else f"{text[: 2 * QUOTED]}..."


def _not_json(constant: str) -> NoReturn:
    raise ValueError(f'{constant} must be written "{constant}"')
