"""Stamps of the last run of Coq: which proofs its kernel has checked, for the present sources only.

`dpspectra.ledger.coq_check` writes the stamps. A stamp counts while the hashes of the file and of all files that it
needs, and for a certificate that of its lemma, are those of the run.

Do not change lightly: stamps of earlier runs count only while this form is theirs; if it changes, Coq must run again.
"""

from __future__ import annotations

import functools
import json
from dataclasses import asdict
from typing import Any

from dpspectra.ledger import coq_sources, notes
from dpspectra.ledger.coq_sources import Tie
from dpspectra.ledger.entry import Statement
from dpspectra.ledger.unwritten import unwritten

FILE = "stamps.json"
"""Name of the file, beside the sources."""


@functools.cache
def stamps() -> dict[str, Any]:
    """Return the stamps of the last run as JSON-ready data; none if there was no run or the notes did not ship.

    ``coq`` is the version, ``sources`` the SHA-256 of each file, ``seals`` hashes of what gives theorems their meaning
    (`dpspectra.ledger.coq_sources.seals`). ``statements`` has, for each tie, ``label``, ``theorem``, ``coverage``,
    ``file``, ``kind`` (``proves`` or ``refutes``), ``needs`` (files), ``axioms``, and ``statement`` as Coq prints it.
    ``certificates`` has ``needs``, ``axioms``, and in ``lemmas`` the SHA-256 of each lemma by the entry's identity.
    """
    path = notes.folder().joinpath("coq", FILE)
    if path.is_file():
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    none: dict[str, Any] = {"needs": [], "axioms": [], "lemmas": {}}
    return {"coq": "", "sources": {}, "seals": {}, "statements": [], "certificates": none}


def text(value: Any, levels: int = 2) -> str:
    """Return JSON with the members of the outer ``levels`` on lines of their own, as the file holds it."""
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        brackets, rows = "{}", [f"{text(key)}: {text(member, levels - 1)}" for key, member in value.items()]
    else:
        brackets, rows = "[]", [text(member, levels - 1) for member in value]
    return "\n".join((brackets[0], ",\n".join(rows), brackets[1]))


def broken() -> list[str]:
    """List definitions, hypotheses and statements that are not as the last run saw them, as file and name."""
    return coq_sources.broken(coq_sources.seals(coq_sources.sources()), stamps()["seals"])


def current(needs: list[str]) -> bool:
    """Whether the last run saw these files as they are now."""
    texts, seen = coq_sources.sources(), stamps()["sources"]
    return all(file in texts and seen.get(file) == coq_sources.digest(texts[file]) for file in needs)


def certificate_checked(entry: Statement) -> bool:
    """Whether the kernel has checked the certificate of an entry as it is now."""
    seen = stamps()["certificates"]
    if "certificate" not in entry.faces or unwritten(entry) or not current(seen["needs"]):
        return False
    return bool(
        seen["lemmas"].get(entry.id) == coq_sources.digest(coq_sources.lemma(entry.id, entry.faces["certificate"]()))
    )


@functools.cache
def _ties() -> tuple[Tie, ...]:
    return tuple(tie for file, text in coq_sources.sources().items() for tie in coq_sources.ties(file, text))


def theorem_checked(tie: Tie) -> bool:
    """Whether the kernel has checked the theorem of a tie as its sources are now."""
    return any(asdict(tie).items() <= stamp.items() and current(stamp["needs"]) for stamp in stamps()["statements"])


def checked(entry: Statement) -> dict[str, Any]:
    """Return the checks by Coq of an entry, as JSON-ready data.

    ``certificate`` is whether its certificate was checked, ``statements`` the theorems tied to its labels: ``labels``,
    ``theorem``, ``coverage``, ``file`` in the folder of the notes, ``kind`` (``proves`` or ``refutes``), and whether it
    was ``checked`` as it is now. ``coq`` is the version.
    """
    found: dict[tuple[str, ...], list[Tie]] = {}
    for tie in _ties():
        if tie.label in entry.labels:
            found.setdefault((tie.file, tie.theorem, tie.kind, tie.coverage), []).append(tie)
    return {
        "coq": stamps()["coq"],
        "certificate": certificate_checked(entry),
        "statements": [
            {
                "labels": [tie.label for tie in same],
                "theorem": theorem,
                "coverage": coverage,
                "file": f"coq/{file}.v",
                "kind": kind,
                "checked": all(map(theorem_checked, same)),
            }
            for (file, theorem, kind, coverage), same in found.items()
        ],
    }


def in_words(entry: Statement) -> list[str]:
    """Return the checks by Coq of an entry as phrases, such as ``statement machine-checked (real)``."""
    found = checked(entry)
    certified = ["one inequality checked"] if found["certificate"] else []
    said = {"proves": "statement machine-checked", "refutes": "refuted in the kernel"}
    shown = dict.fromkeys(f"{said[tie['kind']]} ({tie['coverage']})" for tie in found["statements"] if tie["checked"])
    return [*certified, *shown]
