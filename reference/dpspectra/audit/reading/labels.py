"""Labels: hashes of values that are not numbers, and the texts for which they stand."""

import hashlib
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpspectra.ground.array_types import Bits

TEXT = 60
"""Characters of a label that are kept for people to read."""
NAMES = 2**14
"""Labels whose texts are kept: those that were met last."""
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")
PLAIN = (str, bytes, int, float, complex, bool, type(None))
"""Types whose ``repr`` holds no address in memory, whatever it looks like."""

Label = int
"""A hash of 64 bits."""
readable: dict[Label, str] = {}
"""Texts of the labels met last in this process, by label, for people to read; nothing is decided by them."""


def label(data: bytes, text: str) -> Label:
    """Hash some bytes; ``text`` says what they are."""
    name = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")
    keep(name, shortened(text))
    return name


def shortened(text: str) -> str:
    """Return the text as far as it is kept."""
    return text if len(text) <= TEXT else text[:TEXT] + "..."


def keep(name: Label, text: str) -> None:
    """Note the text of a label, and forget the one that was not met for longest if there are too many."""
    readable.pop(name, None)
    readable[name] = text
    if len(readable) > NAMES:
        del readable[next(iter(readable))]


def named(text: str) -> Label:
    """Label of a word of the auditor's own, whose text is noted again each time: no number of outputs outlives it."""
    return label(text.encode(), text)


VALUE = named("a value")
NOTHING = named("nothing")
"""Label of what an output does not have."""


def text_label(text: str) -> Label:
    """Label of a text."""
    return label(text.encode("utf-8", "surrogatepass"), text)


def shown(x: Any) -> str:
    """``repr`` without addresses in memory, which say nothing of the value; text is shown as it is."""
    if type(x) in PLAIN:
        return repr(x)
    if type(x) is tuple:
        return f"({', '.join(map(shown, x))})"
    return without_addresses(repr(x))


def without_addresses(text: str) -> str:
    """Return a text in which no address in memory is told."""
    return _ADDRESS.sub("at 0x", text)


def has_address(x: Any) -> bool:
    """Whether the ``repr`` of an object tells where it lies in memory."""
    return bool(_ADDRESS.search(repr(x)))


def as_labels(column: NDArray[Any]) -> Bits:
    """Return a column as labels. Those of numbers are their bits, and both zeros have the same ones."""
    return column if column.dtype == np.uint64 else (column.astype(np.float64) + 0.0).view(np.uint64)
