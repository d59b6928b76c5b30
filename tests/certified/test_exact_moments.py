"""Sums of rows that merge anywhere: no bit hangs on order, tree, chunks or form, and no number shows."""

import copy
import dataclasses
import functools
import operator
import pickle
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import dpspectra as dps
from dpspectra.certified.exact_moments import Moments, sums_of
from dpspectra.certified.reading_parameters import MOST_PARTS, Parts
from dpspectra.matrices import row_files
from tests.support.bad_calls import TINY_ROWS
from tests.support.forms import NAMES, ROWS, frame, table
from tests.support.helpers import keeps
from tests.support.rows import X

LONG = np.concatenate([X, 3 * X[:100], X[:50] / 8])
D = X.shape[1]
TABLES = NAMES[:D]
FORMS = ROWS | {
    "frames of two orders": lambda x: iter([frame(x[:40]), frame(x[40:])[list(reversed(TABLES))]]),
    "texts": lambda x: [[repr(value) for value in row] for row in x.tolist()],
}
CLIP = {"rows": "clip"}


def integers(moments):
    """All that is private except the names of parts."""
    sums = sums_of(moments, empty=True)
    return sums.upper.integers().tolist(), sums.first.integers().tolist(), sums.count


@pytest.mark.parametrize("rows", ["clip", "unit"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_integers(form, rows):
    reading = {"rows": rows, "bad_rows": "zero" if form == "texts" else "refuse"}
    changed = dps.clipped_rows(LONG, 1.0) if rows == "clip" else dps.unit_rows(LONG)
    assert integers(Moments.of(FORMS[form](LONG), **reading)) == integers(Moments.of(changed))


def test_orders_and_trees_change_no_bit():
    chunks = [LONG[i : i + 97] for i in range(0, len(LONG), 97)]
    parts = [Moments.of(chunk, **CLIP) for chunk in chunks]
    zero, shuffled = Moments.empty(D, **CLIP), np.random.default_rng(0).permutation(len(parts))
    pairs = [Moments.together(parts[i : i + 2]) for i in range(0, len(parts), 2)]
    with ThreadPoolExecutor(2) as pool:
        threads = sum(pool.map(functools.partial(Moments.of, **CLIP), chunks), zero)
    folded = functools.reduce(Moments.with_rows, chunks, zero)
    for total in (sum(parts, zero), sum([parts[i] for i in shuffled], zero), sum(pairs, zero), threads, folded):
        assert integers(total) == integers(Moments.of(LONG, **CLIP))
        assert total.parts == len(parts)


def test_rows_that_are_clipped_in_blocks_have_the_bits_of_clipped_rows():
    """Rows on both sides of the bound and just at it, of many widths and bounds."""
    rng = np.random.default_rng(1)
    for d, bound in [(1, 1.0), (2, 0.7), (3, 2.0**-545), (50, 3.0), (700, 2.0**600)]:
        x = rng.normal(size=(400, d))
        x *= (rng.choice([0.5, 1 - 2.0**-48, 1.0, 1 + 2.0**-48, 1.0001, 9.0], 400) / np.linalg.norm(x, axis=1))[:, None]
        x = np.ldexp(x * np.frexp(bound)[0], np.frexp(bound)[1])
        expected = Moments.of(dps.clipped_rows(x, bound), norm_bound=bound)
        assert integers(Moments.of(x, norm_bound=bound, **CLIP)) == integers(expected)


def test_bytes_are_read_back_and_nothing_else_is(tmp_path):
    moments = Moments.of(frame(LONG), norm_bound=0.7, bad_rows="zero", **CLIP)
    for again in (
        Moments.from_bytes(moments.to_bytes()),
        pickle.loads(pickle.dumps(moments)),
        Moments.of(LONG[:1], norm_bound=0.7, order=1).from_bytes(moments.to_bytes()),
    ):
        assert integers(again) == integers(moments)
        assert again.terms == moments.terms
        assert again.to_bytes() == moments.to_bytes()
    data = moments.to_bytes()
    assert b"pickle" not in data
    for place in np.random.default_rng(2).integers(0, len(data), 50):
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(place) % 8
        with pytest.raises(ValueError, match="data must be bytes of Moments"):
            Moments.from_bytes(bytes(flipped))
    for bad in (b"", data[:-1], data + b"0", data[:40], "text", None, pickle.dumps(moments)):
        with pytest.raises(ValueError, match="data must be bytes of Moments"):
            Moments.from_bytes(bad)
    first = Moments.of(X, order=1)
    assert integers(Moments.from_bytes(first.to_bytes())) == integers(first)


def test_files_are_for_their_owner_and_never_over_others(tmp_path):
    moments, path = Moments.of(X), tmp_path / "part.moments"
    moments.save(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert integers(Moments.load(path)) == integers(moments)
    with pytest.raises(FileExistsError):
        Moments.of(X[:3]).save(path)
    assert integers(Moments.load(path)) == integers(moments)
    assert [file.name for file in tmp_path.iterdir()] == ["part.moments"]


OTHERS = {
    "width": {"X": X[:, :2]},
    "norm_bound": {"norm_bound": 2.0},
    "rows": {"rows": "unit"},
    "bad_rows": {"bad_rows": "zero"},
    "columns": {"columns": list(reversed(TABLES))},
    "order": {"order": 1},
}


@pytest.mark.parametrize("field", OTHERS)
def test_other_terms_are_refused_by_the_name_of_the_field(field):
    known = {"X": X, "columns": list(TABLES), "rows": "clip"}
    changed = known | OTHERS[field]
    if field == "width":
        changed["columns"] = list("ab")
    one, other = Moments.of(**known), Moments.of(**changed)
    for two in ((one, other), (other, one)):
        with pytest.raises(ValueError, match=f"parts must agree in their terms, got other {field}: "):
            operator.add(*two)


def test_a_part_counts_once():
    one, two, day = Moments.of(X), Moments.of(X), Moments.of(X, part="2026-11-23")
    assert integers(one + two)[2] == 2 * len(X)  # equal rows are other rows: to refuse them would be an answer
    more = one.with_rows(X[:3])
    for total in (one, one + two, more, more + two):
        with pytest.raises(ValueError, match="a part must be added once"):
            total + one
    again = Moments.from_bytes(day.to_bytes())
    for rerun in (again, Moments.of(X[:5], part="2026-11-23")):
        with pytest.raises(ValueError, match="a part must be added once"):
            day + rerun
    with pytest.raises(ValueError, match="a part must be added once"):
        day.with_rows(X, part="2026-11-23")
    empty = Moments.empty(X.shape[1])
    assert integers(sum([empty, empty + one], empty)) == integers(one)
    assert integers(sum([one, two])) == integers(one + two)


def test_of_many_parts_the_number_is_kept():
    parts = [Parts(frozenset([i.to_bytes(16, "big")])) for i in range(MOST_PARTS)]
    many = functools.reduce(operator.add, parts)
    assert (many.number, len(many.names)) == (MOST_PARTS, MOST_PARTS)
    more = many + Parts.one(None)
    assert (more.number, more.names) == (MOST_PARTS + 1, frozenset())
    assert (more + parts[0]).number == MOST_PARTS + 2


def test_sums_of_no_rows_are_sums_like_others():
    """Whether there are rows is private where one is added or removed."""
    for nothing in (np.zeros((0, D)), sparse.csr_array((0, D)), iter([]), iter([X[:0]]), frame(X[:0])):
        moments = Moments.of(nothing, width=D)
        assert integers(moments)[2] == 0
        assert moments.parts == Moments.of(X).parts
        assert len(moments.to_bytes()) == len(Moments.of(X[:1], columns=moments.terms.columns).to_bytes())
        assert dps.private_pca(moments, 1, epsilon=1.0, relation="add_remove").value.shape == (D, 1)
        with pytest.raises(ValueError, match="X must not be empty"):
            dps.private_pca(moments, 1, epsilon=1.0, center="none")
    with pytest.raises(ValueError, match="X must not be empty, got no chunks"):
        Moments.of(iter([]))


def test_no_number_shows():
    moments = Moments.of(TINY_ROWS)
    for text in (repr(moments), str(moments), f"{moments}", repr([moments]), repr(moments.terms)):
        keeps(text)
        assert "3," not in text  # nor how many rows there are
    assert repr(moments) == "Moments(private, 2 columns, norm_bound=1, rows=refuse)"
    calls: list[Any] = [vars, dataclasses.asdict, dataclasses.astuple, len, iter, float]
    for call in calls:
        with pytest.raises((TypeError, AttributeError)):
            call(moments)
    assert np.asarray(moments).dtype == object
    assert np.asarray(moments).shape == ()
    assert {name for name in dir(moments) if not name.startswith("_")} == {
        *("empty", "from_bytes", "load", "of", "parts", "read", "save", "terms", "to_bytes", "together", "with_rows")
    }
    assert moments != Moments.from_bytes(moments.to_bytes())
    assert copy.deepcopy(moments) is copy.copy(moments) is moments
    other = Moments.of(TINY_ROWS, norm_bound=2.0)
    with pytest.raises(ValueError, match="got other norm_bound") as caught:
        moments + other
    told = traceback.TracebackException.from_exception(caught.value, capture_locals=True).format()
    keeps(" ".join("".join(told).split()))
    with pytest.raises(AttributeError, match="immutable"):
        moments.terms = moments.terms
    with pytest.raises(TypeError, match=r"by Moments\.of"):
        Moments()


def test_names_of_columns_are_those_of_a_table_or_given():
    assert Moments.of(frame(X)).terms.columns == tuple(TABLES)
    assert Moments.of(X).terms.columns is None
    assert Moments.of(X, columns=list(TABLES)).terms.columns == tuple(TABLES)
    two = Moments.of(frame(X), columns=["c", "a"])
    assert integers(two) == integers(Moments.of(X[:, [2, 0]]))
    assert (Moments.empty(2) + two).terms.columns == ("c", "a")
    assert integers(two.with_rows(frame(X))) == integers(two + Moments.of(X[:, [2, 0]]))
    with pytest.raises(ValueError, match="X must have each of its columns once by name, which 'nothing' is not"):
        Moments.of(frame(X), columns=["nothing"])


def test_one_row_that_holds_a_text_moves_no_other_row():
    """Referee 13: a column .5, .25, "unknown" is one of texts, and one row made all rows zero."""
    pandas = pytest.importorskip("pandas")
    good = pandas.DataFrame({"a": [0.5, 0.25, 0.125], "b": [0.1, 0.2, 0.3]})
    for bad in ("unknown", None, pandas.NaT, 1j, "", float("inf"), pandas.Timestamp("2020-01-01"), [1.0], "1e999"):
        column = pandas.Series([0.5, 0.25, bad], dtype=object)
        for typed in (column, column if bad == 1j else column.infer_objects()):
            moments = Moments.of(good.assign(a=typed), bad_rows="zero", columns=["a", "b"])
            assert integers(moments)[:2] == integers(Moments.of(good[:2]))[:2]
            assert integers(moments)[2] == 3
    for same in ("0.125", np.float32(0.125), 0.125 + 0j):
        found = Moments.of(good.assign(a=pandas.Series([0.5, 0.25, same], dtype=object)), bad_rows="zero")
        assert integers(found) == integers(Moments.of(good))
    for declared in ("string", "category"):  # a type is public, and refused as it stands
        with pytest.raises(ValueError, match="X must hold numbers, but column 'a' does not: leave it out"):
            Moments.of(good.assign(a=pandas.Series(["0.5", "1", "2"], dtype=declared)), bad_rows="zero")
    with pytest.raises(ValueError, match="column 'a' of X must hold numbers, but entry 2 is missing"):
        Moments.of(good.assign(a=pandas.Series([0.5, 0.25, "unknown"], dtype=object)))


@pytest.mark.parametrize("rows", ["clip", "unit"])
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".arrow", ".feather", ".npy"])
def test_files_are_read_in_batches_to_the_same_integers(ending, rows, tmp_path, monkeypatch):
    monkeypatch.setattr(row_files, "BATCH", 100)
    path = written(LONG, tmp_path / f"rows{ending}")
    found, whole = Moments.read(path, rows=rows), Moments.of(LONG, rows=rows)
    assert integers(found) == integers(whole)
    assert found.terms.columns == (None if ending == ".npy" else tuple(TABLES))
    assert integers(found + whole)[2] == 2 * len(LONG)
    if ending != ".npy":
        two = Moments.read(path, rows=rows, columns=["c", "a"])
        assert integers(two) == integers(Moments.of(LONG[:, [2, 0]], rows=rows))
        with pytest.raises(ValueError, match=r"columns must name each column of .* once, .* got 'z'"):
            Moments.read(path, columns=["z"])


def written(x, path):
    """A file of rows, by its ending."""
    if path.suffix in (".csv", ".tsv"):
        lines = [TABLES, *([repr(value) for value in row] for row in x.tolist())]
        path.write_text("".join({".csv": ",", ".tsv": "\t"}[path.suffix].join(line) + "\n" for line in lines))
    elif path.suffix == ".npy":
        np.save(path, x)
    elif path.suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table(x), path, row_group_size=150)
    else:
        with pytest.importorskip("pyarrow.ipc").new_file(path, table(x).schema) as file:
            file.write_table(table(x), max_chunksize=150)
    return path


def test_lines_that_are_no_rows_count_as_zeros(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n.5,.25\n1,2,3\nunknown,.1\n\n 0.1 ,1_0\n.125,1e-2\n\n\n")
    found = Moments.read(path, bad_rows="zero", columns=("a", "b"))
    assert integers(found)[:2] == integers(Moments.of([[0.5, 0.25], [0.125, 0.01]]))[:2]
    assert integers(found)[2] == 8
    for words, changed in [
        ("must be rectangular, got 3 fields in line 2 instead of 2", "a,b\n1,2,3\n"),
        ("must hold numbers, but line 3 has none in column 'a'", "a,b\n.1,.2\nx,.1\n"),
        ("must have no empty line between others, which line 2 is", "a,b\n\n.1,.2\n"),
        ("must hold names for certain", ".1,.2\n"),
        ("must hold rows, got an empty file", ""),
    ]:
        path.write_text(changed)
        with pytest.raises(ValueError, match=words):
            Moments.read(path)
    path.write_text(".1,.2\n")
    assert integers(Moments.read(path, header=False)) == integers(Moments.of([[0.1, 0.2]]))


@pytest.mark.parametrize("name", ["rows.txt", "rows.npy", "rows.parquet", "rows.arrow"])
def test_other_files_are_refused(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match=r"(path must end in|must be an \.npy file|must be a file of the kind)"):
        Moments.read(path)
    with pytest.raises(OSError if name != "rows.txt" else ValueError, match=name):
        Moments.read(tmp_path / f"no {name}")


def test_bounds_of_columns_belong_to_the_terms():
    bounds = dps.ColumnBounds([0, 0], [100, 50_000], weights=[2, 1])
    rows = np.random.default_rng(5).uniform(size=(40, 2)) * [120, 50_000]
    moments = dps.Moments.of(rows, rows="clip", bounds=bounds)
    again = dps.Moments.from_bytes(moments.to_bytes())
    assert again.terms == moments.terms
    assert again.terms.bounds == bounds
    told = [dps.laplace_covariance(data, 1.0, rng=dps.Entropy(bytes(32)), **given)
            for data, given in ((moments, {}), (rows, {"rows": "clip", "bounds": bounds}))]  # fmt: skip
    assert np.array_equal(told[0].value, told[1].value)
    assert told[0].claim == told[1].claim
    others = (dps.ColumnBounds([0, 0], [100, 50_000]), None)
    for other in others:
        with pytest.raises(ValueError, match="other bounds"):
            moments + dps.Moments.of(rows / 1e6, rows="clip", bounds=other)
    with pytest.raises(ValueError, match="bounds must be left out or be that of the Moments"):
        dps.laplace_covariance(moments, 1.0, bounds=others[0])
