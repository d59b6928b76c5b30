"""Tasks left in a statement: the places that ``python -m tools.new`` leaves open.

A face that is not written raises ``NotImplementedError`` with its task; a text that is not written begins with `MARK`.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys

from dpspectra.ledger import notes
from dpspectra.ledger.entry import Statement
from dpspectra.ledger.symbols import unexplained, unused

MARK = "To be written"
"""How a claim, a docstring or a paragraph of the notes begins that is not written yet."""
BARS = re.compile(r"\$`[^`]*\\\|[^`]*`\$|^```math\n(?:(?!```)[\s\S])*?\\\|", re.MULTILINE)
"""A formula with bars that GitHub does not show."""


def unwritten(entry: Statement) -> list[str]:
    """Return the tasks left in an entry, its module and its section of the notes, in plain words."""
    module = sys.modules.get(entry.module)
    texts = {
        "the claim, in LaTeX": entry.formula,
        **{f"the wording of {label}, as printed": entry.wording(label) for label in entry.labels},
        "the letters of the claim, where the chapter does not have them": str(entry.where),
        "the docstring of its module": getattr(module, "__doc__", None) or "",
    }
    tasks = [what for what, text in texts.items() if MARK in text]
    tasks += _faces(module)
    leads = [part.lead for part in notes.section(entry.note) if part.text.startswith(MARK)]
    return tasks + [f"the paragraph {lead!r} of {notes.where()}/{entry.note}" for lead in leads]


def unclear(entry: Statement) -> list[str]:
    """Return what readers of an entry would miss, or see as it is not meant: what the tests of all entries refuse."""
    one = 'letters of one meaning share a key, such as "P, Q"'
    told = [f"the letter {sign} of the claim has no meaning: name it in where; {one}" for sign in unexplained(entry)]
    told += [f"the letter {key} of where is not in the claim: leave it out; {one}" for key in unused(entry)]
    bars = [part.lead for part in notes.section(entry.note) if BARS.search(part.text)]
    where = f"{notes.where()}/{entry.note}"
    return told + [rf"the paragraph {lead!r} of {where} has \| in a formula: write \lVert or \rVert" for lead in bars]


def _faces(module: object) -> list[str]:
    """Return the tasks with which the functions of a module raise ``NotImplementedError``; none if it has no source."""
    try:
        text = inspect.getsource(module)  # type: ignore[arg-type]
    except (TypeError, OSError):
        return []
    if NotImplementedError.__name__ not in text:
        return []
    raised = [node.exc for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)]
    return [
        call.args[0].value
        for call in raised
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "NotImplementedError"
        if call.args and isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    ]
