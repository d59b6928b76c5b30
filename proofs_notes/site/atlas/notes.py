"""The notes as data: pages, their sections, and the paragraphs of a section by their bold leads."""

import re
from dataclasses import dataclass
from pathlib import Path

from dpspectra.ledger.papers import PAPERS

LABEL = rf"(?:{'|'.join(PAPERS)})-[A-Z](?:[A-Za-z0-9.]*[A-Za-z0-9])?(?:-[A-Za-z]\w*)?"
GENERATED = {"README.md", "verdicts.md"}


@dataclass(frozen=True)
class Paragraph:
    """A bold lead, empty for what stands before the first one, with the text up to the next one."""

    lead: str
    whole: str
    """As it stands in the note."""

    @property
    def text(self) -> str:
        """Without the lead."""
        return re.sub(r"^\*\*[^*]+\*\*:?\s*", "", self.whole) if self.lead else self.whole


@dataclass(frozen=True)
class Section:
    """A heading of a page with what stands below it."""

    title: str
    body: str

    @property
    def paragraphs(self) -> list[Paragraph]:
        """The body, cut at its bold leads; the line of labels is left out."""
        found: list[Paragraph] = []
        for block in re.split(r"\n\s*\n", self.body):
            lead = re.match(r"\*\*([^*]+?)[.:]?\*\*", block)
            if lead and re.match(LABEL, lead[1]):
                continue
            if lead or not found:
                found.append(Paragraph(lead[1] if lead else "", block))
            else:
                found[-1] = Paragraph(found[-1].lead, f"{found[-1].whole}\n\n{block}")
        return found


@dataclass(frozen=True)
class Page:
    """A chapter's page: title, preface, sections by anchor."""

    title: str
    preface: str
    sections: dict[str, Section]


def anchor(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*$]", "", heading).lower()).strip().replace(" ", "-")


def read_page(text: str) -> Page:
    """Cut a page at its headings."""
    preface, *parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    title, _, preface = preface.partition("\n")
    sections = {anchor(head): Section(head, body.strip()) for head, body in zip(parts[::2], parts[1::2], strict=True)}
    return Page(title.removeprefix("# "), preface.strip(), sections)


def read_notes(folder: Path) -> dict[str, Page]:
    """Return the chapters' pages by name, in the reading order of the notes' front page."""
    front = (folder / "README.md").read_text(encoding="utf-8")
    order = list(dict.fromkeys(re.findall(r"\]\((\w+\.md)\)", front)))
    names = sorted({path.name for path in folder.glob("*.md")} - GENERATED, key=lambda name: (order.index(name), name))
    return {name: read_page((folder / name).read_text(encoding="utf-8")) for name in names}
