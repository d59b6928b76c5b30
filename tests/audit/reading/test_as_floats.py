"""Python's numbers as float64."""

import decimal
import math

import numpy as np

from dpspectra.audit.reading.as_floats import LOW, MODULI, as_float, exact, parsed, parts_of, plain_array


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


def test_an_integer_of_any_length_is_read_whole():
    assert all(float(modulus) == modulus for modulus in MODULI)
    for k in (*range(2, 65), 100):
        assert any(modulus % k == 0 for modulus in MODULI)
    for x in (2**53 + 1, -(2**70) - 3, 10**400 + 7, -(10**400)):
        parts = parts_of(x)
        assert parts[".low"] == x & LOW
        assert [parts[f".mod {modulus}"] for modulus in MODULI] == [x % modulus for modulus in MODULI]
        if ".digits" in parts:
            digits = [int(digit) for digit in parts[".digits"]]
            assert sum(digit << 48 * i for i, digit in enumerate(digits)) == abs(x)
            assert (parts[".high"] > 0) is (x > 0)
    assert ".digits" in parts_of(10**400)
