"""The page of all mechanisms: what each releases, for which neighbours, and on what it rests."""

from collections.abc import Iterable

from atlas import markup as md
from atlas.book import Book, rank
from dpspectra.mechanisms.catalogue import MECHANISMS
from dpspectra.mechanisms.record import Mechanism

INTRODUCTION = """Each mechanism names the statements that make its claim true.
The last column has the weakest verdict among these and all that they rest on in turn.

Which one serves your sizes best: ask {py:obj}`dpspectra.advise`, or read {doc}`guides/choose`."""
HEAD = ("mechanism", "releases", "neighbours", "rests on", "weakest below")


def page(book: Book) -> str:
    """Return the page in MyST Markdown."""
    table = md.table(HEAD, [row(book, record) for record in MECHANISMS.values() if record.private])
    return md.page("Mechanisms and what they rest on", INTRODUCTION, md.box("mechanisms", table))


def row(book: Book, record: Mechanism) -> tuple[str, ...]:
    """Return the row of one mechanism."""
    entries = sorted({book.owner[label] for label in record.labels if label in book.owner}, key=book.order.index)
    return (
        f"{{py:obj}}`~dpspectra.{record.name}`",
        md.escape(record.text),
        md.escape(", ".join(record.relations)),
        ", ".join(f"[{name}](statement/{name}.md)" for name in entries),
        weakest(book, entries),
    )


def weakest(book: Book, entries: Iterable[str]) -> str:
    """Return the weakest verdict below some entries, with the entry that has it."""
    below = min((book.weakest(name) for name in entries), key=lambda name: rank(book.verdict(name)), default=None)
    return f"[{below}](statement/{below}.md) {md.chip(book.verdict(below))}" if below else ""
