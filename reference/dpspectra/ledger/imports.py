"""Which modules of the package another one imports, at whatever remove: read from the sources, nothing is imported."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGE = "dpspectra"
HOME = Path(__file__).parents[1]
OF_NAMES = "registry.py", "extras.py"
"""Modules that import what they are told: the statement that is asked for, and other libraries."""
DYNAMIC = "import_module", "__import__", "exec", "eval"
"""Functions that import what no reader of the sources can foresee."""


def reached(modules: Iterable[str]) -> frozenset[Path]:
    """Files of the package that these modules consist of, and of all that they import, also within functions.

    Where a module imports by a name that is computed, these are all files of the package. Where it asks a folder for a
    name that the folder loads when it is asked, these are all modules that the folder names.

    >>> "weyl.py" in {path.name for path in reached(["dpspectra.lemmas.perturbation.weyl"])}
    True
    """
    parts = [module.split(".") for module in modules]
    found, waiting = set[Path](), [".".join(names[:n]) for names in parts for n in range(2, len(names) + 1)]
    seen = set(waiting)
    for module in waiting:
        if (path := _file(module)) is None:
            continue
        found.add(path)
        if (names := _imported(path, module)) is None:
            return everything()
        waiting += sorted(set(names) - seen)
        seen.update(names)
    return frozenset(found)


@functools.cache
def everything() -> frozenset[Path]:
    """All sources of the package."""
    return frozenset(HOME.rglob("*.py"))


def _file(module: str) -> Path | None:
    """Return the file of a module of the package."""
    place = HOME.joinpath(*module.split(".")[1:])
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


@functools.cache
def _imported(path: Path, module: str) -> frozenset[str] | None:
    """Modules of the package that a file imports, and the folders they lie in; ``None`` where no reader can tell."""
    folder = module if path.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [*_names(tree, folder)]
    if path.name != "__init__.py" and path.name not in OF_NAMES:
        told = [*_told(tree)]
        if None in told:
            return None
        names += [name for name in told if name is not None]
    found = set[str]()
    for name in names:
        parts = name.split(".")
        if parts[0] == PACKAGE:
            above = [".".join(parts[:n]) for n in range(1, len(parts) + 1)]
            known = [each for each in above if _file(each) is not None]
            found.update(known)
            found.update(_lazy(known[-1]))
    return frozenset(found)


def _names(tree: ast.Module, folder: str) -> Iterator[str]:
    """Full names that a module imports, those of type checkers excepted, which are none when it runs."""
    skipped = {
        id(node)
        for guard in ast.walk(tree)
        if isinstance(guard, ast.If) and isinstance(guard.test, ast.Name) and guard.test.id == "TYPE_CHECKING"
        for statement in guard.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = folder.rsplit(".", node.level - 1)[0] if node.level else ""
            start = ".".join(filter(None, (above, node.module)))
            yield from (f"{start}.{alias.name}" for alias in node.names)


def _told(tree: ast.Module) -> Iterator[str | None]:
    """Yield the modules that a module imports by a call: a name, or ``None`` where it is computed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (getattr(node.func, "id", "") or getattr(node.func, "attr", "")) in DYNAMIC:
            first = node.args[0] if node.args else None
            yield first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


@functools.cache
def _lazy(folder: str) -> frozenset[str]:
    """Modules that a folder names in its texts, if it loads names when it is asked for them."""
    path = _file(folder)
    tree = ast.parse(path.read_text(encoding="utf-8")) if path is not None else ast.Module([], [])
    if not any(isinstance(node, ast.FunctionDef) and node.name == "__getattr__" for node in ast.walk(tree)):
        return frozenset()
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    named = {name for text in texts if text.replace(".", "").isidentifier() for name in (text, f"{folder}.{text}")}
    return frozenset(name for name in named if name.startswith(f"{PACKAGE}.") and _file(name) is not None)
