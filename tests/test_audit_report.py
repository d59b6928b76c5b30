"""What is told of an audit's result: in Python, on the page, in the record, and what power it had.

Seeds are fixed. With a fresh one, a sound mechanism below would be refuted with probability at most 0.001.
"""

import dataclasses
import json
import math
import pathlib
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from dpspectra.audit import GDP, Profile, PureDP, Renyi, audit, conforms, power
from dpspectra.audit.facts import SAMPLERS, facts
from dpspectra.audit.recheck import faults
from dpspectra.cli import run
from dpspectra.report.audit_page import audit_page
from dpspectra.report.junit import junit
from dpspectra.report.record import recorded, restored
from dpspectra.report.target import fingerprint

TOYS = """
import numpy as np

def laplace(x, *, size, rng):
    return float(np.sum(x)) + rng.laplace(0, 1, size)
"""

OLD = {
    "claim": {"kind": "PureDP", "epsilon": 0.5},
    "violated": False,
    "bound": 0.0702860025527503,
    "confidence": 0.999,
    "witness": "output >= 0.780887: too likely on the second data set",
    "counts": [13, 43, 64],
    "log_e_value": 1.9207784029685304,
    "draws": 128,
    "stopped": "draws",
    "seeded": True,
    "failures": 0,
    "floating_point": False,
    "seed": 5874934615388537135,
    "runs": 1,
    "history": [[64, -0.10536051565782631], [128, 1.9207784029685304]],
    "evidence": {
        "epochs": [
            [
                {
                    "event": "output >= 0.893216: too likely on the second data set",
                    "favoured": 1,
                    "point": 0,
                    "share": 0.3733650599875318,
                    "fraction": 7,
                    "counts": [7, 32, 6, 19],
                    "one_sided": False,
                },
                {
                    "event": "output <= 0.370627: too likely on the first data set",
                    "favoured": 0,
                    "point": 0,
                    "share": 0.31569381018120474,
                    "fraction": 7,
                    "counts": [6, 35, 8, 15],
                    "one_sided": False,
                },
                {
                    "event": "distance to the second data set <= 0.250998: too likely on the second data set",
                    "favoured": 1,
                    "point": 0,
                    "share": 0.21094112983126362,
                    "fraction": 7,
                    "counts": [2, 15, 3, 44],
                    "one_sided": False,
                },
                {
                    "event": "output <= 0.741145: too likely on the first data set",
                    "favoured": 0,
                    "point": 0,
                    "share": 0.05,
                    "fraction": 5,
                    "counts": [15, 36, 5, 8],
                    "one_sided": False,
                },
                {
                    "event": "output >= 0.780887: too likely on the second data set",
                    "favoured": 1,
                    "point": 0,
                    "share": 0.05,
                    "fraction": 7,
                    "counts": [8, 35, 5, 16],
                    "one_sided": False,
                },
            ],
            [],
        ],
        "start": -0.10536051565782631,
        "late": [],
    },
    "certificate": None,
    "seconds": 0.021839368000655668,
    "epsilon_lower": 0.0702860025527503,
    "smallest_probability": 0.05396683811704794,
    "versions": {"dpspectra": "0.1.0", "numpy": "2.4.6", "python": "3.11.7"},
}


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


@pytest.mark.parametrize("claim", [PureDP(1.0), GDP(2.0), Renyi(2.0, 0.5), Profile([[0.0, 0.4], [1.0, 0.125]])])
def test_results_know_their_power(claim):
    result = audit(laplace, (0.0, 1.0), claim, draws=1000, confidence=0.99)
    loss = power.refutable(1000, claim, confidence=0.99)
    event = power.smallest_event(1000, claim, confidence=0.99)
    assert (result.power, result.refutable_probability) == (loss, event)
    told = facts(result)
    assert told["smallest event that shows"].startswith(f"probability {event:.3g}, ")
    if isinstance(claim, PureDP):
        assert told["smallest loss that shows"] == f"{loss:.4g} nats on half of the outputs (with probability 0.9)"
    else:
        (rate,) = re.findall(r"probability 0.5 on one side and (\S+) on the other", told["smallest loss that shows"])
        delta = power.refutable_delta(1000, claim, confidence=0.99)
        assert delta in [point[1] for point in claim.points(claim.value)]
        assert float(rate) == pytest.approx((0.5 - delta) * math.exp(-loss), rel=0.01)
    record = json.loads(result.to_json())
    assert (record["power"], record["refutable_probability"]) == (loss, event)
    for report in (audit_page("m", result, None), junit("a:b", result)):
        assert f"{loss:.4g} nats" in report
        assert f"probability {event:.3g}, " in report


def test_too_few_draws_have_no_power():
    result = audit(laplace, (0.0, 1.0), 1.0, draws=80)
    assert result.power == result.refutable_probability == math.inf
    assert result.summary().count("none: so few draws refute nothing") == 2
    assert json.loads(result.to_json())["power"] == "inf"


def test_a_running_audit_spends_no_time_on_its_power(monkeypatch):
    asked = []
    monkeypatch.setattr(power, "refutable", lambda *args, **kwargs: asked.append(args) or 2.0)
    seen = []
    audit(laplace, (0.0, 1.0), 1.0, draws=500, watch=seen.append)
    assert "power" not in json.loads(seen[-2].to_json())
    assert asked == []
    assert json.loads(seen[-1].to_json())["power"] == 2.0


def test_a_weak_audit_is_undecided(refuted, sound):
    shows = sound.power
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


# ---------------------------------------------------------------- the record


def saved(path="r.json"):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"), parse_constant=pytest.fail)


def test_the_record_says_what_was_asked_and_holds_the_data(here):
    assert run(order("--epsilon", "0.5", "--seed", "3", "--require-power", "9", "--json", "r.json")) == 1
    record = saved()
    assert record["asked"].items() >= {
        "seed": 3, "epsilon": 0.5, "delta": 0.0, "draws": 2000, "confidence": 0.999, "pair": "pair.json",
        "require_power": 9.0, "arguments": [], "mechanism": "report_toys:laplace", "search": None,
    }.items()  # fmt: skip
    assert record["versions"].keys() == {"dpspectra", "numpy", "scipy", "python", "platform"}
    assert record["data"]["made"] == "--pair pair.json"
    assert record["data"]["second"] == {"dtype": "<f8", "shape": [1], "values": [1.0]}
    assert run(["audit", "report_toys:laplace", "--epsilon", "9", "--draws", "200", "--json", "r.json"]) == 0
    assert saved()["data"]["made"] == "the default pair, --dimension 2 --form rows"
    assert run(["audit", "--check", "r.json"]) == 0
    np.savez("large.npz", first=np.zeros((3000, 4)), second=np.ones((3000, 4)) / 12000)
    assert run([*order("--epsilon", "9", "--json", "r.json"), "--pair", "large.npz"]) == 0
    assert saved()["data"] == {"made": "--pair large.npz"}
    assert run(["audit", "--check", "r.json"]) == 0


@pytest.mark.parametrize(
    "data",
    [
        np.array([[1.0, 1e-300], [-0.0, 0.1]]),
        np.array([[1 + 2j, 0.1], [3j, -4]]),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array(3, dtype=np.int8),
        np.array(1j, dtype=np.complex64),
        np.zeros((0, 3), dtype=np.float32),
        np.array([True, False]),
        {"text": ["a", None, 1.5]},
        0.1,
    ],
)
def test_data_sets_are_held_exactly(data):
    text = json.dumps(recorded((data, data), "by hand"), allow_nan=False)
    again = restored(json.loads(text)["second"])
    assert fingerprint(again) == fingerprint(data)


@pytest.mark.parametrize(
    "data", [np.array([math.nan]), np.ones(1, dtype=np.longdouble), np.zeros(2**17), {"a": math.inf}]
)
def test_what_json_does_not_hold_exactly_is_left_out(data):
    assert recorded((0.0, data), "by hand") == {"made": "by hand"}


def forged(record, path, value):
    *folders, name = path.split(".")
    for folder in folders:
        record = record[int(folder) if isinstance(record, list) else folder]
    record[int(name) if isinstance(record, list) else name] = value


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("evidence.epochs.0.0.counts.0.3", 10**6, "counts must be possible"),
        ("evidence.start", -0.5, "log_e_value is"),
        ("evidence.late", [{"counts": [[1, 1, 0, 5]]}], "calls that were never finished must count as lost"),
        ("log_e_value", 30.0, "log_e_value is 30, the counts give"),
        ("violated", False, "violated is False, the evidence says True"),
        ("bound", 0.7, "bound is 0.7, the evidence gives"),
        ("history.-1", [64, 0.0], "the history ends with 64 draws and 0, not with"),
        ("witness", "output >= 7: too likely on the first data set", "the witness is 'output >= 7: too"),
        ("event.threshold", 7.0, "the best bet was on"),
        ("counts", [1, 70, 128], "the counts of the witness are (1, 70, 128), the best bet has"),
        ("counts", None, "the counts of the witness are None"),
        ("epsilon_lower", 2.0, "epsilon_lower is 2, the rest of the record gives 0."),
        ("smallest_probability", 1e-9, "smallest_probability is 1e-09"),
        ("power", 0.51, "power is 0.51"),
        ("refutable_probability", 0.001, "refutable_probability is 0.001"),
        ("data.first.values", [0.5], "the first data set has the digest"),
        ("data.second.dtype", "<f4", "the second data set has the digest"),
        ("data.second", {}, "the second data set cannot be read: KeyError"),
        ("subject.pair.1", "0" * 64, "the second data set has the digest"),
        ("certificate", {"kind": "not_psd"}, "the certificate does not prove what it states"),
    ],
)
def test_whatever_can_be_computed_again_is(here, capsys, path, value, fault):
    assert run(order("--epsilon", "0.5", "--json", "r.json")) == 1
    record = saved()
    if path == "evidence.late":
        value = [record["evidence"]["epochs"][0][0] | value[0]]
    forged(record, path, value)
    pathlib.Path("r.json").write_text(json.dumps(record))
    capsys.readouterr()
    assert run(["audit", "--check", "r.json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert fault in err
    assert all(line.startswith("dpspectra: r.json contradicts itself: ") for line in err.splitlines())


def test_records_of_version_0_1_are_checked_as_far_as_they_go(here, capsys):
    """Made by the auditor of then: events are words, counts are four, and there is no data."""
    pathlib.Path("r.json").write_text(json.dumps(OLD))
    assert run(["audit", "--check", "r.json"]) == 0
    for path, value, fault in (
        ("counts", [1, 2, 64], "the counts of the witness"),
        ("history.1", [128, 0.0], "the history ends"),
        ("evidence.epochs.0.0.counts", [0, 1, 1, 62], "log_e_value is"),
        ("smallest_probability", 1e-9, "smallest_probability is"),
    ):
        record = json.loads(json.dumps(OLD))
        forged(record, path, value)
        pathlib.Path("r.json").write_text(json.dumps(record))
        assert run(["audit", "--check", "r.json"]) == 2
        assert fault in capsys.readouterr().err


def test_the_record_of_a_resumed_audit_agrees_before_its_first_draw():
    def broken(x, *, rng, calls=[0]):  # noqa: B006
        calls[0] += 1
        if calls[0] == 400:
            raise KeyboardInterrupt
        return rng.laplace(x)

    first = audit(broken, (0.0, 1.0), 1.0)
    assert first.stopped == "interrupted"
    assert first.evidence.late
    seen = []
    audit(broken, (0.0, 1.0), 1.0, resume=first, draws=300, watch=seen.append)
    for result in (first, *seen):
        assert faults(result) == []
    assert seen[0].evidence == first.evidence
    assert seen[1].evidence.late == ()


def test_a_claim_that_no_test_could_have_refuted_says_so():
    """Publishing the data meets no (2, 12)-Renyi claim, and half a million draws are needed to show it."""
    result = audit(lambda x: x, (0.0, 1.0), Renyi(2.0, 12.0), draws=1000)
    assert "no test refutes it with fewer than: 553" in result.summary()
    assert "no test refutes" not in audit(lambda x: x, (0.0, 1.0), 1.0, draws=1000).summary()


# ---------------------------------------------------------------- from the keyboard


@pytest.mark.parametrize("at", [128 + 1, 128 + 2, 128 + 77, 450])
def test_the_keyboard_costs_the_call_under_way(at):
    """One draw a call, 64 on each side before anything is bet: all complete pairs of calls are kept."""
    made = []

    def slow(x, *, rng):
        made.append(x)
        if len(made) == at:
            raise KeyboardInterrupt
        return rng.laplace(x)

    result = audit(slow, (0.0, 1.0), 1.0)
    assert result.stopped == "interrupted"
    assert result.draws == (at - 1) // 2
    assert sum(bet.hits[2] for bet in result.evidence.late) == 0
    assert faults(result) == []


def test_the_keyboard_leaves_a_record_and_a_hint(here, capsys):
    (here / "hasty_toys.py").write_text(
        "calls = []\ndef hasty(x, *, rng):\n    calls.append(1)\n    if len(calls) == 300:\n"
        "        raise KeyboardInterrupt\n    return float(x[0]) + rng.laplace()\n"
    )
    command = [
        "audit",
        "hasty_toys:hasty",
        "--pair",
        "pair.json",
        "--epsilon",
        "1",
        "--draws",
        "400",
        "--json",
        "r.json",
    ]
    assert run(command) == 130
    err = capsys.readouterr().err
    assert "the same command with --resume r.json goes on" in err
    assert saved()["stopped"] == "interrupted"
    assert saved()["draws"] == 149
    assert run(["audit", "--check", "r.json"]) == 0
    assert run([*command, "--resume", "r.json"]) == 0
    assert saved()["draws"] == 549
