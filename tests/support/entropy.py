"""A stand-in for the operating system's entropy, so that a test of fresh noise passes in all runs or in none."""

import hashlib
import itertools
import os

SYSTEM = os.urandom


class Repeated:
    """Stands in for ``os.urandom``: the bytes of each call are a hash of a name and of the number of the call.

    A child of a fork gets the system's own bytes, as it would repeat its parent's otherwise.
    """

    def __init__(self, name: str) -> None:
        self._name, self._calls, self._process = name.encode(), itertools.count(), os.getpid()

    def __call__(self, size: int) -> bytes:
        if os.getpid() != self._process:
            return SYSTEM(size)
        return hashlib.shake_256(self._name + next(self._calls).to_bytes(8, "big")).digest(size)
