"""Bad command lines: exit status 2, one line that says why, nothing is drawn and nothing is written.

The table is `tests.support.bad_commands`; a command or an option without a row fails the test.
"""

import importlib
import multiprocessing.process  # noqa: F401 - it makes a key when it is imported first
import re
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest

from tests.support.bad_commands import COMMANDS, ELSEWHERE, FILES, FINE, GOOD, KINDS, TOYS, bad, commands, run, values

SAID = r"must|expected|invalid|No such file|Is a directory|needs|Not a directory|takes no"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad_commands")
    for name, text in FILES.items() | {("toy_calls.py", TOYS)}:
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("folder.svg", "folder.npy"):
        (folder / name).mkdir()
    half = np.full((4, 2), 0.5)
    np.save(folder / "good.npy", half)
    np.save(folder / "data.npy", np.full((4, 3), 0.5))
    np.savez(folder / "two.npz", a=half, b=half)
    np.savez(folder / "nan.npz", first=np.array([np.nan]), second=np.array([1.0]))
    np.savez(folder / "text.npz", first=np.array(["a"]), second=np.array(["b"]))
    np.savez(folder / "objects.npz", first=np.array([{}]), second=np.array([1.0]))
    np.savez(folder / "one.npz", np.ones(2))
    np.save(folder / "objects.npy", np.array([{}]))
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.syspath_prepend(folder)
    monkeypatch.chdir(folder)
    yield folder
    sys.modules.pop("toy_calls", None)


def refused(words, capsys, folder):
    """Run a command that must be refused, and return the line that says why."""
    before = sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    try:
        status: Any = run(words)
    except SystemExit as stop:
        status = stop.code
    printed = capsys.readouterr()
    assert status == 2, words
    assert printed.out == "", words
    lines = printed.err.splitlines()
    assert lines[-1].startswith(("dpspectra", "python -m tools.")), (words, lines)
    assert len(lines) == 1 or (lines[0].startswith("usage: ") and ": error: " in lines[-1]), (words, lines)
    assert "Traceback" not in printed.err
    assert sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts) == before, words
    return lines[-1]


@pytest.mark.parametrize(("words", "text"), COMMANDS, ids=[" ".join(words) for words, _ in COMMANDS])
def test_a_command_is_refused(here, capsys, words, text):
    assert text in refused(words, capsys, here)
    assert getattr(sys.modules.get("toy_calls"), "CALLS", []) == []


def test_every_command_and_option_has_a_row():
    assert set(commands()) == set(GOOD) | ELSEWHERE
    for command in GOOD:
        assert {a.dest for a in values(command)} - {"header", "json"} == set(KINDS[command])
    assert len(list(bad())) >= 300


@pytest.mark.parametrize("command", GOOD)
def test_bad_options_are_refused(here, capsys, monkeypatch, command):
    monkeypatch.setattr("os.urandom", lambda count: pytest.fail("randomness was spent"))
    importlib.import_module("dpspectra.commands.demo")  # what it imports takes longer than any refusal
    for owner, action, text, line in bad():
        if owner == command and (command, action.dest, text) not in FINE:
            start = time.process_time()
            said = refused(line, capsys, here)
            assert time.process_time() - start < 1, line
            assert len(said) < 400, (line, said)
            assert re.search(SAID, said), (line, said)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nothing"],
        ["paper", "ABC"],
        ["verify", "--examples", "0"],
        ["release"],
        ["release", "x.npy", "--epsilon", "e"],
    ],
)
def test_bad_usage_exits_2(arguments):
    result = subprocess.run(
        [sys.executable, "-c", "from dpspectra.cli import main; main()", *arguments], capture_output=True, text=True
    )
    assert result.returncode == 2
    assert "usage" in result.stderr
