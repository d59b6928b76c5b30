"""The page of the graph: a drawing in which every node is a link, and the form that filters it."""

import html

from atlas import markup as md
from atlas.book import Book, papers
from atlas.graph import HEIGHT, WIDTH, Layout, layout

INTRODUCTION = """A line leads to the right, from a statement to what rests on it.
A dashed line leads from a statement that is not to be relied on to what to use instead.
Point at a statement, or reach it with the Tab key, to see its chain; open it to read it."""


def page(book: Book) -> str:
    """Return the page in MyST Markdown."""
    chapter = {name: book.labels[name].chapter for name in book.order}
    uses = {name: book.uses[name] for name in book.order}
    plan = layout(uses, book.users, chapter, {name for pair in instead(book) for name in pair})
    alone = [name for name in book.order if name not in plan.places]
    drawn = f'<div class="gbox" tabindex="0" role="region" aria-label="Graph, scrolls">{svg(book, plan)}</div>'
    chips = " ".join(chip(name, book.verdict(name)) for name in alone)
    text = md.page(
        "What rests on what",
        INTRODUCTION,
        md.raw(form() + "\n" + drawn),
        "## Statements that stand alone",
        md.raw(f'<p class="solos">{chips}</p>'),
    )
    return f"---\nhide-toc: true\n---\n{text}"


def instead(book: Book) -> list[tuple[str, str]]:
    """Return each statement that is not to be relied on with each one to use instead."""
    return [(name, book.owner[other]) for name in book.order for other in book.entries[name]["instead"]]


def chip(name: str, verdict: str) -> str:
    """Return a statement without links; it has a node's identity, so that links to the graph find it."""
    return f'<a class="solo vb-{verdict}" id="n-{name}" href="statement/{name}.html">{name}</a>'


def form() -> str:
    """Check boxes for paper and verdict, and a field to find a statement; the script makes them work."""
    by_paper = "".join(_box("p", key, key) for key in papers())
    by_verdict = "".join(_box("v", verdict, word, f"vb-{verdict}") for verdict, word in md.WORDS.items())
    return (
        '<form class="gctl" aria-label="Filter" hidden>'
        f"<fieldset><legend>Paper</legend>{by_paper}</fieldset>"
        f"<fieldset><legend>Verdict</legend>{by_verdict}</fieldset>"
        '<div class="row"><label class="find">Find <input type="search" id="gfind" placeholder="T2.4 or sin-Theta">'
        '</label> <label><input type="checkbox" id="gall" checked> whole chain</label> '
        '<output id="gout" for="gfind"></output></div></form>'
    )


def _box(name: str, value: str, words: str, style: str = "") -> str:
    return (
        f'<label class="pick {style}"><input type="checkbox" name="{name}" value="{value}" checked>'
        f" <b>{html.escape(words)}</b></label>"
    )


def svg(book: Book, plan: Layout) -> str:
    """Return the drawing: lanes, curves, nodes."""
    lanes = [
        f'<g class="lane{i % 2}"><rect x="0" y="{top}" width="{plan.width}" height="{height}"/>'
        f'<text x="10" y="{top + 22}">{chapter.replace("_", " ")}</text></g>'
        for i, (chapter, top, height) in enumerate(plan.lanes)
    ]
    curves = edges(plan, [(below, name) for name in plan.places for below in book.uses[name]])
    swaps = edges(plan, instead(book))
    nodes = [node(book, name, *plan.places[name]) for name in plan.places]
    drawings = (("edges", curves), ("swaps", swaps))
    size = f'viewBox="0 0 {plan.width} {plan.height}" width="{plan.width}" height="{plan.height}"'
    inner = [*lanes, *(f'<g class="{kind}" aria-hidden="true">{drawn}</g>' for kind, drawn in drawings), *nodes]
    return "\n".join([f'<svg id="graph" {size} role="group" aria-label="What rests on what">', *inner, "</svg>"])


def edges(plan: Layout, pairs: list[tuple[str, str]]) -> str:
    """Return a curve for each pair of statements."""
    return "".join(f'<path d="{curve(plan, a, b)}" data-a="{a}" data-b="{b}"/>' for a, b in pairs)


def curve(plan: Layout, below: str, above: str) -> str:
    """Return the path from a statement to one that rests on it, or that is used instead."""
    (x1, y1), (x2, y2) = plan.places[below], plan.places[above]
    x1, y1, y2 = x1 + WIDTH, y1 + HEIGHT // 2, y2 + HEIGHT // 2
    bend = max(30, abs(x2 - x1) // 2)
    return f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"


def node(book: Book, name: str, x: int, y: int) -> str:
    """Return a statement as a link with its label.

    Sphinx must not mark what was searched for in the title, which has no place in the drawing.
    """
    label, verdict = book.labels[name], book.verdict(name)
    title = html.escape(f"{label.number + ': ' if label.number else ''}{label.name} ({md.WORDS[verdict].lower()})")
    return (
        f'<a href="statement/{name}.html" id="n-{name}" data-p="{label.paper}" data-v="{verdict}" '
        f'class="n vb-{verdict}"><title class="nohighlight">{title}</title>'
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
        f'<text x="{x + 8}" y="{y + 16}">{name}</text></a>'
    )
