"""Whom Python tells of each call, and for how long."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any


@contextlib.contextmanager
def told(hook: Callable[[Any, str, Any], None] | None) -> Iterator[None]:
    """Have a function be told of each call, and afterwards whoever was told before."""
    before: Any = sys.getprofile()
    sys.setprofile(hook)
    try:
        yield
    finally:
        sys.setprofile(before if callable(before) else None)
        if hasattr(before, "enable"):  # a profiler that is no function, such as `cProfile`
            before.enable()


unwatched = partial(told, None)
"""Suspend what `choke_points` is told, while code of our own runs; nothing of the program may be called meanwhile."""
