"""Where a budget keeps its claims: in memory for the threads of a process, in a file for several processes.

In a file each change is one more entry of a chain: JSON, its number, and the SHA-256 of the digest before it and the
JSON. Entry 0 holds the format, the terms, and a name that no other budget has. Nothing is ever changed or taken out.
Format 2 has measures and parts among the terms, and a trail in each entry; a file of format 1 stays one.

Do not change lightly: files of users hold what they have spent in this form, and are read for ever.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
import tempfile
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from dpspectra.accounting.composition import METHODS
from dpspectra.ground import checks, fork_safety, records
from dpspectra.mechanisms.claims import RELATIONS, Claim

FIRST = "first"
"""The neighbours of a budget are those of its first claim."""
FORMAT = 2
"""Number of the form in which new files are written."""
PATIENCE = 60.0
"""Seconds to wait for another process that has the file open."""
TABLE = "CREATE TABLE budget (number INTEGER PRIMARY KEY, entry TEXT NOT NULL, digest TEXT NOT NULL)"
READ = "SELECT number, entry, digest FROM budget ORDER BY number"
SCRATCH = ".dpspectra-"
DAMAGED = ": bring back a copy that its last receipt fits, or begin a new one with what its claims have left"


class Trail(NamedTuple):
    """Who was paid, when and for what; words are as they were given."""

    when: str | None = None
    """Time in UTC, as ISO 8601 has it."""
    mechanism: str | None = None
    data: tuple[str, ...] = ()
    """Digests of data files, keyed by the name of the budget: they tell nothing to whoever lacks its file."""
    by: str | None = None
    note: str | None = None


NO_TRAIL = Trail()


class Entry(NamedTuple):
    """A claim that was paid, about all data or a part of the people."""

    claim: Claim
    part: str | None = None
    trail: Trail = NO_TRAIL


Entries = dict[str, Entry]


class Receipt(NamedTuple):
    """The last entry of a chain: whoever holds it notices if an older file takes the place of a newer one."""

    number: int
    digest: str

    def __str__(self) -> str:
        return f"{self.number}:{self.digest}"

    @classmethod
    def of(cls, text: object) -> Receipt:
        """Read what `str` gives; raises ``ValueError`` for anything else."""
        number, _, digest = text.partition(":") if isinstance(text, str) else ("", "", "")
        if number.isdecimal() and number.isascii() and len(digest) == 64 and set(digest) <= set("0123456789abcdef"):
            return cls(int(number), digest)
        raise ValueError(f"receipt must be that of a budget, NUMBER:SHA-256, got {checks.shown(text)}")


class Memory:
    """Claims by name; one thread at a time has them. They belong to the process that made them, and to no copy."""

    receipt = None

    def __init__(self) -> None:
        self._entries: Entries = {}
        self.name = uuid.uuid4().hex
        self._lock = threading.Lock()
        self._process = fork_safety.here()

    @contextmanager
    def open(self) -> Iterator[Entries]:
        """Open the entries, to be read and changed. Raises ``OSError`` in any process but the one that made them."""
        if self._process is not fork_safety.here():
            raise OSError("a budget without a file must be used by the process that made it: give it a file")
        with self._lock:
            yield self._entries

    def __reduce__(self) -> Any:
        raise TypeError(
            "a budget without a file must not be pickled, as both could spend it: give it a file, or take it from an "
            "estimator by set_params(budget=None)"
        )


class File:
    """Claims in an SQLite file on a local disk; one thread or process at a time has them.

    Changes are on the disk before `open` ends. A file that is gone, empty, damaged, of something else, or older
    than what this object or the ``receipt`` has seen is an ``OSError``, and nothing is changed.
    """

    def __init__(self, path: Path, terms: Mapping[str, Any] | None, receipt: str | None = None) -> None:
        """Open the file; without a ``receipt`` one with these ``terms`` is made if there is none.

        Raises ``ValueError`` if a file has other terms; ``None`` stands for those that it has.
        """
        self.path = path.absolute()
        self._seen = None if receipt is None else Receipt.of(receipt)
        if terms is not None and receipt is None and not os.path.lexists(self.path):
            with suppress(FileExistsError):  # another process was quicker
                create(self.path, terms)
        with self._transaction() as file:
            first, head, _ = self._read(file)
        self.terms, self.name, self._format = head["terms"], head["budget"], head["format"]
        if terms is not None and dict(terms) != self.terms:
            raise ValueError(f"file must hold a budget of {json.dumps(terms)}, got one of {json.dumps(self.terms)}")
        self._first = first

    @property
    def receipt(self) -> str:
        """The last entry, as text."""
        with self.open():
            return str(self._seen)

    @contextmanager
    def open(self) -> Iterator[Entries]:
        """Open the entries, to be read and changed."""
        with self._transaction() as file:
            first, _, entries = self._read(file)
            if first != self._first:
                raise OSError(f"the budget's file {self.path} must be that of this budget, found another budget's")
            before = dict(entries)
            yield entries
            last = self._append(file, before, entries)
        self._see(last)  # now that it is on the disk

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        name = f"{self.path.as_uri()}?mode=rw"  # which makes no file
        try:
            with closing(sqlite3.connect(name, timeout=PATIENCE, isolation_level=None, uri=True)) as file:
                file.execute("BEGIN IMMEDIATE")
                yield file
                file.execute("COMMIT")
        except sqlite3.Error as error:
            way_out = "" if isinstance(error, sqlite3.OperationalError) else DAMAGED
            problem = f"{error}{way_out}" if self.path.exists() else "there is none: dpspectra budget new makes one"
            raise OSError(f"the budget's file {self.path} must be usable, but {problem}") from None

    def _read(self, file: sqlite3.Connection) -> tuple[str, dict[str, Any], Entries]:
        """Digest of the first entry, what it holds, and entries; the chain and what was seen of it are compared."""
        try:
            (first, digest), *chain = _chained(file)
            head = _head(records.parsed(first))
            entries = _entries((ENTRIES[head["format"]](text) for text, _ in chain), head["terms"])
        except (ValueError, TypeError, KeyError, ArithmeticError) as problem:
            why = str(problem) if type(problem) is _Refusal else "found something else"
            raise OSError(f"the budget's file {self.path} must hold a budget as it was written, {why}") from None
        digests = [digest, *(each for _, each in chain)]
        if self._seen is not None and digests[self._seen.number : self._seen.number + 1] != [self._seen.digest]:
            raise OSError(
                f"the budget's file {self.path} must hold entry {self._seen.number} as it was seen, "
                f"found an older or another file of {len(digests)} entries"
            )
        self._see(Receipt(len(digests) - 1, digests[-1]))
        return digest, head, entries

    def _see(self, last: Receipt) -> None:
        self._seen = last if self._seen is None else max(self._seen, last)

    def _append(self, file: sqlite3.Connection, before: Entries, entries: Entries) -> Receipt:
        """Write what was changed; returns the last entry."""
        number, digest = file.execute("SELECT number, digest FROM budget ORDER BY number DESC LIMIT 1").fetchone()
        for name in [name for name in {**before, **entries} if before.get(name) != entries.get(name)]:
            text = json.dumps({"name": name, **_plain(entries.get(name), self._format)})
            number, digest = number + 1, _digest(digest, text)
            file.execute("INSERT INTO budget VALUES (?, ?, ?)", (number, text, digest))
        return Receipt(number, digest)


class _Refusal(ValueError):
    """Words on what a file holds instead."""


def create(path: Path, terms: Mapping[str, Any]) -> None:
    """Make the file of a budget, readable by its owner only; ``FileExistsError`` if something has its name.

    It gets its name when it is complete, so that no other process sees half of it.
    """
    text = json.dumps({"format": FORMAT, "budget": uuid.uuid4().hex, "terms": dict(terms)})
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=SCRATCH) as scratch:
            made = Path(scratch) / "budget"
            os.close(os.open(made, os.O_CREAT | os.O_EXCL, 0o600))
            with closing(sqlite3.connect(made, isolation_level=None)) as file:
                file.execute(TABLE)
                file.execute("INSERT INTO budget VALUES (0, ?, ?)", (text, _digest("", text)))
            os.link(made, path)
    except FileExistsError:
        raise
    except (OSError, sqlite3.Error) as error:
        raise OSError(f"the budget's file {path} could not be made: {error}") from None


def _digest(before: str, text: str) -> str:
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()


def _chained(file: sqlite3.Connection) -> list[tuple[str, str]]:
    """Entries and digests, if each digest is that of the one before it and of its entry."""
    if file.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall() != [("budget",)]:
        raise _Refusal("found no budget")
    rows, before = [], ""
    for place, (number, text, digest) in enumerate(file.execute(READ)):  # a cursor with a name would keep the lock
        if number != place or not isinstance(text, str) or digest != _digest(before, text):
            raise _Refusal(f"found entry {place} changed{DAMAGED}")
        rows.append((text, digest))
        before = digest
    if not rows:
        raise _Refusal("found it empty")
    return rows


def _head(head: Any) -> dict[str, Any]:
    """Return entry 0 as format 2 has it, with the terms in the order in which they are written."""
    number: Any = head.get("format") if isinstance(head, dict) else None
    if type(number) is int and number > FORMAT:
        raise _Refusal(f"in format {FORMAT} at most, found another one: a newer version reads it")
    terms = {"rho": None, "mu": None, "renyi": None, "norm_bound": FIRST, "parts": (), **HEADS[number](head)["terms"]}
    return {**head, "terms": {name: terms[name] for name in TERMS}}


def _norm_bound(value: Any) -> float | str | None:
    return FIRST if value == FIRST else BOUND(value)


BOUND = records.optional(records.number(above=0))
SHARED = {
    "delta": records.number(0, math.nextafter(1, 0)),
    "relation": records.among(*RELATIONS),
    "method": records.among(*METHODS),
}
POINTS = records.optional(records.listed(records.tupled(records.number(above=1), records.number(above=0))))
TERMS = ("epsilon", "delta", "rho", "mu", "renyi", "relation", "method", "norm_bound", "parts")
HEADS = {
    number: records.record({"format": records.among(number), "budget": records.hexadecimal(32), "terms": terms})
    for number, terms in {
        1: records.record({"epsilon": records.number(above=0), **SHARED}, {"norm_bound": _norm_bound}),
        2: records.record(
            {**dict.fromkeys(("epsilon", "rho", "mu"), BOUND), "renyi": POINTS, "parts": records.listed(records.text)}
            | {**SHARED, "norm_bound": _norm_bound}
        ),
    }.items()
}
"""Fields of entry 0; files of the oldest versions have no bound, which is that of the first claim."""
WORD = records.optional(records.text)
TRAIL = {"when": WORD, "mechanism": WORD, "data": records.listed(records.hexadecimal(64)), "by": WORD, "note": WORD}
CHARGE = {"name": records.text, "claim": records.optional(Claim.read)}
ENTRIES = {
    1: records.remembered(records.record(CHARGE)),
    2: records.remembered(records.record({**CHARGE, "part": WORD, "trail": records.optional(records.record(TRAIL))})),
}
"""Those of all others, by the format; a chain is read anew for each charge."""


def _plain(entry: Entry | None, number: int) -> dict[str, Any]:
    """Return what stands of an entry in a file; format 1 has claims alone, and no rho."""
    claim = None if entry is None else replace(entry.claim, rho=entry.claim.rho if number > 1 else None).asdict()
    more = {"part": None, "trail": None} if entry is None else {"part": entry.part, "trail": entry.trail._asdict()}
    return {"claim": claim} | (more if number > 1 else {})


def _entries(written: Iterator[Mapping[str, Any]], terms: Mapping[str, Any]) -> Entries:
    entries: Entries = {}
    for each in written:
        part, trail = each.get("part"), each.get("trail")
        if part is not None and part not in terms["parts"]:
            raise _Refusal("found a part that is none of its own")
        if each["claim"] is None:
            del entries[each["name"]]
        else:
            entries[each["name"]] = Entry(each["claim"], part, Trail(**trail) if trail else NO_TRAIL)
    return entries
