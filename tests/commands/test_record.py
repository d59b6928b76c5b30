"""The record of an audit: what was asked, the data, what can be computed again, the power that was required."""

import json
import math
import pathlib
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from dpspectra.cli import run
from dpspectra.commands.record import recorded, restored
from dpspectra.commands.subject import fingerprint

TOYS = """
import numpy as np

def laplace(x, *, size, rng):
    return float(np.sum(x)) + rng.laplace(0, 1, size)
"""


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


# ---------------------------------------------------------------- power


def test_power_can_be_required(here, capsys):
    assert run(order("--epsilon", "1", "--require-power", "3", "--json", "r.json")) == 0
    assert run(["audit", "--check", "r.json"]) == 0
    assert run(order("--epsilon", "1", "--require-power", "1.1", "--json", "r.json", "--junit", "r.xml")) == 3
    assert "1.1 nats were to be refutable (on half of the outputs" in " ".join(capsys.readouterr().out.split())
    assert ElementTree.parse("r.xml").getroot().get("errors") == "1"
    assert run(["audit", "--check", "r.json"]) == 3
    assert run(order("--epsilon", "0.2", "--require-power", "0.3")) == 1, "what is refuted needs no power"


@pytest.mark.parametrize("value", ["-1", "nan", "0", "inf", "much", "1.8@", "1.8@word", "@interval"])
def test_no_draw_is_made_for_a_power_that_cannot_be(here, capsys, value):
    (here / "report_toys.py").write_text(TOYS.replace("return", "raise SystemExit"))
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
        "require_power": "9", "arguments": [], "mechanism": "report_toys:laplace", "search": None,
    }.items()  # fmt: skip
    assert record["versions"].keys() == {"dpspectra", "numpy", "scipy", "python", "platform"}
    assert record["data"]["made"] == "--pair pair.json"
    assert record["data"]["second"] == {"dtype": "<f8", "shape": [1], "values": [1.0]}
    assert run(["audit", "report_toys:laplace", "--epsilon", "9", "--draws", "200", "--json", "r.json"]) == 3
    assert saved()["data"]["made"] == "the default pair, --dimension 2 --form rows"
    assert (saved()["verdict"], saved()["reason"]) == ("undecided", "so few draws refute nothing")
    assert run(["audit", "--check", "r.json"]) == 3
    np.savez("large.npz", first=np.zeros((3000, 4)), second=np.ones((3000, 4)) / 12000)
    assert run([*order("--epsilon", "3", "--json", "r.json"), "--pair", "large.npz"]) == 0
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
        ("data.second", {}, "the second data set cannot be read: Misfit"),
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


# ---------------------------------------------------------------- from the keyboard


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
    assert re.search(r"the same command with --resume \S*/r.json goes on", err)
    assert saved()["stopped"] == "interrupted"
    assert saved()["draws"] == 149
    assert run(["audit", "--check", "r.json"]) == 0
    assert run([*command, "--resume", "r.json"]) == 0
    assert saved()["draws"] == 549
