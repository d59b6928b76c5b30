"""Forks: which process this is, and locks that a fork must not double while another thread holds them."""

import os
import threading

_FORKS = hasattr(os, "register_at_fork")


class Process:
    """A process, as long as it lives; compared by identity, as numbers of processes come back."""


_here = [Process()]


def here() -> Process:
    """Return the process that this is; a child of a fork gets an object of its own."""
    return _here[0]


def _forked() -> None:
    _here[0] = Process()


def free_lock() -> threading.RLock:
    """Return a lock that no thread holds while a process forks, so that no child waits for a thread that it lacks."""
    lock = threading.RLock()
    if _FORKS:
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
    return lock


if _FORKS:
    os.register_at_fork(after_in_child=_forked)
