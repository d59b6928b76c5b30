"""The page of what the kernel of Coq has checked, with the proofs themselves."""

from atlas import markup as md
from atlas.book import Book
from atlas.facts import COQ

HEAD = ("statement", "the kernel says", "theorem", "of which form")
WORDS = {"proves": "proved", "refutes": "refuted"}


def page(book: Book) -> str:
    """Return the page in MyST Markdown."""
    facts = {name: book.entries[name]["coq"] for name in book.order}
    rows = [
        (
            f"[{name}](statement/{name}.md)",
            WORDS[tie["kind"]],
            f"[{md.code(tie['theorem'])}](coq/{tie['file'].rpartition('/')[2]})",
            md.escape(tie["coverage"]),
        )
        for name, told in facts.items()
        for tie in told["statements"]
        if tie["checked"]
    ]
    certified = sum(bool(told["certificate"]) for told in facts.values())
    return md.page(
        "Proofs that a machine has checked",
        f"The kernel of Coq accepted {len(rows)} theorems on statements of this book, and the inequality of "
        f"{certified} certificates. `make prove` checks them all again.",
        md.box("listing", md.table(HEAD, rows)),
        book.linked(coverage(), ""),
    )


def coverage() -> str:
    """Return the meanings of the words for the form of a statement, from the page beside the proofs."""
    text = (COQ / "README.md").read_text(encoding="utf-8")
    return text[text.index("## What a theorem covers") :].strip()


def proofs() -> dict[str, str]:
    """Return the texts of the proofs, by their place on the site."""
    return {f"coq/{path.name}": path.read_text(encoding="utf-8") for path in sorted(COQ.glob("*.v"))}
