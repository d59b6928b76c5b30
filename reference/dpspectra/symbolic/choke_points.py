"""Functions of the interpreter that no followed run may call: they draw, tell the time, fork, or leave.

They are recognised by what they are, under whatever name a program holds them.
"""

import contextlib
import datetime
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dpspectra.symbolic.tape import CURRENT, NotFollowed, following, place

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


def _watched() -> dict[Any, str]:
    found = {getattr(time, n): f"time.{n}" for n in CLOCKS.split() if hasattr(time, n)}
    found |= {getattr(os, n): f"os.{n}" for n in OF_SYSTEM.split() if hasattr(os, n)}
    for kind in (datetime.datetime, datetime.date):
        found |= {getattr(kind, n): f"{kind.__name__}.{n}" for n in ("now", "utcnow", "today") if hasattr(kind, n)}
    return found


WATCHED = _watched()


class Left(BaseException):
    """Outcome of a program that leaves by ``os._exit``, in place of leaving."""


def _on_call(frame: Any, event: str, function: Any) -> None:
    if event == "c_call" and type(function) is _BUILTIN and function in WATCHED and following():
        raise CURRENT[-1].stop(f"{WATCHED[function]} at {place()} is a source of randomness that is not followed")


_BUILTIN = type(len)


def _on_event(event: str, args: Any) -> None:
    """Refuse device files and other processes in followed runs."""
    if not CURRENT or CURRENT[-1].thread != threading.get_ident():
        return
    if event == "open" and isinstance(args[0], (str, bytes)) and _is_device(os.fsdecode(args[0])):
        raise CURRENT[-1].stop(f"a device file is opened at {place()}: a source of randomness that is not followed")
    if event in FORKS:
        raise CURRENT[-1].stop(f"another process is begun at {place()}, which nobody follows")


def _is_device(name: str) -> bool:
    return os.path.realpath(name).startswith(("/dev/", "/proc/", "/sys/")) and name != os.devnull


_HOOKED: list[bool] = []


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """End a followed run that calls what it must not."""
    if not _HOOKED:  # such hooks stay for good; this one does nothing outside of followed runs
        sys.addaudithook(_on_event)
        _HOOKED.append(True)
    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # callbacks of the collector look at clocks, and are nobody's noise
    sys.setprofile(_on_call)
    try:
        yield
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()


@contextlib.contextmanager
def staying(end: float) -> Iterator[None]:
    """Keep the program from leaving the process, and end it after a time, where the system has timers."""
    real = os._exit

    def leave(status: int) -> Any:
        raise Left(f"os._exit({status})")

    os._exit = leave
    timed = _can_time()
    if timed:
        before = signal.signal(signal.SIGALRM, _late)
        signal.setitimer(signal.ITIMER_REAL, min(max(end - time.perf_counter(), 0.01), 1e6), 0.5)
    try:
        yield
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        os._exit = real


def _can_time() -> bool:
    """Whether nobody else uses the timer, in the thread that is told when it is over."""
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    )


def _late(number: int, frame: Any) -> None:
    raise CURRENT[-1].stop("time is over", Late) if CURRENT else Late("time is over")


class Late(NotFollowed):
    """A run did not end in time."""


def is_ours(problem: BaseException) -> bool:
    """Whether an exception was raised by the code that follows, and not by the program or what it calls."""
    trace = problem.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename.startswith(_OWN)


_OWN = str(Path(__file__).parent) + os.sep
