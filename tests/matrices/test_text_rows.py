"""Lines of text that cannot be read: refused by their number, or rows of NaN of their own where no refusal may tell."""

import csv

import numpy as np
import pytest

from dpspectra.matrices import text_rows
from dpspectra.matrices.text_rows import Malformed

LONG = "1" * (csv.field_size_limit() + 1)
"""A field that the reader of the standard library refuses whatever it is told."""


def rows(tmp_path, line, *, total):
    path = tmp_path / "rows.csv"
    path.write_text(f".5,.25\n{line}\n.125,.5\n", encoding="utf-8")
    return list(text_rows.opened(path, ",", False, total=total).rows([0, 1], total=total))


@pytest.mark.parametrize("line", ['"0.5"x,.25', f"{LONG},.25", f".25,{LONG}"], ids=["quotes", "first", "last"])
def test_a_line_that_cannot_be_read_is_refused_or_changes_no_other(tmp_path, line):
    with pytest.raises(Malformed, match=r"after line [12]$"):
        rows(tmp_path, line, total=False)
    first, second, third = rows(tmp_path, line, total=True)
    assert (first, third) == ([0.5, 0.25], [0.125, 0.5])
    assert np.isnan(second).any()


def test_lines_that_cannot_be_read_count_at_the_end_too(tmp_path):
    assert len(rows(tmp_path, f".5,.5\n{LONG}\n\n{LONG}", total=True)) == 6


def test_quoted_fields_may_have_separators_and_ends_of_lines(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('note,a\n"x, y",.5\n"x\ny",.25\n', encoding="utf-8")
    for total in (False, True):
        assert list(text_rows.opened(path, ",", True, total=total).rows([1], total=total)) == [[0.5], [0.25]]
