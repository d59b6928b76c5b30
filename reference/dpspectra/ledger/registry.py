"""Find statements in the book; nothing is listed by hand.

One statement is found by the text of the book's sources, so that only its own module is imported. All of them are found
by importing every module.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from pathlib import Path

from dpspectra.ground import values
from dpspectra.ledger.entry import Statement

BOOK = "dpspectra.lemmas"
_LABEL = re.compile(r'"([^"]+)"')
_DECLARED = re.compile(
    r"^    (labels|uses) = \(((?:[^()]|\([^()]*\))*)\)", re.MULTILINE
)  # brackets within brackets, once


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
    """Return the statements that a module declares, in order."""
    members = vars(importlib.import_module(module)).values()
    entries = [getattr(value, "entry", None) for value in members if isinstance(value, type)]
    return [entry for entry in entries if isinstance(entry, Statement) and entry.module == module]


def index(statement: Statement, found: dict[str, Statement]) -> None:
    """Enter a statement under each of its labels; raise ``ValueError`` if another one holds a label."""
    for label in statement.labels:
        if found.setdefault(label, statement) is not statement:
            raise ValueError(f"{label} is declared in {found[label].module} and in {statement.module}")


@functools.cache
def _sources() -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """Return module, labels and uses of each entry from the sources, without importing any.

    Empty where there are no files.
    """
    found: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
    for folder in importlib.import_module(BOOK).__path__:
        for path in sorted(Path(folder).glob("*/*.py")):
            module = f"{BOOK}.{path.parent.name}.{path.stem}"
            for field, names in _DECLARED.findall(path.read_text(encoding="utf-8")):
                listed = tuple(_LABEL.findall(names))
                if field == "labels":
                    found.append((module, listed, ()))
                elif found and found[-1][0] == module:
                    found[-1] = (*found[-1][:2], listed)
    return tuple(found)


@functools.cache
def modules() -> dict[str, str]:
    """Return the module of each label, read from the sources; by importing the book where there are none."""
    read = {label: module for module, labels, _ in _sources() for label in labels}
    return read or {label: entry.module for label, entry in _by_label().items()}


@functools.cache
def identities() -> dict[str, str]:
    """Return the identity of the entry of each label, read from the sources; by importing the book without them.

    Raises ``ValueError`` if two entries hold a label.
    """
    found: dict[str, str] = {}
    for module, listed, _ in _sources():
        for label in listed:
            if found.setdefault(label, listed[0]) != listed[0]:
                raise ValueError(f"{label} is declared twice, once in {module}")
    return found or {label: entry.id for label, entry in _by_label().items()}


@functools.cache
def supports() -> dict[str, tuple[str, ...]]:
    """Identity of each entry and those of the entries it rests on, read from the sources; imported without them."""
    listed = [(labels, uses) for _, labels, uses in _sources()] or [(e.labels, e.uses) for e in all_statements()]
    return {labels[0]: tuple(dict.fromkeys(identities()[label] for label in uses)) for labels, uses in listed}


def all_statements() -> list[Statement]:
    """Return every entry once, ordered by identity.

    Returns
    -------
    list of Statement
        All of them, with their modules imported.

    Raises
    ------
    ValueError
        If two entries hold the same label.

    """
    return sorted(dict.fromkeys(_by_label().values()), key=str)


def built() -> dict[str, Statement]:
    """Return the entries by label; a shared entry stands under each of its labels."""
    return dict(_by_label())


def get(label: str) -> Statement:
    """Return the entry that carries ``label``, importing its module only.

    Parameters
    ----------
    label
        A label, such as ``"MWKTV-L6.1"``.

    Returns
    -------
    Statement
        The entry.

    Raises
    ------
    KeyError
        If no entry carries it.
    ValueError
        If it is no string.

    Examples
    --------
    >>> statement = get("MWKTV-L6.1")
    >>> statement.verdict.value, statement.note
    ('verified', 'sensitivity.md#linear-utility')

    """
    values.text(label, "label")
    if label in modules():
        for statement in _declared(modules()[label]):
            if label in statement.labels:
                return statement
    try:
        return _by_label()[label]
    except KeyError:
        from dpspectra.ledger.papers import near

        raise KeyError(f"no statement carries the label {label!r}{near(label.lower())}") from None
