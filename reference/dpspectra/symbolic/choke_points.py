"""Functions of the interpreter that no followed run may call: they draw, tell the time, fork, or leave.

They are recognised by what they are, under whatever name a program holds them.
"""

import _thread
import builtins
import contextlib
import datetime
import gc
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.ground.deadlines import ended
from dpspectra.ground.exits import raised_exits
from dpspectra.symbolic import asked_types, number_kinds, torch_modes, untraced_extensions
from dpspectra.symbolic.call_hooks import told
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.tape import CURRENT, NotFollowed, following, is_here

CLOCKS = """time time_ns perf_counter perf_counter_ns monotonic monotonic_ns process_time process_time_ns thread_time
thread_time_ns clock_gettime clock_gettime_ns localtime gmtime ctime asctime strftime"""
OF_SYSTEM = "urandom getrandom times getloadavg"
FORKS = (
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.spawn",
    "os.exec",
    "os.system",
    "os.startfile",
    "subprocess.Popen",
)
"""Audited events of programs that go on elsewhere."""
_BEGIN = ("start_new_thread", "start_new", "start_joinable_thread")
THREADS = frozenset(getattr(_thread, n) for n in _BEGIN if hasattr(_thread, n))
"""Functions that begin a thread, whose calls no profile function tells."""
LOADING = ("ctypes.dlopen", "ctypes.dlsym", "ctypes.call_function")
"""Audited events of programs that load compiled functions."""
EVENTS = frozenset(("open", *FORKS, *LOADING))
"""All that are refused; Python tells of tens of thousands of others in one audit."""


_BUILTIN = type(len)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def _watched() -> dict[Any, str]:
    found = {getattr(time, n): f"time.{n}" for n in CLOCKS.split() if hasattr(time, n)}
    found |= {getattr(os, n): f"os.{n}" for n in OF_SYSTEM.split() if hasattr(os, n)}
    for kind in (datetime.datetime, datetime.date):
        found |= {getattr(kind, n): f"{kind.__name__}.{n}" for n in ("now", "utcnow", "today") if hasattr(kind, n)}
    return found


WATCHED = _watched()
_HASH = hash
VARYING = {
    id: "the place of an object in memory",
    hash: "the hash of an object",
    os.getpid: "the number of the process",
    os.getppid: "the number of the process",
    threading.get_ident: "the number of the thread",
    threading.get_native_id: "the number of the thread",
}
"""Functions whose answers differ from process to process, and are no noise; Python uses them for memos and locks."""
REFUSED = frozenset((*WATCHED, *THREADS, *VARYING))


def _guarded(function: Any) -> Any:
    asked = is_here if WATCHED[function].startswith("time.") else following  # threads of libraries look at clocks

    def called(*args: Any, **options: Any) -> Any:
        if _RUNNING and asked() and not sys._getframe(1).f_globals.get("__name__", "").startswith("dpspectra."):
            raise _refused(function)
        return function(*args, **options)

    return called


def _refused(function: Any) -> BaseException:
    return CURRENT[-1].stop(f"{WATCHED[function]} at {place()} is a source of randomness that is not followed")


GUARDED = {function: _guarded(function) for function in WATCHED}
"""Stand-ins, for callers that are written in C: of their calls no event tells."""


def _hash(thing: Any) -> int:
    """Stand in for `hash`, which whole numbers answer alike in each process."""
    frame = sys._getframe(1)
    if type(thing) not in (bool, int, np.int64) and _RUNNING and is_here() and _may_not_hash(frame):
        raise CURRENT[-1].stop(f"{VARYING[_HASH]} is looked at, at {place()}: it varies")
    return _HASH(thing)


def _may_not_hash(frame: Any) -> bool:
    """Whether code is the program's, and not that by which a dict finds its keys."""
    return frame.f_code.co_name != "__hash__" and untraced_extensions.is_by_others(frame)


def replacements() -> list[tuple[Any, str, Any]]:
    """Return stand-ins for what is watched, by module."""
    found = [(m, n, GUARDED[v]) for m in (time, os) for n, v in vars(m).items() if type(v) is _BUILTIN and v in GUARDED]
    return [*found, (builtins, "hash", _hash)]


def _refuse(function: Any, frame: Any) -> None:
    """End a followed run that calls one of `REFUSED`, unless Python itself does, for what is no noise."""
    if function in WATCHED:
        raise _refused(function)
    if function in THREADS:
        raise CURRENT[-1].stop(f"another thread is begun at {place()}, which nobody follows")
    if _may_not_hash(frame) if function is _HASH else untraced_extensions.is_by_others(frame):
        raise CURRENT[-1].stop(f"{VARYING[function]} is looked at, at {place()}: it varies")


def _on_call(frame: Any, event: str, function: Any) -> None:
    """End a followed run in which the program calls what is watched, or compiled code that nobody follows."""
    if event == "return":
        return
    unknown = event in ("call", "c_call") and untraced_extensions.is_unknown(frame)
    if function is hasattr or function is getattr:
        number_kinds.ASKING[:] = [frame] if event == "c_call" and unknown else []
    if event == "c_call" and type(function) is _BUILTIN:
        if function in REFUSED and following():
            _refuse(function, frame)
        if not untraced_extensions.is_ours(frame):
            torch_modes.guard(function)
        what = untraced_extensions.behind(function) if unknown else None
    elif event == "call" and unknown:
        asked_types.lend(frame)
        called = untraced_extensions.is_unknown(frame.f_back)
        what = untraced_extensions.library(frame.f_globals.get("__name__")) if called else None
    elif event == "call" and torch_modes.is_closed(frame) and untraced_extensions.is_unknown(frame.f_back):
        what, frame = "torch", frame.f_back
    else:
        return
    if what is not None and following() and not untraced_extensions.is_on_behalf_of_others(frame):
        raise untraced_extensions.stop(what)


def _on_event(event: str, args: Any) -> None:
    """Refuse device files and other processes in followed runs."""
    if event not in EVENTS or not is_here():
        return
    if event == "open" and isinstance(args[0], (str, bytes)) and _is_device(os.fsdecode(args[0])):
        raise CURRENT[-1].stop(f"a device file is opened at {place()}: a source of randomness that is not followed")
    if event in LOADING and not untraced_extensions.is_on_behalf_of_others(sys._getframe(1)):
        raise untraced_extensions.stop(untraced_extensions.BY_CTYPES)
    if event == "open" and args[2] & _WRITES and not untraced_extensions.is_on_behalf_of_others(sys._getframe(1)):
        raise CURRENT[-1].stop(f"a file is opened at {place()} to be written, which later calls may read")
    if event in FORKS:
        raise CURRENT[-1].stop(f"another process is begun at {place()}, which nobody follows")


def _is_device(name: str) -> bool:
    return os.path.realpath(name).startswith(("/dev/", "/proc/", "/sys/")) and name != os.devnull


_HOOKED: list[bool] = []
_RUNNING: list[None] = []
"""Holds something while a program is followed, and not what is ours around it."""


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """End a followed run that calls what it must not."""
    if not _HOOKED:  # such hooks stay for good; this one does nothing outside of followed runs
        sys.addaudithook(_on_event)
        _HOOKED.append(True)
    _RUNNING.append(None)
    try:
        with told(_on_call), asked_types.lent():
            yield
    finally:
        _RUNNING.pop()


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Let garbage wait: callbacks of its collector look at clocks and files of the system, and are nobody's noise."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextlib.contextmanager
def staying(end: float) -> Iterator[None]:
    """Keep the program from leaving the process, and end it after a time."""
    with raised_exits(), ended(end, Late, _late):
        yield


def _late() -> None:
    """Have the run end even if the program catches what ends it."""
    if CURRENT:
        CURRENT[-1].stop(str(Late()), Late)


class Late(NotFollowed):
    """A run did not end in time."""

    def __init__(self, text: str = "time is over") -> None:
        super().__init__(text)


def is_ours(problem: BaseException) -> bool:
    """Whether an exception was raised by the code that follows, or a numeric library that it calls.

    What numpy or scipy refuse when `tried` asks them, they refuse the program.
    """
    frames = [frame for frame, _ in traceback.walk_tb(problem.__traceback__)]
    left = [frame for frame in frames if untraced_extensions.is_ours(frame) or untraced_extensions.is_unknown(frame)]
    return bool(left) and left[-1].f_code.co_filename.startswith(_OWN) and left[-1].f_code.co_name != "tried"


_OWN = str(Path(__file__).parent) + os.sep
