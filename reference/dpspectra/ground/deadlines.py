"""End code of others that does not end by itself: at a time an exception is raised where it runs."""

import contextlib
import inspect
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

AGAIN = 0.5
"""Seconds after which code that went on nevertheless is told again."""


class TimeIsOver(KeyboardInterrupt):
    """A call goes on for longer than it may: as an interrupt from the keyboard, this is no outcome of it."""


@contextlib.contextmanager
def ended(at: float, kind: type[BaseException], tell: Callable[[], object] = lambda: None) -> Iterator[None]:
    """Have an exception raised in the body once ``time.perf_counter()`` is ``at``, again and again until it is left.

    The timer of the system does it where nobody else uses it, else another thread. Code in C is not ended before it is
    back in Python.

    Parameters
    ----------
    at : float
        A time of ``time.perf_counter()``; what is past counts as now.
    kind : type
        Exception, which is raised without arguments.
    tell : callable
        Is called before each of them.

    """
    seconds = min(max(at - time.perf_counter(), 0.01), 1e6)
    with _by_signal(seconds, kind, tell) if _can_signal() else _by_thread(seconds, kind, tell):
        yield


def _can_signal() -> bool:
    """Whether nobody else uses the timer, in the thread that is told when it is over."""
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
        and signal.getitimer(signal.ITIMER_REAL)[0] == 0
    )


@contextlib.contextmanager
def _by_signal(seconds: float, kind: type[BaseException], tell: Callable[[], object]) -> Iterator[None]:
    def late(number: int, frame: Any) -> None:
        tell()
        raise kind

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)  # an exception that is on its way arrives here
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _by_thread(seconds: float, kind: type[BaseException], tell: Callable[[], object]) -> Iterator[None]:
    ident, over, base = threading.get_ident(), threading.Event(), _caller()

    def wait() -> None:
        left = seconds
        while not over.wait(left):
            if _runs_others(ident, base):
                tell()
                _raise_in(ident, kind)
            left = AGAIN

    watch = threading.Thread(target=wait, daemon=True)
    watch.start()
    try:
        yield
    finally:
        over.set()
        try:
            watch.join()
            for _ in range(1000):  # an exception that is on its way arrives here
                pass
        except kind:
            watch.join()


def _caller() -> Any:
    """Return the frame of the function that has opened the context."""
    frame: Any = sys._getframe(1)
    while frame.f_code.co_flags & inspect.CO_GENERATOR or frame.f_code.co_filename == contextlib.__file__:
        frame = frame.f_back
    return frame


def _runs_others(ident: int, base: Any) -> bool:
    """Whether a thread has called something since a context was opened, which is not about to be left."""
    frame: Any = sys._current_frames().get(ident)
    while frame is not None and frame is not base:
        if not frame.f_code.co_flags & inspect.CO_GENERATOR and frame.f_code.co_filename != contextlib.__file__:
            return True
        frame = frame.f_back
    return False


def _raise_in(ident: int, kind: type[BaseException]) -> None:
    """Have an exception raised in another thread, as soon as it runs code of Python."""
    import ctypes  # which few need

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(kind))
