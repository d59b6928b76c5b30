"""A look before a release: what is public is told for free, and what rows hold only to their owner."""

import numpy as np
import pytest

import dpspectra as dps
from dpspectra.cli import run

TEXT = ", or in text the sign before decimals (--decimal)"
TABLE = "age,height,name\n20,180,ann\n30,x,bob\n"


def bounds():
    return dps.ColumnBounds({"height": (100, 220), "age": (0, 110)})


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return path


def test_names_types_and_options_are_told_for_free(people):
    found = dps.check(people, columns=("age", "height"), bounds=bounds())
    assert found.fine
    assert (found.columns, found.width, found.private) == (("age", "height"), 2, ())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"columns": ("age", "hight")}, "got 'hight': near it are 'height'"),
        ({"columns": ("age",), "header": False}, "by its number from 1 to 3, as it has no names, got 'age'"),
        (
            {"bounds": True},
            "bounds must be of the columns of the data, got none for ['name']: name those that are read",
        ),
        ({"columns": ("age",), "separator": ";"}, "got 'age'; another --separator may be meant"),
        ({"bad_rows": "zero"}, "columns must be named"),
        ({"separator": "5"}, "separator must be one character"),
        ({"encoding": "utf-16"}, "must be text in UTF-16"),
    ],
)
def test_what_a_release_would_refuse(people, given, words):
    if "bounds" in given:
        given = {"bounds": bounds()}
    found = dps.check(people, **given)
    assert not found.fine
    assert words in found.problems[0]


def test_rows_are_for_their_owner(people):
    found = dps.check(people, columns=("age", "height"), owner=True)
    assert found.private[0] == "2 rows, for the owner of the data alone, as no noise covers it"
    assert "1 rows hold an entry that is no finite number: row 1 first, from 0" in found.private
    assert [problem.partition(":")[0] for problem in found.problems] == [
        "some rows hold no finite numbers",
        "some rows are longer than norm_bound",
    ]
    assert dps.check(people, columns=("age", "height"), bad_rows="zero", bounds=bounds(), owner=True).fine
    text = dps.check(people, owner=True).problems[0]
    assert text == "column 'name' holds no finite number in any row: name the others by columns (--columns)" + TEXT


def test_what_is_released_of_zero_rows_only_is_said_and_not_refused(people):
    """A release with ``bad_rows="zero"`` refuses no row, as a refusal would tell of rows."""
    reading = {"columns": ("age", "name"), "rows": "clip", "bad_rows": "zero"}
    dps.private_mean(dps.Moments.read(people, **reading), 1.0, rng=0)
    found = dps.check(people, **reading, owner=True)
    assert found.fine
    assert found.private[2:] == (
        "0 of 2 rows count: all are taken for zero rows, and a release is noise alone",
        "column 'name' holds no finite number in any row: name the others by columns (--columns)" + TEXT,
    )
    one = dps.check(people, columns=("age", "height"), rows="clip", bad_rows="zero", owner=True)
    assert one.fine
    assert not any("noise alone" in line for line in one.private)
    assert not dps.check(people, **reading | {"bad_rows": "refuse"}, owner=True).fine


def test_rows_in_memory():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [20.0], "height": [180.0]})
    assert dps.check(frame, bounds=bounds()).fine
    assert dps.check(frame.to_numpy(), bounds=bounds()).problems[0].startswith("bounds must have no names")
    species = dps.check(frame.assign(species=pandas.Series(["a"], dtype="string")))
    assert species.problems[0].startswith("X must hold numbers, but column 'species' does not")
    assert dps.check(np.eye(3), owner=True).fine
    assert dps.check(iter([np.eye(3)]), owner=True).private[0].startswith("3 rows")
    with pytest.raises(ValueError, match="owner must be True or False"):
        dps.check(frame, owner="yes")


@pytest.mark.parametrize("column", ["", "Unnamed: 0", "__index_level_0__"])
def test_a_stored_index_is_never_silently_data(column, tmp_path):
    """The id of a table was the mean, and all else was 0."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({column: [1000.0, 1001.0], "a": [0.1, 0.2]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    words = f"must hold data alone, but column {column!r} is a stored index: drop it"
    for call in (
        lambda: dps.private_mean(frame, 1.0, rows="clip"),
        lambda: dps.Moments.of(frame, rows="clip"),
        lambda: dps.Moments.read(tmp_path / "a.csv", rows="clip", header=True),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    named = dps.Moments.read(tmp_path / "a.csv", rows="clip", header=True, columns=("a",))
    assert named.terms.columns == ("a",)


def test_the_command_says_what_it_looked_at(people, capsys, monkeypatch):
    monkeypatch.chdir(people.parent)
    assert run(["check", "people.csv", "--columns", "age"]) == 0
    told = capsys.readouterr().out
    assert "people.csv: 1 columns: age" in told
    assert "rows were not looked at" in told
    assert run(["check", "people.csv", "--columns", "age", "--owner"]) == 2
    told = capsys.readouterr()
    assert "private: people.csv: 2 rows, for the owner of the data alone" in told.out
    assert "a release would be refused: people.csv: some rows are longer" in told.err
    assert run(["check", "people.csv", "--json", "-"]) == 0
    assert '"columns": [' in capsys.readouterr().out
    assert run(["check", "absent.csv"]) == 2
    (people.parent / "b.json").write_text('{"age": [0, 100]}', encoding="utf-8")
    (people.parent / "who.csv").write_text("who,age\nx,5\n", encoding="utf-8")
    capsys.readouterr()
    assert run(["check", "who.csv", "--bounds", "b.json"]) == 2
    assert "got none for ['who']" in capsys.readouterr().err
    assert run(["check", "who.csv", "--bounds", "b.json", "--person", "who"]) == 2
    assert "--person must come with --per-person" in capsys.readouterr().err
    assert run(["check", "who.csv", "--bounds", "b.json", "--person", "who", "--per-person", "2"]) == 0
    assert "who.csv: 1 columns: age; names and options go together" in capsys.readouterr().out
    assert run(["check", "who.csv", "--bounds", "b.json", "--person", "whose", "--per-person", "2"]) == 2
    assert "--person must name a column of ids" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", ['"a"b', "a\x00", "b\udcfc", '"', "a,b", ""], ids=["quote", "zero", "byte", "open", "wide", "no"]
)
@pytest.mark.parametrize("header", [True, False])
def test_an_owner_hears_of_what_columns_that_are_not_read_make_a_release_refuse(tmp_path, line, header):
    """The gate and its slow reference, the reading itself: they refuse the same."""
    path, columns = tmp_path / "people.csv", ("age", "height") if header else ("1", "2")
    names = "age,height,name\n" if header else ""
    path.write_text(f"{names}20,180,ann\n30,170,{line}\n40,175,eve\n", "utf-8", "surrogateescape")
    given = {"columns": columns, "rows": "clip", "header": None if header else False}
    found = dps.check(path, owner=True, **given)
    try:
        dps.Moments.read(path, **given)
        refused: tuple[str, ...] = ()
    except ValueError as problem:
        refused = (str(problem),)
    assert found.fine == (not refused)
    assert found.problems[-1:] == refused or "finite" in found.problems[0]
    assert any("no text in utf-8: another --encoding" in each for each in found.private) == ("\udcfc" in line)
