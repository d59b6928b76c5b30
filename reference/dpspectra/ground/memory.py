"""How much memory is free, and the refusal of what would not fit, before anything is drawn."""

import re
from pathlib import Path
from typing import Any

from dpspectra.ground.values import shown

SMALL = 2**28
"""Bytes that are taken to be free."""
UNKNOWN = 2**33
"""Bytes of memory that are taken to be free on a system that does not say."""


def available() -> int:
    """Bytes of memory that are free, or `UNKNOWN`."""
    try:
        told = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"))
    except OSError:
        told = None
    return 1024 * int(told[1]) if told else UNKNOWN


def require(needed: int, name: str, value: Any, instead: str = "") -> None:
    """Raise ``ValueError`` if so many bytes, which the ``value`` of a parameter asks for, are more than is free.

    The message ends with what to do ``instead``.
    """
    if needed > SMALL and needed > (free := available()):
        sizes = f"{needed / 2**30:.3g} GiB fit in the {free / 2**30:.3g} GiB of memory that are free"
        raise ValueError(f"{name} must be so small that {sizes}, got {shown(value)}{instead and f': {instead}'}")
