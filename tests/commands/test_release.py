"""The command ``release``: no row is lost, nothing is overwritten unasked or left half-written."""

import hashlib
import itertools
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.cli import run
from dpspectra.commands import tables
from dpspectra.commands.tables import Reading
from dpspectra.matrices.text_lines import Form
from dpspectra.report import claim_file, files
from tests.support.files import LAPLACE, X, contents, refused, release


def whole(out="r.npy"):
    """Whether a release and its claim belong together, as the README tells a reader to find out."""
    claim = json.loads(Path(f"{out}.claim.json").read_text(encoding="utf-8"))
    return hashlib.sha256(Path(out).read_bytes()).hexdigest() == claim["value"]["sha256"]


# ---------------------------------------------------------------- what is written


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_picture_is_drawn_with_the_names_of_the_columns(here, capsys, ending):
    pytest.importorskip("matplotlib")
    Path("named.csv").write_text("height,weight\n0.5,0.25\n0.25,0.5\n", encoding="utf-8")
    plot = here / f"picture.{ending}"
    assert release("named.csv", "--mechanism", "private_pca", "--k", "1", "--epsilon", "9", "--plot", str(plot)) == 0
    assert whole()
    assert plot.read_bytes()[:4] == {"svg": b"<?xm", "png": b"\x89PNG", "pdf": b"%PDF"}[ending]
    text = plot.read_text(encoding="utf-8") if ending == "svg" else "<!-- height --><!-- weight -->"
    assert "<!-- height -->" in text
    assert "<!-- weight -->" in text


def test_names_without_bounds_cost_nothing_whatever_the_rows_hold(here, capsys):
    """A column of words is refused by its name, before a row is read."""
    Path("words.csv").write_text("height,town\n0.5,Bath\n", encoding="utf-8")
    budget = dps.Budget(epsilon=1.0, file="b.budget")
    given = ("words.csv", "--epsilon", "1", "--budget", "b.budget", "--bounds", "b.json")
    for bounds, charged in (('{"height": [0, 1]}', 0.0), ('{"height": [0, 1], "town": [0, 1]}', 1.0)):
        Path("b.json").write_text(bounds, encoding="utf-8")
        assert release(*given) == 2
        assert ("bounds must be of the columns" in capsys.readouterr().err) is (charged == 0)
        assert budget.spent.epsilon == charged


def test_an_older_picture_costs_nothing_and_stays(here, capsys):
    pytest.importorskip("matplotlib")
    budget, plot = dps.Budget(epsilon=1.0, file="b.budget"), Path("p.svg")
    given = ("x.npy", "--mechanism", "laplace_covariance", "--epsilon", "1", "--budget", "b.budget", "--plot", "p.svg")
    plot.write_text("mine")
    assert release(*given) == 2
    assert "the output must be new" in capsys.readouterr().err
    assert (budget.spent.epsilon, plot.read_text(), Path("r.npy").exists()) == (0, "mine", False)
    assert release(*given, "--force") == 0
    assert plot.read_text(encoding="utf-8").startswith("<?xm")


@pytest.mark.parametrize(
    "options", [("--mechanism", "private_mean"), ("--mechanism", "laplace_covariance", "--denoise", "psd")]
)
def test_a_picture_that_could_not_be_drawn_costs_nothing(here, capsys, options):
    budget = dps.Budget(epsilon=1.0, file="b.budget")
    given = (*options, "--epsilon", "1", "--budget", "b.budget", "--plot", "p.svg")
    assert release("x.npy", *given) == 2
    assert "--plot shows noisy eigenvalues and must be left out" in capsys.readouterr().err
    assert not Path("r.npy").exists()
    assert budget.spent.epsilon == 0


def test_without_matplotlib_a_picture_is_refused_before_data_are_read(here, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert release("x.npy", *LAPLACE, "--plot", "p.svg") == 2
    assert "plots need matplotlib: pip install 'dpspectra[plot]'" in capsys.readouterr().err
    assert not Path("r.npy").exists()


def test_it_says_how_many_rows_it_read(here, capsys):
    assert release("x.npy") == 0
    assert capsys.readouterr().out.startswith("x.npy: 3 rows of 2 numbers\nr.npy: shape [2, 2], epsilon 1")
    assert release("x.npy", "--json", "-", out="s.csv") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["claim"]["data"] == {"rows": 3, "columns": 2}
    assert told["claim"] == json.loads((here / "s.csv.claim.json").read_text(encoding="utf-8"))
    assert whole()
    assert whole("s.csv")


def test_it_says_what_is_likely_noise(here, capsys):
    assert (
        run(["release", "x.npy", "--mechanism", "private_pca", "--k", "1", "--epsilon", "0.01", "--out", "r.npy"]) == 0
    )
    said = capsys.readouterr().out.splitlines()[2:]
    assert [line for line in said if "exceeds the largest possible value 1: it says nothing" in line]
    assert claim_file.read(here / "r.npy").release.remarks == tuple(said)


def test_it_says_that_a_release_shows_more_than_noise(here, capsys):
    np.save("many.npy", np.tile([1.0, 0.0], (100_000, 1)))
    assert run(["release", "many.npy", "--mechanism", "private_pca", "--k", "1", "--center", "none", "--epsilon", "9",
                "--out", "r.npy"]) == 0  # fmt: skip
    assert capsys.readouterr().out.splitlines()[2:] == ["nothing to remark: it shows more than noise alone would"]


@pytest.mark.parametrize("folder", ["new/folder", "x.npy"])
def test_no_folder_is_made(here, capsys, folder):
    out = f"{folder}/r.npy"
    words = f"an output must lie in a folder that can be written to, got {out}: {folder} is none, make it first"
    refused(capsys, words, "x.npy", out=out)
    assert not (here / "new").exists()


@pytest.mark.parametrize("out", ["r.npy", "r.npz", "r.csv"])
def test_the_value_is_read_back(here, out):
    assert release("x.npy", out=out) == 0
    value = tables.read_table(here / out, Reading(Form(False if out.endswith(".csv") else None))).rows
    assert value.shape == (2, 2)
    np.testing.assert_array_equal(value, value.T)


# ---------------------------------------------------------------- nothing is overwritten


def test_the_data_are_never_overwritten(here, capsys):
    (here / "folder").mkdir()
    (here / "folder" / "back").symlink_to(here)
    (here / "link.npy").symlink_to("x.npy")
    (here / "hard.npy").hardlink_to("x.npy")
    (here / "r.npy.claim.json").symlink_to("x.npy")
    for out in ("x.npy", here / "x.npy", "folder/../x.npy", "folder/back/x.npy", "link.npy", "hard.npy", "r.npy"):
        refused(capsys, "the output must not be a file that is read, nor that of a budget", "x.npy", "--force", out=out)
    refused(
        capsys, "the output must not be a file that is read, nor that of a budget", "link.npy", "--force", out="x.npy"
    )


@pytest.mark.parametrize("old", ["r.npy", "r.npy.claim.json"])
def test_what_exists_is_replaced_only_if_asked(here, capsys, old):
    (here / old).write_text("old", encoding="utf-8")
    refused(capsys, f"the output must be new, got {old}, which exists: say --force", "x.npy")
    assert release("x.npy", "--force") == 0
    assert whole()


def test_a_dangling_link_exists(here, capsys):
    (here / "r.npy").symlink_to("nowhere.npy")
    refused(capsys, "the output must be new", "x.npy")


class Stop(BaseException):
    """Stands for whatever ends a process in the middle."""


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), Stop()], ids=["full", "stopped"])
@pytest.mark.parametrize("renames", [0, 1])
def test_a_failure_leaves_the_old_pair_or_none(here, capsys, monkeypatch, old, problem, renames):
    if old:
        assert release("x.npy") == 0
    before, replace, calls = contents(), os.replace, itertools.count()

    def failing(source, target):
        if next(calls) == renames:
            raise problem
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    if isinstance(problem, OSError):
        assert release("x.npy", "--force") == 2
        assert "No space left" in capsys.readouterr().err
    else:
        with pytest.raises(Stop):
            release("x.npy", "--force")
    assert contents() == before


@pytest.mark.parametrize("renames", [0, 1, 2])
def test_a_process_that_dies_leaves_a_pair_that_can_be_told(here, capsys, renames):
    """At most the claim is old: the digest in it says so. What else is left is named to whoever comes next."""
    assert release("x.npy") == 0
    capsys.readouterr()
    before = contents()
    code = (
        "import itertools, os, sys\nfrom dpspectra.cli import run\nreplace, calls = os.replace, itertools.count(1)\n"
        f"def dying(*paths):\n    if next(calls) > {renames}:\n        os._exit(9)\n    replace(*paths)\n"
        "os.replace = dying\nsys.exit(run(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "release", "x.npy", *LAPLACE, "--out", "r.npy", "--force"]
    assert subprocess.run(command, capture_output=True).returncode == (9 if renames < 2 else 0)
    changed = {name for name, content in contents().items() if before.get(name) != content}
    lock = ".dpspectra-r.npy.lock"
    assert changed - {lock} == [set(), {"r.npy"}, {"r.npy", "r.npy.claim.json"}][renames]
    assert whole() == (renames != 1)
    assert (lock in changed) == (renames < 2)
    if renames < 2:
        refused(capsys, f" writes; {lock} says so: delete it if no such", "x.npy", "--force")
        Path(lock).unlink()
        (scratch,) = files.leftovers(here)
        assert stat.S_IMODE(scratch.stat().st_mode) == 0o700
        assert release("x.npy", "--force") == 0
        assert f"dpspectra: note: {scratch.name}, left behind by a process that was" in capsys.readouterr().err


def test_files_are_on_the_disk_before_they_get_their_names(here, monkeypatch):
    events, fsync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (events.append("sync"), fsync(file)))
    monkeypatch.setattr(os, "replace", lambda *paths: (events.append(paths[1].name), replace(*paths)))
    assert release("x.npy") == 0
    assert events == ["sync", "sync", "r.npy", "sync", "r.npy.claim.json", "sync"]


def test_a_failure_while_writing_leaves_the_old_release_alone(here, monkeypatch, capsys):
    assert release("x.npy", "--force") == 0
    before = contents()

    def full(file, value, names):
        file.write(b"half")
        raise OSError(28, "No space left on device", "r.npy")

    monkeypatch.setitem(files.WRITERS, ".npy", full)
    assert release("x.npy", "--force") == 2
    assert "No space left" in capsys.readouterr().err
    assert contents() == before


def test_good_files_of_every_type_give_a_release_and_a_claim(here, capsys):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"a": [0.5, 0.1], "b": [0.0, 0.2]}), "x.parquet")
    np.savez("x.npz", a=X)
    Path("x.csv").write_text("a,b\n0.5,0.5\n0.25,0\n", encoding="utf-8")
    for name in ("x.npy", "x.npz", "x.csv", "x.parquet"):
        for out in ("r.npy", "r.npz", "r.csv"):
            assert release(name, "--force", out=out) == 0
            claim = json.loads(Path(f"{out}.claim.json").read_text(encoding="utf-8"))
            assert claim["claim"]["epsilon"] == 1.0
            assert claim["mechanism"] == "laplace_covariance"
    assert np.load("r.npy").shape == (2, 2)
    assert np.loadtxt("r.csv", delimiter=",", skiprows=1).shape == (2, 2)  # below the names
    capsys.readouterr()


def test_clipping_is_asked_for(here, capsys):
    Path("long.csv").write_text("3,4\n", encoding="utf-8")
    refused(capsys, "norm at most 1, but row 0 is longer", "long.csv", "--no-header")
    assert release("long.csv", "--no-header", "--clip", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["claim"]["data"]["rows"] == 1


# ---------------------------------------------------------------- one writer


def test_the_second_of_two_writers_is_refused_before_it_spends(here, capsys, monkeypatch):
    """A process comes while another one is at work; later ones find what it wrote."""
    assert run(["budget", "new", "b", "--epsilon", "3"]) == 0
    read, second = files.written, ["--budget", "b"]

    def meanwhile(out, value, names):
        monkeypatch.setattr("dpspectra.commands.release.written", read)
        capsys.readouterr()
        for more in ([], ["--force"]):
            told = f"the output must be free, got r.npy, which process {os.getpid()} writes"
            refused(capsys, told, "x.npy", *second, *more)
        return read(out, value, names)

    monkeypatch.setattr("dpspectra.commands.release.written", meanwhile)
    assert release("x.npy", *second) == 0
    assert whole()
    assert dps.Budget.open("b").spent.epsilon == 1.0
    assert contents().keys() == {"x.npy", "b", "r.npy", "r.npy.claim.json"}
    capsys.readouterr()
    refused(capsys, "the output must be new", "x.npy", *second)
    assert release("x.npy", *second, "--force") == 0
    assert whole()
    assert dps.Budget.open("b").spent.epsilon == 2.0


def test_processes_at_once_leave_one_release(here):
    """One of three succeeds; the claim is that of the value, and no more is spent than for it."""
    assert run(["budget", "new", "b", "--epsilon", "3"]) == 0
    command = [sys.executable, "-m", "dpspectra", "release", "x.npy", *LAPLACE, "--out", "r.npy", "--budget", "b"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    errors = [process.communicate()[1].decode() for process in started]
    assert sorted(process.returncode for process in started) == [0, 2, 2], errors
    assert whole()
    assert dps.Budget.open("b").spent.epsilon == 1.0


# ---------------------------------------------------------------- options of some mechanisms


def claimed(out="r.npy"):
    return json.loads(Path(f"{out}.claim.json").read_text(encoding="utf-8"))


def test_a_budget_is_paid_from_and_refuses_before_the_data_are_read(here, capsys, monkeypatch):
    assert run(["budget", "new", "b", "--epsilon", "1.5"]) == 0
    assert release("x.npy", "--budget", "b") == 0
    assert "b: Budget(epsilon=1.5" in capsys.readouterr().out
    assert claimed()["claim"]["epsilon"] == 1.0
    monkeypatch.setattr("dpspectra.commands.release.read_tables", lambda *arguments: pytest.fail("read"))
    refused(
        capsys, "the budget of epsilon 1.5 must not be exceeded, got 2 with this", "x.npy", "--budget", "b", out="s.npy"
    )
    refused(capsys, "must be usable", "x.npy", "--budget", "absent", out="s.npy")


def test_a_release_may_be_paid_from_a_gaussian_budget(here, capsys):
    new = ["budget", "new", "b", "--epsilon", "2", "--delta", "1e-3", "--method", "gaussian"]
    call = ["release", "x.npy", "--mechanism", "gaussian_covariance", "--epsilon", "1", "--delta", "1e-4"]
    assert run(new) == 0
    assert run([*call, "--budget", "b", "--out", "r.npy"]) == 0
    assert dps.Budget.open("b").claims[0].gdp_mu


def test_options_reach_the_mechanism(here, capsys):
    pca = ["release", "x.npy", "--mechanism", "private_pca", "--epsilon", "1", "--k", "1"]
    assert run([*pca, "--center", "mean", "--out", "r.npy"]) == 0
    assert "mean" in claimed()["details"]
    assert run([*pca, "--relation", "add_remove", "--out", "s.npy"]) == 0
    assert claimed("s.npy")["claim"]["relation"] == "add_remove"
    assert release("x.npy", "--denoise", "psd", out="t.npy") == 0
    assert claimed("t.npy")["details"]["postprocessing"].startswith("nearest positive semidefinite matrix")
    pairs = [*pca[:2], "--mechanism", "private_covariance", "--epsilon", "1", "--center", "pairs"]
    assert run([*pairs, "--difference-bound", "0.25", "--out", "p.npy"]) == 0
    assert claimed("p.npy")["details"]["difference_bound"] == 0.25
    capsys.readouterr()
    refused(capsys, "laplace_covariance takes no --difference-bound", "x.npy", "--difference-bound", "1", out="u.npy")
    refused(capsys, "laplace_covariance takes no --center", "x.npy", "--center", "mean", out="u.npy")
    refused(capsys, "denoise must be one of psd, shrink", "x.npy", "--denoise", "all", out="u.npy")
    refused(capsys, "relation must be one of replace, got", "x.npy", "--relation", "add_remove", out="u.npy")
    assert run([*pca[:2], "--mechanism", "auto", "--center", "mean", "--epsilon", "1", "--out", "u.npy"]) == 2
    assert "takes no --center" in capsys.readouterr().err


def test_the_number_of_rows_is_told_only_where_it_is_public(here, capsys):
    """1,000 rows against 1,001 must not differ in what is written or printed, except the noisy value."""
    told = []
    for n in (1000, 1001):
        np.save("y.npy", np.full((n, 2), 0.1))
        words = ["release", "y.npy", "--mechanism", "private_pca", "--relation", "add_remove", "--epsilon", "1"]
        assert run([*words, "--k", "2", "--out", "r.npy", "--force", "--verbose"]) == 0
        printed = capsys.readouterr()
        said = claimed()
        said["value"].pop("sha256")
        told.append((printed.out, said, [line for line in printed.err.splitlines() if " took " not in line]))
    assert told[0] == told[1]
    assert told[0][1]["data"] == {"rows": None, "columns": 2}


def test_names_of_columns_are_chosen_kept_and_said_to_be_public(here, capsys):
    Path("x.tsv").write_text("a\tname\tb\n.5\tEve\t.25\n0\tBob\t.5\n", encoding="utf-8")
    assert release("x.tsv", "--columns", "b", "a") == 0
    said = claimed()
    assert said["value"]["columns"] == ["b", "a"]
    assert said["claim"]["public"] == ["columns: b, a"]
    capsys.readouterr()
    refused(capsys, "line 2 has none in ", "x.tsv", out="s.npy")
    for bad in (["c"], ["a", "a"], ["1"]):
        refused(capsys, "columns must name each column of x.tsv once", "x.tsv", "--columns", *bad, out="s.npy")


# ---------------------------------------------------------------- other commands


@pytest.mark.parametrize(
    "words",
    [
        ("demo", "--out", "x.npy/report"),
        ("vectors", "--out", "x.npy/v.json"),
        ("bounds", "--d", "3", "--k", "1", "--lambda1", "3", "--epsilon", "1", "--plot", "x.npy/p.svg"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_looks_at_its_output_first(here, capsys, monkeypatch, words):
    for work in ("demo.digits", "vectors._vector", "bounds._bounds"):
        monkeypatch.setattr(f"dpspectra.commands.{work}", lambda *arguments: pytest.fail("work was done"))
    assert run(words) == 2
    assert "an output must lie in a folder that can be written to" in capsys.readouterr().err
    assert contents().keys() == {"x.npy"}


# ---------------------------------------------------------------- sums that were saved


def saved(here, number, **given):
    """Parts of a table with names, in files."""
    for place, part in enumerate(np.array_split(np.random.default_rng(0).normal(size=(60, 2)) / 4, number)):
        dps.Moments.of(part, rows="clip", columns=["a", "b"], **given).save(here / f"{place}.moments")
    return [f"{place}.moments" for place in range(number)]


def test_parts_are_added_and_say_how_rows_were_read(here, capsys):
    parts = saved(here, 3)
    assert run(["release", *parts, *LAPLACE, "--out", "r.npy"]) == 0
    assert capsys.readouterr().out.startswith("0.moments, 1.moments, 2.moments: 60 rows of 2 numbers\n")
    claim = json.loads((here / "r.npy.claim.json").read_text(encoding="utf-8"))
    assert claim["claim"]["norm_bound"] is None
    assert "each person has one row in all parts together" in claim["claim"]["assumptions"]
    assert claim["claim"]["public"] == ["columns: a, b"]
    assert claim["data"] == {"rows": 60, "columns": 2}
    more = ["--mechanism", "private_pca", "--k", "1", "--epsilon", "1"]
    assert run(["release", *parts, *more, "--relation", "add_remove", "--out", "s.npy"]) == 0
    assert json.loads((here / "s.npy.claim.json").read_text(encoding="utf-8"))["data"]["rows"] is None
    assert "60" not in capsys.readouterr().out
    assert (
        run(["release", *parts, "--mechanism", "private_spectrum", "--k", "1", "--epsilon", "1", "--out", "t.npy"]) == 0
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["0.moments", "0.moments"], "a part must be added once"),
        (["0.moments", "x.npy"], "data must be files of .moments alone, got 'x.npy'"),
        (["x.npy", "x.npy"], "data must be one file, or several of .moments, got 2 files"),
        (["0.moments", "--norm-bound", "2"], "norm_bound must be left out or be that of the Moments, 1.0, got 2.0"),
        (["0.moments", "--no-header"], "options that say how rows are read must come with rows"),
        (["bad.moments"], "data must be bytes of Moments"),
    ],
)
def test_other_parts_are_refused(here, capsys, given, words):
    saved(here, 2)
    (here / "bad.moments").write_bytes((here / "0.moments").read_bytes()[:-1])
    assert run(["release", *given, *LAPLACE, "--out", "r.npy"]) == 2
    assert words in capsys.readouterr().err
    assert not (here / "r.npy").exists()


# ---------------------------------------------------------------- people who have several rows

PEOPLE = ("--person", "who", "--per-person", "3")


def test_all_rows_of_a_person_are_hidden_at_once(here, capsys):
    (here / "v.csv").write_text("who,a,b\n7,.5,.25\n8,.125,0\n7,0,.5\n7,0,0\n7,1,0\n", encoding="utf-8")
    assert release("v.csv", *PEOPLE, "--salt", "s") == 0
    assert capsys.readouterr().out.startswith("v.csv: 2 people with rows of 2 numbers\n")
    found = claim_file.read(here / "r.npy").release
    given = {"person": "who", "per_person": 3, "salt": "s"}
    own = dps.laplace_covariance(dps.Moments.read("v.csv", **given), 1.0)
    assert found.claim == own.claim
    assert "of which 3 count" in found.claim.people
    assert found.details["scale"] == own.details["scale"]
    assert release("v.csv", *PEOPLE, "--columns", "a", out="s.npy") == 0
    assert np.load("s.npy").shape == (1, 1)


def test_directions_about_the_mean_of_people_are_released_as_the_refusal_says(here, capsys):
    (here / "v.csv").write_text("who,a,b\n7,2,.25\n8,.125,0\n7,0,.5\n", encoding="utf-8")
    assert release("v.csv", *PEOPLE, "--mechanism", "private_pca", "--k", "1") == 2
    said = capsys.readouterr().err
    call = said[said.index("components(") :].strip().replace("person=.., per_person=..", "person='who', per_person=3")
    call = call.replace("bounds=..", "bounds=ColumnBounds([0, 0], [2, 2])")
    names = {"FILE": "v.csv", "epsilon": 1.0, "k": 1, **{name: getattr(dps, name) for name in dps.__all__}}
    found = eval(call, names)
    assert found.value.shape == (2, 1)
    assert "of which 3 count" in found.claim.people


def test_a_budget_pays_for_people_whose_rows_are_refused(here, capsys):
    """What the header shows is free; after that a refusal is an answer about somebody."""
    assert run(["budget", "new", "b", "--epsilon", "5"]) == 0
    (here / "v.csv").write_text("who,a,b\n7,.5,.25\n8,.125,zero\n", encoding="utf-8")
    (here / "long.csv").write_text("who,a,b\n7,.5,.25\n8,.125,2\n", encoding="utf-8")
    assert release("v.csv", "--person", "whom", "--per-person", "3", "--budget", "b") == 2
    assert dps.Budget.open("b").spent.epsilon == 0
    for number, name in enumerate(("v.csv", "long.csv"), 1):
        assert release(name, *PEOPLE, "--budget", "b") == 2
        assert dps.Budget.open("b").spent.epsilon == number
    assert release("long.csv", *PEOPLE, "--clip", "--budget", "b") == 0
    assert dps.Budget.open("b").spent.epsilon == 3
    capsys.readouterr()
    refused(capsys, "--per-person and --salt must come with --person", "x.npy", "--salt", "s", out="s.npy")


@pytest.mark.parametrize("held", [b"", b"process 12\x1b[31m", b"\xff", b"process " + b"1" * 100])
def test_a_lock_that_names_no_process_is_somebodys(here, capsys, held):
    Path(".dpspectra-r.npy.lock").write_bytes(held)
    refused(capsys, "the output must be free, got r.npy, which another process writes", "x.npy")


def test_text_begins_with_the_names_of_the_columns(here):
    (here / "n.csv").write_text('age,"height, cm"\n.5,.25\n.125,0\n')
    for mechanism, given, named in (
        ("private_mean", (), True), ("laplace_covariance", (), True), ("private_pca", ("--k", "1"), False),
    ):  # fmt: skip
        out = f"{mechanism}.csv"
        words = ["release", "n.csv", "--mechanism", mechanism, "--epsilon", "1", *given, "--out", out]
        assert run(words) == 0
        above = 'age,"height, cm"\n' if named else "component 1\n"
        assert (here / out).read_text().startswith(above)
        said = claim_file.read(here / out)
        assert claim_file.value(here / out, said).shape == said.shape
    assert run(["denoise", "laplace_covariance.csv", "--out", "better.csv"]) == 0
    assert (here / "better.csv").read_text().startswith("age,")


DIRECTIONS = ("--mechanism", "private_pca", "--k", "2", "--center", "none")
SCORES = ("--mechanism", "private_score_histogram", "--directions", "d.csv", "--frame", *"0101")


def test_rows_are_counted_along_released_directions(here, capsys):
    """With 40,000 rows in one cell: noise of scale 2 moves a count by more than 40 with probability 2e-9."""
    (here / "n.csv").write_text("age,height\n" + ".75,.25\n" * 40000)
    assert release("n.csv", *DIRECTIONS, out="d.csv") == 0
    along = np.loadtxt("d.csv", delimiter=",", skiprows=1)
    scores = np.array([0.75, 0.25]) @ along
    frame = [str(end) for score in scores for end in (score - 0.1, score + 0.2)]
    asked = [*SCORES[:-4], *frame, "--bins", "3"]
    assert release("n.csv", *asked, "--clip", "--budget", str(budget_of(4.0)), out="h.csv") == 0
    counts = np.loadtxt("h.csv", delimiter=",")
    assert counts.shape == (3, 3)
    assert np.abs(counts - np.diag([0, 40000, 0]) * np.eye(3)).max() < 40
    assert claimed("h.csv")["mechanism"] == "private_score_histogram"


@pytest.mark.parametrize("total", [(), ("--bad-rows", "zero")])
def test_rows_of_each_label_are_counted_apart(here, total):
    """As in Python, of the same labels; a row with another one is counted nowhere. See above for the probability."""
    lines = ["age,kind,height", *[".75, walks,.25"] * 20000, *[".25,rides,.75"] * 10000, *[".25,?,.75"] * 5000]
    (here / "n.csv").write_text("\n".join(lines))
    columns = ("--columns", "age", "height")
    assert release("n.csv", *DIRECTIONS, *columns, out="d.csv") == 0
    asked = (
        *SCORES[:-4],
        "-1",
        "1",
        "-1",
        "1",
        "--bins",
        "4",
        "--groups",
        "kind",
        "--levels",
        "rides",
        "walks",
    )
    assert release("n.csv", *asked, *columns, *total, out="h.csv") == 0
    said = claim_file.read(here / "h.csv")
    counts = claim_file.value(here / "h.csv", said)
    assert counts.shape == (2, 4, 4)
    assert np.abs(counts.max(axis=(1, 2)) - [10000, 20000]).max() < 40
    assert np.abs(counts.sum() - 30000) < 400
    assert said.columns == ("age", "height")
    assert any(known.startswith("levels") for known in said.release.claim.public)


def test_labels_that_are_not_there_cost_nothing(here, capsys):
    (here / "n.csv").write_text("age,height,kind\n.75,.25,a\n")
    assert release("n.csv", *DIRECTIONS, "--columns", "age", "height", out="d.csv") == 0
    capsys.readouterr()
    budget_of(4.0)
    for groups, columns, message in (
        ("sort", (), "--groups must name a column of labels that n.csv has, beside --columns, got 'sort'"),
        ("age", ("--columns", "age", "height"), "--groups must name a column of labels that n.csv has, beside --col"),
    ):
        given = (*SCORES, "--groups", groups, "--levels", "a", "--budget", "s.budget")
        refused(capsys, message, "n.csv", *given, *columns)
    refused(capsys, "--groups and --levels must be given together", "n.csv", *SCORES, "--levels", "a")
    refused(capsys, "levels must be names that differ", "n.csv", *SCORES, "--groups", "kind", "--levels", "a", "a")
    refused(capsys, "--groups must name a column of labels", "x.npy", *SCORES, "--groups", "kind", "--levels", "a")
    assert dps.Budget.open("s.budget").spent.epsilon == 0


def budget_of(epsilon):
    dps.Budget(epsilon=epsilon, file="s.budget")
    return Path("s.budget")


def test_directions_are_those_of_a_release_of_the_same_columns(here, capsys):
    (here / "n.csv").write_text("age,height\n.75,.25\n")
    (here / "other.csv").write_text("age,weight\n.75,.25\n")
    (here / "wide.csv").write_text("age,height,weight\n.75,.25,0\n")
    assert release("n.csv", *DIRECTIONS, out="d.csv") == 0
    capsys.readouterr()
    budget_of(4.0)
    for data in ("other.csv", "wide.csv", "x.npy"):
        refused(
            capsys, "d.csv must have directions of the columns that are read", data, *SCORES, "--budget", "s.budget"
        )
    refused(capsys, "frame must have left below right", "n.csv", *SCORES[:-4], *"1001", "--budget", "s.budget")
    refused(capsys, "takes no --person", "n.csv", *SCORES, "--person", "age", "--per-person", "1")
    assert dps.Budget.open("s.budget").spent.epsilon == 0
    (here / "d.csv").write_text("1,0\n0,1\n")
    refused(capsys, "but it was changed", "n.csv", *SCORES)
