"""Conversions by `int` and `float` that keep noise: stand-ins for these names, lent where nobody can tell them apart.

Python makes ordinary numbers of whatever the real types are asked to convert. So a module is lent a stand-in
(`asked_types` does it), but only if its source says that it does nothing with the name except to convert a number, or
each of several by `map`, to ask `isinstance`, for types of arrays and options, and to annotate. Elsewhere the real type
decides what a number is.
"""

import ast
import functools
import re
from pathlib import Path
from typing import Any

import numpy as np

from dpspectra.symbolic import torch_tensors
from dpspectra.symbolic.noisy_numbers import Noisy
from dpspectra.symbolic.number_kinds import of_kind
from dpspectra.symbolic.rounded_noise import whole_part
from dpspectra.symbolic.tape import PLAIN, current, following

MAKERS = frozenset(
    ["astype", "array", "asarray", "zeros", "ones", "empty", "full", "arange", "zeros_like", "ones_like", "full_like"]
)
"""Functions and methods of numpy that are given the type of entries."""
GIVEN = frozenset(("isinstance", "map"))
"""Functions of Python that may be given the type."""
_WORDS = (
    "globals vars locals dir eval exec compile __dict__ __builtins__ builtins inspect __globals__ __annotations__ "
    "get_type_hints get_annotations _getframe f_globals __import__ gc ctypes getattr_static"
)
TELLING = re.compile(rf"\b({'|'.join(_WORDS.split())})\b")
"""Words of modules that could look at what their names stand for."""


class _Kind(type):
    """Kind of the stand-ins: a number that holds noise is converted with it, and all else is as the real type does."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        real = cls.__mro__[1]
        if len(args) == 1 and type(args[0]) in torch_tensors.kinds() and args[0].numel() == 1:
            args = (args[0].item(),)
        if len(args) == 1 and not options and type(args[0]) is Noisy and not args[0].ndim:
            return whole_part(args[0]) if real is int else of_kind(args[0].copy(), False, True)
        return real(*args, **options)

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, cls.__mro__[1])

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, cls.__mro__[1])

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.__mro__[1]

    def __hash__(cls) -> int:
        return hash(cls.__mro__[1])


class FollowedInt(int, metaclass=_Kind):
    """Stand-in for `int`."""

    dtype = np.dtype(int)  # by which numpy knows it


class FollowedFloat(float, metaclass=_Kind):
    """Stand-in for `float`."""

    dtype = np.dtype(float)


STAND_INS: dict[str, type] = {"int": FollowedInt, "float": FollowedFloat}
for _name, _kind in STAND_INS.items():
    _kind.__name__, _kind.__qualname__, _kind.__module__ = _name, _name, "builtins"


def is_lent(name: str, names: dict[str, Any], code: Any) -> bool:
    """Whether a module whose code says ``int`` or ``float`` may be lent the stand-in now."""
    if not following() or current().mode == PLAIN or current().at_once:
        return False
    file = code.co_filename
    return names.get("__file__") == file and not GIVEN & names.keys() and _only_converts(file, name, _Code(code))


class _Code:
    """Code, with what of it must be found in a source."""

    def __init__(self, code: Any) -> None:
        self.code = code

    def __hash__(self) -> int:
        return hash((self.code.co_name, self.code.co_firstlineno, self.code.co_code))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Code) and self.code == other.code


@functools.lru_cache(maxsize=1024)
def _only_converts(file: str, name: str, code: _Code) -> bool:
    found = _source(file)
    return found is not None and code in found[1] and _converts(found[0], name)


@functools.lru_cache(maxsize=64)
def _source(file: str) -> tuple[ast.Module, frozenset[_Code]] | None:
    """Return what a source says, and its code; ``None`` if it cannot be read, or could look at its own names."""
    try:
        text = Path(file).read_text(encoding="utf-8")
        tree = ast.parse(text)
        whole = compile(text, file, "exec", dont_inherit=True)
    except (OSError, ValueError, SyntaxError):
        return None
    return None if TELLING.search(text) else (tree, frozenset(map(_Code, _within(whole))))


def _within(code: Any) -> list[Any]:
    return [code, *(inner for c in code.co_consts if isinstance(c, type(code)) for inner in _within(c))]


def _converts(tree: ast.Module, name: str) -> bool:
    """Whether a module only converts by a name, asks `isinstance`, says types of arrays or options, and annotates."""
    fine: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            if node.func.id == name and len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
                fine.add(id(node.func))
            if node.func.id == "isinstance" and len(node.args) == 2:
                kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
                fine.update(map(id, kinds))
            if node.func.id == "map" and len(node.args) == 2:
                fine.add(id(node.args[0]))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MAKERS:
            fine.update(map(id, [*node.args, *(k.value for k in node.keywords if k.arg == "dtype")]))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            fine.update(id(k.value) for k in node.keywords if k.arg == "type")
        for field in ("annotation", "returns"):
            if isinstance(getattr(node, field, None), ast.AST):
                fine.update(map(id, ast.walk(getattr(node, field))))
    asking = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return not any(
        (name in _names(node) and id(node) not in fine) or (GIVEN & _names(node) and id(node) not in asking)
        for node in ast.walk(tree)
    )


def _names(node: ast.AST) -> set[Any]:
    """Return the names that a node uses or binds, in whatever way."""
    if isinstance(node, ast.alias):
        return {node.asname or node.name} if node.name != "*" else {"int", "float"}
    if isinstance(node, (ast.Attribute, ast.keyword)):
        return set()
    found = [v for _, v in ast.iter_fields(node)]
    return {v for value in found for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)}


__all__ = ["STAND_INS", "FollowedFloat", "FollowedInt", "is_lent"]
