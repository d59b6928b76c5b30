"""A pytest plugin that records which functions of the package each test enters, to choose the tests of a mutant.

Load it with ``-p tools.mutation.entered_functions`` and name a file with ``--entered``. A test also counts as entering
what its module entered while it was collected, what the shared fixtures that it uses entered when they were set up, and
what a remembered call entered when it was made.
"""

import ast
import functools
import importlib.abc
import importlib.machinery
import json
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dpspectra

HERE = str(Path(dpspectra.__file__).parent) + os.sep

Place = tuple[str, str]
"""A file, relative to the package, and the name of a function or class at its module level."""


class Recorder:
    """Functions entered since each of the starts that have not ended, the innermost last."""

    def __init__(self) -> None:
        self.open: list[set[Place]] = [set()]

    def note(self, place: Place) -> None:
        """Say that a function has been entered."""
        self.open[-1].add(place)

    def start(self) -> None:
        """Begin to note for something of its own."""
        self.open.append(set())

    def end(self) -> set[Place]:
        """Return the functions entered since the start that this ends; they count for starts around it too."""
        entered = self.open.pop()
        self.open[-1] |= entered
        return entered


RECORDER = Recorder()
REMEMBER = functools.lru_cache
NOTE = "__entered__"
"""Global name under which modules of the package find `Recorder.note`."""


class _Finder(importlib.abc.MetaPathFinder):
    """Has modules of the package report which of their functions are entered.

    A profiler would be told of every call in every library, which takes several times as long as the tests.
    """

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if not fullname.startswith("dpspectra."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a source as `reporting` makes it, never from compiled code."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        source = self.get_data(path)
        if b"import compiled" in source:  # its compiler knows no such function
            return compile(source, path, "exec", dont_inherit=True)
        tree = reporting(source, path.removeprefix(HERE).replace(os.sep, "/"))
        return compile(tree, path, "exec", dont_inherit=True)

    def exec_module(self, module: Any) -> None:
        setattr(module, NOTE, RECORDER.note)
        super().exec_module(module)


@REMEMBER
def compiled_elsewhere() -> frozenset[str]:
    """Return the names of functions that a module hands to the compiler, which knows no note, from another one."""
    sources = (path.read_text(encoding="utf-8") for path in Path(HERE).rglob("*.py"))
    return frozenset(name for source in sources for name in re.findall(r"= compiled\(\w+\.(\w+)\)", source))


def reporting(source: bytes | str, file: str) -> ast.Module:
    """Parse a source, and have each function in it say first that what holds it at module level is entered.

    Lines and docstrings stay where they are. Functions compiled elsewhere do not report.
    """
    tree = ast.parse(source)
    for outer in tree.body:
        if getattr(outer, "name", "") in compiled_elsewhere():
            continue
        for node in ast.walk(outer):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                name = getattr(outer, "name", "")
                first = int(ast.get_docstring(node, clean=False) is not None)
                note = ast.parse(f"{NOTE}({(file, name)!r})").body[0]
                for part in ast.walk(note):
                    ast.copy_location(part, node.body[0])
                node.body.insert(first, note)
    return tree


def remembering(maxsize: int | None = 128, typed: bool = False) -> Callable[..., Any]:
    """`functools.lru_cache`, except that a remembered call counts as entering what it entered when it was made."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def recorded(*arguments: Any, **options: Any) -> tuple[Any, set[Place]]:
            RECORDER.start()
            try:
                value = function(*arguments, **options)
            finally:
                entered = RECORDER.end()
            return value, entered

        kept = REMEMBER(maxsize, typed)(recorded)

        @functools.wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            value, entered = kept(*arguments, **options)
            RECORDER.open[-1] |= entered
            return value

        call.cache_clear, call.cache_info = kept.cache_clear, kept.cache_info  # type: ignore[attr-defined]
        return call

    if callable(maxsize):
        function, maxsize = maxsize, 128
        return decorate(function)
    return decorate


def pytest_addoption(parser: Any) -> None:
    """Add the option, and begin to record: before test modules and what they need are imported."""
    parser.addoption("--entered", type=Path, required=True, help="file for the record, in JSON")
    functools.lru_cache = remembering  # type: ignore[assignment]
    functools.cache = remembering(None)
    sys.meta_path.insert(0, _Finder())


def pytest_configure(config: Any) -> None:
    """Attend to collection and tests."""
    config.pluginmanager.register(_Hooks(config.getoption("entered"), config.rootpath))


class _Hooks:
    def __init__(self, path: Path, root: Path) -> None:
        self.path, self.root = path, root
        self.collected: dict[str, set[Place]] = {}
        self.fixtures: dict[Any, set[Place]] = defaultdict(set)
        self.tests: dict[str, dict[str, Any]] = {}
        self.started = 0.0

    def pytest_collectstart(self, collector: Any) -> None:
        RECORDER.start()

    def pytest_collectreport(self, report: Any) -> None:
        self.collected[report.nodeid] = RECORDER.end()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        RECORDER.start()
        self.started = time.monotonic()

    def pytest_runtest_call(self, item: Any) -> None:
        """Count a fixture that outlives its test as entering all that was entered until it was first set up."""
        shared = [d for name in item.fixturenames for d in item._fixtureinfo.name2fixturedefs.get(name, ())[-1:]]
        for fixture in shared:
            if fixture.scope != "function":
                if fixture not in self.fixtures:
                    self.fixtures[fixture] = set(RECORDER.open[-1])
                RECORDER.open[-1] |= self.fixtures[fixture]

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        entered = RECORDER.end() | self.collected.get(nodeid.split("::")[0], set())
        seconds = time.monotonic() - self.started
        self.tests[str(self.root / nodeid)] = {"seconds": seconds, "entered": sorted(entered)}

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(json.dumps(self.tests), encoding="utf-8")
