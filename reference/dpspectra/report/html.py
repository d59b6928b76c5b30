"""What all HTML reports have in common: one self-contained document, and tables."""

from __future__ import annotations

from html import escape

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; padding: 0.25rem 0.6rem; border-bottom: 1px solid #ddd; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; }
svg { max-width: 100%; height: auto; }
.refuted, .broken { color: #a40000; font-weight: 600; }
.repaired { color: #8a5a00; font-weight: 600; }
.missing { color: #777; }
"""


def document(title: str, body: str) -> str:
    """A whole page; ``title`` is plain text, ``body`` is HTML."""
    return f"""<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style></head>
<body>
{body}
</body>
</html>
"""


def table(head: list[str], body: list[list[str]]) -> str:
    """Render a table; ``head`` is plain text, ``body`` is HTML."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    rows = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body)
    return f"<table><thead><tr>{top}</tr></thead><tbody>\n{rows}\n</tbody></table>"
