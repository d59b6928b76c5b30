import cProfile
import itertools
import math
import sys
import time

import numpy as np
import pytest

from dpspectra.symbolic.call_hooks import unwatched
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import recorded

CLOCKS = (time.perf_counter,)


def _fails():
    with unwatched():
        raise ZeroDivisionError(sys.getprofile())


def test_nobody_is_told_of_calls_meanwhile_and_whoever_was_is_told_again():
    told = []

    def tell(frame, event, thing):
        told.append(event)

    before = sys.getprofile()
    sys.setprofile(tell)
    try:
        with pytest.raises(ZeroDivisionError, match="None"):
            _fails()
        assert sys.getprofile() is tell
    finally:
        sys.setprofile(before)
    assert "c_call" in told


def test_a_profiler_of_the_standard_library_goes_on_afterwards():
    profiler = cProfile.Profile()
    profiler.enable()
    with unwatched():
        math.gcd(12, 18)
    math.lcm(4, 6)
    profiler.disable()
    seen = {str(entry.code) for entry in profiler.getstats()}
    assert any("math.lcm" in name for name in seen)


class Asking:
    """A number of the program, which asks a clock once."""

    def __init__(self, often):
        self.times, self.often = itertools.count(), often

    def __array__(self, dtype=None, copy=None):
        return np.array(1.0 if next(self.times) != self.often else CLOCKS[0]())


@pytest.mark.parametrize("often", range(4))
def test_what_the_program_wrote_is_watched_within_a_sum(often):
    with pytest.raises(NotFollowed, match=r"time\.perf_counter"):
        recorded(lambda x, rng: [np.add(rng.laplace(), number) for number in [Asking(often)] * 2])
