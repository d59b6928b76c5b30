"""The notes: the section of a statement, paragraph by paragraph. They ship with the package, as ``dpspectra/notes``."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

_LEAD = re.compile(r"\*\*([^*]+?)[.:]?\*\*[.:]?\s*(.*)", re.DOTALL)
_HEADING = re.compile(r"#+ (.*)")
_LABEL = re.compile(r"\*\*([A-Z]+-[^*]+)\*\*")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A part of a section: its bold lead and its Markdown."""

    lead: str
    """Words such as ``Statement`` or ``What was printed``; empty before the first lead."""
    text: str


def folder() -> Traversable:
    """Return the folder of the notes: inside an installed package, at the top of a checkout otherwise."""
    package = resources.files("dpspectra")
    shipped = package.joinpath("notes")
    return shipped if shipped.is_dir() else Path(str(package)).parents[1] / "proofs_notes"


def where() -> str:
    """Return the name of the folder of the notes: within the package, or within the checkout."""
    name = folder().name
    return f"dpspectra/{name}" if name == "notes" else name


@functools.cache
def _lines(page: str) -> tuple[str, ...]:
    file = folder() / page
    return tuple(file.read_text(encoding="utf-8").splitlines()) if file.is_file() else ()


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def section(note: str) -> tuple[Paragraph, ...]:
    """Return the section at ``page.md#anchor`` without its heading and its line of labels; empty if it is not there.

    Paragraphs without a bold lead belong to the lead before them.
    """
    page, _, wanted = note.partition("#")
    body: list[str] | None = None
    fenced = False
    for line in _lines(page):
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading and body is not None:
            break
        if heading and anchor(heading[1]) == wanted:
            body = []
        elif body is not None:
            body.append(line)
    return _by_lead("\n".join(body or ()).strip())


def telling_of(words: Iterable[str]) -> set[str]:
    """Return the labels over those sections that hold all these words, which are in lower case."""
    wanted, found = tuple(words), set[str]()
    for page in (file for file in folder().iterdir() if file.name.endswith(".md")):
        for text in page.read_text(encoding="utf-8").split("\n## ")[1:]:
            if all(word in text.lower() for word in wanted):
                found.update(_LABEL.findall(text.partition("\n\n")[2].partition("\n\n")[0]))
    return found


def _by_lead(text: str) -> tuple[Paragraph, ...]:
    found: list[Paragraph] = []
    _labels, *blocks = re.split(r"\n\s*\n", text)
    for block in blocks:
        lead = _LEAD.match(block)
        if lead:
            found.append(Paragraph(lead[1], lead[2].strip()))
        elif found:
            found[-1] = Paragraph(found[-1].lead, f"{found[-1].text}\n\n{block}")
        else:
            found.append(Paragraph("", block))
    return tuple(found)
