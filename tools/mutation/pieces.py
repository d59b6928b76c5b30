"""The functions of a source, by name: those at module level, and the faces of statements."""

import ast
from collections.abc import Iterator


def functions(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Yield what stands at module level, by its name, if it has one; a statement's class part by part.

    A face is named with its class, such as ``Weyl.fast``; the record of a statement has no name.
    """
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(ast.unparse(mark) == "statement" for mark in node.decorator_list):
            for part in node.body:
                yield f"{node.name}.{part.name}" if isinstance(part, ast.FunctionDef) else "", part
        else:
            yield getattr(node, "name", ""), node
