"""The front page, the tables of contents, and the list of labels for the search page."""

import json
from collections.abc import Sequence
from datetime import date

import dpspectra
from atlas import address
from atlas import markup as md
from atlas.book import Book, papers
from atlas.tables import reference, rows
from dpspectra.ledger import Verdict
from dpspectra.ledger.papers import PAPERS, SYNONYMS
from dpspectra.ledger.words import MEANING

EVERYTHING = [
    "statement/index",
    "mechanisms",
    "commands",
    "protocol",
    "verdicts",
    "kernel",
    "museum",
    "graph",
    "glossary",
    "cite",
    "changes",
    "security",
]
"""Pages on all that there is of a kind."""


def contents(caption: str, pages: Sequence[str]) -> str:
    """Return a part of the navigation; empty without pages."""
    if not pages:
        return ""
    return "\n".join([":::{toctree}", ":hidden:", f":caption: {caption}", *pages, ":::"])


def index(book: Book, text: str, guides: Sequence[str], plays: Sequence[str], api: Sequence[str]) -> str:
    """Return the front page: ``text``, the eight words, the refuted statements, and the navigation."""
    refuted = [name for name in book.order if book.verdict(name) == "refuted"]
    counts = md.counted(book.verdict(name) for name in book.order)
    words = [(md.chip(verdict), MEANING[Verdict(verdict)], str(count)) for verdict, count in counts]
    chapters = [f"notes/{name.removesuffix('.md')}" for name in book.notes]
    parts = {
        "LABELS": str(len(book.owner)),
        "ENTRIES": str(len(book.entries)),
        "BAR": md.bar(counts),
        "VERDICTS": md.table(("verdict", "what it means", "number"), words),
        "REFUTED": rows(book, refuted, ""),
        "PAPERS": "\n".join(f"* [](paper/{key}.md): {reference(PAPERS[key])}" for key in papers()),
        "CHAPTERS": "\n".join(f"1. [](notes/{name})" for name in book.notes),
        "API": "\n".join(f"* [](<{name}.md>)" for name in api),
        "BUILD": build(),
        "GUIDES": "\n".join(f"* [](<{name}.md>)" for name in (*guides, *plays)),
    }
    for name, value in parts.items():
        text = text.replace(f"@{name}@", value)
    trees = [
        contents("Guides", guides),
        contents("Try it", plays),
        contents("Papers", [f"paper/{key}" for key in papers()]),
        contents("Chapters", chapters),
        contents("Everything", EVERYTHING),
        contents("API", api),
    ]
    return "\n\n".join([text.strip(), *filter(None, trees)]) + "\n"


def build() -> str:
    """Say which version the pages describe, when they were made, and where the source is, as far as that is public."""
    source = address.urls().get("Repository")
    where = f", from [its source]({source})" if source else ""
    return f"These pages describe version {dpspectra.__version__} and were made on {date.today().isoformat()}{where}."


def summary(book: Book, label: str) -> str:
    """Describe the entry of a label in a sentence of plain text."""
    return " ".join(book.entries[book.owner[label]]["summary"].replace("``", "").split())


def label_list(book: Book) -> str:
    """Return a script with all labels for the search page: label, number, name, page, verdict, summary, synonyms."""
    found = [
        [label, listed.number, listed.name, book.owner[label], book.verdict(label), summary(book, label)]
        for label, listed in book.labels.items()
        if label in book.owner
    ]
    words = f"const WORDS = {json.dumps(md.WORDS)};\nconst SYNONYMS = {json.dumps(SYNONYMS)};\n"
    return f"{words}const LABELS = {json.dumps(found, ensure_ascii=False, separators=(',', ':'))};\n"
