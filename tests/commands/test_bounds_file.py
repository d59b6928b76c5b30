"""Files of bounds: by name in any order, or in a list; what is released is that of `dpspectra.ColumnBounds`."""

import json

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.commands import bounds_file
from dpspectra.report import claim_file
from tests.support.files import refused, release

LOWER, UPPER = [0.0, -5.0], [100.0, 5.0]
BOUNDS = {"named.json": {"b": [-5, 5], "a": [0, 100]}, "listed.json": [[0, 100], [-5.0, 5.0]]}


@pytest.fixture
def files(here):
    for name, content in BOUNDS.items():
        (here / name).write_text(json.dumps(content), encoding="utf-8")
    np.save("rows.npy", [[20.0, -3.0], [500.0, 2.0], [30.0, 1e9]])
    (here / "rows.csv").write_text("a,b\n20,-3\n500,2\n30,1e9\n", encoding="utf-8")
    return here


@pytest.mark.parametrize(("data", "bounds"), [("rows.csv", "named.json"), ("rows.npy", "listed.json")])
def test_a_release_is_of_mapped_rows(files, data, bounds):
    assert release(data, "--bounds", bounds) == 0
    said = claim_file.read(files / "r.npy")
    assert said.release.claim.norm_bound is None
    assert "column bounds: sha256 " in " ".join(said.release.claim.public)
    columns = ("a", "b") if bounds == "named.json" else None
    assert bounds_file.read(files / bounds).of_columns(columns) == dps.ColumnBounds(LOWER, UPPER)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "the file of bounds must be JSON"),
        ("3", "must hold [lower, upper] for each column"),
        ("[]", "must hold [lower, upper] for each column"),
        ("[[0, 1], [2]]", "must hold [lower, upper] for each column, but column 2 has none"),
        ('[[0, "a"], [0, 1]]', "a bound of column 1 must be a real number, got 'a'"),
        ("[[0, NaN], [0, 1]]", "a bound of column 1 must be finite, got nan"),
        ("[[0, 1], [1, 1]]", "but lower is not below upper for column 2"),
        ("[[0, 1]]", "X must have as many columns as bounds, 1, got 2"),
        ('{"a": [0, 1]}', "bounds must have no names for data without names of columns"),
    ],
)
def test_other_files_are_refused(files, capsys, content, message):
    (files / "bad.json").write_text(content, encoding="utf-8")
    refused(capsys, message, "rows.npy", "--bounds", "bad.json")


def test_names_must_be_those_of_the_data(files, capsys):
    (files / "bad.json").write_text('{"a": [0, 1], "c": [0, 1]}', encoding="utf-8")
    refused(capsys, "got none for ['b'] and some for ['c'] too", "rows.csv", "--bounds", "bad.json")


@pytest.mark.parametrize("bounds", ["named.json", "listed.json"])
def test_a_refusal_is_paid_from_a_budget_for_rows_within_bounds(files, capsys, bounds):
    """It was refused as a claim for other neighbours, at no cost, and without the reason."""
    (files / "text.csv").write_text("a,b\n20,-3\n500,x\n", encoding="utf-8")
    budget = dps.Budget(1.0, file=files / "team.budget")
    given = ("--bounds", bounds, "--budget", "team.budget")
    assert release("rows.csv", *given, "--epsilon", "0.25") == 0
    assert release("text.csv", *given, "--epsilon", "0.25", out="s.npy") == 2
    assert "text.csv must hold numbers, but line 3 has none in column 'b'" in capsys.readouterr().err
    assert [claim.epsilon for claim in budget.claims] == [0.25, 0.25]
    assert len({claim.neighbours for claim in budget.claims}) == 1


def test_the_file_of_bounds_is_not_overwritten(files, capsys):
    files.joinpath("listed.npy").write_bytes(files.joinpath("listed.json").read_bytes())
    refused(capsys, "the output must not be a file that is read", "rows.npy", "--bounds", "listed.npy", "--force",
            out="listed.npy")  # fmt: skip
