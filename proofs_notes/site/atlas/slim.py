"""A Sphinx extension that takes the indentation out of the written pages, which is a fortieth of the site."""

import re
from pathlib import Path
from typing import Any

KEPT = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.DOTALL)
BREAK = re.compile(r"\s*\n\s*")


def slim(page: str) -> str:
    """Return the page with one line break for each run of white space that holds one; what shows its spaces stays."""
    found, place = [], 0
    for kept in KEPT.finditer(page):
        found += [BREAK.sub("\n", page[place : kept.start()]), kept[0]]
        place = kept.end()
    return "".join([*found, BREAK.sub("\n", page[place:])])


def _written(app: Any, error: Exception | None) -> None:
    for path in Path(app.outdir).rglob("*.html"):
        path.write_text(slim(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Register the extension."""
    app.connect("build-finished", _written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
