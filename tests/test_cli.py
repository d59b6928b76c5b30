"""The commands, as a person or a script uses them."""

import json
import logging
import subprocess
import sys

import numpy as np
import pytest

from dpspectra import cli
from dpspectra.cli import run
from dpspectra.ledger import labels
from tests.support.helpers import output


def test_verify_prints_a_line_a_label(capsys):
    text = output(capsys, "verify", "MWKTV-L8.2", "MWKTV-L6.1", "--examples", "5", "--challenge")
    assert "repaired   ok" in text
    assert "2 ok, 0 broken, 0 missing" in text
    assert max(map(len, text.splitlines())) <= 100


def test_verify_json_has_a_row_for_every_label_asked_for(capsys):
    rows = json.loads(output(capsys, "verify", "--paper", "HP", "--examples", "1", "--json", "-"))
    assert [row["label"] for row in rows] == [label.label for label in labels() if label.paper == "HP"]
    keys = {"label", "verdict", "ok", "cases", "vacuous", "closest", "seconds", "module", "note"}
    assert all(keys <= row.keys() for row in rows)


def test_a_shared_entry_is_listed_under_each_of_its_labels(capsys):
    rows = json.loads(output(capsys, "verify", "HR-T2.6", "HR-TA.1", "--examples", "3", "--json", "-"))
    assert [row["label"] for row in rows] == ["HR-T2.6", "HR-TA.1"]
    assert rows[0]["module"] == rows[1]["module"]


def test_processes_find_the_same(capsys):
    ask = ("verify", "MWKTV-L6.1", "MWKTV-L8.2", "HP-F1", "MWKTV-E20", "--examples", "3", "--json", "-")
    alone, together = (json.loads(output(capsys, *ask, *jobs)) for jobs in ((), ("--jobs", "2")))
    assert [row | {"seconds": 0} for row in alone] == [row | {"seconds": 0} for row in together]


def test_verify_exits_1_when_a_promise_is_broken(capsys, monkeypatch):
    from dpspectra.ledger import AtMost, get

    monkeypatch.setitem(get("MWKTV-E20").faces, "oracle", lambda pair: AtMost(2, 1))
    assert run(["verify", "MWKTV-E20", "--examples", "1"]) == 1
    assert "BROKEN" in capsys.readouterr().out


def test_show_tells_the_story_in_numbers(capsys):
    text = output(capsys, "show", "MWKTV-L8.2")
    for words in (
        "REPAIRED",
        "The printed form fails at\n    m = [[1.0, 0.0], [0.0, 0.5]]",
        "Certificate accepted",
        "Tight",
        "1.414213562373",
    ):
        assert words in text


def test_show_json_is_json(capsys):
    data = json.loads(output(capsys, "show", "MWKTV-L8.2", "--json", "-"))
    assert data["certificate"]["accepted"] is True
    assert data["verdict"] == "repaired"


def test_show_of_a_label_that_is_not_built_says_so(capsys):
    missing = [
        row["label"] for row in json.loads(output(capsys, "paper", "HP", "--json", "-")) if row["verdict"] == "missing"
    ]
    if missing:
        assert "missing" in output(capsys, "show", missing[0])


@pytest.mark.parametrize("paper", ["MWKTV", "JXZ", "HP", "HR", "AFTER", "DPS"])
def test_paper_lists_every_label_in_printed_order(capsys, paper):
    rows = json.loads(output(capsys, "paper", paper, "--json", "-"))
    assert [row["label"] for row in rows] == [label.label for label in labels() if label.paper == paper]
    text = output(capsys, "paper", paper)
    assert output(capsys, "paper", paper.lower()) == text
    assert all(row["label"] in text for row in rows)
    assert max(map(len, text.splitlines())) <= 110


X = np.array([[0.5, 0.25, 0.125], [0.125, 0.0, 0.0], [0.0, 0.5, 0.0]])


def asked(*words):
    """Run in the folder that holds X; what it prints as JSON."""
    np.save("rows.npy", X)
    return cli.run(["release", "rows.npy", "--out", "r.npy", "--force", "--epsilon", "1", "--json", "-", *words])


def test_the_package_runs():
    done = subprocess.run([sys.executable, "-m", "dpspectra", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("dpspectra ")


def test_verbose_tells_the_choice_and_the_time_and_no_data(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert asked("--mechanism", "auto", "--k", "1", "--verbose") == 0
    told = capsys.readouterr().err
    assert "dpspectra: mechanism private_pca: directions were asked for by --k\n" in told
    assert "private_pca by knorm_covariance: of covariances with this claim the one with the least noise" in told
    assert told.splitlines()[-1].startswith("dpspectra: release took ")
    assert "0.125" not in told
    assert asked("--mechanism", "auto") == 0
    assert capsys.readouterr().err == ""
    assert logging.getLogger("dpspectra").handlers == []


BASH = """
source "$1"; shift
COMP_WORDS=(dpspectra "$@"); COMP_CWORD=$#
_shtab_dpspectra
printf '%s\\n' "${COMPREPLY[@]}"
"""
TYPED = [
    (["re"], {"release"}),
    (["release", "x.npy", "--norm"], {"--norm-bound"}),
    (["release", "--json", "-", "--cl"], {"--clip"}),
    (["paper", ""], {"MWKTV", "JXZ", "HP", "HR", "AFTER", "DPS"}),
    (["advise", "pc"], {"pca"}),
]


def test_shtab_completes_commands_and_options(tmp_path):
    """The recipe of the guide "Install"."""
    shtab = pytest.importorskip("shtab")
    for shell in ("bash", "zsh", "tcsh"):
        text = shtab.complete(cli.parser(), shell)
        assert all(name in text for name in ("require-power", "challenge", "museum", "norm-bound", "bounds"))
    (tmp_path / "script").write_text(shtab.complete(cli.parser(), "bash"), encoding="utf-8")
    for words, expected in TYPED:
        done = subprocess.run(["bash", "-c", BASH, "bash", tmp_path / "script", *words], capture_output=True, text=True)
        assert done.stderr == ""
        assert set(done.stdout.split()) == expected


def test_show_draws_a_statement_and_refuses_one_without_a_picture(capsys, tmp_path):
    drawn = tmp_path / "profile.svg"
    assert "REFUTED" in output(capsys, "show", "JXZ-T4", "--plot", str(drawn))
    assert "Statement JXZ-T4 of" in drawn.read_text(encoding="utf-8")
    drawn.write_text("mine")
    assert run(["show", "JXZ-T4", "--plot", str(drawn)]) == 2
    said = capsys.readouterr()
    assert (said.out, drawn.read_text()) == ("", "mine")
    assert "the output must be new" in said.err
    assert output(capsys, "show", "JXZ-T4", "--force", "--plot", str(drawn)).startswith(f"picture: {drawn}\n")
    assert "<svg" in drawn.read_text()
    assert run(["show", "HP-D2.1", "--plot", str(tmp_path / "x.svg")]) == 2
    assert "of HP these have: HP-" in capsys.readouterr().err
    assert run(["show", "JXZ-T4", "--plot", str(tmp_path / "x.gif")]) == 2
    assert ".svg or .png or .pdf" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [drawn]
