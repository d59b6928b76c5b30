"""The command ``audit``: verdicts, searches, interruptions.

Seeds are fixed. With a fresh one, a sound mechanism below would be refuted with probability at most 0.001.
"""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

from dpspectra.audit import GDP, ApproxDP, Profile, PureDP, Renyi
from dpspectra.audit.recheck import faults
from dpspectra.cli import run
from dpspectra.commands.inputs import read_pair
from dpspectra.commands.subject import fingerprint
from tests.support.helpers import ROOT
from tests.support.toys import WISHART, data, result_of, toy

# ---------------------------------------------------------------- verdicts


def test_a_broken_mechanism_is_refuted_by_name(capsys, workshop):
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


def test_a_sound_mechanism_is_not(capsys, workshop):
    assert run(toy("laplace", "--epsilon", "1", "--draws", "4000", "--json", "r.json")) == 0
    assert re.search(r"verdict +not refuted\n", capsys.readouterr().out)
    assert run(["audit", "--check", "r.json"]) == 0
    assert run(toy("laplace", "--epsilon", "0.5", "--draws", "4000")) == 1


def test_all_bits_and_independence_are_asked_for_by_name(workshop):
    """Noise that is added in floating point gives its data away in the last bits; and rows may be declared."""
    order = toy("added", "--epsilon", "1", "--pair", "pair.json", "--json", "r.json", "--draws", "4000")
    (workshop / "pair.json").write_text('{"first": [[0.0]], "second": [[1.0]]}')
    assert run(order) == 0
    assert data("r.json")["rows"] == "averaged within calls"
    assert run([*order, "--independent"]) == 0
    assert data("r.json")["rows"] == "independent"
    assert run([*order, "--bits"]) == 1
    assert "least set bit" in data("r.json")["witness"]
    assert data("r.json")["asked"]["bits"] is True


def test_attributes_may_be_dotted_and_take_arguments(workshop):
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
def test_every_claim_can_be_made(workshop, options, claim):
    (workshop / "curve.json").write_text("[[0, 0.4], [1, 0.125]]")
    assert run(toy("gaussian", *options, "--with", "sigma=2", "--draws", "500", "--json", "r.json")) == 0
    assert result_of("r.json").claim == claim
    assert run(toy("gaussian", *options, "--with", "sigma=0.1", "--draws", "5000")) == 1


BAD = [
    (["audit"], "what to audit must be named"),
    (["audit", "nothing", "--epsilon", "1"], "a callable must be named package.module:callable, got 'nothing'"),
    (["audit", "no.such:thing", "--epsilon", "1"], "no.such:thing must be importable, got ModuleNotFoundError"),
    (toy("missing", "--epsilon", "1"), "must be importable, got AttributeError"),
    (toy("NUMBER", "--epsilon", "1"), "toy_mechanisms:NUMBER must be callable, got int"),
    (toy("laplace"), "the claim must be one of epsilon, mu, renyi, rho, profile, got 0"),
    (toy("laplace", "--epsilon", "1", "--mu", "1"), "got 2 of them"),
    (toy("laplace", "--mu", "1", "--delta", "0.1"), "delta must come with epsilon, got mu"),
    (toy("laplace", "--epsilon", "-1"), "epsilon must be non-negative and finite, got -1.0"),
    (toy("gaussian", "--epsilon", "1"), "mechanism must take the data set as its only other argument"),
    (toy("gaussian", "--epsilon", "1", "--with", "sigma"), "an argument must be given as NAME=VALUE, got 'sigma'"),
    (toy("undecided", "--epsilon", "1"), "toy_mechanisms:undecided must be implemented"),
    (toy("laplace", "--epsilon", "1", "--draws", "1"), "draws must be at least 2, got 1"),
    (toy("laplace", "--epsilon", "1", "--confidence", "2"), "confidence must lie in (0, 1), got 2.0"),
    (toy("laplace", "--epsilon", "1", "--html", "."), "an output must be a file, got the folder ."),
    (toy("laplace", "--epsilon", "1", "--search", "replace"), "--search finds the pair itself and must come without"),
    (
        ["audit", WISHART, "--epsilon", "1", "--search", "odd", "--domain", "ball"],
        "relation must be one of replace, add_remove, zero_out",
    ),
    (["audit", WISHART, "--epsilon", "1", "--form", "odd"], "form must be one of rows, matrix, sum"),
    (toy("laplace", "--profile", "pair.json"), "pair.json must hold a JSON list of pairs"),
    (["audit", "--check", "pair.json"], "pair.json: text must be the JSON of an audit by draws"),
    (["audit", "examples/toy.py:laplace", "--epsilon", "1"], "write examples.toy:laplace"),
    (["audit", "--check", "none.json"], "No such file or directory: none.json"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_usage_is_one_line_and_2(capsys, workshop, arguments, message):
    assert run(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


# ---------------------------------------------------------------- pairs


@pytest.mark.parametrize(("name", "form"), [("oblique", "rows"), ("corner", "matrix")])
def test_a_search_finds_the_pair_that_shows_it(capsys, workshop, name, form):
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
    assert run([*order, "--search", "replace", "--domain", "ball"]) == 1
    assert re.search(r"^pair: \w", capsys.readouterr().out, re.MULTILINE)
    first, second = read_pair(workshop / "r.json.pair.json")
    seen = [x[0, 1] if form == "matrix" else np.sum(x[:, 0] * x[:, 1]) for x in (first, second)]
    assert abs(seen[0] - seen[1]) > 0.7, "at most 1, by rows along the two diagonals"
    assert [fingerprint(first), fingerprint(second)] == data("r.json")["subject"]["pair"]
    assert run(["audit", "--check", "r.json"]) == 1
    assert run([*order, "--pair", "r.json.pair.json", "--resume", "r.json"]) == 1


# ---------------------------------------------------------------- interruption


def test_an_interrupted_audit_leaves_its_record_and_goes_on_from_it(capsys, workshop, toys):
    """Ctrl-C is SIGINT, here after 450 calls; the audit runs in a process of its own, as it would."""
    order = toy("patient", "--epsilon", "1", "--json", "r.json")
    listen = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # jobs in the background do not
    code = f"{listen}; import sys; from dpspectra.cli import run; sys.exit(run(sys.argv[1:]))"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(toys), str(ROOT / "reference")]), "PATIENCE": "450"}
    done = subprocess.run([sys.executable, "-c", code, *order], env=environment, capture_output=True, text=True)
    assert done.returncode == 130
    assert re.search(r"--resume \S*/r.json goes on", done.stderr)
    assert [path.name for path in workshop.iterdir() if path.name.startswith(".")] == []
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


def test_interruption_before_the_first_look_leaves_a_record_too(workshop, monkeypatch):
    def impatient(x):
        raise KeyboardInterrupt

    monkeypatch.setattr("toy_mechanisms.laplace", impatient)
    assert run(toy("laplace", "--epsilon", "1", "--json", "r.json")) == 130
    saved = result_of("r.json")
    assert (saved.draws, saved.bound, saved.stopped, faults(saved)) == (0, 0.0, "running", [])
    monkeypatch.undo()


def test_progress_counts_draws(workshop, monkeypatch):
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


# ---------------------------------------------------------------- modules that misbehave

MISBEHAVING = """
import os, sys

def leaves(x):
    sys.exit(0)

def wanders(x, *, rng):
    os.chdir("/")
    return rng.laplace(x)

def never(output, data):
    sys.exit("bye")
"""


@pytest.fixture
def strange(tmp_path, monkeypatch):
    """A folder with modules that exit, and a pair of numbers."""
    (tmp_path / "strange_toys.py").write_text(MISBEHAVING)
    (tmp_path / "exits_at_import.py").write_text("import sys\nsys.exit(0)\n")
    (tmp_path / "pair.json").write_text('{"first": 0, "second": 1}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def on_trial(name, *options):
    return ["audit", name, "--epsilon", "1", "--pair", "pair.json", "--draws", "300", *options]


def test_an_exit_is_an_outcome_and_forges_no_status(strange, capsys):
    assert run(on_trial("strange_toys:leaves")) == 3
    assert "every draw failed, with SystemExit: 0" in capsys.readouterr().out
    assert run(on_trial("exits_at_import:f")) == 2
    assert "the module called sys.exit(0) while it was imported" in capsys.readouterr().err
    assert run(on_trial("strange_toys:wanders", "--support", "strange_toys:never")) == 2
    assert "support must answer for every output, got SystemExit: bye" in capsys.readouterr().err


def test_a_record_stays_where_it_was_asked_for(strange):
    assert run(on_trial("strange_toys:wanders", "--json", "r.json", "--junit", "r.xml")) == 0
    assert (strange / "r.json").exists()
    assert (strange / "r.xml").exists()


def test_an_error_of_the_auditor_is_no_refutation(strange, capsys, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("a defect")

    monkeypatch.setattr("dpspectra.commands.audit.audit", broken)
    assert run(on_trial("strange_toys:wanders")) == 2
    assert "RuntimeError: a defect" in capsys.readouterr().err


def test_nothing_that_is_done_at_the_end_changes_the_status(strange):
    (strange / "late_toys.py").write_text("import atexit, os\natexit.register(os._exit, 0)\ndef f(x):\n    return x\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(strange), str(ROOT / "reference")])}
    code = "from dpspectra.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *on_trial("late_toys:f")], env=environment, capture_output=True)
    assert done.returncode == 1
    assert b"verdict" in done.stdout
