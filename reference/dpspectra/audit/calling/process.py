"""A child process that is written to and read from with deadlines. Its standard error stays that of this process.

Needs an operating system with POSIX pipes. Deadlines are times of `time.monotonic`; one that passes is a
``TimeoutError``, output that ends an ``EOFError``.
"""

import contextlib
import math
import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence

CHUNK = 2**16
"""Most bytes read at once, which is what a pipe holds."""
LONGEST = 2**31 - 1
"""Milliseconds that can be waited at once."""
GRACE = 1.0
"""Seconds that a process is given to end by itself."""


class TooLongError(Exception):
    """A line is longer than it may be."""


class Child:
    """A process with pipes to its standard input and from its standard output.

    If it does not end by itself it is killed together with what it started, at the latest when nothing refers to it.
    Interrupts from the keyboard do not reach it. Raises ``OSError`` if the command cannot be run.
    """

    def __init__(self, command: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0, start_new_session=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._writable, self._readable = select.poll(), select.poll()
        self._writable.register(self._input, select.POLLOUT)
        self._readable.register(self._output, select.POLLIN)
        os.set_blocking(self._input, False)
        self._unread = bytearray()
        self._end = weakref.finalize(self, _killed, self._process)

    def send(self, data: bytes, deadline: float) -> None:
        """Write to its standard input, as long as it reads; what it has to say can be read in any case."""
        left = memoryview(data)
        with contextlib.suppress(BrokenPipeError):
            while left:
                try:
                    left = left[os.write(self._input, left) :]
                except BlockingIOError:
                    _wait(self._writable, deadline)

    def line(self, longest: int, deadline: float) -> bytes:
        """Next line of its output, without the newline; raises `TooLongError` beyond ``longest`` bytes."""
        searched = 0
        while (end := self._unread.find(b"\n", searched)) < 0 and len(self._unread) <= longest:
            searched = len(self._unread)
            self._read(deadline)
        if not 0 <= end <= longest:
            raise TooLongError
        return self._taken(end, 1)

    def take(self, count: int, deadline: float) -> bytes:
        """Next ``count`` bytes of its output."""
        while len(self._unread) < count:
            self._read(deadline)
        return self._taken(count, 0)

    def finish(self, farewell: bytes) -> None:
        """Say farewell, close its input, and kill it if it is still there after `GRACE`."""
        with contextlib.suppress(TimeoutError):
            self.send(farewell, time.monotonic() + GRACE)
        assert self._process.stdin is not None
        self._process.stdin.close()
        self.end(GRACE)

    def end(self, grace: float = 0.0) -> str:
        """Kill it, unless it ends within ``grace`` seconds; returns how it ended, in words."""
        try:
            status = self._process.wait(grace)
        except subprocess.TimeoutExpired:
            self._end()
            return "closed its output"
        self._end()
        return f"exit status {status}" if status >= 0 else f"signal {-status}"

    def _read(self, deadline: float) -> None:
        _wait(self._readable, deadline)
        chunk = os.read(self._output, CHUNK)
        if not chunk:
            raise EOFError
        self._unread += chunk

    def _taken(self, count: int, skipped: int) -> bytes:
        taken = bytes(self._unread[:count])
        del self._unread[: count + skipped]
        return taken


def _wait(polled: select.poll, deadline: float) -> None:
    milliseconds = math.ceil(1000 * (deadline - time.monotonic()))
    if not polled.poll(min(max(0, milliseconds), LONGEST)):
        raise TimeoutError


def _killed(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
