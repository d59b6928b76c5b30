"""Find every statement by walking the book; nothing is listed by hand."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from dpspectra.ledger.entry import Statement

BOOK = "dpspectra.lemmas"


@functools.cache
def _by_label() -> dict[str, Statement]:
    book = importlib.import_module(BOOK)
    found: dict[str, Statement] = {}
    for info in pkgutil.walk_packages(book.__path__, f"{BOOK}."):
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, Statement) and value.module == info.name:
                index(value, found)
    return found


def index(statement: Statement, found: dict[str, Statement]) -> None:
    """Enter a statement under each of its labels; raise ``ValueError`` if another one holds a label."""
    for label in statement.labels:
        if found.setdefault(label, statement) is not statement:
            raise ValueError(f"{label} is declared in {found[label].module} and in {statement.module}")


def all_statements() -> list[Statement]:
    """Return every entry once, ordered by identity."""
    return sorted(dict.fromkeys(_by_label().values()), key=str)


def built() -> dict[str, Statement]:
    """Return the entries by label; a shared entry stands under each of its labels."""
    return dict(_by_label())


def get(label: str) -> Statement:
    """Return the entry that carries ``label``; raise ``KeyError`` naming the label if none does."""
    try:
        return _by_label()[label]
    except KeyError:
        raise KeyError(f"no statement carries the label {label!r}") from None
