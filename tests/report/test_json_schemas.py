"""Every format has a schema that is one, and what is written follows it."""

import json
from dataclasses import fields

import jsonschema
import pytest

from dpspectra.audit.result import AuditResult
from dpspectra.audit.result_fields import LATER
from dpspectra.cli import run
from dpspectra.commands.record import contradictions
from dpspectra.report.json_schemas import NAMES, schema
from tests.support.files import GOLDEN, valid


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name):
    jsonschema.Draft202012Validator.check_schema(schema(name))
    for data in ({}, {"format": 0}):
        with pytest.raises(jsonschema.ValidationError):
            valid(name, data)


@pytest.mark.filterwarnings("ignore::dpspectra.audit.BrokenMechanismWarning")
def test_a_record_of_an_audit_follows_its_schema(tmp_path):
    """One that ends after few draws, as everything of one coin is impossible for the other."""
    path = tmp_path / "r.json"
    words = ["--epsilon", "1", "--draws", "200", "--json", str(path)]
    assert run(["audit", "dpspectra.audit.specimens:wishart_one_sided", "--with", "epsilon=1", *words]) == 1
    valid("audit", json.loads(path.read_text(encoding="utf-8")))


def test_the_schema_of_an_audit_requires_all_that_its_reader_needs():
    """Records of earlier versions lack a few fields, which the reader does without."""
    assert {one.name for one in fields(AuditResult)} - LATER.keys() <= set(schema("audit")["required"])
    assert LATER.keys() <= schema("audit")["properties"].keys()


def test_the_golden_record_is_read():
    """A record that was written when the format had number 1; it is never written again."""
    text = (GOLDEN / "audit-1.json").read_text(encoding="utf-8")
    valid("audit", json.loads(text))
    assert contradictions(text) == []
    with pytest.raises(ValueError, match="a record must be of format 1, got 9: a newer version may read it"):
        contradictions(json.dumps(json.loads(text) | {"format": 9}))
