"""Steps of a grid and their way out are exact."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpspectra.certified import noise_on_grid
from dpspectra.certified.grid import Limbs, Steps, added, over, step_exponent
from tests.support.helpers import entropy

KEY = bytes(range(32))


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=4), st.integers(-90, 90), st.integers(1, 2**60))
def test_steps_and_their_way_out_are_exact(integers, shift, count):
    small = all(abs(k) < 2**62 for k in integers)
    steps = Steps.of(np.array(integers, dtype=np.int64 if small else object), shift)
    total = steps.plus(np.full(len(integers), 3, dtype=np.int64))
    for i, k in enumerate(integers):
        true = k * Fraction(2) ** shift
        assert steps.whole[i] + steps.fraction(i) == true
        assert abs(Fraction(float(steps.fractions[i])) - steps.fraction(i)) <= Fraction(1, 2**54)
        assert int(total[i]) == math.floor(true) + 3
        assert over(total, -40, count)[i] == float(Fraction(int(total[i])) / (count * 2**40))
        assert over(total, 40, count)[i] == float(Fraction(int(total[i])) * 2**40 / count)


def test_a_count_that_float64_does_not_hold_is_divided_by_exactly():
    assert over(np.array([1]), 0, 2**53 + 1)[0] == float(Fraction(1, 2**53 + 1)) != 2.0**-53


@pytest.mark.parametrize("count", [3, 5, 7])
def test_integers_at_the_edge_of_float64_are_rounded_once(count):
    """Those of 53 bits are floats; of one more they are not, and to round them first would show."""
    for integers in (2**53 - 1 - np.arange(8), 2**53 + 1 + np.arange(8)):
        assert over(integers, -9, count).tolist() == [float(Fraction(int(k), count << 9)) for k in integers]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("shift", [0, -1])
def test_sums_at_the_edge_of_int64_are_exact(sign, shift):
    """Whole numbers and noise of 62 bits fit; larger whole numbers are Python's."""
    for integer in (2**62 - 1, 2**63 - 1):
        steps, noise_steps = Steps.of(np.array([sign * integer]), shift), sign * (2**62 - 1)
        assert steps.plus(np.array([noise_steps])).tolist() == [(sign * integer >> -shift) + noise_steps]


def test_zero_has_no_sign():
    for integers in (np.zeros(3, dtype=np.int64), np.zeros(3, dtype=object)):
        assert not np.signbit(over(integers, -3, 7)).any()
    z = noise_on_grid.laplace(Steps.of(np.zeros(2000, dtype=np.int64), 0), 0.5, entropy())
    assert (z == 0).sum() > 100
    assert not np.signbit(over(z, -3, 7)[z == 0]).any()


@pytest.mark.parametrize("scale", [1.0, 0.75, 3.0, 1e-200, 1e200])
def test_the_grid_is_finer_than_the_scale_by_so_many_bits(scale):
    step = Fraction(2) ** step_exponent(scale, 24)
    assert Fraction(scale) / 2**24 < step <= Fraction(scale) / 2**23


@pytest.mark.parametrize("shift", [-70, -63, -62, -45, -33, -32, -31, -10, -1, 0, 3, 20])
@pytest.mark.parametrize("bits", [3, 30, 61, 64, 80])
def test_limbs_are_counted_in_steps_as_integers_are(shift, bits):
    """Numbers of either sign, near the ends of limbs; in int64 where they fit."""
    rng = np.random.default_rng(bits)
    some = (int(x) << max(0, bits - 60) for x in rng.integers(-99, 99, 9))
    numbers = [0, 1, -1, 2**bits, -(2**bits), 2**bits - 1, *some]
    integers = np.array(numbers, dtype=object)
    limbs = Limbs((integers >> 32).astype(np.int64), (integers & (2**32 - 1)).astype(np.int64))
    assert limbs.integers().tolist() == numbers
    found, expected = Steps.of(limbs, shift), Steps.of(integers, shift)
    assert (found.whole.tolist(), found.remainder.tolist()) == (expected.whole.tolist(), expected.remainder.tolist())
    assert found.bits == expected.bits
    if -62 <= shift <= 0 and bits + shift < 61:
        assert found.whole.dtype == found.remainder.dtype == np.int64


@pytest.mark.parametrize(("one", "other"), [(1, 2), (2**62 - 1, 2**62 - 1), (2**62, 2**62), (-(2**63), -1), (2**90, 5)])
def test_integers_of_any_size_are_added_exactly(one, other):
    kinds = [np.array([x], dtype=object if abs(x) > 2**63 else np.int64) for x in (one, other)]
    assert int(added(*kinds)[0]) == one + other
