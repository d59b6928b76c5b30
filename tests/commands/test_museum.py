import json

from dpspectra.cli import run


def test_cases_are_listed(capsys):
    assert run(["museum", "--list"]) == 0
    assert "opacus 571" in capsys.readouterr().out


def test_a_case_is_judged_inside_and_by_draws(tmp_path, capsys):
    path = tmp_path / "rows.json"
    assert run(["museum", "spent_twice", "--outside", "--json", str(path)]) == 0
    assert "spent_twice" in capsys.readouterr().out
    (row,) = json.loads(path.read_text(encoding="utf-8"))
    assert (row["inside"], row["twin"], row["outside"]) == ("refuted", "explained", "refuted")
    assert row["line"].startswith("spending.py:")


def test_a_name_of_nothing_is_refused(capsys):
    assert run(["museum", "nothing"]) == 2
    assert "got 'nothing'" in capsys.readouterr().err
