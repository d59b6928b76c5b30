"""Low bits: counted where they are asked for, and a secret in them is seen wherever it hides."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpspectra.audit import audit
from dpspectra.audit.reading import bits
from tests.support.audits import refuted


def test_low_bits_count_only_where_they_are_asked_for():
    def leaky(x, *, size, rng):
        """A sound value whose last bit tells the data set."""
        bits = rng.normal(size=size).view(np.int64)
        return ((bits & ~1) | int(x)).view(np.float64)

    def last_bit(y):
        return float(np.float64(y).view(np.int64) & 1)

    assert not audit(leaky, (0, 1), 1.0, draws=2048, log_ratio=last_bit).violated
    assert refuted(audit(leaky, (0, 1), 1.0, draws=2048, log_ratio=last_bit, bits=True))


def bit(secret, size, rng):
    """A bit that is 1 with probability 0.9 on one data set and 0.1 on the other."""
    return rng.random(size) < (0.9 if secret else 0.1)


HIDDEN = {
    "last bit": lambda b, rng: ((rng.normal(size=len(b)).view(np.int64) & ~1) | b).view(np.float64),
    "sign of zero": lambda b, rng: np.where(b, -0.0, 0.0),
    "sign of NaN": lambda b, rng: np.where(b, -math.nan, math.nan),
    "payload of NaN": lambda b, rng: (np.full(len(b), math.nan).view(np.int64) | b).view(np.float64),
    "digits whatever the size": lambda b, rng: (
        (2**52 + 4 * rng.integers(2**49, size=len(b)) + 2 + b) * np.exp2(rng.integers(-400, 400, len(b)))
    ),
    "asymmetry of a matrix": lambda b, rng: 1.0 + np.multiply.outer(2e-14 * b * rng.random(len(b)), [[0, 1], [0, 0]]),
}


@pytest.mark.parametrize("place", HIDDEN)
def test_with_all_bits_a_secret_is_seen_wherever_it_hides(place):
    """Rounded numbers do not show it: at most one alarm in a thousand."""

    def mechanism(x, *, size, rng):
        return HIDDEN[place](bit(x, size, rng).astype(int), rng)

    assert refuted(audit(mechanism, (0, 1), 1.0, draws=2048, bits=True))
    assert audit(mechanism, (0, 1), 1.0, draws=2048).violated is ("NaN" in place), "NaN is not rounded"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_least_set_bit_is_that_of_the_fraction(x):
    found = float(bits.least_set_bit(np.array([x]))[0])
    if x == 0:
        assert found == bits.ZERO
        return
    exact = Fraction(x)
    scaled = exact / Fraction(2) ** int(found)
    assert scaled.denominator == 1
    assert scaled.numerator % 2 == 1


def test_what_bits_give_away():
    x = np.array([[0.0, 1.5], [-0.0, 2.0], [math.nan, 3.0], [-math.nan, 2.0**-1074]])
    found = {name: column() for name, column in bits.columns(x).items()}
    np.testing.assert_array_equal(found["sign of number 0 where it is 0 or NaN"], [1, -1, 2, -2])
    np.testing.assert_array_equal(found["least set bit of number 1"], [-1, 1, 0, -1074])
    np.testing.assert_array_equal(found["trailing zeros of number 1"], [51, 52, 51, 52])
    np.testing.assert_array_equal(found["lowest of the least set bits"], [-1, 1, 0, -1074])
    np.testing.assert_array_equal(found["highest of the least set bits"], [bits.ZERO, bits.ZERO, 0, -1074])
    assert np.isnan(found["payload of number 0 where it is NaN"][:2]).all()
    matrices = np.array([[[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [2.0 + 2.0**-40, 1.0]]])
    asymmetry = bits.columns(matrices)["exponent of the relative asymmetry"]()
    assert asymmetry[0] == -bits.ZERO
    assert asymmetry[1] == pytest.approx(-41, abs=1e-6)
