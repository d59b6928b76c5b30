"""Pairs of data sets are read from files; bad files are refused."""

import json
import pathlib

import numpy as np

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
