"""Records of text: a refusal tells the line; in total reading each record is one row, whatever it holds."""

import csv
import gzip
import itertools
import math

import numpy as np
import pytest

from dpspectra.matrices.foreign_data import NUMBER, number
from dpspectra.matrices.text_lines import Form, Malformed
from dpspectra.matrices.text_rows import Text

LONG = "1" * (csv.field_size_limit() + 1)
"""A field that the reader of the standard library refuses whatever it is told."""
NAMES = "x,y,note\n"


def rows(tmp_path, lines, *, total=True, places=(0, 1), names=NAMES, **form):
    path = tmp_path / "rows.csv"
    path.write_bytes(f"{names}{lines}".encode(form.get("encoding", "utf-8"), "surrogateescape"))
    text = Text(path, Form(header=True, **form), total=total, named=True)
    return np.vstack([np.empty((0, len(places))), *text.blocks(places, 8)]).tolist()


def close(found, wanted):
    return np.array_equal(found, wanted, equal_nan=True)


@pytest.mark.parametrize("line", ['"0.5"x,.25,n', f".5,{LONG},n"], ids=["quotes", "long"])
def test_a_line_that_cannot_be_read_is_refused_or_changes_no_other(tmp_path, line):
    lines = f".5,.25,a\n{line}\n.125,.5,b\n"
    if '"' in line:
        with pytest.raises(Malformed, match=r"after line 3: say --encoding"):
            rows(tmp_path, lines, total=False)
    first, second, third = rows(tmp_path, lines)
    assert (first, third) == ([0.5, 0.25], [0.125, 0.5])
    assert not np.isfinite(second).all()


def test_every_line_below_the_names_counts_in_total_reading(tmp_path):
    assert len(rows(tmp_path, f".5,.5,a\n{LONG}\n\n{LONG}\n\n\n")) == 6


@pytest.mark.parametrize("total", [False, True])
def test_quoted_fields_may_have_separators_and_ends_of_lines(tmp_path, total):
    lines = '.5,1,"x, y"\n.25,2,"x\ny"\n"1",3,"he said ""no"", twice\n\n"\n2,4,last\n'
    assert rows(tmp_path, lines, total=total) == [[0.5, 1], [0.25, 2], [1, 3], [2, 4]]


COMMENT = "a\n" + "0.6,0.8,c\n" * 400
OTHERS = [".5,.25,before\n", ".125,.5,after\n", '1,2,"quoted"\n', '3,4,"with ""quotes"", and\nan end of line"\n']


RECORDS = [
        ".1,.2,plain\n", ".1,.2\n", "\n", '"\n', ".1,.2,\"open\n", '.1,"open\n', '"","","open\n', '.1,.2,"a""\n',
        f'.1,.2,"{COMMENT}"\n', f'"{COMMENT}",.1,.2\n', f'.1,"{COMMENT}",.2\n', f'.1,.2,"{LONG}\n{LONG}"\n',
        '.1,.2,"closed" and more\n', '.1,.2,stray " quote\n', "x\x00,.1,\x1c\n", ".1,.2,\udcff\udcfe\n",
]  # fmt: skip


@pytest.mark.parametrize("record", RECORDS, ids=range(len(RECORDS)))
@pytest.mark.parametrize("place", range(len(OTHERS) + 1))
def test_one_record_is_one_row_and_moves_no_other(tmp_path, record, place):
    """A comment of 400 kB made 26,895 rows, and a quote that was not closed swallowed 1,000 (promises 01, 02)."""
    lines = [*OTHERS[:place], record, *OTHERS[place:]]
    found = rows(tmp_path, "".join(lines))
    assert len(found) == len(OTHERS) + 1
    del found[place]
    assert close(found, rows(tmp_path, "".join(OTHERS)))


def test_many_open_quotes_take_no_time(tmp_path):
    """Each looks ahead to the next quote that is not doubled only."""
    assert len(rows(tmp_path, '1,2,"open\n' * 20_000)) == 20_000
    assert len(rows(tmp_path, '1,2,"open\n' + '1,2,""\n' * 20_000)) == 20_001


@pytest.mark.parametrize("total", [False, True])
def test_what_numpy_reads_is_what_is_read_field_by_field(tmp_path, monkeypatch, total):
    rng = np.random.default_rng(7)
    words = [*map(repr, (rng.normal(size=40) * 10.0 ** rng.integers(-320, 308, 40)).tolist()), "1", "-.5", "5.", "+1e9",
             "1E-3",
             " 7", "8 ", "\t9", "1e999", "-0", "nan", "inf", "-Infinity", "1" * 400, "0." + "1" * 400]  # fmt: skip
    odd = ["", " ", "1_0", "x", "0x1", "1e", "1.2.3", "١", "1\u00a0", "nan(1)", "true", "NA", "1d5", "--1", "\x001"]
    texts = [*words, *(odd if total else [])]
    lines = "".join(f"{a},{b},n\n" for a, b in itertools.pairwise([*texts, *reversed(texts)]))
    quickly = rows(tmp_path, lines, total=total)
    monkeypatch.setattr(Text, "_quickly", lambda *_: None)
    slowly = rows(tmp_path, lines, total=total)
    assert np.array_equal(np.array(quickly).view(np.int64), np.array(slowly).view(np.int64))
    for text in (*words, *odd):
        value = number(text)
        assert (math.isnan(value) and "nan" not in text) != bool(NUMBER.fullmatch(text.strip())) or "nan" in text


def test_a_decimal_comma(tmp_path):
    lines = "1,5;2;a\n-3e1;,25;b\n"
    assert rows(tmp_path, lines, separator=";", decimal=",", names="x;y;n\n") == [[1.5, 2], [-30, 0.25]]
    assert close(rows(tmp_path, "1.5;2;a\n", separator=";", decimal=",", names="x;y;n\n"), [[math.nan, 2]])
    with pytest.raises(ValueError, match="separator must be another character than decimal"):
        rows(tmp_path, lines, decimal=",")


@pytest.mark.parametrize(("separator", "told"), [(";", True), (",", False)])
def test_a_decimal_comma_is_named_where_commas_do_not_separate(tmp_path, separator, told):
    with pytest.raises(ValueError, match="must hold numbers") as caught:
        rows(
            tmp_path,
            f"1{separator}x{separator}a\n",
            total=False,
            separator=separator,
            names=f"x{separator}y{separator}n\n",
        )
    assert ("--decimal ," in str(caught.value)) == told


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_encodings(tmp_path, encoding):
    lines = "1,2,Länge\n3,4,é\n"
    assert rows(tmp_path, lines, total=False, encoding=encoding) == [[1, 2], [3, 4]]
    if encoding == "utf-16":  # in which one byte more moves all that follow
        with pytest.raises(ValueError, match="encoding with bad_rows='zero' must be one of ascii, cp1250"):
            rows(tmp_path, lines, encoding=encoding)
    with pytest.raises(ValueError, match="encoding must be utf-8, cp1252 or another that Python knows, got 'x'"):
        Text(tmp_path / "rows.csv", Form(encoding="x"))
    (tmp_path / "bad.csv").write_bytes(b"x,y\n1,2\n3,\xff\n")
    with pytest.raises(Malformed, match="UTF-8 with fields between separators, which it is not after line 2"):
        list(Text(tmp_path / "bad.csv").blocks((0, 1), 8))


def test_packed_files_and_endings_in_capitals(tmp_path):
    (tmp_path / "a.CSV").write_text("x,y\n1,2\n")
    (tmp_path / "b.tsv.GZ").write_bytes(gzip.compress(b"x\ty\n1\t2\n"))
    for name in ("a.CSV", "b.tsv.GZ"):
        assert np.vstack(list(Text(tmp_path / name).blocks((0, 1), 8))).tolist() == [[1, 2]]
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress(b"x,y\n" + b"1,2\n" * 99)[:-9])
    with pytest.raises(Malformed, match="fields between separators"):
        list(Text(tmp_path / "c.csv.gz").blocks((0, 1), 8))


@pytest.mark.parametrize(
    ("form", "named", "words"),
    [
        (Form(), False, "columns must be named .* got none"),
        (Form(header=True), False, "columns must be named .* got none"),
        (Form(header=False), True, "columns must be named .* got a file without names"),
    ],
)
def test_total_reading_guesses_nothing(tmp_path, form, named, words):
    """A first person's row was taken for names, and printed in the claim (promises 13)."""
    (tmp_path / "rows.csv").write_text("ann,bob\n1,2\n")
    with pytest.raises(ValueError, match=words):
        Text(tmp_path / "rows.csv", form, total=True, named=named)


def test_ids_are_texts_as_they_are_written(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes('who,x\n a,1\n"a",2\n"a\nb",3\n"a""b",4\n\n,5\n\xff,6\n\xfe,7\n'.encode("latin-1"))
    text = Text(path, total=True, named=True)
    assert text.column(0) == [" a", "a", "a\nb", 'a"b', None, "", "\udcff", "\udcfe"]
