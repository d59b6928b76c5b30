"""The command ``bounds``: a table, JSON, a picture, and what is wrong by its name."""

import json

import pytest

from dpspectra import bounds
from dpspectra.cli import run
from dpspectra.commands import bounds as command_bounds


def command(capsys, *arguments, status=0):
    assert run(["bounds", *arguments]) == status
    captured = capsys.readouterr()
    return captured.out if status == 0 else captured.err


def test_the_command_prints_a_table(capsys):
    text = command(capsys, "--d", "20", "--k", "5", "--lambda1", "50", "--epsilon", "1", "1e6")
    rows = [line.split() for line in text.splitlines() if line.split()[:1] in (["1"], ["1e+06"])]
    found = bounds.orbit_utility(20, 5, [50.0] * 5, 1.0)
    assert [float(cell) for cell in rows[0]] == pytest.approx(
        [1, found.guaranteed, found.mean, found.impossible, found.factor, found.worst], rel=1e-4
    )
    assert rows[1][3:5] == ["-", "-"]
    assert max(map(len, text.splitlines())) <= 100


def test_the_command_prints_json(capsys):
    options = ("--relation", "add_remove", "--beta", "0.01", "--field", "real", "--json", "-")
    data = json.loads(
        command(capsys, "--d", "6", "--k", "2", "--eigenvalues", "9", "4", "--epsilon", "0.5", "1e6", *options)
    )
    found = bounds.orbit_utility(6, 2, [9.0, 4.0], 0.5, relation="add_remove", beta=0.01, field="real")
    assert data["bounds"][0]["guaranteed"] == found.guaranteed
    assert data["bounds"][0]["factor"] == found.factor
    assert data["bounds"][1]["impossible"] == 0
    assert data["bounds"][1]["factor"] is None
    assert (data["d"], data["eigenvalues"], data["relation"], data["beta"]) == (6, [9.0, 4.0], "add_remove", 0.01)


@pytest.mark.parametrize("size", [("20", "5", "50"), ("1", "1", "3"), ("4", "2", "0")])
def test_the_command_plots(capsys, tmp_path, size):
    pytest.importorskip("matplotlib")
    d, k, lambda1 = size
    path = tmp_path / "bounds.svg"
    command(capsys, "--d", d, "--k", k, "--lambda1", lambda1, "--epsilon", "1", "--plot", str(path))
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<svg")
    assert ("impossible" in text) == (d == "20")


def test_the_picture_marks_what_is_asked_on_a_curve_beyond_it(capsys, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(command_bounds, "utility_plot", lambda *given: seen.extend(given) or "<svg/>")
    asked = ("--d", "4", "--k", "2", "--lambda1", "3", "--epsilon", "1", "2", "--beta", "0.25")
    command(capsys, *asked, "--plot", str(tmp_path / "bounds.svg"))
    file = tmp_path / "bounds.svg"
    assert "the output must be new" in command(capsys, *asked, "--plot", str(file), status=2)
    file.write_text("mine")
    command(capsys, *asked, "--plot", str(file), "--force")
    assert file.read_text() == "<svg/>"
    curve, marked, beta = seen[:3]
    assert ([point.epsilon for point in marked], beta) == ([1.0, 2.0], 0.25)
    assert len(curve) > 10
    assert curve[0].epsilon < 1
    assert curve[-1].epsilon > 2


def test_the_command_names_what_is_wrong(capsys, tmp_path):
    asked = ("--d", "5", "--k", "2", "--epsilon", "1")
    assert "length 2, got 1" in command(capsys, *asked, "--eigenvalues", "3", status=2)
    path = str(tmp_path / "a.png")
    assert "must end in .svg" in command(capsys, *asked, "--lambda1", "3", "--plot", path, status=2)
    assert "relation must be one of" in command(capsys, *asked, "--lambda1", "3", "--relation", "near", status=2)
