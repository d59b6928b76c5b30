"""The path of a test names what it guards, so that nobody keeps a map from modules to tests."""

import ast
import re
from pathlib import Path

import pytest

from tests.support.helpers import ROOT

TESTS, PACKAGE = ROOT / "tests", ROOT / "reference" / "dpspectra"
ELSEWHERE = {"bench", "browser", "site", "whole"}
"""Folders of tests that guard no single room: of other folders of the repository, and of several rooms at once."""
FILES = sorted(path.relative_to(TESTS) for path in TESTS.rglob("*.py"))
GUARDS = [path for path in FILES if path.name.startswith("test_") and path.parts[0] not in ELSEWHERE]


def guarded(path: Path) -> list[Path]:
    """Where the module or folder may lie that a file of tests guards; a room's own name stands for all of it.

    It is in the package, or in `tools` beside it.
    """
    name = path.stem.removeprefix("test_")
    place = (ROOT if path.parts[0] == "tools" else PACKAGE) / path.parent
    return [
        place / f"{name}.py",
        place / name / "__init__.py",
        *([place / "__init__.py"] if name == place.name else []),
    ]


def exists(path: Path) -> bool:
    """Whether the package has the module or folder that a file of tests guards."""
    return any(home.is_file() for home in guarded(path))


def test_files_of_tests_name_what_they_guard():
    assert [path.as_posix() for path in GUARDS if not exists(path)] == []


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("audit/betting/test_wealth.py", True),
        ("audit/test_betting.py", True),
        ("lemmas/test_lemmas.py", True),
        ("tools/test_mutation.py", True),
        ("tools/test_wealth.py", False),
        ("audit/test_wealth.py", False),
        ("test_audit_doors.py", False),
    ],
)
def test_a_name_of_nothing_is_seen(path, found):
    assert exists(Path(path)) is found


def imported(path: Path) -> list[str]:
    """Modules of tests, other than support, that a file imports."""
    text = (TESTS / path).read_text(encoding="utf-8")
    found = list(ast.walk(ast.parse(text))) if re.search(r"\btests\.(?!support\.)", text) else []
    names = [node.module or "" for node in found if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in found if isinstance(node, ast.Import) for alias in node.names]
    return [name for name in names if name.startswith("tests.") and not name.startswith("tests.support.")]


def test_no_file_of_tests_imports_another():
    """What several need is in `tests.support`; else a file could not be moved or split freely."""
    assert {path.as_posix(): imported(path) for path in FILES if imported(path)} == {}


def test_tests_lie_in_files_of_tests():
    """Pytest collects nothing else; folders hold helpers only as `conftest.py`."""
    others = [path for path in FILES if not path.name.startswith("test_") and path.parts[0] != "support"]
    assert {path.name for path in others} <= {"__init__.py", "conftest.py"}
