"""Utility gap of the real matrix nearest to a complex point of an orbit."""

from typing import Any

FACTOR = 2.0
"""Largest ratio of the gap of the nearest real matrix to that of the complex one."""


def bound(gap: Any) -> Any:
    """Largest ``OPT - <M, H'>`` for ``OPT - <M, H> = gap``."""
    return FACTOR * gap
