"""The command ``release``: no row is lost, nothing is overwritten unasked or left half-written."""

import hashlib
import itertools
import json
import os
import subprocess
import sys
import tracemalloc
import zipfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from dpspectra import memory
from dpspectra.cli import run
from dpspectra.report import files, tables
from dpspectra.report.release import clipped

X = np.array([[0.5, 0.25], [0.125, 0.0], [0.0, 0.5]])
LAPLACE = ("--mechanism", "laplace_covariance", "--epsilon", "1")
SECRET = "0.7315246"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    return tmp_path


def release(data, *options, out="r.npy"):
    return run(["release", str(data), *LAPLACE, "--out", str(out), *options])


def refused(capsys, message, *arguments, **options):
    """The command exits with 2, one line on standard error and nothing else, and changes no file."""
    before = contents()
    assert release(*arguments, **options) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1
    assert message in printed.err
    assert "7315" not in printed.err
    assert contents() == before


def contents(folder="."):
    """What is in a folder, by name; temporary folders included."""
    return {path.name: path.read_bytes() if path.is_file() else None for path in Path(folder).iterdir()}


def whole(out="r.npy"):
    """Whether a release and its claim belong together, as the README tells a reader to find out."""
    claim = json.loads(Path(f"{out}.claim.json").read_text(encoding="utf-8"))
    return hashlib.sha256(Path(out).read_bytes()).hexdigest() == claim["sha256"]


# ---------------------------------------------------------------- what is written


def test_it_says_how_many_rows_it_read(here, capsys):
    assert release("x.npy") == 0
    assert capsys.readouterr().out.startswith("x.npy: 3 rows of 2 numbers\nr.npy: shape [2, 2], epsilon 1")
    assert release("x.npy", "--json", out="s.csv") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["columns"]) == (3, 2)
    assert told["claim"] == json.loads((here / "s.csv.claim.json").read_text(encoding="utf-8"))
    assert whole()
    assert whole("s.csv")


def test_folders_are_made(here, capsys):
    assert release("x.npy", out="new/folder/r.npy") == 0
    assert contents("new/folder").keys() == {"r.npy", "r.npy.claim.json"}
    capsys.readouterr()
    refused(capsys, "an output must lie in a folder that can be written to, got", "x.npy", out="x.npy/r.npy")


@pytest.mark.parametrize("out", ["r.npy", "r.npz", "r.csv"])
def test_the_value_is_read_back(here, out):
    assert release("x.npy", out=out) == 0
    value = tables.read_table(here / out)
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
        refused(capsys, "the output must not be the data file", "x.npy", "--force", out=out)
    refused(capsys, "the output must not be the data file", "link.npy", "--force", out="x.npy")


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
def test_a_process_that_dies_leaves_a_pair_that_can_be_told(here, renames):
    """At most the claim is old: the digest in it says so."""
    assert release("x.npy") == 0
    before = contents()
    code = (
        "import itertools, os, sys\nfrom dpspectra.cli import run\nreplace, calls = os.replace, itertools.count(1)\n"
        f"def dying(*paths):\n    if next(calls) > {renames}:\n        os._exit(9)\n    replace(*paths)\n"
        "os.replace = dying\nsys.exit(run(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "release", "x.npy", *LAPLACE, "--out", "r.npy", "--force"]
    assert subprocess.run(command, capture_output=True).returncode == (9 if renames < 2 else 0)
    changed = {name for name, content in contents().items() if before.get(name) != content}
    assert changed == [set(), {"r.npy"}, {"r.npy", "r.npy.claim.json"}][renames]
    assert whole() == (renames != 1)


def test_files_are_on_the_disk_before_they_get_their_names(here, monkeypatch):
    events, fsync, replace = [], os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda file: (events.append("sync"), fsync(file)))
    monkeypatch.setattr(os, "replace", lambda *paths: (events.append(paths[1].name), replace(*paths)))
    assert release("x.npy") == 0
    assert events == ["sync", "sync", "r.npy", "sync", "r.npy.claim.json", "sync"]


# ---------------------------------------------------------------- .csv


ROWS = {
    "numbers": (".5,.25\n.125,0\n0,5e-1\n", X),
    "names": ("a,b2\n.5,.25\n.125,0\n0,.5\n", X),
    "quoted names": ('"first, of all","Größe (cm)"\n.5,.25\n.125,0\n0,.5\n', X),
    "byte order mark": ("\ufeff.5,.25\n.125,0\n0,.5\n", X),
    "blanks": (" .5 , +.25\n.125,-0.\n0, .5\n", X),
    "lines of Windows": (".5,.25\r\n.125,0\r\n0,.5\r\n", X),
    "empty lines at the end": (".5,.25\n.125,0\n0,.5\n\n\n", X),
    "no end of line": (".5,.25\n.125,0\n0,.5", X),
    "one column": ("weight\n.5\n0\n", np.array([[0.5], [0.0]])),
    "zeros first": ("0,0\n.5,0\n", np.array([[0.0, 0.0], [0.5, 0.0]])),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_table_is_read_whole(here, name):
    text, expected = ROWS[name]
    (here / "x.csv").write_bytes(text.encode())
    np.testing.assert_array_equal(tables.read_table(here / "x.csv"), expected)


ASKED = {
    "a number missing": (".5,\n.125,0\n", "must hold numbers, which field 2 of line 1 is not"),
    "underscores": ("1_0,2_0\n.125,0\n", "must hold numbers, which field 1 of line 1 is not"),
    "one word": (".5,x\n.125,0\n", "must hold numbers, which field 2 of line 1 is not"),
    "no value": ("NA\n.125\n", "must hold numbers, which field 1 of line 1 is not"),
    "truth values": ("True,False\n.125,0\n", "must hold numbers, which field 1 of line 1 is not"),
    "the letter for zero": ("O.5,O.2\n.125,0\n", "must hold numbers, which field 1 of line 1 is not"),
    "twice the same": ("x,x\n.125,0\n", "must hold numbers, which field 1 of line 1 is not"),
    "other numerals": ("\u0663,\u0664\n.125,0\n", "must hold numbers, which field 1 of line 1 is not"),
    "decimal commas": ("0;5,0;2\n.125,0\n", "must hold numbers, which field 1 of line 1 is not"),
    "an unnamed column": (",a\n.125,0\n", "must hold numbers, which field 1 of line 1 is not"),
    "years": ("2019,2020.\n.125,0\n", None),
    "numbers of columns": ("0,1\n.125,0\n", None),
}


@pytest.mark.parametrize("name", ASKED)
def test_an_ambiguous_first_line_is_asked_about(here, capsys, name):
    text, message = ASKED[name]
    (here / "x.csv").write_text(text, encoding="utf-8")
    if name != "years":
        refused(capsys, "the first line of x.csv must be numbers or names for certain: say --header or", "x.csv")
    if message:
        refused(capsys, message, "x.csv", "--no-header")
    else:
        assert len(tables.read_table(here / "x.csv", header=False)) == 2
    np.testing.assert_array_equal(tables.read_table(here / "x.csv", header=True)[0, :1], [0.125])


BAD_LINES = {
    "Python's numbers": ("a,b\n.5,1_0\n", "must hold numbers, which field 2 of line 2 is not"),
    "a cell": (f"a,b\n.5,{SECRET}x\n", "must hold numbers, which field 2 of line 2 is not"),
    "ragged": (f"a,b\n.5,{SECRET}\n.5\n", "must be rectangular, got 1 fields in line 3 instead of 2"),
    "wider than its names": (f"a,b\n1,.5,{SECRET}\n", "must be rectangular, got 3 fields in line 2 instead of 2"),
    "a line missing": (f"a\n.5\n\n{SECRET}\n", "must have no empty line between others, which line 3 is"),
    "a quote": (f'a,b\n.5,"{SECRET}\n.5,.5\n', "must be text in UTF-8 with fields between commas"),
    "text after a quote": (f'a,b\n.5,"{SECRET}"7\n', "must be text in UTF-8 with fields between commas"),
    "a long field": (f"a,b\n.5,{SECRET * 20000}\n", "must be text in UTF-8 with fields between commas"),
    "another encoding": (f"a,b\n.5,{SECRET}\xe9\n", "must be text in UTF-8 with fields between commas"),
    "not finite": (f"a,b\n{SECRET},nan\n", "the data must be finite, which entry (0, 1) is not"),
    "too large": (f"a,b\n{SECRET},1e999\n", "the data must be finite, which entry (0, 1) is not"),
    "a long row": (f"a,b\n.5,.5\n{SECRET},{SECRET}\n", "norm at most 1, which row 1 has not"),
    "names only": ("a,b\n", "the data must not be empty"),
    "nothing": ("", "the data must not be empty"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_refused_by_its_number(here, capsys, name):
    text, message = BAD_LINES[name]
    (here / "x.csv").write_bytes(text.encode("latin-1"))
    refused(capsys, message, "x.csv")


def test_names_are_for_csv_files(here, capsys):
    refused(capsys, "--header and --no-header must come with a .csv file, got 'x.npy'", "x.npy", "--header")


def test_rows_of_any_length_are_clipped_to_the_bound(here, capsys):
    (here / "x.csv").write_text("1e200,1e200\n3,4\n.5,0\n0,0\n", encoding="utf-8")
    np.testing.assert_allclose(
        clipped(tables.read_table(here / "x.csv"), 2.0), [[2**0.5, 2**0.5], [1.2, 1.6], [0.5, 0], [0, 0]], rtol=1e-15
    )
    assert release("x.csv", "--clip") == 0
    capsys.readouterr()


# ---------------------------------------------------------------- headers that promise too much


def header(shape, kind="<f8"):
    """The start of an .npy file that promises an array."""
    text = str({"descr": kind, "fortran_order": False, "shape": shape}).encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def test_the_header_of_these_tests_is_one(here):
    (here / "y.npy").write_bytes(header((3, 2)) + X.tobytes())
    np.testing.assert_array_equal(tables.read_npy(here / "y.npy"), X)


LIES = {
    "rows": header((10**12, 2)) + bytes(64),
    "one row more": header((5, 2)) + bytes(64),
    "a row less": header((3, 2)) + bytes(64),
    "negative": header((-1, -8)) + bytes(64),
    "objects": header((8,), "|O") + bytes(64),
    "no header": b"\x93NUMPY\x01\x00",
    "no dictionary": b"\x93NUMPY\x01\x00\x04\x00 ((\n" + bytes(64),
    "another version": b"\x93NUMPY\x09\x00" + header((4, 2))[8:] + bytes(64),
}


@pytest.mark.parametrize("name", LIES)
def test_a_header_that_the_file_does_not_keep_is_refused(here, capsys, name):
    (here / "y.npy").write_bytes(LIES[name])
    refused(capsys, "y.npy must be a plain numeric .npy file, found something else", "y.npy")
    with zipfile.ZipFile("y.npz", "w") as archive:
        archive.writestr("a.npy", LIES[name])
    refused(capsys, "y.npz must be an .npz archive of numeric arrays, found something else", "y.npz")


def test_what_would_not_fit_in_memory_is_refused(here, capsys, monkeypatch):
    """A small archive that expands, and the other kinds of files, on a machine with 4 MiB of memory."""
    pa, parquet = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    x = np.zeros((2**16, 3))
    np.save("large.npy", x)
    np.save("narrow.npy", x.astype(np.int8))
    np.savez_compressed("large.npz", x)
    np.savetxt("large.csv", x, delimiter=",", fmt="%g")
    parquet.write_table(pa.table(dict.fromkeys("abc", x[:, 0])), "large.parquet")
    assert Path("large.npz").stat().st_size < 10_000
    monkeypatch.setattr(tables, "available", lambda: 2**22)
    for name in ("large.npy", "narrow.npy", "large.npz", "large.csv", "large.parquet"):
        refused(capsys, f"{name} must fit in memory 4 times in float64, which takes", name)
    monkeypatch.setattr(tables, "available", lambda: 2**23)
    for name in ("large.npy", "narrow.npy", "large.npz", "large.csv", "large.parquet"):
        assert tables.read_table(here / name).shape == x.shape


def test_memory_is_not_taken_before_the_header_is_read(here, monkeypatch):
    np.savez_compressed("large.npz", np.zeros(2**22))
    monkeypatch.setattr(tables, "available", lambda: 2**20)
    tracemalloc.start()
    with pytest.raises(ValueError, match="must fit in memory"):
        tables.read_npz(here / "large.npz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_the_system_says_how_much_memory_is_free(here, monkeypatch):
    assert memory.available() > 2**20
    monkeypatch.setattr(memory, "Path", lambda name: here / "no such file")
    assert memory.available() == memory.UNKNOWN


def test_running_out_of_memory_is_no_broken_promise(here, capsys, monkeypatch):
    def exhausted(*arguments):
        raise MemoryError

    monkeypatch.setattr("dpspectra.report.release.read_table", exhausted)
    refused(capsys, "dpspectra: out of memory", "x.npy")


def test_running_out_of_memory_does_not_make_a_file_a_bad_one(here, monkeypatch):
    def exhausted(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr(np.lib.format, "read_array", exhausted)
    with pytest.raises(MemoryError):
        tables.read_npy(here / "x.npy")


COLUMNS = {
    "text": (["a", "b"], "must hold numbers, which column 2 does not"),
    "dates": (np.array(["2020-01-01", "2021-01-01"], "datetime64[s]"), "must hold numbers, which column 2 does not"),
    "lists": ([[1], [2]], "must hold numbers, which column 2 does not"),
    "missing": ([0.5, None], "the data must be finite, which entry (1, 1) is not"),
    "missing truth value": ([True, None], "the data must hold numbers and no missing values, unlike entry (1, 1)"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_that_holds_no_numbers_is_refused(here, capsys, name):
    pa, parquet = (pytest.importorskip(module) for module in ("pyarrow", "pyarrow.parquet"))
    column, message = COLUMNS[name]
    parquet.write_table(pa.table({"a": [0.0, 0.25], "b": column}), "x.parquet")
    refused(capsys, message, "x.parquet")


def test_columns_of_plain_numbers_are_read(here):
    pa, parquet = (pytest.importorskip(module) for module in ("pyarrow", "pyarrow.parquet"))
    columns = {"a": [0.5, 0.25], "b": [1, 0], "c": [Decimal("0.5"), Decimal("0.25")], "d": [True, False]}
    parquet.write_table(pa.table(columns), "x.parquet")
    assert release("x.parquet", "--norm-bound", "2") == 0


def test_broken_archives_are_refused(here, capsys):
    np.savez("good.npz", X)
    good = (here / "good.npz").read_bytes()
    (here / "cut.npz").write_bytes(good[:-40])
    changed = bytearray(good)
    changed[200] ^= 1
    (here / "changed.npz").write_bytes(changed)
    with zipfile.ZipFile("text.npz", "w") as archive:
        archive.writestr("a.npy", SECRET)
    for name in ("cut.npz", "changed.npz", "text.npz"):
        refused(capsys, f"{name} must be an .npz archive of numeric arrays, found something else", name)


# ---------------------------------------------------------------- other commands


@pytest.mark.parametrize(
    "words",
    [
        ("demo", "--out", "x.npy/report"),
        ("vectors", "--out", "x.npy/v.json"),
        ("bounds", "--d", "3", "--k", "1", "--lambda1", "3", "--epsilon", "1", "--plot", "x.npy/p.svg"),
        ("attack", "--bits", "8", "--k", "1", "--plot", "x.npy/p.svg"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_looks_at_its_output_first(here, capsys, monkeypatch, words):
    for work in ("demo.digits", "vectors._vector", "bounds._bounds", "attack.attacks"):
        monkeypatch.setattr(f"dpspectra.report.{work}", lambda *arguments: pytest.fail("work was done"))
    assert run(words) == 2
    assert "an output must lie in a folder that can be written to" in capsys.readouterr().err
    assert contents().keys() == {"x.npy"}


def test_a_text_is_written_whole_or_not_at_all(here, monkeypatch):
    files.write_text(here / "new" / "a.txt", "old")

    def failing(*paths):
        raise OSError

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match=r"^$"):
        files.write_text(here / "new" / "a.txt", "new")
    assert contents("new").keys() == {"a.txt"}
    assert (here / "new" / "a.txt").read_text(encoding="utf-8") == "old"
