"""What a missing optional library is told as: one wording, which names the extra."""

import re
import sys
import tomllib

import pytest

from dpspectra.ground import extras
from tests.support.helpers import ROOT

SOURCES = {path: path.read_text(encoding="utf-8") for path in (ROOT / "reference").rglob("*.py")}


def test_a_library_that_is_there_is_loaded():
    assert extras.load("json.decoder", "none", "tests") is sys.modules["json.decoder"]


def test_a_library_that_is_missing_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"^plots need matplotlib: pip install 'dpspectra\[plot\]'$"):
        extras.load("matplotlib.figure", "plot", "plots")


def test_nothing_else_words_it():
    assert [path.name for path, text in SOURCES.items() if re.search(r"install '?dpspectra", text)] == ["extras.py"]


def test_every_extra_that_is_named_exists():
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = {extra for text in SOURCES.values() for extra in re.findall(r'extras\.load\("[\w.]+", "(\w+)"', text)}
    assert named
    assert named <= known.keys()
