"""Words and small pieces of Markdown and HTML that all pages share."""

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence

WORDS = {
    "refuted": "Refuted",
    "repaired": "Repaired",
    "corner": "False in a corner only",
    "open": "Proof has a gap, claim open",
    "proof-gap": "Proof has a gap, claim true",
    "conjecture": "Conjecture",
    "cited": "Cited",
    "verified": "Verified",
    "new": "New, ours",
    "definition": "Definition",
}
"""The word that a page shows for each verdict, worst first."""
BAR = re.compile(r"(?<!\\)\|")


def escape(text: str) -> str:
    """Plain text as Markdown that shows it letter by letter."""
    return re.sub(r"([\\*_$\[\]|`<])", r"\\\1", text)


def plain(docstring: str) -> str:
    """Return a docstring's paragraph as Markdown: what stands in backquotes is code, the rest is text."""
    parts = re.split(r"`{1,2}(.+?)`{1,2}", " ".join(docstring.split()))
    return "".join(code(part) if i % 2 else escape(part) for i, part in enumerate(parts))


def code(text: str) -> str:
    """Inline code, whatever backquotes are in it."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{ticks}{text}{ticks}"


def short(text: str, length: int = 160) -> str:
    """Return the text, cut where it is longer."""
    return text if len(text) <= length else f"{text[:length]} …"


def chip(verdict: str) -> str:
    """Return the verdict's word in its colour."""
    return f'<span class="v v-{verdict}">{WORDS[verdict]}</span>'


def counted(verdicts: Iterable[str]) -> list[tuple[str, int]]:
    """How many of each verdict, worst first."""
    counts = Counter(verdicts)
    return [(verdict, counts[verdict]) for verdict in WORDS if counts[verdict]]


def in_words(counts: Iterable[tuple[str, int]]) -> str:
    """Return the counts as words: ``3 refuted, 5 cited``."""
    return ", ".join(f"{count} {WORDS[verdict].removesuffix(', ours').lower()}" for verdict, count in counts)


def bar(counts: Sequence[tuple[str, int]]) -> str:
    """Return a bar of the verdicts; its label says the counts."""
    parts = "".join(f'<i class="vb-{verdict}" style="flex:{count}"></i>' for verdict, count in counts)
    return raw(f'<div class="bar" role="img" aria-label="{in_words(counts)}">{parts}</div>')


def raw(markup: str) -> str:
    """HTML as it is."""
    return f"```{{raw}} html\n{markup}\n```"


def fence(text: str, language: str = "") -> str:
    """Return a block of code."""
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{ticks}{language}\n{text}\n{ticks}"


def fold(title: str, body: str) -> str:
    """Return a block that opens by a click; the title is plain text."""
    opened = f'<details class="fold"><summary>{html.escape(title)}</summary>'
    return "\n\n".join([raw(opened), body, raw("</details>")])


def box(classes: str, body: str, colons: int = 4) -> str:
    """Return a block with classes for the style sheet."""
    return f"{':' * colons}{{container}} {classes}\n{body}\n{':' * colons}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; bars in cells are escaped."""
    lines = [f"| {' | '.join(row)} |" for row in ([BAR.sub(r"\|", cell) for cell in row] for row in rows)]
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *lines])


def display(formula: str) -> str:
    """Return a formula on lines of its own."""
    return f"```math\n{formula}\n```"


def page(title: str, *parts: str, description: str = "", orphan: bool = False) -> str:
    """Return a page; parts that are empty are left out."""
    front = ["orphan: true"] * orphan
    if description:
        front += [
            "myst:",
            "  html_meta:",
            f"    description: {json.dumps(description.replace('`', ''), ensure_ascii=False)}",
        ]
    head = ["\n".join(["---", *front, "---"])] if front else []
    return "\n\n".join([*head, f"# {title}", *filter(None, parts)]) + "\n"
