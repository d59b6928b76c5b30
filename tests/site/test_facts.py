"""Facts are kept until what they depend on changes, and files of pages change only where their texts do."""

import json
import os

import pytest

from atlas import facts, files

COUNTED = ("package/module.py", "package/data.json", "coq/proof.v", "site/conf.py", "site/guides/table.csv")


@pytest.fixture
def project(monkeypatch, tmp_path):
    """A project of a few files; what is hashed is hashed anew each time."""
    folders = {"SOURCES": "package", "COQ": "coq", "SITE": "site"}
    for name in (*COUNTED, "site/guides/page.md", "package/__pycache__/module.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("old")
    for name, folder in folders.items():
        monkeypatch.setattr(facts, name, tmp_path / folder)
    monkeypatch.setattr(facts, "fingerprint", facts.fingerprint.__wrapped__)
    return tmp_path


@pytest.mark.parametrize("name", COUNTED)
def test_another_source_is_another_fingerprint(project, name):
    before = facts.fingerprint()
    assert facts.fingerprint() == before
    (project / name).write_text("new")
    changed = facts.fingerprint()
    (project / name).rename(project / f"{name}.{name[-1]}")
    assert len({before, changed, facts.fingerprint()}) == 3


@pytest.mark.parametrize("name", ["site/guides/page.md", "package/__pycache__/module.pyc"])
def test_texts_of_pages_are_read_each_time_and_are_no_source(project, name):
    before = facts.fingerprint()
    (project / name).write_text("new")
    assert facts.fingerprint() == before


def test_another_version_of_a_library_is_another_fingerprint(project, monkeypatch):
    before = facts.fingerprint()
    monkeypatch.setattr(facts, "distributions", lambda: [])
    assert facts.fingerprint() != before


def test_facts_are_computed_where_none_of_these_sources_are_kept(project, monkeypatch):
    names = ["a"]
    monkeypatch.setattr(facts, "PARTS", {"upper": (str.upper, lambda: names), "title": (str.title, lambda: ["bc"])})
    store = project / "store"
    assert facts._parts(store) == {"upper": {"a": "A"}, "title": {"bc": "Bc"}}
    names.append("b")
    assert facts._parts(store)["upper"] == {"a": "A"}, "kept"
    (project / "coq" / "proof.v").write_text("new")
    assert facts._parts(store)["upper"] == {"a": "A", "b": "B"}
    assert json.loads((store / "upper.json").read_text())["sources"] == facts.fingerprint()
    assert {path.suffix for path in store.iterdir()} == {".json"}


def test_without_a_run_there_are_no_reports_but_those_at_hand(project, monkeypatch):
    monkeypatch.setattr(facts, "_parts", lambda store: {"described": {}, "faults": {}, "plays": {}})
    monkeypatch.setattr(facts, "mechanisms", dict)
    monkeypatch.setattr(facts, "_verify_all", lambda: [{"label": "X"}])
    assert facts.gather(project / "store", run=False) == ({}, {}, [], {})
    assert facts.gather(project / "store", run=True)[1] == {"X": {"label": "X"}}
    monkeypatch.setattr(facts, "_verify_all", None)
    assert facts.gather(project / "store", run=False)[1] == {"X": {"label": "X"}}


def test_only_a_page_that_changed_is_written(tmp_path):
    texts = {"a.md": "a", "b/c.md": "c"}
    files.write_all(tmp_path, texts | {"gone.md": "x"})
    for path in tmp_path.rglob("*.md"):
        os.utime(path, (1, 1))
    files.write_all(tmp_path, texts | {"b/c.md": "new"})
    found = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*.md")}
    assert {name: path.read_text() for name, path in found.items()} == {"a.md": "a", "b/c.md": "new"}
    assert {name: path.stat().st_mtime == 1 for name, path in found.items()} == {"a.md": True, "b/c.md": False}


def test_what_was_made_of_other_sources_is_removed(tmp_path):
    def left(sources):
        files.drop_old(tmp_path, sources, ["made"])
        found = (tmp_path / "made").exists()
        files.write(tmp_path / "made" / "page", "")
        return found

    files.write(tmp_path / "made" / "page", "of sources that nobody noted")
    assert [left(sources) for sources in ("one", "one", "two", "two", "one")] == [False, True, False, True, False]
