"""Write the sources of the site: ``python -m atlas BUILD [--quick]``; Sphinx reads ``BUILD/pages``."""

import argparse
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from atlas import (
    address,
    api,
    citing,
    command_page,
    facts,
    files,
    front,
    graph_page,
    icons,
    kernel_page,
    mechanism_table,
    museum_page,
    notebooks,
    root_pages,
    shell,
    statement,
    tables,
)
from atlas.book import Book, papers
from atlas.links import with_labels
from atlas.notes import read_notes

SITE = Path(__file__).parents[1]
FIRST = ("install", "release", "audit", "read", "oracle", "choose", "compare", "mechanisms", "numbers", "releases")
"""Guides and pages of the interface that are read before the others."""


def pages(book: Book, drawn: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """All pages, each with its place; ``drawn`` are the interactive ones."""
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
    yield "mechanisms.md", mechanism_table.page(book)
    yield "kernel.md", kernel_page.page(book)
    yield "commands.md", command_page.page()
    yield "cite.md", citing.page()
    yield from root_pages.pages(book).items()
    yield "404.md", (SITE / "404.md").read_text(encoding="utf-8")
    yield "museum.md", museum_page.page(book.faults)
    glossary = (SITE / "glossary.md").read_text(encoding="utf-8").replace("@LABELS@", legend())
    yield "glossary.md", with_labels(glossary, book.owner, "")
    hand = by_hand(book, drawn)
    for name, folder in hand.items():
        listed = api.all_pages(folder) if name == "api" else folder.items()
        yield from ((f"{place}.md", shell.with_output(text) if name == "guides" else text) for place, text in listed)
    text = (SITE / "index.md").read_text(encoding="utf-8")
    yield "index.md", front.index(book, text, list(hand["guides"]), list(hand["plays"]), list(hand["api"]))


def legend() -> str:
    """Return the legend of the letters of labels, as on the front page of the notes."""
    text = (SITE.parent / "README.md").read_text(encoding="utf-8")
    return next(block for block in text.split("\n\n") if block.startswith("**Labels.**")).partition("** ")[2]


def by_hand(book: Book, drawn: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the pages written by hand and the interactive ones, by folder and place.

    Labels in them are links.
    """
    found = {
        folder: {
            f"{folder}/{path.stem}": path.read_text(encoding="utf-8")
            for path in sorted((SITE / folder).glob("*.md"), key=_reading_order)
        }
        for folder in ("guides", "api")
    }
    found["plays"] = {f"plays/{name}": text for name, text in drawn.items()}
    return {
        folder: {place: with_labels(text, book.owner) for place, text in pages.items()}
        for folder, pages in found.items()
    }


def _reading_order(path: Path) -> tuple[int, str]:
    return FIRST.index(path.stem) if path.stem in FIRST else len(FIRST), path.stem


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="folder for facts and pages")
    parser.add_argument("--quick", action="store_true", help="without a run of the checks where there is none")
    options = parser.parse_args()
    build, sources = options.build, facts.fingerprint()
    described, reports, faults, drawn = facts.gather(build, run=not options.quick)
    book = Book(described, reports, faults, read_notes(SITE.parent))
    data = {f"guides/{table.name}": table.read_text(encoding="utf-8") for table in (SITE / "guides").glob("*.csv")}
    texts = dict(pages(book, drawn)) | kernel_page.proofs() | data
    scripts = {"labels.js": front.label_list(book), "icons.css": icons.style_sheet()}
    files.write_all(build / "pages", texts)
    files.write_all(build / "static", scripts)
    files.drop_old(build, sources, ("doctrees", notebooks.FOLDER))
    notebooks.run(build / notebooks.FOLDER, build / "pages")
    everything = sources, address.address(), sorted(texts.items()), sorted(scripts.items())
    files.write(build / "inputs", hashlib.sha256(repr(everything).encode()).hexdigest())


if __name__ == "__main__":
    main()
