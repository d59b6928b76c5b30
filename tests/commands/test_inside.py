import json

import pytest

from dpspectra.cli import parser, run
from dpspectra.commands.inside import _by_draws
from dpspectra.commands.trial_options import AuditRequest

TOYS = """
import os

import numpy as np

def unfollowed(x, rng):
    return float(np.sum(x)) + os.urandom(1)[0] / 256

def good(x, rng):
    return np.sum(x, axis=0) + rng.laplace(scale=2.0, size=2)

def bad(x, rng):
    return np.sum(x, axis=0) + rng.laplace(scale=0.5, size=2)

def looks(x, rng):
    return float(np.sum(x) + rng.laplace(scale=0.5)) ** 2
"""


@pytest.fixture
def toys(tmp_path, monkeypatch):
    (tmp_path / "toy_inside.py").write_text(TOYS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("name", "status", "word"), [("good", 0, "explained"), ("bad", 1, "refuted")])
def test_exit_status_and_report(toys, capsys, name, status, word):
    line = ["audit", f"toy_inside:{name}", "--epsilon", "1", "--inside", "--json", "r.json", "--html", "r.html"]
    assert run(line) == status
    said = capsys.readouterr().out
    assert f"1-DP is {word} on this pair" in said
    assert "toy_inside.py:" in said
    assert json.loads((toys / "r.json").read_text(encoding="utf-8"))["verdict"] == word
    page = (toys / "r.html").read_text(encoding="utf-8")
    assert f">{word}</span> on this pair" in page
    assert not [tag for tag in ("<script", "<link", "<img", "src=") if tag in page]


def test_what_is_not_decided_exits_with_3_or_is_audited_outside(toys, capsys):
    line = ["audit", "toy_inside:looks", "--epsilon", "1.9", "--inside"]
    assert run(line) == 3
    assert "not decided: noise is looked at before the output, at toy_inside.py:16" in capsys.readouterr().out
    assert run([*line, "--then-outside", "--draws", "20000"]) in (0, 1)
    assert "draws" in capsys.readouterr().out


def test_bits_of_the_running_program_are_asked_for(toys, capsys):
    line = ["audit", "toy_inside:good", "--epsilon", "1", "--inside", "--bits"]
    assert run(line) == 1
    assert "is a number that no draw gives, bit for bit, on the other data set" in capsys.readouterr().out


def test_the_next_step_is_a_command(toys, capsys):
    line = ["audit", "toy_inside:looks", "--epsilon", "1", "--delta", "0.01", "--inside", "--json", "r.json"]
    assert run(line) == 3
    step = "dpspectra audit toy_inside:looks --epsilon 1.0 --delta 0.01, or this command with --then-outside"
    assert f"next: audit its outputs by draws: {step}" in capsys.readouterr().out
    assert json.loads((toys / "r.json").read_text(encoding="utf-8"))["next"].endswith(step)
    words = step.split(",")[0].split()[1:]
    assert run([*words, "--draws", "2000"]) in (0, 1)
    capsys.readouterr()
    run([*line, "--then-outside", "--draws", "2000"])
    assert "next: audit its outputs by draws: this comes next" in capsys.readouterr().out


@pytest.mark.parametrize("claim", [("--epsilon", "1.5"), ("--mu", "1.5"), ("--rho", "1.5"), ("--renyi", "2.0", "1.5")])
def test_the_command_that_comes_next_has_the_claim(claim):
    given = ["audit", "toy_mechanisms:undecided", "--inside", *claim]
    request = AuditRequest.of(parser().parse_args(given))
    assert f"dpspectra audit m:f {' '.join(claim)}" in _by_draws("m:f", request)


def test_the_record_holds_what_decided_and_what_was_seen_inside(toys, capsys):
    line = ["audit", "toy_inside:unfollowed", "--epsilon", "1", "--inside", "--then-outside", "--draws", "4000"]
    assert run([*line, "--json", "r.json", "--html", "r.html"]) == 1
    saved = json.loads((toys / "r.json").read_text(encoding="utf-8"))
    assert (saved["verdict"], saved["confidence"]) == ("refuted", 0.9995)
    assert (saved["inside"]["verdict"], saved["inside"]["confidence"]) == ("undecided", 0.9995)
    assert ">refuted</span>" in (toys / "r.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert run(["audit", "--check", "r.json"]) == 1
    assert "counts give the verdict again" in capsys.readouterr().out
