"""Results: saved and read again, and what is told of them in Python and in every report."""

import dataclasses
import json
from xml.etree import ElementTree

import pytest

from dpspectra.audit import AuditResult, Profile, audit, conforms, specimens
from dpspectra.audit.result import SAMPLERS, facts
from dpspectra.report.audit_page import audit_page
from tests.support.audits import NUMBERS, ROWS, wishart
from tests.support.helpers import laplace


def test_json_round_trip():
    finite = audit(laplace(0.5), NUMBERS, 1.0)
    assert AuditResult.from_json(finite.to_json()) == finite
    infinite = audit(wishart, ROWS, 1.0, support=specimens.wishart_support)
    assert json.loads(infinite.to_json(), parse_constant=pytest.fail)["epsilon_lower"] == "inf"
    assert AuditResult.from_json(infinite.to_json()) == infinite
    for text in ("", "[]", "{}", '{"claim": 3}', finite.to_json().replace("PureDP", "NoSuch")):
        with pytest.raises(ValueError, match="must"):
            AuditResult.from_json(text)
    with pytest.raises(dataclasses.FrozenInstanceError):
        finite.violated = False  # type: ignore[misc]


def test_a_result_is_shown_in_one_line(refuted, sound):
    assert repr(refuted).startswith("<AuditResult: 0.5-DP refuted, epsilon at least 0.5")
    assert (
        repr(sound) == f"<AuditResult: 1-DP not refuted, epsilon at least {sound.bound:.6g}, 3000 draws on each side>"
    )
    curve = audit(laplace(1.0), (0.0, 1.0), Profile(((0.0, 0.3),) * 50), draws=200)
    for result in (refuted, sound, curve):
        assert len(repr(result)) < 200
        assert "\n" not in repr(result)


def test_only_what_refutes_is_called_a_witness(refuted, sound):
    assert f"\nwitness: {refuted.witness} (" in refuted.summary()
    assert ": too likely on the " in refuted.summary()
    assert "closest event" not in refuted.summary()
    assert "\nclosest event: " in sound.summary()
    assert ": suspected to be too likely on the " in sound.summary()
    for text in (sound.summary(), sound._repr_html_(), audit_page("m", sound, None).split("<svg")[0]):
        assert "witness" not in text
        assert "</td" in text or ": too likely" not in text


def test_the_summary_is_the_list_of_every_report(refuted):
    lines = [f"{key}: {value}" for key, value in facts(refuted).items()]
    assert refuted.summary().splitlines() == lines
    assert "rows of a call: averaged within calls" in lines
    assert not [line for line in lines if line.startswith("lost")]
    assert "lost pairs of calls: 2" in dataclasses.replace(refuted, lost=2).summary()
    alike = facts(conforms(laplace(1.0), laplace(1.0), 0.0, draws=200), SAMPLERS)
    assert alike["draws of each"] == "200"
    assert "data set" not in alike["closest event"]


def test_notebooks_are_shown_an_escaped_table(refuted):
    strange = dataclasses.replace(refuted, witness="<b>&", stopped="<script>")
    html = strange._repr_html_()
    assert "&lt;b&gt;&amp; (" in html
    assert "<script>" not in html
    rows = ElementTree.fromstring(html).findall("tr")
    assert {row[0].text: row[1].text for row in rows} == facts(strange)


def test_power_is_told_of_audits_that_have_ended():
    result = audit(lambda x, *, rng: x + rng.laplace(), (0.0, 1.0), 2.0, draws=256, rng=0)
    assert "power" in json.loads(result.to_json())
    assert "power" not in json.loads(dataclasses.replace(result, stopped="running").to_json())
