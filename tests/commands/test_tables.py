"""Files of rows: every format is read whole, and what is ambiguous, broken or too large is refused."""

import re
import tracemalloc
import zipfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.certified.exact_moments import sums_of
from dpspectra.commands import array_files, file_checks, tables
from dpspectra.commands.tables import Reading
from dpspectra.matrices.prepared_rows import clipped_rows
from dpspectra.matrices.text_lines import Form
from tests.support.files import X, refused, release

SECRET = "0.7315246"
THREE = np.array([[0.5, 0.25, 0.125], [0.125, 0.0, 0.0], [0.0, 0.5, 0.0]])


@pytest.mark.parametrize("name", ["x.arrow", "x.feather"])
def test_arrow_files_are_read(here, capsys, name):
    pa, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    columns = {"a": [0.5, 0.25, 0.0], "b": np.array([0.125, 0.0, 0.5], dtype=np.float32), "c": [True, False, False]}
    feather.write_feather(pa.table(columns), name, chunksize=2)
    assert release(name, "--norm-bound", "2") == 0
    assert capsys.readouterr().out.startswith(f"{name}: 3 rows of 3 numbers")
    feather.write_feather(pa.table({"a": [0.5], "b": ["0.7315246"]}), name)
    refused(capsys, f"{name} must hold numbers, but column 'b' does not", name, out="s.npy")
    (here / name).write_bytes((here / name).read_bytes()[:-20])
    refused(capsys, f"{name} must be a file of the kind that its name says, found something else", name, out="s.npy")


def test_frames_and_tables_of_python_are_rows():
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    arrays = [THREE, pandas.DataFrame(THREE), pyarrow.table(list(THREE.T), list("abc"))]
    values = [dps.laplace_covariance(rows, 1.0, rng=0).value for rows in arrays]
    assert all((value == values[0]).all() for value in values)


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


NAMED = {"names", "quoted names", "one column"}
ASK = "the first line of x.csv must hold names for certain: say --header or --no-header"


@pytest.mark.parametrize("name", ROWS)
def test_a_table_is_read_whole(here, capsys, name):
    text, expected = ROWS[name]
    (here / "x.csv").write_bytes(text.encode())
    header = None if name in NAMED else False
    np.testing.assert_array_equal(tables.read_table(here / "x.csv", Reading(Form(header))).rows, expected)
    if name not in NAMED:  # whatever the numbers are
        refused(capsys, ASK, "x.csv")


ASKED = {
    "a number missing": (".5,\n.125,0\n", "must hold numbers, but line 1 has none in field 2"),
    "underscores": ("1_0,2_0\n.125,0\n", "must hold numbers, but line 1 has none in field 1"),
    "one word": (".5,x\n.125,0\n", "must hold numbers, but line 1 has none in field 2"),
    "no value": ("NA\n.125\n", "must hold numbers, but line 1 has none in field 1"),
    "truth values": ("True,False\n.125,0\n", "must hold numbers, but line 1 has none in field 1"),
    "the letter for zero": ("O.5,O.2\n.125,0\n", "must hold numbers, but line 1 has none in field 1"),
    "twice the same": ("x,x\n.125,0\n", "must hold numbers, but line 1 has none in field 1"),
    "other numerals": ("\u0663,\u0664\n.125,0\n", "must hold numbers, but line 1 has none in field 1"),
    "decimal commas": ("0;5,0;2\n.125,0\n", "must hold numbers, but line 1 has none in field 1"),
    "an unnamed column": (",a\n.125,0\n", "must hold numbers, but line 1 has none in field 1"),
    "years": ("2019,2020.\n.125,0\n", None),
    "numbers of columns": ("0,1\n.125,0\n", None),
}


@pytest.mark.parametrize("name", ASKED)
def test_an_ambiguous_first_line_is_asked_about(here, capsys, name):
    text, message = ASKED[name]
    (here / "x.csv").write_text(text, encoding="utf-8")
    refused(capsys, ASK, "x.csv")
    if message:
        refused(capsys, message, "x.csv", "--no-header")
    else:
        assert len(tables.read_table(here / "x.csv", Reading(Form(False))).rows) == 2
    first = tuple(field.strip() for field in text.partition("\n")[0].split(","))
    if "" in first:  # a column without a name may be an index
        refused(capsys, "column '' is a stored index", "x.csv", "--header")
    elif len(set(first)) == len(first):
        found = tables.read_table(here / "x.csv", Reading(Form(True)))
        np.testing.assert_array_equal(found.rows[0, :1], [0.125])


@pytest.mark.parametrize(
    ("name", "separator", "text"),
    [
        ("x.csv", ";", ".5;.25\n.125;0\n0;.5\n"),
        ("x.tsv", None, ".5\t.25\n.125\t0\n0\t.5\n"),
        ("x.csv", "tab", ".5\t.25\n.125\t0\n0\t.5\n"),
        ("x.tsv", "|", ".5|.25\n.125|0\n0|.5\n"),
    ],
)
def test_fields_may_stand_between_other_characters(here, name, separator, text):
    (here / name).write_text(text, encoding="utf-8")
    np.testing.assert_array_equal(
        tables.read_table(here / name, Reading(tables.form_of(False, separator, "utf-8", "."))).rows, X
    )
    form = tables.form_of(False, separator, "utf-8", ".")
    np.testing.assert_array_equal(tables.read_table(here / name, Reading(form, ("2",))).rows, X[:, 1:])


@pytest.mark.parametrize("separator", ["", "ab", "5", "e", ".", "-", "+", '"', "\n"])
def test_other_separators_are_refused(here, separator):
    (here / "x.csv").write_text(".5\n", encoding="utf-8")
    with pytest.raises(ValueError, match="separator must be one character that is no part of a number"):
        tables.read_table(here / "x.csv", Reading(Form(False, separator)))


def test_what_is_of_text_files_goes_with_no_others(here, capsys):
    refused(capsys, "--separator must come with a .csv or .tsv file, got 'x.npy'", "x.npy", "--separator", ";")
    refused(capsys, "--columns must come with a file of named columns", "x.npy", "--columns", "1")


def test_columns_of_arrow_files_are_chosen(here):
    pa, feather = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.feather")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"a": [0.5, 0.25], "name": ["Eve", "Bob"], "b": [0.0, 0.5]})
    parquet.write_table(table, "x.parquet")
    feather.write_feather(table, "x.feather")
    for name in ("x.parquet", "x.feather"):
        found = tables.read_table(here / name, Reading(columns=("b", "a")))
        assert found.names == ("b", "a")
        np.testing.assert_array_equal(found.rows, [[0.0, 0.5], [0.5, 0.25]])
        with pytest.raises(ValueError, match="columns must name each column of"):
            tables.read_table(here / name, Reading(columns=("c",)))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_matrices_are_read(here, kind):
    sparse.save_npz("x.npz", kind(X))
    found = tables.read_table(here / "x.npz").rows
    assert found.format == "csr"
    np.testing.assert_array_equal(found.toarray(), X)
    assert release("x.npz") == 0
    assert release("x.npz", "--clip", "--norm-bound", "0.5", out="s.npy") == 0


def test_broken_sparse_matrices_are_refused(here, capsys):
    good = sparse.csr_array(X)
    parts = {"data": good.data, "indices": good.indices, "indptr": good.indptr, "shape": X.shape, "format": b"csr"}
    for name, bad in {
        "format": b"coo",
        "indices": good.indices + 7,
        "shape": (2, 2),
        "indptr": good.indptr[::-1],
        "data": good.data[:-1],
    }.items():
        np.savez("x.npz", **{**parts, name: bad})
        refused(capsys, "x.npz must be a sparse matrix in the format csr or csc, found something else", "x.npz")


BAD_LINES = {
    "Python's numbers": ("a,b\n.5,1_0\n", "must hold numbers, but line 2 has none in column 'b'"),
    "a cell": (f"a,b\n.5,{SECRET}x\n", "must hold numbers, but line 2 has none in column 'b'"),
    "ragged": (f"a,b\n.5,{SECRET}\n.5\n", "must be rectangular, got 1 fields in line 3 instead of 2"),
    "wider than its names": (f"a,b\n1,.5,{SECRET}\n", "must be rectangular, got 3 fields in line 2 instead of 2"),
    "a line missing": (f"a\n.5\n\n{SECRET}\n", "must have no empty line between others, which line 3 is"),
    "a quote": (f'a,b\n.5,"{SECRET}\n.5,.5\n', "must be text in UTF-8 with fields between separators"),
    "text after a quote": (f'a,b\n.5,"{SECRET}"7\n', "must be text in UTF-8 with fields between separators"),
    "a long field": (f"a,b\n.5,{SECRET * 20000}\n", "must be text in UTF-8 with fields between separators"),
    "another encoding": (f"a,b\n.5,{SECRET}\xe9\n", "must be text in UTF-8 with fields between separators"),
    "not finite": (f"a,b\n{SECRET},nan\n", "X must be finite, but entry (0, 1) is not"),
    "too large": (f"a,b\n{SECRET},1e999\n", "X must be finite, but entry (0, 1) is not"),
    "a long row": (f"a,b\n.5,.5\n{SECRET},{SECRET}\n", "norm at most 1, but row 1 is longer"),
    "names only": ("a,b\n", "X must not be empty"),
    "nothing": ("", "must hold rows, got an empty file"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_refused_by_its_number(here, capsys, name):
    text, message = BAD_LINES[name]
    (here / "x.csv").write_bytes(text.encode("latin-1"))
    refused(capsys, message, "x.csv")


def test_names_are_for_csv_files(here, capsys):
    refused(capsys, "--header must come with a .csv or .tsv file, got 'x.npy'", "x.npy", "--header")


def test_rows_of_any_length_are_clipped_to_the_bound(here, capsys):
    (here / "x.csv").write_text("1e200,1e200\n3,4\n.5,0\n0,0\n", encoding="utf-8")
    rows = clipped_rows(tables.read_table(here / "x.csv", Reading(Form(False))).rows, 2.0)
    clipped = [[2**0.5, 2**0.5], [1.2, 1.6], [0.5, 0], [0, 0]]
    np.testing.assert_allclose(rows, clipped, rtol=2**-48)  # a little shorter on purpose: no row is over the bound
    assert all(Fraction(x) ** 2 + Fraction(y) ** 2 <= 4 for x, y in rows.tolist())
    assert release("x.csv", "--no-header", "--clip") == 0
    capsys.readouterr()


# ---------------------------------------------------------------- headers that promise too much


def header(shape, kind="<f8"):
    """The start of an .npy file that promises an array."""
    text = str({"descr": kind, "fortran_order": False, "shape": shape}).encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def test_the_header_of_these_tests_is_one(here):
    (here / "y.npy").write_bytes(header((3, 2)) + X.tobytes())
    np.testing.assert_array_equal(array_files.read_npy(here / "y.npy"), X)


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
    free = 2**22
    for module in (file_checks, tables):
        monkeypatch.setattr(module, "available", lambda: free)
    for name in ("large.npy", "narrow.npy", "large.npz", "large.csv", "large.parquet"):
        header = ["--no-header"] * name.endswith(".csv")
        refused(capsys, f"{name} must fit in memory 4 times in float64, which takes", name, *header)
    free = 2**23
    for name in ("large.npy", "narrow.npy", "large.npz", "large.csv", "large.parquet"):
        assert (
            tables.read_table(here / name, Reading(Form(False if name.endswith(".csv") else None))).rows.shape
            == x.shape
        )


def test_memory_is_not_taken_before_the_header_is_read(here, monkeypatch):
    np.savez_compressed("large.npz", np.zeros(2**22))
    monkeypatch.setattr(file_checks, "available", lambda: 2**20)
    tracemalloc.start()
    with pytest.raises(ValueError, match="must fit in memory"):
        array_files.read_npz(here / "large.npz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_running_out_of_memory_is_no_broken_promise(here, capsys, monkeypatch):
    def exhausted(*arguments):
        raise MemoryError

    monkeypatch.setattr("dpspectra.commands.release.read_tables", exhausted)
    refused(capsys, "dpspectra: out of memory", "x.npy")


def test_running_out_of_memory_does_not_make_a_file_a_bad_one(here, monkeypatch):
    def exhausted(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr(np.lib.format, "read_array", exhausted)
    with pytest.raises(MemoryError):
        array_files.read_npy(here / "x.npy")


COLUMNS = {
    "text": (["a", "b"], "must hold numbers, but column 'b' does not"),
    "dates": (np.array(["2020-01-01", "2021-01-01"], "datetime64[s]"), "must hold numbers, but column 'b' does not"),
    "lists": ([[1], [2]], "must hold numbers, but column 'b' does not"),
    "missing": ([0.5, None], "column 'b' of x.parquet must be finite, but entry 1 is not"),
    "missing truth value": ([True, None], "column 'b' of x.parquet must hold numbers, but entry 1 is missing"),
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


# ---------------------------------------------------------------- people who have several rows


VISITS = "who,a,b\n7,.5,.25\n8,.125,0\n7,0,.5\n,1,1\n9,0,.25\n7,.25,.25\n"


def people(path, columns=(), **given):
    reading = Reading(Form(separator=given.pop("separator", None)), tuple(columns))
    rows = {"norm_bound": 2.0, "rows": "refuse", "bounds": None}
    known = {"person": "who", "per_person": 2, "salt": ""}
    return tables.People.of([Path(path)], reading, **known | given, rows=rows)


@pytest.mark.parametrize("columns", [(), ("b", "a")])
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_rows_of_people_are_read_as_moments(here, ending, columns):
    pandas = pytest.importorskip("pandas")
    (here / "v.csv").write_text(VISITS, encoding="utf-8")
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
        pandas.read_csv("v.csv").to_parquet("v.parquet")
    for salt in ("", "s"):
        found = people(f"v{ending}", columns, salt=salt).read()
        assert found.names == (columns or ("a", "b"))
        frame = pandas.read_csv("v.csv")
        wanted = {"norm_bound": 2.0, "person": "who", "per_person": 2, "salt": salt, "columns": found.names}
        assert sums_of(found.rows).total.tolist() == sums_of(dps.Moments.of(frame, **wanted)).total.tolist()
        assert sums_of(found.rows).count == 3


def test_the_header_alone_is_read_before_the_people(here):
    (here / "v.csv").write_text("who,a,b\n7,.5\n", encoding="utf-8")
    file = people("v.csv")
    assert file.nobody.terms.per_person == 2
    with pytest.raises(ValueError, match="got 2 fields in line 2 instead of 3"):
        file.read()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"person": "whom"}, "--person must name a column of ids that v.csv has, beside --columns, got 'whom'"),
        ({"columns": ["who", "a"]}, "--person must name a column of ids that v.csv has, beside --columns, got 'who'"),
        ({"columns": ["a", "a"]}, "columns must name each column of v.csv once, got 'a' 2 times: name it once"),
        ({"columns": ["c"]}, "columns must name each column of v.csv once, by a name of its own, got 'c'"),
        ({"separator": ";"}, "--person must name a column of ids that v.csv has"),
        ({"path": "x.npy"}, "--person must name a column of ids that x.npy has"),
        ({"path": "x.moments"}, "--person must come with one file of rows, got x.moments"),
        ({"path": "x.npz"}, "path must end in .csv"),
    ],
)
def test_people_without_ids_are_refused(here, changes, message):
    (here / "v.csv").write_text(VISITS, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(message)):
        people(**{"path": "v.csv"} | changes)
