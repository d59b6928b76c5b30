"""Pairs of data sets are read from files; bad files are refused."""

import json
import pathlib

import numpy as np
import pytest

from dpspectra.commands.inputs import read_pair


def test_pairs_are_read_from_files(here):
    np.savez("pair.npz", first=np.eye(2), second=np.zeros((2, 2)) + 1j)
    first, second = read_pair(pathlib.Path("pair.npz"))
    assert np.array_equal(first, np.eye(2))
    assert second.dtype == complex
    (here / "p.json").write_text('{"first": [[1, 2], [3, 4]], "second": [[1, 2]]}')
    first, second = read_pair(pathlib.Path("p.json"))
    assert first.dtype == second.dtype == float
    assert first.tolist() == [[1, 2], [3, 4]]
    assert second.tolist() == [[1, 2]]
    for pair in ({"any": [1, [2]]}, {"any": 3}), (["a", "b"], ["a"]), (1, 2.5), ([True], [False]):
        (here / "p.json").write_text(json.dumps(dict(zip(("first", "second"), pair, strict=True))))
        assert read_pair(pathlib.Path("p.json")) == pair


@pytest.mark.parametrize("rows", [[0.7], [[1, 2]]])
def test_an_empty_list_beside_numbers_is_an_array_without_rows(here, rows):
    (here / "p.json").write_text(json.dumps({"first": [], "second": rows}))
    first, second = read_pair(pathlib.Path("p.json"))
    assert (first.dtype, first.shape) == (second.dtype, (0, *second.shape[1:]))
    (here / "p.json").write_text(json.dumps({"first": rows, "second": []}))
    assert read_pair(pathlib.Path("p.json"))[1].shape == first.shape


@pytest.mark.parametrize(("text", "line"), [('{"first": [1,\n', 1), ('{"first":\n[1,\n\n', 2), ('{"first":\n\n]', 3)])
def test_the_line_of_what_is_no_json_is_told(here, text, line):
    (here / "p.json").write_text(text)
    with pytest.raises(ValueError, match=f"must be JSON, got something else in line {line}$"):
        read_pair(pathlib.Path("p.json"))
