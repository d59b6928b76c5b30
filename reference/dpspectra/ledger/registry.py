"""Find statements in the book; nothing is listed by hand.

One statement is found by the text of the book's sources, so that only its own module is imported. All of them are
found by importing every module.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from pathlib import Path

from dpspectra.ledger.entry import Statement

BOOK = "dpspectra.lemmas"
_LABELS = re.compile(r"\blabels=\(((?:[^()]|\([^()]*\))*)\)")  # brackets within brackets, once
_LABEL = re.compile(r'"([^"]+)"')


@functools.cache
def _by_label() -> dict[str, Statement]:
    """Every statement under each of its labels, by importing the whole book."""
    book = importlib.import_module(BOOK)
    found: dict[str, Statement] = {}
    for info in pkgutil.walk_packages(book.__path__, f"{BOOK}."):
        for statement in _declared(info.name):
            index(statement, found)
    return found


def _declared(module: str) -> list[Statement]:
    """The statements that a module declares, in order."""
    values = vars(importlib.import_module(module)).values()
    return [value for value in values if isinstance(value, Statement) and value.module == module]


def index(statement: Statement, found: dict[str, Statement]) -> None:
    """Enter a statement under each of its labels; raise ``ValueError`` if another one holds a label."""
    for label in statement.labels:
        if found.setdefault(label, statement) is not statement:
            raise ValueError(f"{label} is declared in {found[label].module} and in {statement.module}")


@functools.cache
def modules() -> dict[str, str]:
    """Module of each label, as far as the sources tell: none is imported, and none is read where there are no files."""
    found: dict[str, str] = {}
    for folder in importlib.import_module(BOOK).__path__:
        for path in sorted(Path(folder).glob("*/*.py")):
            for labels in _LABELS.findall(path.read_text(encoding="utf-8")):
                found |= dict.fromkeys(_LABEL.findall(labels), f"{BOOK}.{path.parent.name}.{path.stem}")
    return found


def all_statements() -> list[Statement]:
    """Return every entry once, ordered by identity. Raises ``ValueError`` if two entries hold the same label."""
    return sorted(dict.fromkeys(_by_label().values()), key=str)


def built() -> dict[str, Statement]:
    """Return the entries by label; a shared entry stands under each of its labels."""
    return dict(_by_label())


def get(label: str) -> Statement:
    """Return the entry that carries ``label``, importing its module only; raise ``KeyError`` if none does.

    >>> statement = get("MWKTV-L6.1")
    >>> statement.verdict.value, statement.note
    ('verified', 'sensitivity.md#linear-utility')
    """
    if label in modules():
        for statement in _declared(modules()[label]):
            if label in statement.labels:
                return statement
    try:
        return _by_label()[label]
    except KeyError:
        raise KeyError(f"no statement carries the label {label!r}") from None
