"""Pages that list statements: papers, chapters, what not to rely on, everything."""

import re
from collections.abc import Iterable

from atlas import markup as md
from atlas.book import AUTHORS, Book
from dpspectra.ledger import notes
from dpspectra.ledger.papers import PAPERS
from dpspectra.ledger.views import BEGIN, MARKED, WARNINGS
from dpspectra.ledger.words import MEANING, NOT_AT_HAND

HEAD = ("label", "printed as", "statement", "verdict")


def rows(book: Book, labels: Iterable[str], up: str = "../") -> str:
    """Return a table of labels; on a narrow screen the style sheet makes each row a block.

    A dagger marks those whose printed formula is not at hand.
    """
    names = list(labels)
    readings = set(filter(book.is_reading, names))
    cells = [
        (
            f"[{label}]({up}statement/{book.owner[label]}.md)",
            md.escape(book.labels[label].number or "(ours)"),
            md.escape(book.labels[label].name),
            md.chip(book.verdict(label)) + ("†" if label in readings else ""),
        )
        for label in names
    ]
    listing = md.box("listing", md.table(HEAD, cells))
    return f"{listing}\n\n† {NOT_AT_HAND}" if readings else listing


def paper(book: Book, key: str) -> str:
    """Return the page of a paper: its reference, the counts of verdicts, its labels in printed order."""
    labels = [label for label, listed in book.labels.items() if listed.paper == key and label in book.owner]
    counts = md.counted(book.verdict(label) for label in labels)
    title = f"{key}: {AUTHORS[key]}" if key != "DPS" else "DPS: statements of this project"
    return md.page(
        title,
        f"{reference(PAPERS[key])}.",
        f"{len(labels)} statements in printed order: {md.in_words(counts)}.",
        md.bar(counts),
        rows(book, labels),
    )


def reference(text: str) -> str:
    """Return a reference with its DOI and arXiv number as links."""
    found = re.sub(r"doi:(\S+[^\s,])", r"doi:[\1](https://doi.org/\1)", md.escape(text))
    return re.sub(r"arXiv:([\d.]+\d)", r"arXiv:[\1](https://arxiv.org/abs/\1)", found)


def everything(book: Book) -> str:
    """All labels in one table."""
    return md.page("All statements", rows(book, (label for label in book.labels if label in book.owner)))


def rule() -> str:
    """Return the rule by which statements got their verdicts, from the notes."""
    page = notes.folder().joinpath("verdicts.md").read_text(encoding="utf-8")
    return page[page.index("## The rule") : page.index(BEGIN)].strip()


def verdicts(book: Book) -> str:
    """Return the statements that do not hold as printed, the worst first."""
    parts = []
    for verdict in WARNINGS:
        names = [name for name in book.order if book.verdict(name) == verdict]
        parts += [f"## {MARKED[verdict]}", MEANING[verdict], rows(book, names, "")]
    return md.page("What not to rely on as printed", rule(), *parts)


def chapter(book: Book, name: str) -> str:
    """Return the page of a chapter: its preface, then the note's headings with their statements.

    The texts stand on the statements' pages; a section without a statement is here in full.
    """
    page = book.notes[name]
    parts = []
    for place, section in page.sections.items():
        here = [other for other in book.order if book.entries[other]["note"] == f"{name}#{place}"]
        lines = [
            f"[{other}](../statement/{other}.md) {md.chip(book.verdict(other))} {book.sentence(other)}"
            for other in here
        ]
        parts += [f"## {section.title}", *(lines or [book.linked(section.body)])]
    return md.page(page.title, book.linked(page.preface), *parts)
