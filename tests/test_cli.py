"""The commands, as a person or a script uses them."""

import json
import re
import sys

import pytest

from dpspectra.cli import run
from dpspectra.ledger import labels


def output(capsys, *arguments, status=0):
    assert run(arguments) == status
    return capsys.readouterr().out


def test_verify_prints_a_line_a_label(capsys):
    text = output(capsys, "verify", "MWKTV-L8.2", "MWKTV-L6.1", "--examples", "5", "--challenge")
    assert "repaired   ok" in text
    assert "2 ok, 0 broken, 0 missing" in text
    assert max(map(len, text.splitlines())) <= 100


def test_verify_json_has_a_row_for_every_label_asked_for(capsys):
    rows = json.loads(output(capsys, "verify", "--paper", "HP", "--examples", "1", "--json"))
    assert [row["label"] for row in rows] == [label.label for label in labels() if label.paper == "HP"]
    keys = {"label", "verdict", "ok", "cases", "vacuous", "closest", "seconds", "module", "note"}
    assert all(keys <= row.keys() for row in rows)


def test_a_shared_entry_is_listed_under_each_of_its_labels(capsys):
    rows = json.loads(output(capsys, "verify", "HR-T2.6", "HR-TA.1", "--examples", "3", "--json"))
    assert [row["label"] for row in rows] == ["HR-T2.6", "HR-TA.1"]
    assert rows[0]["module"] == rows[1]["module"]


def test_processes_find_the_same(capsys):
    ask = ("verify", "MWKTV-L6.1", "MWKTV-L8.2", "HP-F1", "MWKTV-E20", "--examples", "3", "--json")
    alone, together = (json.loads(output(capsys, *ask, *jobs)) for jobs in ((), ("--jobs", "2")))
    assert [row | {"seconds": 0} for row in alone] == [row | {"seconds": 0} for row in together]


def test_verify_exits_1_when_a_promise_is_broken(capsys, monkeypatch):
    from dpspectra.ledger import AtMost, get

    monkeypatch.setitem(get("MWKTV-E20").faces, "oracle", lambda pair: AtMost(2, 1))
    assert run(["verify", "MWKTV-E20", "--examples", "1"]) == 1
    assert "BROKEN" in capsys.readouterr().out


def test_demo_does_the_main_job(capsys, monkeypatch, tmp_path):
    some = [label for label in labels() if label.label in ("JXZ-T4", "MWKTV-L6.1")]  # test_ledger goes through all
    monkeypatch.setattr("dpspectra.report.demo.labels", lambda: some)
    monkeypatch.setattr("dpspectra.report.demo.EPSILONS", (1.0,))
    monkeypatch.setattr("dpspectra.report.demo.DRAWS", 2)
    monkeypatch.setattr("dpspectra.report.demo.JOBS", 1)
    text = output(capsys, "demo", "--out", str(tmp_path / "report"), "--seed", "1")
    for words in ("gaussian_covariance", "0 broken", "JXZ-T4 is refuted", "not refuted", "REFUTED", "epsilon infinite"):
        assert words in text
    assert max(map(len, text.splitlines())) <= 100 + len(str(tmp_path))
    html = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 6, "five kinds of error, and the audits"
    assert not [word for word in ("<script", "<link", "<img") if word in html], "the page is self-contained"
    assert html.count("releasing zero") >= 5
    assert "none proved" not in html
    assert "Theorem 4: Wishart mechanism" in html
    assert '<meta name="viewport"' in html
    assert "DPS-TILT" in html
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(re.findall(r' id="([^"]+)"', html))
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["index.html"]


def test_demo_refuses_a_file_as_its_folder(capsys, tmp_path):
    (tmp_path / "report").write_text("")
    assert run(["demo", "--out", str(tmp_path / "report")]) == 2
    assert "must be a folder" in capsys.readouterr().err


def test_demo_asks_for_what_it_needs_before_the_work(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr("dpspectra.report.demo.digits", lambda: pytest.fail("work was done"))
    assert run(["demo", "--out", str(tmp_path / "report")]) == 2
    assert "dpspectra[plot]" in capsys.readouterr().err


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
    data = json.loads(output(capsys, "show", "MWKTV-L8.2", "--json"))
    assert data["certificate"]["accepted"] is True
    assert data["verdict"] == "repaired"


def test_show_of_a_label_that_is_not_built_says_so(capsys):
    missing = [
        row["label"] for row in json.loads(output(capsys, "paper", "HP", "--json")) if row["verdict"] == "missing"
    ]
    if missing:
        assert "missing" in output(capsys, "show", missing[0])


@pytest.mark.parametrize("paper", ["MWKTV", "JXZ", "HP", "HR", "DPS"])
def test_paper_lists_every_label_in_printed_order(capsys, paper):
    rows = json.loads(output(capsys, "paper", paper, "--json"))
    assert [row["label"] for row in rows] == [label.label for label in labels() if label.paper == paper]
    text = output(capsys, "paper", paper)
    assert all(row["label"] in text for row in rows)
    assert max(map(len, text.splitlines())) <= 110
