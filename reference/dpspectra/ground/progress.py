"""A progress bar on a terminal, lines now and then where tqdm (extra ``progress``) is missing; nothing elsewhere."""

import importlib
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PAUSE = 2.0
"""Seconds before a bar shows, and between two lines."""


class Lines:
    """A progress bar like one of tqdm, in lines on standard error."""

    def __init__(self, total: int | None, description: str) -> None:
        self._of = "" if total is None else f" of {total}"
        self._description, self._done, self._what = description, 0, ""
        self._start = self._last = time.perf_counter()

    def set_postfix_str(self, what: str, refresh: bool = True) -> None:
        """Name the last step."""
        self._what = what

    def update(self, steps: int) -> None:
        """Count more steps, and write a line if the last one was some time ago."""
        self._done += steps
        now = time.perf_counter()
        if now - self._last >= PAUSE:
            self._last = now
            text = f"{self._done}{self._of} {self._description}, {now - self._start:.0f} s, {self._what}"
            print(f"dpspectra: {text}", file=sys.stderr)

    def write(self, text: str) -> None:
        """Print a line on standard output."""
        print(text)

    def close(self) -> None:
        """Nothing is left to be cleared."""


class Bar:
    """Counts finished steps; text is written above the bar."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def advance(self, what: str, steps: int = 1) -> None:
        """Count one more step, or several, and name the last."""
        if self._bar is not None:
            self._bar.set_postfix_str(what, refresh=False)
            self._bar.update(steps)

    def write(self, text: str) -> None:
        """Print a line on standard output without breaking the bar."""
        if self._bar is None:
            print(text)
        else:
            self._bar.write(text)


@contextmanager
def progress(total: int | None, description: str, *, long: bool = True) -> Iterator[Bar]:
    """Open a bar of ``total`` steps on standard error, cleared at the end; give ``None`` for an unknown number.

    Where it is not ``long``, there is none, which costs nothing.
    """
    bar: Any = None
    if long and sys.stderr.isatty():
        try:
            tqdm = importlib.import_module("tqdm").tqdm
            bar = tqdm(total=total, desc=description, leave=False, ncols=100, delay=PAUSE)
        except ImportError:
            bar = Lines(total, description)
    try:
        yield Bar(bar)
    finally:
        if bar is not None:
            bar.close()
