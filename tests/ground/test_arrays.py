"""Arrays in JSON: every type comes back exactly, and nothing else is read."""

import json

import numpy as np
import pytest

from dpspectra.ground import arrays, records


@pytest.mark.parametrize("dtype", sorted(arrays.DTYPES))
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_arrays_come_back_as_they_were(dtype, shape):
    array = np.array(np.arange(np.prod(shape)).reshape(shape), dtype, order="F")
    found = arrays.read(json.loads(json.dumps(arrays.plain(array))))
    assert (found.dtype.str, found.shape, found.tobytes()) == (dtype, shape, array.tobytes())


def test_complex_numbers_are_pairs():
    array = np.array([[1 + 2j], [3j]])
    assert arrays.plain(array) == {"dtype": "<c16", "shape": [2, 1], "values": [1.0, 2.0, 0.0, 3.0]}
    assert np.array_equal(arrays.read(arrays.plain(array)), array)


def test_integers_of_any_length_are_read_where_they_are_asked_for():
    plain = arrays.plain(np.array([[2**70, -1]], object))
    assert arrays.read(plain, [arrays.OBJECTS]).tolist() == [[2**70, -1]]
    for values in ([2**8192, 1], [1.5, 1], ["a", 1]):
        with pytest.raises(records.Misfit):
            arrays.read({**plain, "values": values}, [arrays.OBJECTS])


GOOD = {"dtype": "<f4", "shape": [2], "values": [1, 2.5]}


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": "float32"}, {"dtype": "|O"}, {"dtype": "V8"}, {"dtype": None}, {"dtype": "|b1"}, {"dtype": "<i4"},
        {"dtype": "<c8"}, {"shape": [3]}, {"shape": [2, -1]}, {"shape": 2}, {"shape": [2**32, 2**32]}, {"more": 1},
        {"values": [1]}, {"values": [1, 1e60]}, {"values": [1, "2"]}, {"values": [1, [2]]}, {"values": None},
    ],
)  # fmt: skip
def test_other_contents_are_refused(change):
    assert arrays.read(GOOD).tolist() == [1, 2.5]
    with pytest.raises(records.Misfit):
        arrays.read({**GOOD, **change})
