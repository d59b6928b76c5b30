"""The command ``release``: no row is lost, nothing is overwritten unasked or left half-written."""

import hashlib
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpspectra.cli import run
from dpspectra.commands import tables
from dpspectra.report import files
from tests.support.files import LAPLACE, X, contents, refused, release


def whole(out="r.npy"):
    """Whether a release and its claim belong together, as the README tells a reader to find out."""
    claim = json.loads(Path(f"{out}.claim.json").read_text(encoding="utf-8"))
    return hashlib.sha256(Path(out).read_bytes()).hexdigest() == claim["sha256"]


# ---------------------------------------------------------------- what is written


def test_it_says_how_many_rows_it_read(here, capsys):
    assert release("x.npy") == 0
    assert capsys.readouterr().out.startswith("x.npy: 3 rows of 2 numbers\nr.npy: shape [2, 2], epsilon 1")
    assert release("x.npy", "--json", out="s.csv") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["columns"]) == (3, 2)
    assert told["claim"] == json.loads((here / "s.csv.claim.json").read_text(encoding="utf-8"))
    assert whole()
    assert whole("s.csv")


def test_folders_are_made(here, capsys):
    assert release("x.npy", out="new/folder/r.npy") == 0
    assert contents("new/folder").keys() == {"r.npy", "r.npy.claim.json"}
    capsys.readouterr()
    refused(capsys, "an output must lie in a folder that can be written to, got", "x.npy", out="x.npy/r.npy")


@pytest.mark.parametrize("out", ["r.npy", "r.npz", "r.csv"])
def test_the_value_is_read_back(here, out):
    assert release("x.npy", out=out) == 0
    value = tables.read_table(here / out)
    assert value.shape == (2, 2)
    np.testing.assert_array_equal(value, value.T)


# ---------------------------------------------------------------- nothing is overwritten


def test_the_data_are_never_overwritten(here, capsys):
    (here / "folder").mkdir()
    (here / "folder" / "back").symlink_to(here)
    (here / "link.npy").symlink_to("x.npy")
    (here / "hard.npy").hardlink_to("x.npy")
    (here / "r.npy.claim.json").symlink_to("x.npy")
    for out in ("x.npy", here / "x.npy", "folder/../x.npy", "folder/back/x.npy", "link.npy", "hard.npy", "r.npy"):
        refused(capsys, "the output must not be the data file", "x.npy", "--force", out=out)
    refused(capsys, "the output must not be the data file", "link.npy", "--force", out="x.npy")


@pytest.mark.parametrize("old", ["r.npy", "r.npy.claim.json"])
def test_what_exists_is_replaced_only_if_asked(here, capsys, old):
    (here / old).write_text("old", encoding="utf-8")
    refused(capsys, f"the output must be new, got {old}, which exists: say --force", "x.npy")
    assert release("x.npy", "--force") == 0
    assert whole()


def test_a_dangling_link_exists(here, capsys):
    (here / "r.npy").symlink_to("nowhere.npy")
    refused(capsys, "the output must be new", "x.npy")


class Stop(BaseException):
    """Stands for whatever ends a process in the middle."""


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), Stop()], ids=["full", "stopped"])
@pytest.mark.parametrize("renames", [0, 1])
def test_a_failure_leaves_the_old_pair_or_none(here, capsys, monkeypatch, old, problem, renames):
    if old:
        assert release("x.npy") == 0
    before, replace, calls = contents(), os.replace, itertools.count()

    def failing(source, target):
        if next(calls) == renames:
            raise problem
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    if isinstance(problem, OSError):
        assert release("x.npy", "--force") == 2
        assert "No space left" in capsys.readouterr().err
    else:
        with pytest.raises(Stop):
            release("x.npy", "--force")
    assert contents() == before


@pytest.mark.parametrize("renames", [0, 1, 2])
def test_a_process_that_dies_leaves_a_pair_that_can_be_told(here, renames):
    """At most the claim is old: the digest in it says so."""
    assert release("x.npy") == 0
    before = contents()
    code = (
        "import itertools, os, sys\nfrom dpspectra.cli import run\nreplace, calls = os.replace, itertools.count(1)\n"
        f"def dying(*paths):\n    if next(calls) > {renames}:\n        os._exit(9)\n    replace(*paths)\n"
        "os.replace = dying\nsys.exit(run(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "release", "x.npy", *LAPLACE, "--out", "r.npy", "--force"]
    assert subprocess.run(command, capture_output=True).returncode == (9 if renames < 2 else 0)
    changed = {name for name, content in contents().items() if before.get(name) != content}
    assert changed == [set(), {"r.npy"}, {"r.npy", "r.npy.claim.json"}][renames]
    assert whole() == (renames != 1)


def test_files_are_on_the_disk_before_they_get_their_names(here, monkeypatch):
    events, fsync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (events.append("sync"), fsync(file)))
    monkeypatch.setattr(os, "replace", lambda *paths: (events.append(paths[1].name), replace(*paths)))
    assert release("x.npy") == 0
    assert events == ["sync", "sync", "r.npy", "sync", "r.npy.claim.json", "sync"]


def test_a_failure_while_writing_leaves_the_old_release_alone(here, monkeypatch, capsys):
    assert release("x.npy", "--force") == 0
    before = contents()

    def full(file, value):
        file.write(b"half")
        raise OSError(28, "No space left on device", "r.npy")

    monkeypatch.setitem(files.WRITERS, ".npy", full)
    assert release("x.npy", "--force") == 2
    assert "No space left" in capsys.readouterr().err
    assert contents() == before


def test_good_files_of_every_type_give_a_release_and_a_claim(here, capsys):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"a": [0.5, 0.1], "b": [0.0, 0.2]}), "x.parquet")
    np.savez("x.npz", a=X)
    Path("x.csv").write_text("a,b\n0.5,0.5\n0.25,0\n", encoding="utf-8")
    for name in ("x.npy", "x.npz", "x.csv", "x.parquet"):
        for out in ("r.npy", "r.npz", "r.csv"):
            assert release(name, "--force", out=out) == 0
            claim = json.loads(Path(f"{out}.claim.json").read_text(encoding="utf-8"))
            assert claim["epsilon"] == 1.0
            assert claim["mechanism"] == "laplace_covariance"
    assert np.load("r.npy").shape == (2, 2)
    assert np.loadtxt("r.csv", delimiter=",").shape == (2, 2)
    capsys.readouterr()


def test_clipping_is_asked_for(here, capsys):
    Path("long.csv").write_text("3,4\n", encoding="utf-8")
    assert release("long.csv", "--clip", "--json") == 0
    assert json.loads(capsys.readouterr().out)["claim"]["rows_clipped"] is True


# ---------------------------------------------------------------- other commands


@pytest.mark.parametrize(
    "words",
    [
        ("demo", "--out", "x.npy/report"),
        ("vectors", "--out", "x.npy/v.json"),
        ("bounds", "--d", "3", "--k", "1", "--lambda1", "3", "--epsilon", "1", "--plot", "x.npy/p.svg"),
        ("attack", "--bits", "8", "--k", "1", "--plot", "x.npy/p.svg"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_looks_at_its_output_first(here, capsys, monkeypatch, words):
    for work in ("demo.digits", "vectors._vector", "bounds._bounds", "attack.attacks"):
        monkeypatch.setattr(f"dpspectra.commands.{work}", lambda *arguments: pytest.fail("work was done"))
    assert run(words) == 2
    assert "an output must lie in a folder that can be written to" in capsys.readouterr().err
    assert contents().keys() == {"x.npy"}
