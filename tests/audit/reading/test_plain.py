"""Python's numbers as float64."""

import decimal
import math

import numpy as np

from dpspectra.audit.reading.plain import as_float, exact, parsed, plain_array


def test_numbers_beyond_float64_are_infinite():
    assert as_float(10**400) == math.inf
    assert as_float(-(10**400)) == -math.inf
    assert math.isnan(as_float(decimal.Decimal("sNaN")))
    assert exact(np.array([2**53]))
    assert not exact(np.array([2**54 + 1]))


def test_nested_lists_of_plain_numbers_are_arrays():
    assert plain_array([[1, 2], [3, 4]]).shape == (2, 2)
    for other in ([1, [2]], ["a"], [True], [2**60], [np.float64(1)]):
        assert plain_array(other) is None
    assert parsed("1e3") == 1000.0
    assert parsed("word") is None
