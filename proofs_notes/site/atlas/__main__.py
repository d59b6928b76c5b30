"""Write the sources of the site: ``python -m atlas BUILD [--quick]``; Sphinx reads ``BUILD/pages``."""

from __future__ import annotations

import argparse
import importlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from atlas import facts, front, graph_page, statement, tables
from atlas.book import Book, papers
from atlas.notes import read_notes

SITE = Path(__file__).parents[1]
FIRST = ("read", "release", "choose", "audit", "oracle", "mechanisms", "numbers", "releases")
"""Guides and pages of the interface that are read before the others."""


def pages(book: Book, guides: list[str], plays: list[str], api: list[str]) -> Iterator[tuple[str, str]]:
    """All pages that are made from the book, each with its place."""
    for name in book.order:
        yield f"statement/{name}.md", statement.statement(book, name)
    for label, owner in book.owner.items():
        if label != owner:
            yield f"statement/{label}.md", statement.further_label(book, label)
    for key in papers():
        yield f"paper/{key}.md", tables.paper(book, key)
    for name in book.notes:
        yield f"notes/{name}", tables.chapter(book, name)
    yield "statement/index.md", tables.everything(book)
    yield "verdicts.md", tables.verdicts(book)
    yield "graph.md", graph_page.page(book)
    text = (SITE / "index.md").read_text(encoding="utf-8")
    yield "index.md", front.index(book, text, guides, plays, api)


def by_hand(target: Path) -> dict[str, list[str]]:
    """Copy the pages that are written by hand, write the interactive ones, and return the names of both by folder."""
    found: dict[str, list[str]] = {"guides": [], "api": [], "plays": []}
    for folder in ("guides", "api"):
        for path in sorted((SITE / folder).glob("*.md"), key=_reading_order):
            write(target / folder / path.name, path.read_text(encoding="utf-8"))
            found[folder].append(f"{folder}/{path.stem}")
    if (SITE / "plays").exists():
        for name, text in importlib.import_module("plays").pages().items():
            write(target / "plays" / f"{name}.md", text)
            found["plays"].append(f"plays/{name}")
    write(target / "glossary.md", (SITE / "glossary.md").read_text(encoding="utf-8"))
    return found


def _reading_order(path: Path) -> tuple[int, str]:
    return FIRST.index(path.stem) if path.stem in FIRST else len(FIRST), path.stem


def write(path: Path, text: str) -> None:
    """Write a file, with its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="folder for facts and pages")
    parser.add_argument("--quick", action="store_true", help="without a run of the checks where there is none")
    options = parser.parse_args()
    entries, reports = facts.gather(options.build, run=not options.quick)
    book = Book(entries, reports, read_notes(SITE.parent))
    target = options.build / "pages"
    shutil.rmtree(target, ignore_errors=True)
    hand = by_hand(target)
    for place, text in pages(book, hand["guides"], hand["plays"], hand["api"]):
        write(target / place, text)
    write(options.build / "static" / "labels.js", front.label_list(book))


if __name__ == "__main__":
    main()
