"""Standard output and error that nobody may read: a command goes on to its end, and keeps its exit status."""

import io
import os
import sys
from typing import Any


class _Unheard(io.FileIO):
    """A file whose writes succeed once its reader is gone."""

    def write(self, data: Any) -> int:
        """Write, or drop what no reader is left for."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def forget_unwritten() -> None:
    """Drop what a full disk did not take, and a command has said so, before the interpreter tries once more."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - until the process ends


def bear_no_reader() -> None:
    """Let standard output and error of this process lose their readers at any time, or have none from the start."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started the process
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - for its whole life
        elif not stream.isatty():
            stream.flush()
            raw = _Unheard(stream.fileno(), "w", closefd=False)
            text = io.TextIOWrapper(
                io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=stream.line_buffering
            )
            setattr(sys, name, text)
