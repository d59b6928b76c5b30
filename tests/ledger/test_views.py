"""Reports as JSON, and the generated page of the chapters: each entry once, with what it rests on."""

import dataclasses
import json
import re

from dpspectra.ledger import all_statements, get, verify, views
from dpspectra.ledger.papers import resolve
from dpspectra.ledger.views import to_json


def test_missing_labels_are_reported_as_missing_and_json_is_strict():
    missing = dataclasses.replace(resolve("MWKTV-L6.1"), label="MWKTV-NONE")
    reports = verify([missing])
    assert json.loads(to_json(reports))[0] | {"verdict": "missing", "ok": None} == json.loads(to_json(reports))[0]


def test_each_entry_has_one_row_that_names_its_labels_and_supports():
    rows = re.findall(r"^\| \[([^]]+)\]\(([^)]+)\)(.*) \|$", views.chapters_page(), re.MULTILINE)
    assert sorted(name for name, _, _ in rows) == [entry.id for entry in all_statements()]
    for name, note, rest in rows:
        entry, last = get(name), rest.split(" | ")[-1]
        assert note == entry.note
        assert all(f", {label}" in rest for label in entry.labels[1:])
        assert set(filter(None, last.split(", "))) == {get(label).id for label in entry.uses}


def test_an_entry_stands_under_its_chapter():
    chapters = re.split(r"^## ", views.chapters_page(), flags=re.MULTILINE)[1:]
    found = {part.partition("\n")[0]: part for part in chapters}
    assert len(found) == len({entry.chapter for entry in all_statements()})
    for entry in all_statements():
        assert f"| [{entry.id}](" in found[entry.chapter.replace("_", " ").capitalize()]
