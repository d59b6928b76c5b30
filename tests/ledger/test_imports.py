"""What a module imports at whatever remove: also within functions, from folders that load late, by computed names."""

import subprocess
import sys

import pytest

from dpspectra.ledger import imports, report_cache
from dpspectra.ledger.registry import get

FILES = {
    "__init__.py": "",
    "a.py": "from dpspectra import b",
    "b.py": "def f():\n    from dpspectra.deep.c import x",
    "deep/__init__.py": "from . import e",
    "deep/c.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from dpspectra import unused",
    "deep/e.py": "import importlib\nimportlib.import_module('dpspectra.told')",
    "told.py": "import numpy",
    "unused.py": "",
    "late/__init__.py": "def __getattr__(name):\n    return {'x': 'g'}[name]",
    "late/g.py": "",
    "asks.py": "from dpspectra.late import x",
    "computed.py": "import importlib\nimportlib.import_module(__name__ + '')",
    "far.py": "import dpspectra.computed",
}


@pytest.mark.parametrize(
    ("module", "found"),
    [
        ("a", {"__init__.py", "a.py", "b.py", "deep/__init__.py", "deep/c.py", "deep/e.py", "told.py"}),
        ("asks", {"__init__.py", "asks.py", "late/__init__.py", "late/g.py"}),
        ("told", {"told.py"}),
        ("far", set(FILES)),
    ],
)
def test_all_that_can_be_imported_is_found(tmp_path, monkeypatch, module, found):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(imports, "HOME", tmp_path)
    for cached in (imports.everything, imports._imported, imports._lazy):
        cached.cache_clear()
    seen = {path.relative_to(tmp_path).as_posix() for path in imports.reached([f"dpspectra.{module}"])}
    for cached in (imports.everything, imports._imported, imports._lazy):
        cached.cache_clear()
    assert seen == found


def test_a_run_loads_nothing_that_its_key_leaves_out():
    """In a process that runs one entry alone."""
    label = "MWKTV-L8.2"
    program = (
        "import sys; from dpspectra.ledger.registry import get; from dpspectra.ledger.runner import examine; "
        f"assert examine(get({label!r}), 2).ok; print(*(name for name in sys.modules if name.startswith('dpspectra')))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    seen = imports.reached([report_cache.RUN, get(label).module])
    assert len(ran) > 20
    assert {name for name in ran if imports._file(name) not in seen} == set()
