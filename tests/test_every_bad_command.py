"""Bad values for every option of every command: exit status 2, one line that says why, and nothing is written."""

import argparse
import importlib
import re
import time
from typing import Any

import numpy as np
import pytest

from dpspectra.cli import parser, run

NO_FLOAT = ["a", "", "1,5", "one", "0x1p3", "1e", "[1]"]
NO_COUNT = ["0", "-1", "1.5", "a", "", "²", "nan", "1e3", "True"]
NO_SEED = ["-1", "1.5", "a", "", "nan", "None"]
BAD = {
    "positive": ["0", "-1", "nan", "inf", "-inf", *NO_FLOAT],
    "probability": ["1", "-0.1", "2", "nan", "inf", *NO_FLOAT],
    "count": NO_COUNT,
    "rank": ["99", *NO_COUNT],
    "seed": NO_SEED,
    "word": ["nothing", "", "REPLACE", "1"],
    "title": ["", " a", "$a$", "a\nb", "`a`", "a | b", "<b>", 'a "b"', "a" * 81],
    "output": [".", "data.npy/x", "folder.svg", "no.txt"],
    "file": [".", "data.npy/x", "folder.svg"],
    "folder": ["data.npy", "data.npy/x"],
    "data": ["absent.npy", "no.txt", ".", "broken.npy", "broken.npz", "broken.csv", "objects.npy", "long.csv", ""],
}
"""Texts that an option of this kind must not be given."""
GOOD = {
    "demo": [],
    "verify": ["HP-D2.1"],
    "show": ["HP-D2.1"],
    "paper": ["HP"],
    "release": ["data.npy", "--mechanism", "private_pca", "--epsilon", "1", "--k", "1", "--out", "new.npy"],
    "advise": ["pca", "--d", "4", "--k", "2", "--n", "100", "--epsilon", "1"],
    "bounds": ["--d", "4", "--k", "2", "--lambda1", "5", "--epsilon", "1"],
    "vectors": ["--out", "new.json"],
    "completion": ["bash"],
    "new": ["DPS-TRIAL", "--chapter", "orbit"],
    "mutate": ["HP-D2.1", "--rooms", "mechanisms"],
    "attack": ["--bits", "8", "--k", "2"],
}
"""Arguments with which a command would run."""
KINDS = {
    "demo": {"out": "folder", "seed": "seed"},
    "verify": {"names": "word", "paper": "word", "examples": "count", "jobs": "count", "seed": "seed"},
    "show": {"label": "word"},
    "paper": {"key": "word"},
    "release": {
        **{"data": "data", "mechanism": "word", "epsilon": "positive", "delta": "probability", "k": "rank"},
        **{"norm_bound": "positive", "out": "output"},
    },
    "advise": {
        **{"goal": "word", "d": "count", "k": "rank", "n": "count", "epsilon": "positive", "delta": "probability"},
        **{"norm_bound": "positive", "relation": "word", "spectrum": "positive", "plot": "output"},
    },
    "bounds": {
        **{"d": "count", "k": "rank", "lambda1": "positive", "eigenvalues": "positive", "epsilon": "positive"},
        **{"relation": "word", "beta": "probability", "field": "word", "plot": "output"},
    },
    "vectors": {"out": "file"},
    "completion": {"shell": "word"},
    "new": {
        **{"label": "word", "chapter": "word", "title": "title", "number": "title", "kind": "word"},
        **{"verdict": "word"},
    },
    "mutate": {
        **{"names": "word", "rooms": "word", "number": "count", "seed": "seed", "jobs": "count"},
        **{"tests": "folder"},
    },
    "attack": {
        **{"bits": "count", "k": "count", "epsilon": "positive", "delta": "probability", "seed": "seed"},
        **{"plot": "output"},
    },
}
"""What the options of a command take."""
ELSEWHERE = {"audit", "conform"}
"""Commands whose bad options are in tests/test_bad_calls.py."""
FINE = {
    ("release", "data", ""): "the folder itself, as '.', which has no such ending",
    ("bounds", "lambda1", "0"): "an eigenvalue may be 0",
    ("bounds", "eigenvalues", "0"): "an eigenvalue may be 0",
}


def commands():
    """The commands, by name."""
    return next(a for a in parser()._actions if isinstance(a, argparse._SubParsersAction)).choices


def values(command):
    """The actions of a command that take a value."""
    return [a for a in commands()[command]._actions if a.nargs != 0 and a.help != argparse.SUPPRESS]


def bad():
    """Words of a command line in which one value is bad."""
    for command, good in GOOD.items():
        for action in values(command):
            for text in BAD[KINDS[command].get(action.dest, "count")]:
                yield command, action, text, [command, *words(action, good, text)]


def words(action, good, text):
    """Good arguments with one value in the place of what was there."""
    if not action.option_strings:
        return [text, *good[1:]]
    option = action.option_strings[0]
    rest = list(good)
    for name in {option} | ({"--lambda1"} if option == "--eigenvalues" else set()):
        if name in rest:
            del rest[rest.index(name) : rest.index(name) + 2]
    return [*rest, f"{option}={text}"]


def test_every_command_and_option_has_a_row():
    assert set(commands()) == set(GOOD) | ELSEWHERE
    for command in GOOD:
        assert {a.dest for a in values(command)} - {"header"} == set(KINDS[command])
    assert len(list(bad())) >= 300


@pytest.fixture
def folder(tmp_path, monkeypatch):
    np.save(tmp_path / "data.npy", np.full((4, 3), 0.5))
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    for name in ("broken.npy", "broken.npz", "broken.csv", "no.txt"):
        (tmp_path / name).write_text('"not, this')
    (tmp_path / "long.csv").write_text("3,4,0\n")
    (tmp_path / "folder.svg").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", GOOD)
def test_bad_options_are_refused(folder, capsys, monkeypatch, command):
    monkeypatch.setattr("os.urandom", lambda count: pytest.fail("randomness was spent"))
    importlib.import_module("dpspectra.commands.demo")  # what it imports takes longer than any refusal
    importlib.import_module("dpspectra.mutation.command")
    before = sorted(folder.rglob("*"))
    for owner, action, text, line in bad():
        if owner != command or (command, action.dest, text) in FINE:
            continue
        start = time.process_time()
        try:
            status: Any = run(line)
        except SystemExit as stop:
            status = stop.code
        printed = capsys.readouterr()
        assert status == 2, line
        assert time.process_time() - start < 1, line
        assert printed.out == "", line
        lines = printed.err.splitlines()
        assert lines[-1].startswith("dpspectra"), (line, lines)
        assert len(lines) == 1 or lines[0].startswith("usage: "), (line, lines)
        assert len(lines[-1]) < 400, (line, lines)
        said = r"must|expected|invalid|No such file|Is a directory|needs|Not a directory|takes no"
        assert re.search(said, lines[-1]), (line, lines)
        assert sorted(folder.rglob("*")) == before, line
