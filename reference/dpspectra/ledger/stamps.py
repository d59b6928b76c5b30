"""What the kernel of Coq has checked: read from the stamps of its last run, for the present sources only.

`dpspectra.ledger.prove` writes the stamps. A stamp counts while the hashes of the file and of all files that it needs,
and for a certificate that of its lemma, are those of the run.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from dpspectra.ledger import coq, notes
from dpspectra.ledger.coq import Tie
from dpspectra.ledger.entry import Statement

FILE = "stamps.json"
"""Name of the file, beside the sources."""


@functools.cache
def stamps() -> dict[str, Any]:
    """The stamps of the last run as JSON-ready data; none if there was no run or the notes did not ship.

    ``coq`` is the version, ``sources`` the SHA-256 of each file. ``statements`` has, for each tie, ``label``,
    ``theorem``, ``coverage``, ``file``, ``needs`` (files), ``axioms``, and ``statement`` as Coq prints it.
    ``certificates`` has ``needs``, ``axioms``, and in ``lemmas`` the SHA-256 of each lemma by the entry's identity.
    """
    path = notes.folder().joinpath("coq", FILE)
    if path.is_file():
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    return {"coq": "", "sources": {}, "statements": [], "certificates": {"needs": [], "axioms": [], "lemmas": {}}}


def current(needs: list[str]) -> bool:
    """Whether the last run saw these files as they are now."""
    texts, seen = coq.sources(), stamps()["sources"]
    return all(file in texts and seen.get(file) == coq.digest(texts[file]) for file in needs)


def certificate_checked(entry: Statement) -> bool:
    """Whether the kernel has checked the certificate of an entry as it is now."""
    seen = stamps()["certificates"]
    if "certificate" not in entry.faces or not current(seen["needs"]):
        return False
    return bool(seen["lemmas"].get(entry.id) == coq.digest(coq.lemma(entry.id, entry.faces["certificate"]())))


@functools.cache
def _ties() -> tuple[Tie, ...]:
    return tuple(tie for file, text in coq.sources().items() for tie in coq.ties(file, text))


def theorem_checked(tie: Tie) -> bool:
    """Whether the kernel has checked the theorem of a tie as its sources are now."""
    fields = {"label": tie.label, "theorem": tie.theorem, "coverage": tie.coverage, "file": tie.file}
    return any(fields.items() <= stamp.items() and current(stamp["needs"]) for stamp in stamps()["statements"])


def checked(entry: Statement) -> dict[str, Any]:
    """Return what Coq has checked of an entry, as JSON-ready data.

    ``certificate`` is whether its certificate was checked, ``statements`` the theorems tied to its labels: ``label``,
    ``theorem``, ``coverage``, ``file`` in the folder of the notes, and whether it was ``checked`` as it is now. ``coq``
    is the version.
    """
    return {
        "coq": stamps()["coq"],
        "certificate": certificate_checked(entry),
        "statements": [
            {
                "label": tie.label,
                "theorem": tie.theorem,
                "coverage": tie.coverage,
                "file": f"coq/{tie.file}.v",
                "checked": theorem_checked(tie),
            }
            for tie in _ties()
            if tie.label in entry.labels
        ],
    }


def in_words(entry: Statement) -> list[str]:
    """Return what Coq has checked of an entry as phrases, such as ``statement machine-checked (real)``."""
    found = checked(entry)
    certified = ["certificate kernel-checked"] if found["certificate"] else []
    covered = dict.fromkeys(tie["coverage"] for tie in found["statements"] if tie["checked"])
    return certified + [f"statement machine-checked ({coverage})" for coverage in covered]
