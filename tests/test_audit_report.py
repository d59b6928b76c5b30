"""What is told of an audit's result: in Python, on the page, in the record, and what power it had.

Seeds are fixed. With a fresh one, a sound mechanism below would be refuted with probability at most 0.001.
"""

import dataclasses
import json
import math
import pathlib
from xml.etree import ElementTree

import pytest

from dpspectra.audit import GDP, Profile, PureDP, Renyi, audit, conforms, power
from dpspectra.audit.facts import SAMPLERS, facts
from dpspectra.cli import run
from dpspectra.report.audit_page import audit_page
from dpspectra.report.junit import junit

TOYS = """
import numpy as np

def laplace(x, *, size, rng):
    return float(np.sum(x)) + rng.laplace(0, 1, size)
"""


def laplace(x, *, size, rng):
    return rng.laplace(x, 1.0, size)


@pytest.fixture(scope="module")
def refuted():
    return audit(laplace, (0.0, 1.0), 0.5)


@pytest.fixture(scope="module")
def sound():
    return audit(laplace, (0.0, 1.0), 1.0, draws=3000)


@pytest.fixture
def here(monkeypatch, tmp_path):
    """An empty folder with a mechanism and a pair of numbers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "report_toys.py").write_text(TOYS)
    (tmp_path / "pair.json").write_text('{"first": [0], "second": [1]}')
    return tmp_path


def order(*options):
    return ["audit", "report_toys:laplace", "--pair", "pair.json", "--draws", "2000", *options]


# ---------------------------------------------------------------- words


def test_a_result_is_shown_in_one_line(refuted, sound):
    assert repr(refuted).startswith("<AuditResult: 0.5-DP refuted, epsilon at least 0.5")
    assert (
        repr(sound) == f"<AuditResult: 1-DP not refuted, epsilon at least {sound.bound:.6g}, 3000 draws on each side>"
    )
    curve = audit(laplace, (0.0, 1.0), Profile(((0.0, 0.3),) * 50), draws=200)
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
    alike = facts(conforms(laplace, laplace, 0.0, draws=200), SAMPLERS)
    assert alike["draws of each"] == "200"
    assert "data set" not in alike["closest event"]


def test_notebooks_are_shown_an_escaped_table(refuted):
    strange = dataclasses.replace(refuted, witness="<b>&", stopped="<script>")
    html = strange._repr_html_()
    assert "&lt;b&gt;&amp; (" in html
    assert "<script>" not in html
    rows = ElementTree.fromstring(html).findall("tr")
    assert {row[0].text: row[1].text for row in rows} == facts(strange)


# ---------------------------------------------------------------- power


@pytest.mark.parametrize("claim", [PureDP(1.0), GDP(2.0), Renyi(2.0, 0.5), Profile([[0.0, 0.4], [1.0, 0.125]])])  # type: ignore[arg-type]
def test_results_know_their_power(claim):
    result = audit(laplace, (0.0, 1.0), claim, draws=1000, confidence=0.99)
    loss = power.refutable(1000, claim, confidence=0.99)
    event = power.smallest_event(1000, claim, confidence=0.99)
    assert (result.refutable_loss, result.refutable_probability) == (loss, event)
    told = facts(result)
    assert told["smallest loss that shows"].startswith(f"{loss:.4g} nats on half of the outputs")
    assert told["smallest event that shows"].startswith(f"probability {event:.3g}, ")
    several = len(claim.points(claim.value))
    assert (f"over the claim's {several} points, each at its own delta" in result.summary()) is (several > 1)
    record = json.loads(result.to_json())
    assert (record["refutable_loss"], record["refutable_probability"]) == (loss, event)
    for report in (audit_page("m", result, None), junit("a:b", result)):
        assert f"{loss:.4g} nats" in report
        assert f"probability {event:.3g}, " in report


def test_too_few_draws_have_no_power():
    result = audit(laplace, (0.0, 1.0), 1.0, draws=80)
    assert result.refutable_loss == result.refutable_probability == math.inf
    assert result.summary().count("none: so few draws refute nothing") == 2
    assert json.loads(result.to_json())["refutable_loss"] == "inf"


def test_a_running_audit_spends_no_time_on_its_power(monkeypatch):
    asked = []
    monkeypatch.setattr(power, "refutable", lambda *args, **kwargs: asked.append(args) or 2.0)
    seen = []
    audit(laplace, (0.0, 1.0), 1.0, draws=500, watch=seen.append)
    assert "refutable_loss" not in json.loads(seen[-2].to_json())
    assert asked == []
    assert json.loads(seen[-1].to_json())["refutable_loss"] == 2.0


def test_a_weak_audit_is_undecided(refuted, sound):
    shows = sound.refutable_loss
    for required, undecided in ((shows, False), (shows * 0.99, True), (None, False)):
        weak = dataclasses.replace(sound, required_power=required)
        assert bool(weak.undecided) is undecided
        assert weak.verdict == ("undecided" if undecided else "not refuted")
    weak = dataclasses.replace(sound, required_power=1.1)
    assert facts(weak)["verdict"] == (
        f"undecided: a loss of 1.1 nats was to be refutable, so few draws refute only {shows:.4g} or more"
    )
    assert '<error type="Undecided"' in junit("a:b", weak)
    assert dataclasses.replace(refuted, required_power=1e-9).verdict == "refuted"
    assert type(weak).from_json(weak.to_json()) == weak


def test_power_can_be_required(here, capsys):
    assert run(order("--epsilon", "1", "--require-power", "3", "--json", "r.json")) == 0
    assert run(["audit", "--check", "r.json"]) == 0
    assert run(order("--epsilon", "1", "--require-power", "1.1", "--json", "r.json", "--junit", "r.xml")) == 2
    assert "undecided: a loss of 1.1 nats was to be refutable" in capsys.readouterr().out
    assert ElementTree.parse("r.xml").getroot().get("errors") == "1"
    assert run(["audit", "--check", "r.json"]) == 2
    assert run(order("--epsilon", "0.2", "--require-power", "0.3")) == 1, "what is refuted needs no power"


@pytest.mark.parametrize("value", ["-1", "nan", "0", "inf", "much"])
def test_no_draw_is_made_for_a_power_that_cannot_be(here, capsys, value):
    (here / "report_toys.py").write_text(TOYS.replace("return", "raise SystemExit"))
    if value == "much":
        with pytest.raises(SystemExit):
            run(order("--epsilon", "1", "--require-power", value))
    else:
        assert run(order("--epsilon", "1", "--json", "r.json", f"--require-power={value}")) == 2
    assert "--require-power" in capsys.readouterr().err
    assert not pathlib.Path("r.json").exists()
