"""Threads of the user that were begun before an audit: nobody follows what they do for the program."""

import sys
import threading
from typing import Any

from dpspectra.symbolic.program_lines import is_of_python, line_of
from dpspectra.symbolic.stateless import is_installed

WAITING = frozenset(("start", "join", "result", "shutdown", "__exit__"))
"""Functions of Python in which a thread waits for another one to begin or to end."""


def at_work() -> str | None:
    """Return where a thread of the user is, or will begin, if there is one beside this one."""
    timers = [t.function for t in threading.enumerate() if isinstance(t, threading.Timer)]
    begins = [f"{t.__qualname__} of {t.__module__}" for t in timers if not is_installed(t.__module__)]
    frames = [frame for ident, frame in sys._current_frames().items() if ident != threading.get_ident()]
    return next((where for where in (*map(_of_user, frames), *begins) if where is not None), None)


def _of_user(frame: Any) -> str | None:
    """Return the line of the innermost code of the user, unless that waits for another thread."""
    called = None
    while frame is not None and is_installed(frame.f_globals.get("__name__")):
        called, frame = frame.f_code, frame.f_back
    waits = called is not None and called.co_name in WAITING and is_of_python(called.co_filename)
    return None if frame is None or waits else line_of(frame)
