"""``--json`` means one thing in all commands: a file, or ``-`` for standard output in place of the text."""

import json
import pathlib

import numpy as np
import pytest

from dpspectra import cli
from dpspectra.report import command_output
from tests.support.bad_commands import commands

WITHOUT = {"vectors"}
"""Commands whose one product is a file."""
LINES = {
    "verify": "HP-D2.1 --examples 1",
    "show": "HP-D2.1",
    "paper": "HR",
    "release": "rows.npy --mechanism private_pca --k 1 --epsilon 1 --out r.npy --force",
    "check": "rows.npy --clip",
    "claim": "released.npy",
    "denoise": "released.npy --out d.npy --force",
    "budget": "show budget",
    "convert": "rho --epsilon 1",
    "advise": "pca --d 4 --k 2 --n 100 --epsilon 1",
    "bounds": "--d 4 --k 2 --lambda1 5 --epsilon 1",
    "museum": "fixed_seed",
    "audit": "dpspectra.audit.specimens:wishart_one_sided --epsilon 1 --draws 200",
    "conform": "bingham dpspectra.audit.specimens:bingham_inverted --at [[2,0],[0,1]] --draws 200",
}
"""A line of each command that runs in a second."""
SLOW = {"demo", "new", "mutate"}
"""Commands that take minutes, or write into a checkout; their own tests have them."""


def test_the_option_is_the_same_in_all_commands():
    options = {name: sub._option_string_actions.get("--json") for name, sub in commands().items()}
    assert {name for name, option in options.items() if option is None} == WITHOUT
    assert {(o.type, o.metavar, o.help, o.nargs) for o in options.values() if o} == {
        (pathlib.Path, "FILE", "write JSON, too; - prints it in place of the text", None)
    }
    assert LINES.keys() | SLOW | WITHOUT == options.keys()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    np.save(folder / "rows.npy", np.full((20, 2), 0.5))
    rows, out = str(folder / "rows.npy"), str(folder / "released.npy")
    assert cli.run(["release", rows, "--mechanism", "laplace_covariance", "--epsilon", "1", "--out", out]) == 0
    assert cli.run(["budget", "new", str(folder / "budget"), "--epsilon", "1"]) == 0
    return folder


@pytest.mark.parametrize("name", LINES)
def test_json_goes_to_a_file_or_takes_the_place_of_the_text(folder, monkeypatch, capsys, name):
    monkeypatch.chdir(folder)
    line = [name, *LINES[name].split()]
    status = cli.run([*line, "--json", f"{name}.json"])
    assert status in (0, 1, 3)
    text = capsys.readouterr().out
    with pytest.raises(ValueError, match=r"Expecting value|Extra data"):
        json.loads(text)
    assert cli.run([*line, "--json", "-"]) == status
    printed = json.loads(capsys.readouterr().out)
    written = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    assert type(printed) is type(written)
    assert list(printed) == list(written) if isinstance(printed, dict) else len(printed) == len(written)
    assert not (folder / "-").exists()


def test_nothing_is_made_that_is_not_wanted(capsys):
    command_output.put(None, lambda: pytest.fail("made"))
    command_output.say(None, "text")
    assert capsys.readouterr().out == "text\n"
