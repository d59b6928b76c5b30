"""A budget in a file is shared by copies and processes, and by nobody else."""

import pickle
import sqlite3
import subprocess
import sys

import pytest

import dpspectra as dps


def stated(epsilon, delta=0.0):
    return dps.Claim("replace", epsilon, delta)


def test_a_file_is_shared_by_copies_and_processes(tmp_path):
    path = tmp_path / "budget"
    budget = dps.Budget(1.0, 1e-6, file=path)
    budget.spend(dps.Claim("replace", 0.25, 1e-7, 0.01, ("a",), ("JXZ-T1",), "certified"))
    program = f"import dpspectra as dps; dps.Budget(1.0, 1e-6, file={str(path)!r}).spend(dps.Claim('replace', 0.5))"
    subprocess.run([sys.executable, "-c", program], check=True)
    for other in (budget, pickle.loads(pickle.dumps(budget)), dps.Budget(1.0, 1e-6, file=str(path))):
        assert other.claims == budget.claims
        assert other.spent == (0.75, 1e-7)
        with pytest.raises(dps.BudgetError):
            other.spend(stated(0.5))


def test_another_file_is_refused(tmp_path):
    dps.Budget(1.0, file=tmp_path / "budget")
    with pytest.raises(ValueError, match=r'file must hold a budget of .*"epsilon": 2.0.*, got one of .*"epsilon": 1.0'):
        dps.Budget(2.0, file=tmp_path / "budget")
    (tmp_path / "text").write_text("numbers " * 100, encoding="utf-8")
    with sqlite3.connect(tmp_path / "other") as file:
        file.execute("CREATE TABLE people (name TEXT)")
    for name in ("text", "other"):
        with pytest.raises(ValueError, match="file must be that of a budget or new"):
            dps.Budget(1.0, file=tmp_path / name)
    with pytest.raises(OSError, match="could not be used"):
        dps.Budget(1.0, file=tmp_path / "no" / "folder")
