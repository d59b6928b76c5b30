"""Displays on several lines: cut where a reader pauses, so that none is wrapped by the browser.

A display that fits on a line, or that says itself how it is laid out, stays as it is.
"""

import re
from collections.abc import Iterator, Sequence

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
WIDEST = 62
"""Letters that fit beside each other in the column of text."""
OPENING = {"{", "(", "[", r"\{", r"\lVert", r"\lfloor", r"\lceil", r"\langle", r"\begin"}
CLOSING = {"}", ")", "]", r"\}", r"\rVert", r"\rfloor", r"\rceil", r"\rangle", r"\end"}
PAUSES = {r"\quad", r"\qquad", ";"}
"""After these a new clause begins."""
IMPLICATIONS = {r"\iff", r"\implies", r"\Rightarrow", r"\Longrightarrow", r"\Leftrightarrow"}
RELATIONS = {"=", "<", ">", r"\le", r"\ge", r"\leq", r"\geq", r"\to", r"\mapsto", r"\approx", r"\preceq", r"\succeq"}
SIGNS = {"+", "-", r"\cdot"}
"""Before these a formula goes on in another line, the best ones first."""
SILENT = {"{", "}", "^", "_", "&", r"\left", r"\right", r"\big", r"\Big", r"\bigl", r"\bigr", r"\tfrac", r"\dfrac"}
NARROW = {r"\,", r"\;", r"\ ", r"\!", r"\:", r"\text", r"\mathrm", r"\mathbb", r"\mathcal", r"\operatorname"}

WORDS = {
    rf"\{name}" for name in ("log", "ln", "exp", "max", "min", "sup", "inf", "det", "dim", "sin", "cos", "tan", "Pr")
}
"""Functions, about two and a half letters wide."""


def broken(formula: str) -> str:
    """Return a display in aligned lines if it is wider than the column of text."""
    if r"\begin" in formula or r"\\" in formula or width(formula) <= WIDEST:
        return formula
    lines = list(_lines(formula, (PAUSES, IMPLICATIONS, RELATIONS, SIGNS)))
    if len(lines) == 1:
        return formula
    return "\\begin{aligned}\n&" + "\\\\\n&".join(lines) + "\n\\end{aligned}"


def width(formula: str) -> float:
    """Return about how many letters wide a formula is; of a fraction the wider part counts."""
    tokens = TOKEN.findall(formula)
    return _width(tokens, 0, len(tokens))


def _width(tokens: list[str], at: int, end: int) -> float:
    found = 0.0
    while at < end:
        token = tokens[at]
        if token in (r"\frac", r"\tfrac", r"\dfrac", r"\binom"):
            middle = _argument(tokens, at + 1)
            last = _argument(tokens, middle)
            found += max(_width(tokens, at + 1, middle), _width(tokens, middle, last))
            at = last
        elif token in ("^", "_"):
            last = _argument(tokens, at + 1)
            found += 0.7 * _width(tokens, at + 1, last)
            at = last
        else:
            found += _letters(token)
            at += 1
    return found


def _letters(token: str) -> float:
    if token in SILENT or token.isspace():
        return 0
    if token in NARROW:
        return 0.3
    return 3 if token in PAUSES else 2.5 if token in WORDS else 1


def _argument(tokens: list[str], at: int) -> int:
    """Return the place after the argument that begins at a place: a group in braces, or one token."""
    while at < len(tokens) and tokens[at].isspace():
        at += 1
    if at >= len(tokens) or tokens[at] != "{":
        return min(at + 1, len(tokens))
    depth = 0
    for place in range(at, len(tokens)):
        depth += (tokens[place] == "{") - (tokens[place] == "}")
        if depth == 0:
            return place + 1
    return len(tokens)


def _lines(text: str, marks: Sequence[set[str]], indent: str = "") -> Iterator[str]:
    """Lines of a formula, cut at the first marks that there are and, where one is still too wide, at the next."""
    if width(text) <= WIDEST or not marks:
        yield indent + text
        return
    first, *rest = _filled(_cut(text, marks[0]))
    yield from _lines(first, marks[1:], indent)
    for line in rest:
        yield from _lines(line, marks[1:], indent if marks[0] is PAUSES else indent + r"\quad{}")


def _filled(pieces: list[str]) -> list[str]:
    """Return the pieces in as few lines as hold them."""
    lines: list[str] = []
    for piece in pieces:
        if lines and width(lines[-1] + piece) <= WIDEST:
            lines[-1] += piece
        else:
            lines.append(piece)
    return lines


def _cut(formula: str, marks: set[str]) -> list[str]:
    """Return the formula cut before its marks that stand in no bracket; after a pause, which keeps a semicolon only."""
    pieces, depth, stretch = [""], 0, 0
    for token in TOKEN.findall(formula):
        stretch += (token == r"\left") - (token == r"\right")
        depth = max(0, depth + (token in OPENING) - (token in CLOSING))
        free = token in marks and depth == 0 and stretch == 0
        if free and marks is PAUSES:
            pieces[-1] += ";" if token == ";" else r"\quad"
            pieces.append("")
        elif free and width(pieces[-1]) > 2:
            pieces.append(token)
        else:
            pieces[-1] += token
    return pieces
