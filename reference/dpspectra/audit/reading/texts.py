"""Texts as they are read: a label of the whole, its words, the numbers in it."""

import functools
import re
from typing import Any, NamedTuple

import numpy as np

from dpspectra.audit.reading.as_floats import parsed
from dpspectra.audit.reading.labels import Label, keep, shortened, text_label
from dpspectra.audit.reading.parts import ITEMS

WORDS = 200
"""Characters of a text up to which it is a member, besides its words."""
LONG = 100_000
"""Characters of a text in which words are looked for."""
IN_TEXT = ITEMS
"""Numbers in a text that are read, the first ones."""
DIGITS = 15
"""Digits of a whole number in a text that a float64 number holds whatever they are."""
REMEMBERED = 1024
"""Texts of at most `WORDS` characters that are not read anew when they are met again."""
_LONG = re.compile(rf"(?<![\d.])\d{{{DIGITS + 1},}}(?![\d.eE])")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Text(NamedTuple):
    """A text as it is read."""

    whole: Label
    members: frozenset[Label]
    """Labels of its words, and of the whole if it is short."""
    suffix: str
    """End of the path of the numbers."""
    numbers: Any
    """The number that it spells, or those that are in it; ``None`` if there are none."""
    known: tuple[tuple[Label, str], ...]
    """All these labels with their texts, for people to read."""
    cut: tuple[str, ...] = ()
    """Parts of it that are not read."""
    tails: Any = ()
    """Last digits of the whole numbers in it that are longer than `DIGITS`."""


def read_text(x: str) -> Text:
    """Read a text."""
    if len(x) > WORDS:
        return _read(x)
    found = _remembered(x)
    for name, text in found.known:  # met last
        keep(name, text)
    return found


def _read(x: str) -> Text:
    words = x[:LONG].split()
    cut = [f"characters of a text beyond {LONG}"] if len(x) > LONG else []
    cut += [f"words of a text beyond {ITEMS}"] if len(words) > ITEMS else []
    words = words[:ITEMS]
    texts = [repr(x), *map(repr, words if len(words) > 1 else ())]
    whole, *others = map(text_label, texts)
    members = frozenset(others if len(x) > WORDS else [whole, *others])
    value = parsed(x)
    found = _NUMBER.findall(x[:LONG]) if value is None else []
    cut += [f"numbers of a text beyond {IN_TEXT}"] if len(found) > IN_TEXT else []
    numbers = np.array(list(map(float, found[:IN_TEXT]))) if found else value
    known = tuple(zip([whole, *others], map(shortened, texts), strict=True))
    tails = np.array([float(each[-DIGITS:]) for each in _LONG.findall(x[:LONG])])
    return Text(whole, members, ".numbers" if value is None else ".number", numbers, known, tuple(cut), tails)


_remembered = functools.lru_cache(maxsize=REMEMBERED)(_read)
