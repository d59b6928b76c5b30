"""One run of a mechanism, read by value: what it returned, or how the call failed.

Two outputs with one hash are one atom of every event, which can cost power and nothing else. Nothing that an output
does when it is looked at stops an audit: what cannot be read is an outcome of its own kind, and is counted.
"""

import asyncio
import atexit
import inspect
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpspectra.audit.reading.labels import NOTHING, VALUE, Label, label, named, readable, text_label, without_addresses
from dpspectra.audit.reading.reader import Reader
from dpspectra.contents.object_state import foundation, state
from dpspectra.mechanisms.release import Release

ROOT = "output"
"""Path of the output itself."""
TYPES = "types"
"""Path of the label of all types in an output but Python's own real and complex numbers."""
FAILURE = "failure: "
"""Words with which the label of a call that raised begins."""
FAILED = "failure"
"""Path of what a call raised."""
PLAIN = {int, str, bytes, bool, type(None), list, tuple, dict, set, complex}
"""Types of which nothing is awaited, and that have no value but themselves."""
TUPLE = 16
"""Items up to which a tuple of arrays is taken to be several outputs."""


class AsyncGeneratorError(ValueError):
    """A mechanism returns an async generator, whose items nobody can ask for one by one."""

    not_an_outcome = True
    """Audits let this pass instead of counting it as something that the mechanism did."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run of a mechanism, as it was read."""

    kind: Label
    """That it returned a value, or how it failed."""
    structure: Label
    """Hash of shapes, keys and kinds of values."""
    numbers: Mapping[str, Any]
    """Real or complex arrays, by path."""
    labels: Mapping[str, Label]
    value: Any = None
    """The returned object, for statistics of the user's own."""
    members: frozenset[Label] = frozenset()
    """Labels of items of sets, of words and of short texts, wherever they stand."""
    unread: tuple[str, ...] = ()
    """Parts of it that could not be read."""
    by_text: tuple[str, ...] = ()
    """Types in it of which only the ``repr`` was read."""

    @property
    def failed(self) -> bool:
        """Whether there is no value."""
        return self.kind != VALUE

    @property
    def problem(self) -> str:
        """Error in words; empty if there is a value."""
        if not self.failed:
            return ""
        what, message = (readable.get(one, "") for one in (self.kind, self.labels.get("message", NOTHING)))
        return ": ".join(filter(None, [what.removeprefix(FAILURE), message if "message" in self.labels else ""]))


def outcome(value: Any) -> Outcome:
    """Read a returned value."""
    return _read(value, ROOT, VALUE)


def failure(problem: BaseException) -> Outcome:
    """Return the outcome of a run that raised: its type, its message, its arguments and attributes, and its cause."""
    kind = named(f"{FAILURE}{type(problem).__name__}")
    try:
        text = str(problem)
    except Exception:
        text = "(a message that cannot be read)"
    read = _read(problem, FAILED, kind)
    return replace(read, kind=kind, labels={**read.labels, "message": text_label(without_addresses(text))}, value=None)


def inner(output: Any) -> Any:
    """Return the value inside a `Release`, or inside an object that is nothing but its value; await an awaitable."""
    if type(output) in PLAIN or isinstance(output, (float, np.ndarray)):
        return output
    if inspect.isasyncgen(output):
        raise AsyncGeneratorError("mechanism must return outputs, got an async generator: return a list of its items")
    if inspect.isawaitable(output):
        output = _awaited(output)
    if isinstance(output, Release):
        return output.value
    if foundation(type(output)) is object and {name for name, _ in state(output)} == {"value"}:
        return output.value
    return output


def _read(value: Any, path: str, kind: Label) -> Outcome:
    reader = Reader()
    try:
        reader.read(value, path, 0)
    except Exception as problem:  # whatever an object does when it is looked at; too deep, too large
        what = f"unreadable {type(value).__name__}: {type(problem).__name__}"
        return Outcome(named(what), named(what), {}, {}, unread=(what,))
    if reader.types:
        types = b"".join(reader.types)
        reader.labels[TYPES] = label(types, types.decode(errors="replace"))
    return Outcome(
        kind,
        label(b"".join(reader.structure), _shapes(reader.numbers)),
        reader.numbers,
        reader.labels,
        value if reader.drawn is None else reader.drawn,
        frozenset(reader.members),
        tuple(reader.unread),
        tuple(reader.by_text),
    )


def _shapes(numbers: Mapping[str, Any]) -> str:
    """Say what a structure holds, as far as its numbers tell."""
    return " and ".join(f"{path} of shape {np.shape(x)}" for path, x in numbers.items()) or "no numbers"


def _awaited(output: Any) -> Any:
    """Wait for what a coroutine returns, in a loop of the auditor's own; beside one that runs, in a thread."""

    async def wait() -> Any:
        return await output

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _loop().run_until_complete(wait())
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, wait()).result()


_loops: list[asyncio.AbstractEventLoop] = []


def _loop() -> asyncio.AbstractEventLoop:
    if not _loops or _loops[0].is_closed():
        _loops[:] = [asyncio.new_event_loop()]
        atexit.register(_loops[0].close)
    return _loops[0]
