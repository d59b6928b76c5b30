"""Reports as JSON, and the generated pages of the papers: each label once, with what it rests on."""

import dataclasses
import json
import re

from dpspectra.ledger import get, labels, verify, views
from dpspectra.ledger.papers import PAPERS, resolve
from dpspectra.ledger.views import to_json


def test_missing_labels_are_reported_as_missing_and_json_is_strict():
    missing = dataclasses.replace(resolve("MWKTV-L6.1"), label="MWKTV-NONE")
    reports = verify([missing])
    assert json.loads(to_json(reports))[0] | {"verdict": "missing", "ok": None} == json.loads(to_json(reports))[0]


def test_each_label_has_one_row_that_names_its_note_and_supports():
    pages = "\n".join(map(views.paper_page, PAPERS))
    rows = re.findall(
        r"^\| (\S+-\S+) \|.*\[proof\]\(../../proofs_notes/([^)]+)\).* \| ([^|]*) \|$", pages, re.MULTILINE
    )
    assert [name for name, _, _ in rows] == [label.label for label in labels()]
    for name, note, uses in rows:
        entry = get(name)
        assert note == entry.note
        assert set(filter(None, uses.split(", "))) == {get(label).id for label in entry.uses}
