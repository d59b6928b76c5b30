"""Shared by all HTML reports: one self-contained document in light and dark, tables, pictures, links."""

import functools
import re
from collections.abc import Collection, Sequence
from html import escape
from importlib import metadata

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --paper: #fff; --soft: #57606a; --rule: #d0d7de; --link: #0b5cad;
  --refuted: #b42318; --repaired: #0b5cad; --gap: #8a5300; --conjecture: #7a3fb0; --verified: #1a7f37; --new: #0a7070; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #131416; --soft: #a7b0ba; --rule: #3d444d;
  --link: #79b8ff; --refuted: #ff8f85; --repaired: #79b8ff; --gap: #f0b04a; --conjecture: #d2a8ff; --verified: #5fd07a;
  --new: #5ed3d3; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; color: var(--ink);
  background: var(--paper); overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.25; }
h2 { margin-top: 2.5rem; }
a { color: var(--link); }
p, li { max-width: 45rem; }
.scroll { overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.6rem; border-bottom: 1px solid var(--rule); }
th { vertical-align: bottom; }
td { min-width: 4rem; }
th.number { white-space: normal; }
td code { overflow-wrap: anywhere; }
.label { white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; min-width: 0; }
code, pre { font: 0.9em ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: 0.4rem 0; }
figure { margin: 1rem 0; }
figcaption { color: var(--soft); font-size: 0.9rem; max-width: 45rem; }
svg { display: block; max-width: 100%; height: auto; fill: var(--ink); }
.wide svg { min-width: 32rem; }
.refuted, .broken { color: var(--refuted); font-weight: 600; }
.repaired { color: var(--repaired); font-weight: 600; }
.proof-gap, .undecided { color: var(--gap); font-weight: 600; }
.conjecture { color: var(--conjecture); font-weight: 600; }
.verified, .not-refuted { color: var(--verified); font-weight: 600; }
.new { color: var(--new); font-weight: 600; }
.missing, .cited, .definition { color: var(--soft); }
"""
THEMED = {
    "#000000": "ink",
    "#444444": "soft",
    "#b0b0b0": "rule",
    "#cccccc": "rule",
    "#ffffff": "paper",
    "#0b5fa5": "repaired",
    "#b3541e": "gap",
    "#2f7d32": "verified",
    "#7a3b8f": "conjecture",
    "#a40000": "refuted",
}
"""Colours of the plots, and the colours of the page that take their place."""


def document(title: str, body: str) -> str:
    """Return a whole page; ``title`` is plain text, ``body`` is HTML."""
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{STYLE}</style></head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def table(
    name: str,
    head: Sequence[str],
    body: Sequence[Sequence[str]],
    numbers: Collection[str] = (),
    ids: Sequence[str] = (),
) -> str:
    """Render a table that scrolls by itself where it is too wide.

    ``name`` and ``head`` are plain text, ``body`` is HTML. Columns whose head is among the ``numbers`` are aligned to
    the right; ``ids`` are anchors of the rows.
    """
    classes = [' class="number"' if cell in numbers else "" for cell in head]
    top = "".join(f"<th{kind}>{escape(cell)}</th>" for cell, kind in zip(head, classes, strict=True))
    anchors = [f' id="{escape(anchor)}"' for anchor in ids] or [""] * len(body)
    rows = "\n".join(
        f"<tr{anchor}>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, classes, strict=True)) + "</tr>"
        for row, anchor in zip(body, anchors, strict=True)
    )
    grid = f"<table><thead><tr>{top}</tr></thead><tbody>\n{rows}\n</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(name)}">{grid}</div>'


def picture(svg: str, words: str, wide: bool = False) -> str:
    """Return a plot of `dpspectra.report.plots` in the colours of the page; ``words`` say what it shows.

    A ``wide`` one scrolls where the page is narrow.
    """
    for colour, name in THEMED.items():
        svg = svg.replace(colour, f"var(--{name})")
    svg = re.sub(r' id="(?:figure|axes|patch|text|legend|line2d|matplotlib\.axis|[xy]tick|\w+Collection)_\d+"', "", svg)
    svg = re.sub(r' id="image[0-9a-f]+"', "", svg)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{escape(words)}" ', 1)
    kind = ' class="scroll wide" tabindex="0" role="region"' if wide else ""
    name = f' aria-label="{escape(words)}"' if wide else ""
    return f"<figure><div{kind}{name}>{svg}</div><figcaption>{escape(words)}</figcaption></figure>"


def verdict(word: str, text: str = "") -> str:
    """Return a verdict in its colour; ``text`` replaces the word of the verdict."""
    return f'<span class="{escape(word.replace(" ", "-"))}">{escape(text or word)}</span>'


def statement(label: str) -> str:
    """Return a label as a link to its page of the project's site, if the project says where that is."""
    base = site()
    name = f'<span class="label">{escape(label)}</span>'
    return f'<a href="{escape(base)}statement/{escape(label)}.html">{name}</a>' if base else name


@functools.cache
def site() -> str:
    """Address of the project's documentation, with a slash at its end, by the metadata of the installed package."""
    try:
        urls = metadata.metadata("dpspectra").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    named = dict(url.split(", ", 1) for url in urls)
    address = str(named.get("Documentation", "")).rstrip("/")
    return f"{address}/" if address else ""
