"""Exits of a mechanism that end a process at once: while it runs they are raised, so that they are outcomes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn


class ProcessExit(SystemExit):
    """A mechanism has called ``os._exit``."""


@contextmanager
def raised_exits() -> Iterator[None]:
    """Raise `ProcessExit` where code of this process calls ``os._exit``; a process that it forks ends as it would."""
    process, usual = os.getpid(), os._exit

    def exit_now(status: int) -> NoReturn:
        if os.getpid() != process:
            usual(status)
        raise ProcessExit(status)

    os._exit = exit_now
    try:
        yield
    finally:
        os._exit = usual
