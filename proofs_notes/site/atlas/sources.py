"""The source of an entry's module, cut at its top-level definitions into named pieces."""

import ast
from pathlib import Path

import dpspectra
from dpspectra.ledger.words import FACES

HEAD, HELPERS = "The statement and its imports", "Helpers"


def read(module: str) -> str:
    """Return the source of a module of the package."""
    path = Path(dpspectra.__file__).parent.joinpath(*module.split(".")[1:])
    return path.with_suffix(".py").read_text(encoding="utf-8")


def pieces(text: str) -> list[tuple[str, str]]:
    """Pieces of a module with their names, in order; neighbours of one name are one piece.

    What stands before the first function, imports and entries, is the head. Together the pieces are the whole module.
    """
    lines, start = text.splitlines(), 0
    found: list[tuple[str, str]] = []
    for node in ast.parse(text).body:
        name = _name(node) or (HEAD if not found or found[-1][0] == HEAD else HELPERS)
        body, start = "\n".join(lines[start : node.end_lineno]), node.end_lineno or start
        if found and found[-1][0] == name:
            found[-1] = (name, f"{found[-1][1]}\n{body}")
        else:
            found.append((name, body))
    return [(name, body.strip("\n")) for name, body in found]


def _name(node: ast.stmt) -> str:
    """Return the name of a piece: its faces with the function, or helpers.

    The name is empty if the piece belongs to the one before.
    """
    if isinstance(node, ast.Expr | ast.Assign) and isinstance(node.value, ast.Call):
        return _titles([node.value.func])  # a face that is given as an expression
    if not isinstance(node, ast.FunctionDef):
        return HELPERS if isinstance(node, ast.ClassDef) else ""
    faces = _titles(node.decorator_list)
    return f"{faces} ({node.name})" if faces else HELPERS


def _titles(marks: list[ast.expr]) -> str:
    """Return the titles of the faces that these expressions attach; empty if they attach none."""
    faces = [mark.attr for mark in marks if isinstance(mark, ast.Attribute) and mark.attr in FACES]
    return ", ".join(dict.fromkeys(FACES[face] for face in faces))
