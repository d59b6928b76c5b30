"""A text is written whole or not at all; several files are written together or not at all."""

import os
from pathlib import Path

import pytest

from dpspectra.report import files
from tests.support.files import contents


def test_a_text_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new").mkdir()
    files.write_text(tmp_path / "new" / "a.txt", "old")

    def failing(*paths):
        raise OSError

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match=r"^$"):
        files.write_text(tmp_path / "new" / "a.txt", "new")
    assert contents("new").keys() == {"a.txt"}
    assert (tmp_path / "new" / "a.txt").read_text(encoding="utf-8") == "old"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "a" / "old.txt").write_text("before", encoding="utf-8")
    return tmp_path


def told(folder):
    """All that is below a folder, hidden names included."""
    return {str(path.relative_to(folder)): path.is_file() and path.read_text("utf-8") for path in folder.rglob("*")}


def test_files_of_several_folders_are_written(folder):
    files.write_texts({folder / "a" / "old.txt": "after", folder / "b" / "new.txt": "µ"})
    assert told(folder) == {"a": False, "b": False, "a/old.txt": "after", "b/new.txt": "µ"}


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_failure_leaves_all_files_as_they_were(folder, monkeypatch, failing):
    """The rename that fails is the first, the second or the third."""
    before, whole, calls = told(folder), Path.replace, []

    def replace(self, target):
        calls.append(target)
        if len(calls) == failing:
            raise OSError("no space")
        return whole(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    texts = {folder / "b" / "new.txt": "1", folder / "a" / "old.txt": "2", folder / "b" / "other.txt": "3"}
    with pytest.raises(OSError, match="no space"):
        files.write_texts(texts)
    assert told(folder) == before


def test_a_folder_that_is_not_there_leaves_nothing(folder):
    before = told(folder)
    with pytest.raises(FileNotFoundError):
        files.write_texts({folder / "a" / "old.txt": "1", folder / "c" / "new.txt": "2"})
    assert told(folder) == before
