"""The source of an entry's module, cut at its top-level definitions into named pieces."""

import ast
from pathlib import Path

import dpspectra
from dpspectra.ledger import entry
from dpspectra.ledger.words import FACES

HEAD, RECORD, HELPERS = "Imports and definitions", "The statement", "Helpers"


def read(module: str) -> str:
    """Return the source of a module of the package."""
    path = Path(dpspectra.__file__).parent.joinpath(*module.split(".")[1:])
    return path.with_suffix(".py").read_text(encoding="utf-8")


def pieces(text: str) -> list[tuple[str, str]]:
    """Pieces of a module with their names, in order; neighbours of one name are one piece.

    Imports and what stands before the first function are the head; a statement's class is cut at its faces. Together
    the pieces are the whole module.
    """
    lines, start = text.splitlines(), 0
    found: list[tuple[str, str]] = []
    for node in [part for whole in ast.parse(text).body for part in _parts(whole)]:
        name = _name(node) or (HEAD if not found or found[-1][0] == HEAD else found[-1][0])
        body, start = "\n".join(lines[start : node.end_lineno]), node.end_lineno or start
        if found and found[-1][0] == name:
            found[-1] = (name, f"{found[-1][1]}\n{body}")
        else:
            found.append((name, body))
    return [(name, body.strip("\n")) for name, body in found]


def _parts(node: ast.stmt) -> list[ast.stmt]:
    """Return the parts of a statement's class; any other node is one part."""
    if isinstance(node, ast.ClassDef) and any(ast.unparse(mark) == "statement" for mark in node.decorator_list):
        return node.body
    return [node]


def _name(node: ast.stmt) -> str:
    """Return the name of a piece: that of a face, the record or helpers; empty if it belongs to the one before."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return FACES.get(node.name, RECORD if node.name == "cases" else HELPERS)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        return FACES.get(name, RECORD if name in entry.RECORD else "")
    return ""
