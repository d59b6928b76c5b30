"""Pages that are files beside the notes: what changed, how a privacy defect is reported, and the line protocol."""

from pathlib import Path

import dpspectra
from atlas import markup as md
from atlas.book import Book

ROOT = Path(__file__).parents[3]
PROTOCOL = "Audit a program in any language"
PROGRAMS = {"laplace.c": "c", "response.awk": "awk", "argmax.pl": "perl"}
"""Programs that speak the protocol, and their languages."""


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
    programs = [md.fold(name, md.fence(written(f"examples/{name}").rstrip(), kind)) for name, kind in PROGRAMS.items()]
    return "\n\n".join([told.strip().replace("\n### ", "\n## "), "## The programs", *programs])


def text(book: Book, name: str) -> str:
    """Return a file without its title; labels are links, and links to other files become text."""
    return book.linked(written(name).partition("\n")[2].strip(), up="")


def written(name: str) -> str:
    """Return what a file holds."""
    return (ROOT / name).read_text(encoding="utf-8")
