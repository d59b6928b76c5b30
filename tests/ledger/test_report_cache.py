"""Reports that are kept: under a key of all that they depend on, off in continuous integration, and never on trust."""

import json

import pytest

from dpspectra.ledger import imports, measure, report_cache, runner
from dpspectra.ledger.papers import resolve
from dpspectra.ledger.registry import get

LABEL = "MWKTV-L8.2"
ENTRY = get(LABEL)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv(report_cache.FOLDER, str(tmp_path))
    return tmp_path


def run(**options):
    return runner.verify([resolve(LABEL)], 5, **options)[0]


def test_a_helper_two_imports_away_changes_the_key(monkeypatch):
    before, own = report_cache.key(ENTRY, 5), report_cache._hash
    direct = imports._imported(imports._file(ENTRY.module), ENTRY.module)
    reached = imports.reached([ENTRY.module])
    away = sorted(reached - {imports._file(name) for name in direct} - {imports._file(ENTRY.module)})
    assert away
    for path in (*away, imports.HOME / "ledger" / "judgement.py", imports.HOME / "ledger" / "baseline.csv"):
        monkeypatch.setattr(report_cache, "_hash", lambda other, path=path: "changed" if other == path else own(other))
        assert report_cache.key(ENTRY, 5) != before
    aside = imports.HOME / "report" / "html.py"
    assert aside not in reached
    monkeypatch.setattr(report_cache, "_hash", lambda other: "changed" if other == aside else own(other))
    assert report_cache.key(ENTRY, 5) == before


def test_options_and_versions_change_the_key(monkeypatch):
    keys = {
        report_cache.key(ENTRY, *options)
        for options in ((5, True, None), (5, False, None), (6, True, None), (5, True, 1))
    }
    for name in range(len(report_cache._versions())):
        other = tuple("other" if i == name else known for i, known in enumerate(report_cache._versions()))
        with monkeypatch.context() as patch:
            patch.setattr(report_cache, "_versions", lambda other=other: other)
            keys.add(report_cache.key(ENTRY, 5, True, None))
    assert len(keys) == 4 + len(report_cache._versions())


def test_what_was_found_is_found_again_without_a_run(place, monkeypatch):
    first = run()
    assert first.ok
    assert len([*place.iterdir()]) == 1
    monkeypatch.setattr(runner, "judge", None)
    again = run()
    assert again.seconds == 0
    assert again.asdict() | {"seconds": 0} == first.asdict() | {"seconds": 0}


@pytest.mark.parametrize("change", ["the report", "another key", "no JSON"])
def test_a_planted_report_is_not_believed(place, change):
    true = run()
    (path,) = place.iterdir()
    kept = json.loads(path.read_text())
    kept["report"]["cases"] = 10**6
    if change == "another key":  # as of other sources, with its own seal
        kept["seal"] = report_cache._seal("0" * 64, kept["report"])
    path.write_text("no JSON" if change == "no JSON" else json.dumps(kept))
    assert run().cases == true.cases
    assert json.loads(path.read_text())["report"]["cases"] == true.cases


def test_nothing_is_kept_where_nobody_asks_nor_in_continuous_integration(place, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert report_cache.folder() is None
    run()
    monkeypatch.delenv("CI")
    assert report_cache.folder() == place
    monkeypatch.delenv(report_cache.FOLDER)
    assert report_cache.folder() is None
    run()
    assert [*place.iterdir()] == []


def test_a_report_with_a_fault_is_not_kept(place, monkeypatch):
    monkeypatch.setattr(runner, "refute", lambda statement: ["planted"])
    assert not run().ok
    assert [*place.iterdir()] == []


def test_the_challenge_by_input_is_run_once_for_all_seeds(place, monkeypatch):
    """It draws its cases without a seed; where it finds something, it is run again."""
    found, runs = ["planted"], []

    def unexplained(statement, tight):
        runs.append(statement.id)
        return list(found)

    monkeypatch.setattr(measure, "unexplained", unexplained)
    assert run(challenged=True, seed=1).faults == ["planted"]
    found.clear()
    assert run(challenged=True, seed=1).ok
    assert runs == [LABEL] * 2
    assert run(challenged=True, seed=2).ok
    assert runs == [LABEL] * 2
