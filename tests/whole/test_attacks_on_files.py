"""Attacks on what stands around releases: budgets, files, formats, pipelines, forks. Each was a success once.

What belongs to one module is attacked in that module's own tests, too: `tests/accounting/test_budget_file.py` (files
that vanish or go back), `tests/estimators/test_pipelines.py`, `tests/ground/test_fork_safety.py`,
`test_planted_values.py`.
"""

import dataclasses
import hashlib
import json
import os
import shutil
import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.cli import run
from tests.support.files import LAPLACE, X, contents, release

CLAIM = dps.Claim("replace", 0.75)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    return tmp_path


def new(*words):
    assert run(["budget", "new", "b", "--epsilon", "1", *words]) == 0


# ---------------------------------------------------------------- budgets


def deleted(path):
    path.unlink()


def emptied(path):
    path.write_bytes(b"")


def brought_back(path):
    path.with_name("old").replace(path)


def linked_to_the_past(path):
    path.unlink()
    path.symlink_to(path.with_name("old"))


def made_anew(path):
    path.unlink()
    dps.Budget(1.0, file=path)


def journalled(path):
    """An older state in the file, and nothing to go on from."""
    shutil.copy(path.with_name("old"), path)
    path.with_name(path.name + "-journal").write_bytes(b"")


@pytest.mark.parametrize("change", [deleted, emptied, brought_back, linked_to_the_past, made_anew, journalled])
def test_a_budget_that_is_open_spends_nothing_twice(tmp_path, change):
    """``spent`` went from 0.75 back to 0 without a word."""
    path = tmp_path / "budget"
    budget = dps.Budget(1.0, file=path)
    shutil.copy(path, path.with_name("old"))
    budget.spend(CLAIM)
    receipt = budget.receipt
    change(path)
    with pytest.raises(OSError, match="the budget's file"):
        budget.release(lambda x, epsilon: pytest.fail("released"), None, 0.75)
    with pytest.raises(OSError, match="the budget's file"):
        dps.Budget.open(path, receipt=receipt)


def forged(path, number, entry):
    """Write an entry with a right digest, and all that follow again."""
    with closing(sqlite3.connect(path)) as file, file:
        texts = [text for (text,) in file.execute("SELECT entry FROM budget ORDER BY number")]
        texts[number:] = [entry, *texts[number + 1 :]]
        before = ""
        file.execute("DELETE FROM budget")
        for place, text in enumerate(texts):
            before = hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()
            file.execute("INSERT INTO budget VALUES (?, ?, ?)", (place, text, before))


def test_whoever_forges_the_chain_is_noticed_by_what_is_open_and_by_receipts(tmp_path):
    path = tmp_path / "budget"
    budget = dps.Budget(1.0, file=path)
    budget.spend(CLAIM)
    receipt = budget.receipt
    with closing(sqlite3.connect(path)) as file:
        (head,) = file.execute("SELECT entry FROM budget WHERE number = 0").fetchone()
    for forgery in (head.replace('"epsilon": 1.0', '"epsilon": 100.0'), head.replace('"delta": 0.0', '"delta": 0.5')):
        forged(path, 0, forgery)
        for use in (lambda: budget.spent, lambda: dps.Budget.open(path, receipt=receipt)):
            with pytest.raises(OSError, match="the budget's file"):
                use()
        with pytest.raises(ValueError, match="file must hold a budget of"):
            dps.Budget(1.0, file=path)


@pytest.mark.parametrize(
    "entry",
    [
        '{"name": "a", "claim": {"epsilon": -5}}',
        json.dumps({"name": "a", "claim": {**CLAIM.asdict(), "epsilon": -5.0}}),
        json.dumps({"name": "a", "claim": {**CLAIM.asdict(), "epsilon": float("nan")}}),
        '{"name": "other", "claim": null}',
        "[" * 10**5,
        "3",
    ],
)
def test_an_entry_that_is_no_claim_is_no_gain(tmp_path, entry):
    """A negative epsilon, written with a right digest, would make room."""
    path = tmp_path / "budget"
    dps.Budget(1.0, file=path).spend(CLAIM)
    forged(path, 2, entry)
    with pytest.raises(OSError, match="must hold a budget as it was written, found something else"):
        dps.Budget.open(path)


def test_a_part_that_nobody_named_is_no_gain(tmp_path):
    """What is paid from it would count for no part."""
    path = tmp_path / "budget"
    budget = dps.Budget(1.0, parts=["a"], file=path)
    budget.part("a").spend(CLAIM)
    with closing(sqlite3.connect(path)) as file:
        ((entry,),) = file.execute("SELECT entry FROM budget WHERE number = 1").fetchall()
    forged(path, 1, entry.replace('"part": "a"', '"part": "b"'))
    with pytest.raises(OSError, match="found a part that is none of its own"):
        dps.Budget.open(path)


@pytest.mark.parametrize("terms", ['{"epsilon": 1.0}', '{"epsilon": 1.0, "x": 2}', "{}"])
def test_other_terms_are_no_traceback(tmp_path, terms, capsys):
    path = tmp_path / "budget"
    dps.Budget(1.0, file=path)
    forged(path, 0, f'{{"format": 1, "budget": "a", "terms": {terms}}}')
    assert run(["budget", "show", str(path)]) == 2
    assert "must hold a budget as it was written, found something else" in capsys.readouterr().err


def test_a_release_never_replaces_the_budget_that_it_is_paid_from(here, capsys):
    """By its name, by a link, or as the claim beside another output; with ``--force``."""
    assert run(["budget", "new", "b.npy", "--epsilon", "1"]) == 0
    (here / "link.npy").symlink_to("b.npy")
    (here / "r.npy.claim.json").hardlink_to("b.npy")
    before = contents()
    for out in ("b.npy", "link.npy", "r.npy"):
        assert release("x.npy", "--budget", "b.npy", "--force", out=out) == 2
        assert "the output must not be a file that is read, nor that of a budget" in capsys.readouterr().err
    assert contents() == before


def test_bounds_are_not_found_by_trying(here, capsys):
    """Descending bounds tell the largest norm to 8 digits where a refusal is free: each has its price."""
    new("--norm-bound", "1")
    long = np.array([[0.7315, 0.0], [0.1, 0.1]])
    np.save("y.npy", long)
    answers = []
    for bound in (0.9, 0.8, 0.7, 0.75, 0.72):
        words = ("--norm-bound", str(bound), "--budget", "b", "--force")
        answers.append(run(["release", "y.npy", *LAPLACE[:2], "--epsilon", "0.01", *words, "--out", "r.npy"]))
    assert answers == [2] * 5  # whatever the rows are: another bound than the budget's must be clipped
    assert dps.Budget.open("b").spent.epsilon == 0
    np.save("y.npy", 2 * long)
    assert run(["release", "y.npy", *LAPLACE[:2], "--epsilon", "0.01", "--budget", "b", "--out", "r.npy"]) == 2
    assert dps.Budget.open("b").spent.epsilon == 0.01  # a refusal at that bound is an answer, and is paid for


MALFORMED = {
    "a word": "0.1,0.2\n0.3,oops\n",
    "a field less": "0.1,0.2\n0.3\n",
    "an empty line": "0.1,0.2\n\n0.1,0.2\n",
    "an open quote": '0.1,0.2\n"0.3,0.1\n',
    "other bytes": "0.1,0.2\n0.3,\x00\udcff\n",
}


@pytest.mark.parametrize("content", MALFORMED)
def test_lines_that_are_refused_are_paid_for(here, capsys, content):
    """Own: with other ``--columns`` each call told one column more of which entries are no numbers, for nothing."""
    (here / "y.csv").write_text(MALFORMED[content], encoding="utf-8", errors="surrogateescape")
    new()
    words = ("--no-header", "--clip", "--budget", "b", "--epsilon", "0.25", "--out", "r.npy")
    assert run(["release", "y.csv", *LAPLACE[:2], *words]) == 2
    assert "line" in capsys.readouterr().err
    (paid,) = dps.Budget.open("b").claims
    assert (paid.epsilon, paid.norm_bound, paid.domain) == (0.25, None, ("all numbers are finite",))
    assert run(["release", "y.csv", *LAPLACE[:2], *words[:1], *words[2:]]) == 2  # of other neighbours, and so refused
    assert "the budget is for neighbours" in capsys.readouterr().err
    assert len(dps.Budget.open("b").claims) == 1
    (here / "y.csv").write_text("0.1,0.2\n0.3,0.1\n", encoding="utf-8")
    assert run(["release", "y.csv", *LAPLACE[:2], *words]) == 0  # what was paid is what a release claims
    assert dps.Budget.open("b").spent.epsilon == 0.5


# ---------------------------------------------------------------- files of releases


@pytest.mark.parametrize("first", ["0,1", "1,1", "0", "1", "2019,2020", ".5,.25", "nan,1"])
def test_a_first_line_of_numbers_is_never_told_from_another(here, capsys, first):
    """ "0,1" was refused and "1,1" was not: one bit on the first person, with certainty."""
    (here / "y.csv").write_text(f"{first}\n{first}\n", encoding="utf-8")
    assert release("y.csv", "--clip") == 2
    assert "must hold names for certain: say --header or --no-header" in capsys.readouterr().err


def test_a_row_over_the_bound_by_rounding_is_clipped_to_it(here):
    """Division by a rounded norm leaves some rows too long; the sum of squares of exact numbers is compared."""
    from fractions import Fraction

    rows = np.random.default_rng(1).normal(size=(2000, 3))
    plain = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    clipped = dps.clipped_rows(rows * 9, 1.0)
    assert any(sum(Fraction(x) ** 2 for x in row) > 1 for row in plain.tolist())
    assert all(sum(Fraction(x) ** 2 for x in row) <= 1 for row in clipped.tolist())


def test_two_names_of_one_folder_are_one_output(here, capsys, monkeypatch):
    from dpspectra.report import files

    (here / "folder").mkdir()
    (here / "other").symlink_to("folder")
    written = files.written

    def meanwhile(out, value, names):
        monkeypatch.setattr("dpspectra.commands.release.written", written)
        assert release("x.npy", "--force", out="other/r.npy") == 2
        assert "the output must be free" in capsys.readouterr().err
        return written(out, value, names)

    monkeypatch.setattr("dpspectra.commands.release.written", meanwhile)
    assert release("x.npy", out="folder/r.npy") == 0


def test_a_planted_lock_or_link_lets_nobody_write_elsewhere(here, capsys):
    (here / ".dpspectra-r.npy.lock").symlink_to("elsewhere")
    assert release("x.npy") == 2
    assert not (here / "elsewhere").exists()
    assert "the output must be free" in capsys.readouterr().err


def test_a_claim_file_of_somebody_else_moves_no_cursor(here, capsys):
    """Control characters could hide that the file is another one."""
    assert release("x.npy") == 0
    path = here / "r.npy.claim.json"
    said = json.loads(path.read_text(encoding="utf-8"))
    said["mechanism"] = "good\x1b[2J\r"
    said["value"]["sha256"] = "0" * 64
    path.write_text(json.dumps(said), encoding="utf-8")
    capsys.readouterr()
    assert run(["claim", "r.npy"]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\r" not in out
    assert "IS ANOTHER FILE" in out


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"1,2\n3\n"])
@pytest.mark.parametrize("suffix", [".npy", ".npz", ".csv"])
def test_a_broken_release_with_a_right_digest_is_no_traceback(here, capsys, content, suffix):
    assert release("x.npy", out=f"r{suffix}") == 0
    path = here / f"r{suffix}.claim.json"
    said = json.loads(path.read_text(encoding="utf-8"))
    (here / f"r{suffix}").write_bytes(content)
    said["value"]["sha256"] = hashlib.sha256(content).hexdigest()
    path.write_text(json.dumps(said), encoding="utf-8")
    capsys.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's on an empty text
        assert run(["claim", f"r{suffix}"]) == 2
    assert "must hold the numbers that its claim is about, found something else" in capsys.readouterr().err


def test_asdict_holds_nothing_private():
    made = dps.private_orbit(dps.Matrix(np.diag([2.0, 1.0])), [1.0, 0.0], 1.0)
    assert made.private
    assert dict(dataclasses.asdict(made)["private"]) == {}
    assert dict(dataclasses.astuple(made)[-1]) == {}
    assert not dataclasses.replace(made).private or dataclasses.replace(made).private == made.private


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_four_children_do_not_spend_a_budget_four_times():
    budget, paid = dps.Budget(1.0), []
    for _ in range(4):
        if (child := os.fork()) == 0:
            try:
                budget.spend(CLAIM)
            except OSError:
                os._exit(7)
            os._exit(0)
        paid.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert paid == [7] * 4
