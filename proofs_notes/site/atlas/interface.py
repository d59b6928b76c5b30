"""A Sphinx extension for the pages of the interface: short types in signatures, labels in docstrings as links.

Pages hold no docstring of another package: its links do not resolve here.
"""

import inspect
import re
from typing import Any

from atlas.links import MENTION
from dpspectra.ledger import labels

ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
ARRAY = re.compile(r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]")
MODULE = re.compile(r"~?\b(?:numpy|typing)\.(?=\w)")
KNOWN = {label.label for label in labels()}


def short(text: str | None) -> str | None:
    """Return a signature, or what it returns, with names for types that have one."""
    return text and ARRAY.sub(r"NDArray[\1]", ALIAS.sub(r"\1", MODULE.sub("", text)))


def with_labels(lines: list[str]) -> list[str]:
    """Lines of a docstring with links at labels; examples and code stay as they are."""
    found, example = [], False
    for line in lines:
        example = line.strip() != "" and (example or line.lstrip().startswith(">>>"))
        found.append(line if example else _linked(line))
    return found


def _linked(line: str) -> str:
    def link(found: re.Match[str]) -> str:
        label = found[1] or found[2]
        return f":doc:`{label} </statement/{label}>`" if label in KNOWN else label

    pieces = re.split(r"(`+[^`]*`+)", line)
    pieces[::2] = [MENTION.sub(link, piece) for piece in pieces[::2]]
    return "".join(pieces)


def is_foreign(member: Any) -> bool:
    """Whether a member of a class is a method or property that another package wrote."""
    function = member.fget if isinstance(member, property) else member
    made_elsewhere = inspect.isroutine(function) or inspect.isgetsetdescriptor(function)
    return made_elsewhere and not str(getattr(function, "__module__", None)).startswith("dpspectra.")


def _skip(app: Any, what: str, name: str, member: Any, skip: bool, options: Any) -> bool | None:
    return True if is_foreign(member) else None


def _signature(app: Any, what: str, name: str, thing: Any, options: Any, *texts: str | None) -> tuple[str | None, ...]:
    return tuple(map(short, texts))


def _docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    lines[:] = with_labels(lines)


def setup(app: Any) -> dict[str, bool]:
    """Register the extension."""
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
