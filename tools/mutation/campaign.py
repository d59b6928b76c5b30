"""Which faults to plant: in one face of an entry, in both at once, in helpers; in the modules of a room."""

import ast
import functools
import importlib
import inspect
import itertools
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import dpspectra
from dpspectra.ledger.entry import Statement
from dpspectra.ledger.registry import all_statements
from tools.mutation.edits import Edit, apply, edits
from tools.mutation.pieces import functions

PACKAGE = Path(dpspectra.__file__).parent
STANDING = ("fast", "oracle")
SHARED = (*STANDING, "formulas", "strategies")
"""Rooms of definitions and premises: statements look at their faults too."""
USERS = 4
"""Entries of other modules, at most, that look at a fault in a helper again."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A source with a fault, and what should notice."""

    path: Path
    """The source, relative to the package."""
    edits: tuple[Edit, ...]
    where: str
    """``fast``, ``oracle``, ``both faces``, ``helper`` of an entry, or a room."""
    labels: tuple[str, ...]
    """Entries whose verification should notice; empty for a room, whose tests should."""
    users: tuple[str, ...] = ()
    """Entries of other modules that use the function with the fault: for a second look, where it is shared."""

    def source(self, package: Path = PACKAGE) -> str:
        """Return the text of the package with the fault; the edits hold for the package from which they were drawn."""
        return apply((package / self.path).read_text(encoding="utf-8"), list(self.edits))

    def __str__(self) -> str:
        return f"{self.path}:{self.edits[0].line} ({self.where}) {self.edits[0]}"


def lemma_mutants(entries: Iterable[Statement], number: int, seed: int) -> list[Mutant]:
    """Return up to ``number`` mutants of the modules of these entries, drawn evenly over modules and kinds of place.

    All entries of a module should notice its faults, since they share its helpers.
    """
    asked, by_module = {entry.module for entry in entries}, defaultdict[str, list[Statement]](list)
    for entry in all_statements():
        if entry.module in asked:
            by_module[entry.module].append(entry)
    pools = [_of_source(module, here) for module, here in sorted(by_module.items())]
    return _dealt([pool for pools_of_one in pools for pool in pools_of_one if pool], number, seed)


def room_mutants(rooms: Iterable[str], number: int, seed: int) -> list[Mutant]:
    """Return up to ``number`` mutants of the modules of these rooms, drawn evenly over modules."""
    pools = []
    for room in rooms:
        place = PACKAGE / room
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]:
            here = path.relative_to(PACKAGE)
            pools.append([Mutant(here, (edit,), room, ()) for edit in _edits(path)])
    dealt = _dealt([pool for pool in pools if pool], number, seed)
    return [replace(m, users=_users(m.path, m.edits[0].function)) if m.path.parts[0] in SHARED else m for m in dealt]


@functools.cache
def _edits(path: Path) -> tuple[Edit, ...]:
    """Faults that can be planted in a source; finding them takes a tenth of a second for each."""
    return tuple(edits(path.read_text(encoding="utf-8")))


def _dealt(pools: list[list[Mutant]], number: int, seed: int) -> list[Mutant]:
    """Draw from the pools in turn, each shuffled, until there are enough."""
    rng = random.Random(seed)
    for pool in pools:
        rng.shuffle(pool)
    rng.shuffle(pools)
    out: list[Mutant] = []
    while len(out) < number and any(pools):
        for pool in pools:
            if pool and len(out) < number:
                out.append(pool.pop())
    return out


@functools.cache
def _users(path: Path, function: str) -> tuple[str, ...]:
    """Entries of other modules that use a function, or one of its source that reaches it: by its name, or its module's.

    A fault at module level concerns all functions of the source.
    """
    entries = all_statements()
    home = importlib.import_module(".".join([PACKAGE.name, *path.with_suffix("").parts]).removesuffix(".__init__"))
    calls = _calls(path)
    above = [
        name for name in dict.fromkeys([*calls, function]) if name and function in ("", *_reached(name, calls), name)
    ]
    above = list(dict.fromkeys(name.partition(".")[0] for name in above))
    things = [getattr(home, name) for name in above]
    attribute = re.compile(rf"\.({'|'.join(above)})\b")

    def uses(name: str) -> bool:
        values, file = list(vars(sys.modules[name]).values()), inspect.getfile(sys.modules[name])
        if any(value is thing for value in values for thing in things):
            return True
        return any(value is home for value in values) and bool(attribute.search(Path(file).read_text(encoding="utf-8")))

    return tuple(entry.id for entry in entries if entry.module != home.__name__ and uses(entry.module))[:USERS]


def _of_source(module: str, entries: list[Statement]) -> list[list[Mutant]]:
    """Mutants of one source of some entries by where they are: fast, oracle, both faces, helpers."""
    path = Path(inspect.getfile(sys.modules[module])).relative_to(PACKAGE)
    labels = tuple(entry.id for entry in entries)
    faces = {entry.faces[face].__qualname__: face for entry in entries for face in STANDING if face in entry.faces}
    others = {
        getattr(face, "__qualname__", "") for e in entries for name, face in e.faces.items() if name not in STANDING
    }
    pools: dict[str, list[Mutant]] = defaultdict(list)
    twins: dict[tuple[str, str], dict[str, list[Edit]]] = defaultdict(lambda: defaultdict(list))
    sides = _sides(path, entries)
    for edit in _edits(PACKAGE / path):
        for label, side in sides[edit.function]:
            twins[label, f"{edit.shape} -> {edit.kind}"][side].append(edit)
        if edit.function in faces:
            pools[faces[edit.function]].append(Mutant(path, (edit,), faces[edit.function], labels))
        elif edit.function and edit.function not in others:
            users = _users(path, edit.function)
            pools["helper"].append(Mutant(path, (edit,), "helper", labels, users))
    pairs = (zip(pair["fast"], pair["oracle"], strict=False) for pair in twins.values())
    for one, other in dict.fromkeys(itertools.chain.from_iterable(pairs)):
        pools["both faces"].append(Mutant(path, (one, other), "both faces", labels))
    return list(pools.values())


def _sides(path: Path, entries: list[Statement]) -> dict[str, list[tuple[str, str]]]:
    """Return, for each function of a source, the entries and faces that alone reach it, by calls within the source.

    So a bound that one face calls and the other has in line gets the same fault in both places.
    """
    named = _calls(path)
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for entry in entries:
        fast, oracle = (
            _reached(entry.faces[face].__qualname__, named) if face in entry.faces else set() for face in STANDING
        )
        for side, alone in (("fast", fast - oracle), ("oracle", oracle - fast)):
            for function in alone:
                found[function].append((entry.id, side))
    return found


@functools.cache
def _calls(path: Path) -> dict[str, set[str]]:
    """Return the names that each function of a source mentions; faces by their class, as in `pieces.functions`."""
    tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    return {name: set(_named(name, node)) for name, node in functions(tree) if isinstance(node, ast.FunctionDef)}


def _named(function: str, node: ast.AST) -> Iterator[str]:
    """Yield the names in a function; ``self.oracle`` is the oracle of its class, ``Weyl().oracle`` that of another."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Attribute):
            owner = ast.unparse(inner.value).removesuffix("()")
            yield f"{function.partition('.')[0] if owner == 'self' else owner}.{inner.attr}"


def _reached(start: str, named: dict[str, set[str]]) -> set[str]:
    """Return the functions that a function names, directly or through others of the source, with itself."""
    found, left = set[str](), [start]
    while left:
        if (function := left.pop()) in named and function not in found:
            found.add(function)
            left.extend(named[function])
    return found
