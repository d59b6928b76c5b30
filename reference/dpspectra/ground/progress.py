"""A progress bar on a terminal; nothing where standard error is not one, or tqdm (extra ``progress``) is missing."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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
def progress(total: int | None, description: str) -> Iterator[Bar]:
    """A bar of ``total`` steps (``None`` where that is not known) on standard error, cleared at the end."""
    bar = None
    if sys.stderr.isatty():
        try:
            bar = importlib.import_module("tqdm").tqdm(total=total, desc=description, leave=False, ncols=100)
        except ImportError:
            bar = None
    try:
        yield Bar(bar)
    finally:
        if bar is not None:
            bar.close()
