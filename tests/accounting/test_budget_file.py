"""A budget in a file is shared by copies and processes, and by nobody else; nobody brings back what it was."""

import hashlib
import itertools
import json
import os
import pickle
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime

import pytest

import dpspectra as dps
from dpspectra.accounting.budget_file import FORMAT, Receipt
from tests.support.files import GOLDEN, valid


def stated(epsilon, delta=0.0):
    return dps.Claim("replace", epsilon, delta)


def rows(path):
    with closing(sqlite3.connect(path)) as file:
        return file.execute("SELECT number, entry, digest FROM budget ORDER BY number").fetchall()


def refused(budget):
    """Nothing is told, spent or released."""
    for use in (
        lambda: budget.spent,
        lambda: budget.spend(stated(0.1)),
        lambda: budget.release(lambda x, epsilon: pytest.fail("called"), None, 0.1),
    ):
        with pytest.raises(OSError, match=r"the budget's file .* must (hold|be)"):
            use()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget"


def test_a_file_is_shared_by_copies_and_processes(path):
    budget = dps.Budget(1.0, 1e-6, file=path)
    budget.spend(dps.Claim("replace", 0.25, 1e-7, 0.01, ("a",), ("JXZ-T1",), "certified"))
    program = f"import dpspectra as dps; dps.Budget.open({str(path)!r}).spend(dps.Claim('replace', 0.5))"
    subprocess.run([sys.executable, "-c", program], check=True)
    for other in (
        budget,
        pickle.loads(pickle.dumps(budget)),
        dps.Budget(1.0, 1e-6, file=str(path)),
        dps.Budget.open(path, receipt=budget.receipt),
    ):
        assert other.claims == budget.claims
        assert other.spent == (0.75, 1e-7)
        with pytest.raises(dps.BudgetError):
            other.spend(stated(0.5))


def test_only_the_owner_reads_it_and_nothing_is_left_beside_it(path):
    dps.Budget(1.0, file=path).spend(stated(0.5))
    assert [entry.name for entry in path.parent.iterdir()] == ["budget"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_entries_are_added_and_never_changed(path):
    budget = dps.Budget(1.0, file=path)
    states, receipts = [rows(path)], [budget.receipt]
    for _ in range(3):
        budget.spend(stated(0.25))
        states.append(rows(path))
        receipts.append(budget.receipt)
    with pytest.raises(dps.BudgetError):
        budget.spend(stated(0.5))
    assert all(after[: len(before)] == before for before, after in itertools.pairwise(states))
    assert [Receipt.of(text).number for text in receipts] == [0, 1, 2, 3]
    assert dps.Budget(1.0).receipt is None


# ---------------------------------------------------------------- files that are not what they were


def test_a_file_that_vanishes_stays_vanished(path):
    budget = dps.Budget(1.0, file=path)
    budget.spend(stated(0.75))
    path.unlink()
    refused(budget)
    assert not path.exists()
    with pytest.raises(OSError, match="must be usable, but "):
        dps.Budget.open(path)


@pytest.mark.parametrize("place", [0, 100, 4096])
def test_a_file_that_was_overwritten_is_refused_with_a_way_out(path, place):
    dps.Budget(1.0, file=path).spend(stated(0.75))
    data = path.read_bytes()
    path.write_bytes(data[:place] + b"x" * 64 + data[place + 64 :])
    with pytest.raises(OSError, match=r"must be usable, but .*: bring back a copy that its last receipt fits"):
        dps.Budget.open(path)


@pytest.mark.parametrize("size", [0, 100, 5000])
def test_a_file_that_was_cut_off_is_refused(path, size):
    budget = dps.Budget(1.0, file=path)
    budget.spend(stated(0.75))
    os.truncate(path, size)
    refused(budget)
    for make in (lambda: dps.Budget(1.0, file=path), lambda: dps.Budget.open(path)):
        with pytest.raises(OSError, match="the budget's file"):
            make()


def test_an_older_file_is_refused(path):
    budget = dps.Budget(1.0, file=path)
    budget.spend(stated(0.25))
    shutil.copy(path, path.with_name("old"))
    budget.spend(stated(0.5))
    receipt = budget.receipt
    shutil.copy(path.with_name("old"), path)
    refused(budget)
    for make in (
        lambda: dps.Budget(1.0, file=path, receipt=receipt),
        lambda: dps.Budget.open(path, receipt=receipt),
    ):
        with pytest.raises(OSError, match="must hold entry 2 as it was seen, found an older or another file of 2 entr"):
            make()
    dps.Budget(1.0, file=path).spend(stated(0.25))  # without a receipt nobody notices
    refused(budget)


def test_another_file_is_refused(path, tmp_path):
    budget = dps.Budget(1.0, file=path)
    with pytest.raises(ValueError, match=r'file must hold a budget of .*"epsilon": 2.0.*, got one of .*"epsilon": 1.0'):
        dps.Budget(2.0, file=path)
    dps.Budget(1.0, file=tmp_path / "twin")
    (tmp_path / "twin").replace(path)
    refused(budget)
    (tmp_path / "text").write_text("numbers " * 100, encoding="utf-8")
    with closing(sqlite3.connect(tmp_path / "other")) as file:
        file.execute("CREATE TABLE people (name TEXT)")
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("text", "other", "link"):
        with pytest.raises(OSError, match="the budget's file"):
            dps.Budget(1.0, file=tmp_path / name)
    with pytest.raises(OSError, match="could not be made"):
        dps.Budget(1.0, file=tmp_path / "no" / "folder")


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_entry_that_was_changed_or_taken_out_is_noticed(path, place):
    budget = dps.Budget(1.0, file=path)
    for _ in range(2):
        budget.spend(stated(0.25))
    for change in (
        "UPDATE budget SET entry = replace(entry, '0.25', '0.01') || ' ' WHERE number = ?",
        "DELETE FROM budget WHERE number = ?",
    ):
        shutil.copy(path, path.with_name("copy"))
        with closing(sqlite3.connect(path)) as file, file:
            file.execute(change, (place,))
        refused(budget)
        if (place, change[:6]) != (2, "DELETE"):  # the end of a chain is missed by a receipt only
            with pytest.raises(OSError, match=f"found entry {place} changed"):
                dps.Budget.open(path)
        path.with_name("copy").replace(path)
    assert budget.spent.epsilon == 0.5


def test_a_file_of_a_newer_format_is_refused(path):
    dps.Budget(1.0, file=path)
    with closing(sqlite3.connect(path)) as file, file:
        from dpspectra.accounting.budget_file import _digest

        text = rows(path)[0][1].replace(f'"format": {FORMAT}', '"format": 99')
        file.execute("UPDATE budget SET entry = ?, digest = ?", (text, _digest("", text)))
    with pytest.raises(OSError, match="a newer version reads it"):
        dps.Budget.open(path)


@pytest.mark.parametrize("receipt", ["", "1", "1:ab", "x:" + "0" * 64, "1:" + "g" * 64, 3])
def test_bad_receipts(path, receipt):
    with pytest.raises(ValueError, match="receipt must be that of a budget, NUMBER:SHA-256, got"):
        dps.Budget(1.0, file=path, receipt=receipt)
    with pytest.raises(ValueError, match="receipt must come with the file"):
        dps.Budget(1.0, receipt="0:" + "0" * 64)
    assert not path.exists()


# ---------------------------------------------------------------- the format


@pytest.mark.parametrize("terms", [{"epsilon": 1.0, "delta": 1e-6}, {"renyi": {2: 8.0}}, {"mu": 2.0, "parts": ["a"]}])
def test_entries_follow_their_schema(path, terms):
    budget = dps.Budget(**terms, file=path)
    budget = budget.part("a") if budget.parts else budget
    budget.spend(dps.Claim("replace", 0.25, norm_bound=1.0))
    with pytest.raises(ValueError, match="rng must be"):
        budget.release(dps.laplace_covariance, [[1.0, 0.0]], 0.5, arithmetic="certified", rng=1)
    entries = [json.loads(entry) for _, entry, _ in rows(path)]
    assert entries[-1]["claim"] is None
    for entry in entries:
        valid("budget", entry)


def test_the_golden_file_is_read(tmp_path):
    """A budget that was written when the format had number 1; it is never written again."""
    shutil.copy(GOLDEN / "budget-1.db", tmp_path / "budget")
    budget = dps.Budget.open(
        tmp_path / "budget", receipt=(GOLDEN / "budget-1.receipt").read_text(encoding="utf-8").strip()
    )
    assert (budget.epsilon, budget.delta, budget.method) == (2.0, 1e-6, "basic")
    assert budget.spent == (0.75, 1e-7)
    budget.spend(stated(0.25))


@pytest.mark.parametrize(
    "terms", [{"rho": 0.5}, {"mu": 1.0}, {"renyi": {2: 0.5, 8: 2.0}}, {"rho": 0.5, "parts": ["a"]}]
)
def test_terms_in_every_measure_are_read_again(path, terms):
    budget = dps.Budget(**terms, file=path)
    budget.spend(stated(0.5))
    other = dps.Budget.open(path, receipt=budget.receipt)
    assert (repr(other), other.spent.rho, other.renyi) == (repr(budget), budget.spent.rho, budget.renyi)
    assert dps.Budget(**terms, file=path).claims == budget.claims
    with pytest.raises(ValueError, match="file must hold a budget of"):
        dps.Budget(0.5, file=path)


def test_a_file_of_the_first_format_stays_one(tmp_path):
    """Older versions read it on: no part, no trail."""
    shutil.copy(GOLDEN / "budget-1.db", tmp_path / "budget")
    budget = dps.Budget.open(tmp_path / "budget")
    budget.noted(by="Ann").spend(stated(0.25))
    assert json.loads(rows(tmp_path / "budget")[-1][1]).keys() == {"name", "claim"}
    assert (budget.entries[-1].trail.by, budget.spent.epsilon) == (None, 1.0)


def test_the_golden_file_of_the_second_format_is_read(tmp_path):
    """A budget that was written when the format had number 2; it is never written again."""
    shutil.copy(GOLDEN / "budget-2.db", tmp_path / "budget")
    receipt = (GOLDEN / "budget-2.receipt").read_text(encoding="utf-8").strip()
    budget = dps.Budget.open(tmp_path / "budget", receipt=receipt)
    assert (budget.rho, budget.parts, budget.spent.rho, budget.part("south").spent.rho) == (
        0.5,
        ("north", "south"),
        0.25,
        0.125,
    )
    whole, north = budget.entries
    assert (whole.part, whole.trail.by, whole.trail.note, whole.trail.mechanism) == (None, "Ann", "pilot", None)
    assert (north.part, north.trail.mechanism, len(north.trail.data)) == ("north", "laplace_covariance", 1)
    assert north.trail.when == "2026-11-29T07:30:00+00:00"
    budget.part("south").spend(dps.Claim("replace", 0.5, norm_bound=1.0))


# ---------------------------------------------------------------- the trail


def test_each_charge_says_when_what_who_and_which_file(tmp_path, path):
    data = tmp_path / "people.csv"
    data.write_text("1,2\n", encoding="utf-8")
    plain = dps.Budget(1.0, file=path)
    noted = plain.noted(by="Ann", note="pilot", data=[data])
    before = datetime.now(UTC).replace(microsecond=0)
    noted.release(dps.laplace_covariance, [[1.0, 0.0]], 0.25)
    plain.spend(stated(0.25))
    noted.noted(note="again").release(lambda x, epsilon: dps.Release(x, stated(epsilon)), None, 0.25)
    first, second, third = (entry.trail for entry in plain.entries)
    assert before <= datetime.fromisoformat(first.when) <= datetime.now(UTC)
    assert (first.mechanism, first.by, first.note, second.mechanism, second.by) == (
        "laplace_covariance",
        "Ann",
        "pilot",
        None,
        None,
    )
    assert (third.by, third.note, third.data) == ("Ann", "again", first.data)
    assert "<lambda>" in third.mechanism
    assert dps.Budget.open(path).entries == plain.entries


def test_digests_of_data_are_keyed(tmp_path, path):
    """Whoever sees a listing, and knows every row but one, must not find the last one by trying."""
    data = tmp_path / "people.csv"
    data.write_text("1,2\n", encoding="utf-8")
    budgets = [dps.Budget(1.0, file=path), dps.Budget(1.0, file=tmp_path / "other"), dps.Budget(1.0)]
    digests = {budget.noted(data=[data])._book.trail.data[0] for budget in [*budgets, dps.Budget.open(path)]}
    assert len(digests) == 3  # the budget that is opened has that of its file
    assert hashlib.sha256(data.read_bytes()).hexdigest() not in digests
    data.write_text("1,3\n", encoding="utf-8")
    assert budgets[0].noted(data=[data])._book.trail.data[0] not in digests
    with pytest.raises(OSError, match="missing"):
        budgets[0].noted(data=[tmp_path / "missing"])
    with pytest.raises(ValueError, match="by must be a string that is not empty, got 3"):
        budgets[0].noted(by=3)


# ---------------------------------------------------------------- forks


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_budget_in_memory_is_not_doubled_by_a_fork(tmp_path):
    budget, kept = dps.Budget(1.0), dps.Budget(1.0, file=tmp_path / "budget")
    for child in range(2):
        if (pid := os.fork()) == 0:
            try:
                kept.spend(stated(0.25))
                budget.spend(stated(1.0))
            except OSError as error:
                os._exit(17 if "used by the process that made it" in str(error) else 1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 17, child
    assert kept.spent.epsilon == 0.5
    assert budget.claims == ()
