"""The command ``conform``: a sampler by name against a reference, what it prints and what it writes.

Seeds are fixed. With a fresh one, a sampler that has its law would be refuted with probability at most 0.001.
"""

import json
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from dpspectra.audit import AuditResult, Closeness
from dpspectra.audit.recheck import faults
from dpspectra.cli import run

SAMPLERS = """
import itertools
import numpy as np

def normal(x, *, size, rng, shift=0.0, scale=1.0):
    return float(np.sum(x)) + shift + scale * rng.normal(size=size)

def short(x, *, size, rng):
    return rng.normal(size=size).astype(np.float32).astype(float)

def slow(x, rng, shift=0.0):
    return float(np.sum(x)) + shift + rng.normal()

def rotation(d, rng):
    q, r = np.linalg.qr(rng.normal(size=(d, d)))
    return q * np.sign(np.diag(r))

def unsigned(d, rng, field="real"):
    return np.linalg.qr(rng.normal(size=(d, d)))[0]

def failing(x):
    raise RuntimeError("no")

def impatient(x, rng, calls=itertools.count(1)):
    if next(calls) == 450:
        raise KeyboardInterrupt
    return float(np.sum(x)) + rng.normal()

def undecided(x):
    raise NotImplementedError("one day")
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "toy_samplers.py").write_text(SAMPLERS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    monkeypatch.delitem(sys.modules, "toy_samplers", raising=False)


def order(reference, candidate, *options):
    names = [name if name in ("haar", "bingham") else f"toy_samplers:{name}" for name in (reference, candidate)]
    return ["conform", *names, "--draws", "3000", *options]


def test_one_law_is_not_refuted_and_two_are(here, capsys):
    assert run(order("normal", "slow", "--at", "[1, 2]")) == 0
    out, err = capsys.readouterr()
    assert out.startswith("toy_samplers:slow against toy_samplers:normal\n")
    assert re.search(r"verdict +not refuted\n", out)
    assert err == ""
    assert run(order("haar", "rotation", "--at", "3", "--with", "field=real")) == 0
    assert run(order("haar", "unsigned", "--at", "3", "--with", "field=real")) == 1
    assert "data set" not in capsys.readouterr().out


def test_all_bits_are_looked_at_on_request(here, capsys):
    """Noise whose last bits are zero has rounded numbers like any other."""
    for option, status in ((), 0), (("--bits",), 1):
        assert run(order("normal", "short", "--at", "0", *option)) == status
        assert ("(bits=True, --bits)" in capsys.readouterr().out) == (not option)


def test_each_side_has_its_name(here, capsys):
    (here / "high.py").write_text("def f(x, *, size, rng):\n    return 9 + rng.normal(size=size)\n")
    assert run(["conform", "toy_samplers:normal", "high:f", "--at", "0", "--draws", "2000"]) == 1
    witness = re.search(r"witness +(.*)", capsys.readouterr().out)
    assert witness is not None
    sides = r"output >= \S+: too likely on the candidate|output <= \S+: too likely on the reference"
    assert re.match(sides, witness[1]), witness[1]


def test_arguments_go_to_whoever_takes_them(here, capsys):
    """``shift`` to both, so that the laws agree; ``scale`` to the reference only."""
    assert run(order("normal", "slow", "--at", "0", "--with", "shift=5")) == 0
    assert run(order("normal", "slow", "--at", "0", "--with", "scale=2")) == 1
    assert run(order("slow", "normal", "--at", "0", "--with", "scale=2")) == 1
    capsys.readouterr()
    assert run(order("haar", "slow", "--at", "0", "--with", "foo=2", "--with", "field=real")) == 2
    assert "got 'foo': haar takes field; toy_samplers:slow takes shift" in capsys.readouterr().err


def test_a_tolerance_is_allowed(here):
    """``N(1/2, 1)`` and ``N(0, 1)`` are 0.1974 apart."""
    (here / "shifted.py").write_text(
        "import toy_samplers\n\ndef f(x, *, size, rng):\n    return rng.normal(0.5, 1, size)\n"
    )
    words = ["conform", "toy_samplers:normal", "shifted:f", "--at", "0", "--draws", "16000"]
    assert run(words) == 1
    assert run([*words, "--tolerance", "0.1"]) == 1
    assert run([*words, "--tolerance", "0.2"]) == 0


def test_what_is_written(here):
    assert run(order("bingham", "unsigned", "--at", "[[4, 0], [0, 0]]", "--json", "r.json", "--junit", "r.xml")) == 1
    record = json.loads((here / "r.json").read_text())
    assert record["subject"] | {"input": ""} == {
        "reference": "bingham",
        "candidate": "toy_samplers:unsigned",
        "arguments": {},
        "input": "",
    }
    assert record["asked"]["draws"] == 3000
    result = AuditResult.from_json((here / "r.json").read_text())
    assert result.claim == Closeness(0.0)
    assert faults(result) == []
    assert run(["audit", "--check", "r.json"]) == 1
    case = ElementTree.parse("r.xml").find(".//testcase")
    assert case is not None
    assert case.get("classname") == "toy_samplers"
    assert case.get("name") == "unsigned conforms to bingham: total variation at most 0"
    assert len(case.findall("failure")) == 1


@pytest.mark.parametrize("name", ["x.json", "x.npy", "x.npz", "[[1, 2], [3, 4]]"])
def test_inputs_come_from_files_and_from_the_line(here, name):
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    (here / "x.json").write_text(json.dumps(rows.tolist()))
    np.save(here / "x.npy", rows)
    np.savez(here / "x.npz", rows)
    (here / "centred.py").write_text(
        "def f(x, *, size, rng):\n    assert x.shape == (2, 2)\n    return 10.0 + rng.normal(size=size)\n"
    )
    assert run(["conform", "toy_samplers:normal", "centred:f", "--at", name, "--draws", "2000"]) == 0


def test_nothing_to_judge_from(here, capsys):
    assert run(order("normal", "normal", "--at", "0", "--seconds", "1e-9", "--junit", "r.xml")) == 3
    assert "<error" in (here / "r.xml").read_text()
    assert "undecided" in capsys.readouterr().out
    assert run(order("normal", "failing", "--at", "0")) == 1


@pytest.mark.parametrize("candidate", ["normal", "failing"])
def test_a_reference_that_raises_is_nobodys_difference(here, capsys, candidate):
    assert run(order("failing", candidate, "--at", "0")) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "reference" in printed.err
    assert "RuntimeError: no" in printed.err


def test_what_is_interrupted_is_kept(here, capsys):
    assert run(order("slow", "impatient", "--at", "0", "--json", "r.json")) == 130
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "dpspectra: interrupted\n")
    assert AuditResult.from_json((here / "r.json").read_text()).draws >= 128


def test_what_is_not_implemented_says_so(here, capsys):
    assert run(order("normal", "undecided", "--at", "0")) == 2
    assert "must be implemented, it says one day" in capsys.readouterr().err


def test_progress_counts_draws(here, monkeypatch):
    tqdm = pytest.importorskip("tqdm")
    steps = []

    class Shown(tqdm.tqdm):  # type: ignore[name-defined]
        def update(self, n=1):
            steps.append((n, self.total))

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(tqdm, "tqdm", Shown)
    assert run(order("normal", "slow", "--at", "0")) == 0
    assert sum(n for n, _ in steps) == 3000
    assert {total for _, total in steps} == {3000}


@pytest.mark.parametrize(
    ("reference", "candidate", "more", "status"),
    [
        ("normal", "normal", ["--with", "scale=0"], 3),
        ("haar", "unsigned", ["--with", "field=real"], 1),
        ("normal", "slow", ["--draws", "20"], 3),
        ("normal", "slow", [], 0),
    ],
)
def test_hints_name_options_of_the_command(here, capsys, reference, candidate, more, status):
    at = "3" if reference == "haar" else "0"
    assert run([*order(reference, candidate, "--at", at), *more]) == status
    hints = set(re.findall(r"--[a-z-]+|estimate=True", capsys.readouterr().out))
    with pytest.raises(SystemExit):
        run(["conform", "--help"])
    assert hints <= set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
