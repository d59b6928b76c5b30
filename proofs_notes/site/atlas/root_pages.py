"""Pages that are files beside the notes: what changed, how a privacy defect is reported, and the line protocol."""

from pathlib import Path

import dpspectra
from atlas import markup as md
from atlas.book import Book

ROOT = Path(__file__).parents[3]
PROTOCOL = "Audit a program in any language"


def pages(book: Book) -> dict[str, str]:
    """Return the pages in MyST Markdown by place."""
    changes, security = (text(book, name) for name in ("CHANGELOG.md", "SECURITY.md"))
    return {
        "changes.md": md.page(
            "Changes", f"Version {dpspectra.__version__} is the one that these pages describe.", changes
        ),
        "security.md": md.page("Security", security),
        "protocol.md": md.page(PROTOCOL, protocol(book)),
    }


def protocol(book: Book) -> str:
    """Return the part of the page of examples on programs in any language, with headings one level up."""
    _, _, told = text(book, "examples/README.md").partition(f"## {PROTOCOL}\n")
    return told.strip().replace("\n### ", "\n## ")


def text(book: Book, name: str) -> str:
    """Return a file without its title; labels are links, and links to other files become text."""
    written = (ROOT / name).read_text(encoding="utf-8")
    return book.linked(written.partition("\n")[2].strip(), up="")
