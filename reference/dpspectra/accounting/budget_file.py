"""Where a budget keeps its claims: in memory for the threads of a process, in a file for several processes.

Do not change lightly: files of users hold what they have spent in this form.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from dpspectra.mechanisms.claims import Claim

Claims = dict[str, Claim]
OTHER = "file must be that of a budget or new, got {}"
PATIENCE = 60.0
"""Seconds to wait for another process that has the file open."""


class Memory:
    """Claims by name; one thread at a time has them. A copy, pickled or not, is a copy with what was spent so far."""

    def __init__(self) -> None:
        self._claims: Claims = {}
        self._lock = threading.Lock()

    @contextmanager
    def open(self) -> Iterator[Claims]:
        """The claims, to be read and changed."""
        with self._lock:
            yield self._claims

    def __getstate__(self) -> Claims:
        with self._lock:
            return dict(self._claims)

    def __setstate__(self, claims: Claims) -> None:
        self.__init__()  # type: ignore[misc]
        self._claims.update(claims)


class File:
    """Claims in an SQLite file on a local disk; one thread or process at a time has them.

    What is changed is on the disk before `open` ends. ``terms`` are kept with the claims, and compared with those of
    the file if it exists: raises ``ValueError`` if they differ, or if it is another file, ``OSError`` if it cannot be
    used.
    """

    def __init__(self, path: Path, terms: dict[str, Any]) -> None:
        self.path, self.terms = path.absolute(), terms
        with self.open():
            pass

    @contextmanager
    def open(self) -> Iterator[Claims]:
        """The claims, to be read and changed."""
        try:
            with closing(sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)) as file:
                file.execute("BEGIN IMMEDIATE")
                claims = self._read(file)
                before = dict(claims)
                yield claims
                if claims != before:
                    text = json.dumps({name: claim.asdict() for name, claim in claims.items()})
                    file.execute("UPDATE budget SET claims = ?", (text,))
                file.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise OSError(f"the budget's file {self.path} could not be used: {error}") from None
        except sqlite3.DatabaseError:
            raise ValueError(OTHER.format(self.path)) from None

    def _read(self, file: sqlite3.Connection) -> Claims:
        terms = json.dumps(self.terms)
        tables = file.execute("SELECT name FROM sqlite_master").fetchall()
        if tables not in ([], [("budget",)]):
            raise ValueError(OTHER.format(self.path))
        if not tables:
            file.execute("CREATE TABLE budget (terms TEXT, claims TEXT)")
            file.execute("INSERT INTO budget VALUES (?, '{}')", (terms,))
        found, claims = file.execute("SELECT terms, claims FROM budget").fetchone()
        if found != terms:
            raise ValueError(f"file must hold a budget of {terms}, got one of {found}")
        return {name: Claim.read(fields) for name, fields in json.loads(claims).items()}
