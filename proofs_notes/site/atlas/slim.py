"""A Sphinx extension that takes out of the written pages what shows nothing: indentation, classes, spans, source maps.

It is a sixth of the site. The style sheet gives links of the navigation what their classes gave them.
"""

import re
from pathlib import Path
from typing import Any

KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.DOTALL)
SLIM = (
    (re.compile(r"\s*\n\s*"), "\n"),
    (re.compile(r'<li class="toctree-l1">'), "<li>"),
    (re.compile(r'<a class="reference internal" href="(?!#)'), '<a href="'),  # those in a page are for its contents
    (re.compile(r'<code class="[^"]*\bliteral notranslate">'), '<code class="literal">'),
    (re.compile(r'<span class="pre">([\w.=]+)</span>'), r"\1"),  # in others a line may break: at a hyphen, a slash
    (re.compile(r'<span class="std std-(?:doc|ref)">([^<]*)</span>'), r"\1"),
    (re.compile(r'<mo stretchy="false">'), "<mo>"),  # without scripts a bracket may grow with what it holds
    (re.compile(r'<link rel="stylesheet" type="text/css" '), '<link rel="stylesheet" '),
)
"""What stands in a page, and what is as good."""


def slim(page: str) -> str:
    """Return the page without what shows nothing; what shows its spaces stays as it is."""
    found, place = [], 0
    for kept in KEPT.finditer(page):
        found += [_slim(page[place : kept.start()]), kept[0]]
        place = kept.end()
    return "".join([*found, _slim(page[place:])])


def _slim(markup: str) -> str:
    for long, short in SLIM:
        markup = long.sub(short, markup)
    return markup


def _written(app: Any, error: Exception | None) -> None:
    for path in Path(app.outdir).rglob("*.html"):
        path.write_text(slim(path.read_text(encoding="utf-8")), encoding="utf-8")
    for path in Path(app.outdir).rglob("*.map"):
        path.unlink()


def setup(app: Any) -> dict[str, bool]:
    """Register the extension."""
    app.connect("build-finished", _written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
