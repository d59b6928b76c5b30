"""The auditor from outside: the command line and what it writes, other processes, a cluster, the README.

Seeds are fixed. With a fresh one, a sound mechanism below would be refuted with probability at most 0.001.
"""

import dataclasses
import json
import math
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor
from scipy.special import ndtr, ndtri

from dpspectra.audit import GDP, ApproxDP, AuditResult, Profile, PureDP, Renyi, audit
from dpspectra.audit.recheck import faults
from dpspectra.audit.sample import Sample, sampled
from dpspectra.audit.wealth import Evidence
from dpspectra.cli import run
from dpspectra.report.inputs import read_pair
from dpspectra.report.junit import junit
from dpspectra.report.plots import least_miss
from dpspectra.report.target import default_pair, fingerprint, imported, subject

WISHART = "dpspectra.audit.specimens:wishart_one_sided"
SUPPORT = "dpspectra.audit.specimens:wishart_support"
TOYS = """
import itertools
import os
import signal
import numpy as np

def laplace(x, *, size, rng):
    return float(np.sum(x)) + rng.laplace(0, 1, size)

def added(x, *, size, rng):
    return float(np.sum(x)) + rng.laplace(0, 1, size)

def gaussian(x, sigma, *, size, rng):
    return float(np.sum(x)) + rng.normal(0, sigma, size)

def patient(x, *, rng, calls=itertools.count(1)):
    if next(calls) == int(os.environ.get("PATIENCE", 0)):
        os.kill(os.getpid(), signal.SIGINT)
    return float(np.sum(x)) + rng.laplace(0, 0.7)

def undecided(x):
    raise NotImplementedError("one day")

def oblique(x, *, size, rng):
    return float(np.sum(x[:, 0] * x[:, 1])) + rng.laplace(0, 0.3, size)

def corner(m, *, size, rng):
    return float(m[0, 1]) + rng.laplace(0, 0.3, size)

class Box:
    @staticmethod
    def inside(x, epsilon, *, size, rng):
        return float(np.sum(x)) + rng.laplace(0, 1 / epsilon, size)

NUMBER = 3
"""


@pytest.fixture(scope="module")
def toys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toys")
    (folder / "toy_mechanisms.py").write_text(TOYS)
    return folder


@pytest.fixture
def here(toys, monkeypatch, tmp_path):
    """An empty folder from which the toys can be imported, with a pair of numbers beside."""
    monkeypatch.syspath_prepend(toys)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair.json").write_text('{"first": [0], "second": [1]}')
    return tmp_path


def toy(name, *options):
    return ["audit", f"toy_mechanisms:{name}", "--pair", "pair.json", *options]


def data(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"), parse_constant=pytest.fail)


def result_of(path):
    return AuditResult.from_json(pathlib.Path(path).read_text(encoding="utf-8"))


# ---------------------------------------------------------------- verdicts


def test_a_broken_mechanism_is_refuted_by_name(capsys, here):
    assert run(["audit", WISHART, "--epsilon", "1", "--json", "r.json"]) == 1
    said = capsys.readouterr().out
    assert re.search(r"verdict +refuted\n", said)
    assert re.search(r"data sets +the default pair, --dimension 2 --form rows\n", said)
    record = data("r.json")
    assert record["violated"]
    assert record["subject"]["mechanism"] == WISHART
    assert record["subject"]["arguments"] == {"epsilon": 1.0}
    assert record["asked"]["seed"] == 0
    assert run(["audit", "--check", "r.json"]) == 1


def test_a_sound_mechanism_is_not(capsys, here):
    assert run(toy("laplace", "--epsilon", "1", "--draws", "4000", "--json", "r.json")) == 0
    assert re.search(r"verdict +not refuted\n", capsys.readouterr().out)
    assert run(["audit", "--check", "r.json"]) == 0
    assert run(toy("laplace", "--epsilon", "0.5", "--draws", "4000")) == 1


def test_draws_were_called_budget(here, capsys):
    """The old option still works, and so does a record that says what it said then."""
    assert run(toy("laplace", "--epsilon", "1", "--budget", "500", "--json", "r.json")) == 0
    record = data("r.json")
    assert (record["draws"], record["stopped"], record["asked"]["draws"]) == (500, "draws", 500)
    record["stopped"], record["asked"] = "budget", {"budget": 500, "seconds": 60.0, "seed": 0, "workers": None}
    (here / "r.json").write_text(json.dumps(record))
    assert run(["audit", "--check", "r.json"]) == 0
    assert run(toy("laplace", "--epsilon", "1", "--draws", "100", "--resume", "r.json", "--json", "s.json")) == 0
    assert data("s.json")["draws"] == 600
    for option in ("--help", "--draws=2 --budget=2"):
        with pytest.raises(SystemExit):
            run(["audit", *option.split()])
    out, err = capsys.readouterr()
    assert "--budget" not in out
    assert "not allowed with argument" in err


def test_all_bits_and_independence_are_asked_for_by_name(here):
    """Noise that is added in floating point gives its data away in the last bits; and rows may be declared."""
    order = toy("added", "--epsilon", "1", "--pair", "pair.json", "--json", "r.json", "--draws", "4000")
    (here / "pair.json").write_text('{"first": [[0.0]], "second": [[1.0]]}')
    assert run(order) == 0
    assert data("r.json")["rows"] == "averaged within calls"
    assert run([*order, "--independent"]) == 0
    assert data("r.json")["rows"] == "independent"
    assert run([*order, "--bits"]) == 1
    assert "least set bit" in data("r.json")["witness"]
    assert data("r.json")["asked"]["bits"] is True


def test_attributes_may_be_dotted_and_take_arguments(here):
    assert run(toy("Box.inside", "--epsilon", "1", "--draws", "2000")) == 0
    assert run(toy("Box.inside", "--epsilon", "1", "--with", "epsilon=3", "--draws", "2000")) == 1


@pytest.mark.parametrize(
    ("options", "claim"),
    [
        (["--epsilon", "1"], PureDP(1.0)),
        (["--epsilon", "1", "--delta", "0.1"], ApproxDP(1.0, 0.1)),
        (["--mu", "0.5"], GDP(0.5)),
        (["--renyi", "4", "0.5"], Renyi(4.0, 0.5)),
        (["--profile", "curve.json"], Profile(((0.0, 0.4), (1.0, 0.125)))),
    ],
)
def test_every_claim_can_be_made(here, options, claim):
    (here / "curve.json").write_text("[[0, 0.4], [1, 0.125]]")
    assert run(toy("gaussian", *options, "--with", "sigma=2", "--draws", "500", "--json", "r.json")) == 0
    assert result_of("r.json").claim == claim
    assert run(toy("gaussian", *options, "--with", "sigma=0.1", "--draws", "5000")) == 1


BAD = [
    (["audit"], "what to audit must be named"),
    (["audit", "nothing", "--epsilon", "1"], "a callable must be named package.module:callable, got 'nothing'"),
    (["audit", "no.such:thing", "--epsilon", "1"], "no.such:thing must be importable, got ModuleNotFoundError"),
    (toy("missing", "--epsilon", "1"), "must be importable, got AttributeError"),
    (toy("NUMBER", "--epsilon", "1"), "toy_mechanisms:NUMBER must be callable, got int"),
    (toy("laplace"), "the claim must be one of --epsilon, --mu, --renyi, --profile, got 0"),
    (toy("laplace", "--epsilon", "1", "--mu", "1"), "got 2 of them"),
    (toy("laplace", "--mu", "1", "--delta", "0.1"), "--delta must come with --epsilon, got --mu"),
    (toy("laplace", "--epsilon", "-1"), "epsilon must be non-negative and finite, got -1.0"),
    (toy("gaussian", "--epsilon", "1"), "mechanism must take the data set as its only other argument"),
    (toy("gaussian", "--epsilon", "1", "--with", "sigma"), "an argument must be given as NAME=VALUE, got 'sigma'"),
    (toy("undecided", "--epsilon", "1"), "toy_mechanisms:undecided must be implemented"),
    (toy("laplace", "--epsilon", "1", "--draws", "1"), "draws must be at least 2, got 1"),
    (toy("laplace", "--epsilon", "1", "--confidence", "2"), "confidence must lie in (0, 1), got 2.0"),
    (toy("laplace", "--epsilon", "1", "--html", "."), "an output must be a file, got the folder ."),
    (toy("laplace", "--epsilon", "1", "--search", "replace"), "--search finds the pair itself and must come without"),
    (["audit", WISHART, "--epsilon", "1", "--search", "odd"], "relation must be one of replace, add_remove, zero_out"),
    (["audit", WISHART, "--epsilon", "1", "--form", "odd"], "form must be one of rows, matrix"),
    (toy("laplace", "--profile", "pair.json"), "pair.json must hold a JSON list of pairs"),
    (["audit", "--check", "pair.json"], "text must be the JSON of an audit's result"),
    (["audit", "--check", "none.json"], "No such file or directory: none.json"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_usage_is_one_line_and_2(capsys, here, arguments, message):
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


# ---------------------------------------------------------------- pairs


def test_pairs_are_read_from_files(here):
    np.savez("pair.npz", first=np.eye(2), second=np.zeros((2, 2)) + 1j)
    first, second = read_pair(pathlib.Path("pair.npz"))
    assert np.array_equal(first, np.eye(2))
    assert second.dtype == complex
    (here / "p.json").write_text('{"first": [[1, 2], [3, 4]], "second": [[1, 2]]}')
    first, second = read_pair(pathlib.Path("p.json"))
    assert first.dtype == second.dtype == float
    assert first.tolist() == [[1, 2], [3, 4]]
    assert second.tolist() == [[1, 2]]
    for pair in ({"any": [1, [2]]}, {"any": 3}), (["a", "b"], ["a"]), (1, 2.5), ([True], [False]):
        (here / "p.json").write_text(json.dumps(dict(zip(("first", "second"), pair, strict=True))))
        assert read_pair(pathlib.Path("p.json")) == pair


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.csv", "", "must end in .npz, .json"),
        ("p.npz", "no", "must be an .npz archive"),
        ("p.json", "{", "must be JSON"),
        ("p.json", "[1, 2]", "must hold an object with first and second, got list"),
        ("p.json", '{"first": 1}', "must hold first and second and nothing else, got entries: 1"),
    ],
)
def test_bad_pairs_are_refused(here, name, content, message):
    (here / name).write_text(content)
    with pytest.raises(ValueError, match=re.escape(message)):
        read_pair(here / name)


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_default_pair_is_neighbouring_whichever_relation_is_meant(dimension):
    first, second = default_pair(dimension)
    assert first.shape == second.shape == (2, dimension)
    assert np.allclose(np.linalg.norm(first, axis=1), 1)
    assert np.array_equal(first[0], second[0])
    assert not second[1].any()


def test_the_default_pair_as_matrices():
    first, second = default_pair(3, "matrix")
    assert np.array_equal(first, np.diag([1.0, 0.0, 1.0]))
    assert np.array_equal(second, np.diag([1.0, 0.0, 0.0]))


@pytest.mark.parametrize(("name", "form"), [("oblique", "rows"), ("corner", "matrix")])
def test_a_search_finds_the_pair_that_shows_it(capsys, here, name, form):
    """The default pair has nothing off the diagonal, which is all that these mechanisms look at."""
    order = [
        "audit",
        f"toy_mechanisms:{name}",
        "--epsilon",
        "1",
        "--form",
        form,
        "--json",
        "r.json",
        "--draws",
        "8000",
        "--seconds",
        "3600",  # a busy machine shall not end the search
    ]
    assert run(order) == 0
    assert run([*order, "--search", "replace"]) == 1
    assert re.search(r"^pair: \w", capsys.readouterr().out, re.MULTILINE)
    first, second = read_pair(here / "r.json.pair.json")
    seen = [x[0, 1] if form == "matrix" else np.sum(x[:, 0] * x[:, 1]) for x in (first, second)]
    assert abs(seen[0] - seen[1]) > 0.7, "at most 1, by rows along the two diagonals"
    assert [fingerprint(first), fingerprint(second)] == data("r.json")["subject"]["pair"]
    assert run(["audit", "--check", "r.json"]) == 1
    assert run([*order, "--pair", "r.json.pair.json", "--resume", "r.json"]) == 1


def test_fingerprints_tell_data_sets_apart():
    sets = [np.zeros(2), np.zeros((2, 1)), np.zeros(2, dtype=int), np.array([0.0, 1e-300]), [0, 0], {"a": 1}, 0, "0"]
    assert len({fingerprint(data) for data in sets}) == len(sets)
    assert fingerprint(np.eye(3)) == fingerprint(np.asfortranarray(np.eye(3)))


# ---------------------------------------------------------------- records


@pytest.fixture(scope="module")
def refuted():
    wishart = subject(WISHART, PureDP(1.0), [], default_pair(2), None)
    return audit(wishart.mechanism, wishart.pair, 1.0)


@pytest.fixture(scope="module")
def certified():
    wishart = subject(WISHART, PureDP(1.0), [], default_pair(2), SUPPORT)
    return audit(wishart.mechanism, wishart.pair, 1.0, support=wishart.support)


def with_bet(result, **changes):
    """A record in which the first bet of the last epoch has been changed."""
    *epochs, (bet, *others) = result.evidence.epochs
    forged = (*epochs, (dataclasses.replace(bet, **changes), *others))
    return dataclasses.replace(result, evidence=dataclasses.replace(result.evidence, epochs=forged))


def test_true_records_agree_with_their_evidence(refuted, certified, here):
    assert faults(refuted) == faults(certified) == []
    assert refuted.violated
    assert certified.certificate
    assert run(["audit", WISHART, "--epsilon", "1", "--support", SUPPORT, "--json", "c.json"]) == 1
    assert run(["audit", "--check", "c.json"]) == 1
    claims = [PureDP(0.9), ApproxDP(0.2, 0.25), ApproxDP(1.0, 0.1), GDP(1.0), Renyi(2.0, 0.2)]
    mechanism = subject("toy_mechanisms:laplace", PureDP(1.0), [], (0.0, 1.0), None).mechanism
    for claim in claims:
        assert faults(audit(mechanism, (0.0, 1.0), claim, draws=3000)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"violated": False}, "violated is False, the evidence says True"),
        ({"bound": 3.0}, "bound is 3, the evidence gives"),
        ({"log_e_value": 8.0}, "log_e_value is 8, the counts give"),
        ({"confidence": 0.9999999}, "violated is True, the evidence says False"),
        ({"claim": PureDP(1.4)}, "log_e_value is"),
        ({"draws": 100}, "no more than the 100 draws can have been bet on"),
        ({"certificate": {"kind": "not_psd"}}, "the certificate does not prove what it states"),
        ({"log_e_value": math.inf}, "without a certificate that could be checked"),
    ],
)
def test_a_forged_record_is_found_out(refuted, change, fault):
    assert any(fault in found for found in faults(dataclasses.replace(refuted, **change)))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"counts": ((1, 1, 0, 64),)}, "log_e_value is"),
        ({"counts": ((1, 1, 0, 65),)}, "counts must be possible, and of the same pairs of calls"),
        ({"counts": ((1, 1, 0, 65), (1, 0, 1, -1))}, "counts must be possible"),
        ({"counts": ((1, 2, 0, 64),)}, "counts must be possible"),
        ({"share": 1.5}, "shares of wealth must lie in"),
        ({"share": 1.0}, "shares of wealth must sum to at most 1"),
        ({"point": 1}, "a bet must name a data set, a point of the claim and a fraction"),
        ({"fraction": 99}, "a bet must name"),
        ({"one_sided": True, "counts": ((1, 1, 0, 62), (1, 0, 1, 2))}, "must not be counted there"),
    ],
)
def test_a_forged_bet_is_found_out(refuted, change, fault):
    forged = with_bet(refuted, **change)
    assert any(fault in found for found in faults(forged)), faults(forged)
    rich = dataclasses.replace(refuted, evidence=dataclasses.replace(refuted.evidence, start=3.0))
    assert any("wealth must begin with at most 1" in found for found in faults(rich))


def test_a_forged_certificate_is_found_out(certified, capsys, here):
    record = json.loads(certified.to_json())
    record["certificate"]["vector"] = [1] * len(record["certificate"]["vector"])
    (here / "forged.json").write_text(json.dumps(record))
    assert run(["audit", "--check", "forged.json"]) == 2
    assert "the certificate does not prove what it states" in capsys.readouterr().err


# ---------------------------------------------------------------- interruption


def test_an_interrupted_audit_leaves_its_record_and_goes_on_from_it(capsys, here, toys):
    """Ctrl-C is SIGINT, here after 450 calls; the audit runs in a process of its own, as it would."""
    order = toy("patient", "--epsilon", "1", "--json", "r.json")
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # jobs in the background do not
    code = f"{listen}; import sys; from dpspectra.cli import run; sys.exit(run(sys.argv[1:]))"
    environment = os.environ | {"PYTHONPATH": str(toys), "PATIENCE": "450"}
    done = subprocess.run([sys.executable, "-c", code, *order], env=environment, capture_output=True, text=True)
    assert done.returncode == 130
    assert "--resume r.json goes on" in done.stderr
    assert [path.name for path in here.iterdir() if path.name.startswith(".")] == []
    saved = result_of("r.json")
    assert saved.stopped == "interrupted"
    assert saved.draws >= 128
    assert faults(saved) == []
    assert run(["audit", "--check", "r.json"]) == 0
    assert run([*order, "--resume", "r.json"]) == 1
    resumed = result_of("r.json")
    assert resumed.runs == 2
    assert resumed.history[: len(saved.history)] == saved.history
    assert faults(resumed) == []
    capsys.readouterr()
    assert run([*order[:1], "toy_mechanisms:laplace", *order[2:], "--resume", "r.json"]) == 2
    assert "r.json must be about this mechanism" in capsys.readouterr().err
    assert run([*order[:4], "--epsilon", "2", "--resume", "r.json"]) == 2
    assert "resume must be a result on the same claim, 2-DP" in capsys.readouterr().err


def test_interruption_before_the_first_look_leaves_a_record_too(here, monkeypatch):
    def impatient(x):
        raise KeyboardInterrupt

    monkeypatch.setattr("toy_mechanisms.laplace", impatient)
    assert run(toy("laplace", "--epsilon", "1", "--json", "r.json")) == 130
    saved = result_of("r.json")
    assert (saved.draws, saved.bound, saved.stopped, faults(saved)) == (0, 0.0, "running", [])
    monkeypatch.undo()


def test_progress_counts_draws(here, monkeypatch):
    """A terminal is shown the draws so far, of those allowed; nothing is written where there is none."""
    tqdm = pytest.importorskip("tqdm")
    steps, totals = [], []

    class Shown(tqdm.tqdm):  # type: ignore[name-defined]
        def update(self, n=1):
            totals.append(self.total)
            steps.append(n)

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(tqdm, "tqdm", Shown)
    assert run(toy("laplace", "--epsilon", "1", "--draws", "2000")) == 0
    assert (sum(steps), set(totals)) == (2000, {2000})
    assert len(steps) > 10


# ---------------------------------------------------------------- JUnit and HTML

JUNIT = {
    "testsuites": ({"testsuite"}, set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        {"properties", "testcase"},
        {"name", "tests", "failures", "errors"},
        {"name", "tests", "failures", "errors", "time", "skipped"},
    ),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, {"name", "value"}),
    "testcase": ({"failure"}, {"name"}, {"name", "classname", "time"}),
    "failure": (set(), set(), {"type", "message"}),
}
"""Of the schema by which Jenkins reads JUnit files: allowed children, attributes required and allowed."""


def valid_junit(element):
    children, required, allowed = JUNIT[element.tag]
    assert required <= set(element.keys()) <= allowed, element.tag
    assert {child.tag for child in element} <= children, element.tag
    for child in element:
        valid_junit(child)
    return element


@pytest.mark.parametrize(("epsilon", "failures"), [("1", 0), ("0.5", 1)])
def test_junit_is_as_ci_reads_it(here, epsilon, failures):
    assert run(toy("laplace", "--epsilon", epsilon, "--draws", "3000", "--junit", "r.xml")) == failures
    top = valid_junit(ElementTree.parse("r.xml").getroot())
    suite = top.find("testsuite")
    for element in (top, suite):
        assert (element.get("tests"), element.get("failures"), element.get("errors")) == ("1", str(failures), "0")
        assert re.fullmatch(r"\d+\.\d+", element.get("time"))
    (case,) = suite.findall("testcase")
    assert case.get("classname") == "toy_mechanisms"
    assert case.get("name") == f"laplace is {epsilon}-DP"
    assert len(case.findall("failure")) == failures
    verdict = {p.get("name"): p.get("value") for p in suite.iter("property")}["verdict"]
    assert verdict == ("refuted" if failures else "not refuted")


def test_junit_survives_what_xml_cannot_hold(refuted):
    strange = dataclasses.replace(refuted, witness="\x00\x1b[31m <&> \ud800 \ufffe é")
    top = valid_junit(ElementTree.fromstring(junit("a.b:c", strange).encode("utf-8")))
    assert "??[31m <&> ? ? é" in top.find(".//failure").text


def test_the_page_is_self_contained(here):
    assert run(["audit", WISHART, "--epsilon", "1", "--support", SUPPORT, "--html", "r.html"]) == 1
    html = (here / "r.html").read_text(encoding="utf-8")
    assert html.count("<svg") == 3
    assert not [word for word in ("<script", "<link", "<img", "@import", "src=") if word in html]
    assert not re.findall(r'(?:href|url)[=(]"?(?!#|http://www.w3.org/1999/xlink)[^#"]', html)
    assert "<h2>Certificate</h2>" in html
    assert "refuted</span>" in html
    assert run(toy("laplace", "--epsilon", "1", "--draws", "500", "--html", "deep/er/r.html")) == 0
    assert '"not-refuted">not refuted</span>' in (here / "deep/er/r.html").read_text(encoding="utf-8")


def test_the_region_a_claim_forbids():
    """Against the exact trade-off of randomised response and of Gaussians; the table of points lies below the curve."""
    alarm = np.linspace(0, 1, 101)
    kink = 1 / (1 + math.e)
    exact = np.where(alarm <= kink, 1 - math.e * alarm, (1 - alarm) / math.e)
    assert np.allclose(least_miss(PureDP(1.0), alarm), exact, atol=1e-15)
    shifted = least_miss(ApproxDP(1.0, 0.125), alarm)
    assert np.allclose(shifted, np.maximum(0, np.maximum(0.875 - math.e * alarm, (0.875 - alarm) / math.e)))
    inside = alarm[1:-1]
    gaussian = ndtr(-ndtri(inside) - 1.0)
    forbidden = least_miss(GDP(1.0), inside)
    assert np.all(forbidden <= gaussian + 1e-12)
    assert np.max(gaussian - forbidden) < 0.06
    touching = ndtr(-0.5)  # at epsilon = 0 the curve and its tangent of slope -1 meet on the diagonal
    assert least_miss(Profile(((0.0, 1 - 2 * touching),)), np.array([touching])) == pytest.approx(touching)


def test_the_sample_shows_the_witness():
    """A distribution function of 4096 draws is off by more than 0.05 with probability below 3e-9 (DKW)."""

    def gaussian(x, *, size, rng):
        return rng.normal(x, 1.0, size)

    result = audit(gaussian, (0.0, 1.0), 0.5)
    assert result.violated
    seen: Any = sampled(gaussian, (0.0, 1.0), result)
    assert seen.statistic in result.witness
    assert seen.event == result.event
    assert f"{seen.event.threshold:.6g}" in result.witness
    assert [len(values) for values in seen.values] == [4096, 4096]
    plain = Sample("output", tuple(np.random.default_rng(i).normal(i, 1.0, 4096) for i in (0, 1)), None)
    for sample in (plain, Sample("flipped", plain.values[::-1], None)):
        alarms, misses = sample.errors()
        inside = (alarms > 0.01) & (alarms < 0.99)
        assert np.max(np.abs(misses[inside] - ndtr(-ndtri(alarms[inside]) - 1))) < 0.05 + 0.05
        assert {0.0, 1.0} <= set(alarms) & set(misses)


def test_without_a_bet_the_sample_shows_what_differs_most():
    def second_of_three(x, *, size, rng):
        return rng.normal(size=(size, 3)) + np.array([0.0, x, 0.0])

    result = audit(second_of_three, (0.0, 2.0), 20.0, draws=200)
    nothing = dataclasses.replace(result, witness="no event stood out", event=None, evidence=Evidence())
    seen: Any = sampled(second_of_three, (0.0, 2.0), nothing)
    assert (seen.statistic, seen.event) == ("entry 1", None)


def test_what_always_fails_can_be_drawn_too(here):
    def failing(x):
        raise KeyError("key")

    result = audit(failing, (0, 1), 1.0, draws=100)
    assert result.failures == 2 * result.draws
    assert sampled(failing, (0, 1), result) is None
    command = ["audit", "toy_mechanisms:gaussian", "--epsilon", "1", "--with", 'sigma="x"']
    assert run([*command, "--html", "r.html", "--junit", "r.xml", "--json", "r.json"]) == 2
    assert "every draw failed" in (here / "r.html").read_text(encoding="utf-8")
    assert '<error type="Undecided"' in (here / "r.xml").read_text(encoding="utf-8")
    assert run(["audit", "--check", "r.json"]) == 2


def test_an_audit_that_saw_nothing_is_undecided():
    def half_failing(x, *, size, rng):
        return np.where(rng.random(size) < 0.5, np.nan, rng.normal(size=size))

    assert audit(half_failing, (0, 1), 1.0, draws=200).verdict == "not refuted"
    assert audit(lambda x: math.nan, (0, 1), 1.0, draws=100).verdict == "undecided"
    assert audit(lambda x: 0.0, (0, 1), 1.0, draws=100).verdict == "not refuted"
    assert "no draws were made" in audit(lambda x: 0.0, (0, 1), 1.0, seconds=1e-9).undecided
    for same in (np.eye(2), 1.0, "a", [[1.0]]):
        with pytest.raises(ValueError, match="two different data sets"):
            audit(half_failing, (same, same), 1.0)
    assert audit(half_failing, (1, 1.0), 1.0, draws=100).verdict == "not refuted"


# ---------------------------------------------------------------- other processes


def test_workers_change_nothing(here):
    get_reusable_executor().shutdown()  # workers that earlier tests left behind do not know the folder of this one
    records = []
    for workers in ([], ["--workers", "1"], ["--workers", "2"]):
        assert run(toy("laplace", "--epsilon", "0.8", "--seed", "5", "--json", "r.json", *workers)) == 1
        records.append({key: value for key, value in data("r.json").items() if key not in ("seconds", "asked")})
    assert records[0] == records[1] == records[2]
    assert records[0]["evidence"]["epochs"]


def test_a_dask_cluster_changes_nothing_even_if_it_loses_a_worker(tmp_path):
    """The worker that makes the first draws kills itself; dask starts another, and hands the task out again."""
    import joblib

    distributed = pytest.importorskip("distributed")
    home, dead = os.getpid(), tmp_path / "dead"

    def laplace(x, *, size, rng):
        return rng.laplace(x, 1 / 1.5, size)

    def fragile(x, *, size, rng):
        if os.getpid() != home and not dead.exists():
            dead.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return laplace(x, size=size, rng=rng)

    alone = audit(laplace, (0.0, 1.0), 1.0, rng=3)
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with (
        distributed.LocalCluster(**settings, silence_logs=50) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        shared = audit(laplace, (0.0, 1.0), 1.0, rng=3, workers=2)
        survived = audit(fragile, (0.0, 1.0), 1.0, rng=3, workers=2)
    assert dead.exists()
    assert alone.violated
    assert alone.counts
    assert alone == shared == survived


# ---------------------------------------------------------------- the README


def readme_section():
    text = (pathlib.Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    return re.search(r"^## Audit your library in six lines\n(.*?)^## ", text, re.MULTILINE | re.DOTALL)[1]


def test_the_six_lines_of_the_readme_run(tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", readme_section(), re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) == 6
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", block], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"True 1\.\d+ smallest eigenvalue.*\n", done.stdout)


def test_the_commands_of_the_readme_run(here):
    commands = re.findall(r"^dpspectra (audit .*)$", readme_section(), re.MULTILINE)
    assert len(commands) >= 3
    assert [run(command.split("#")[0].split()) for command in commands] == [1] * len(commands)


def test_the_comparisons_of_the_readme_run(here):
    text = (pathlib.Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^dpspectra (conform .*)$", text, re.MULTILINE)
    assert [run(shlex.split(command, comments=True)) for command in commands] == [0, 1]


def test_names_are_found_beside_the_caller(here):
    (here / "beside_the_caller.py").write_text("def f(x): return x\n")
    assert imported("beside_the_caller:f")(3) == 3
