"""Numbers that are turned into floats and returned at once, and all the ways in which somebody else sees them."""

import builtins
import contextlib
import math
import sys

import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from tests.support.noise_runs import runner

REAL = builtins.float


def noisy(x, rng):
    return x + rng.laplace()


def after_a_name(x, rng):
    y = noisy(x, rng)
    return float(y)


def on_a_branch(x, rng):
    if rng is None:
        return 0.0
    return float(noisy(x, rng))


def in_a_tuple(x, rng):
    y = x + rng.laplace(size=3)
    return 3, [float(y[0]), float(y[1] + 1)], float(np.sum(y[2:]) - 1)


RETURNED = [
    lambda x, rng: float(x + rng.laplace(scale=1.0)),
    lambda x, rng: float(np.mean(x + rng.laplace(size=2))),
    lambda x, rng: (int(x > 5), float(noisy(x, rng))),
    on_a_branch,
    after_a_name,
    in_a_tuple,
]


@pytest.mark.parametrize("mechanism", RETURNED)
def test_what_is_only_returned_is_no_look(mechanism):
    found = decide(runner(mechanism, (0.0, 1.0), 3.0))
    assert found.verdict == "explained"
    assert not any(s.transcript for s in found.sides)


def secret(x):
    return 1e6 * x


def compared(x, rng):
    y = float(noisy(x, rng))
    return y if y < 40 else secret(x)


def other_float(x, rng):
    return _Shadow.float(noisy(x, rng))


class _Shadow:
    @staticmethod
    def float(y):
        y = REAL(y)
        return y if y < 1 else secret(y)


def on_the_way(x, rng):
    with contextlib.suppress(ValueError):
        return math.sqrt(float(noisy(x, rng)))
    return secret(x)


def by_a_list(x, rng):
    return [float(noisy(x, rng)), float(x)][0] + 0.0


def picked(x, rng):
    return (secret(x), x)[int(float(noisy(x, rng)) > 0)]


def caught(x, rng):
    try:
        return float(noisy(x, rng))
    finally:
        x = secret(x)


def traced(x, rng):
    kept = []
    sys._getframe().f_trace = lambda frame, event, value: kept.append(value) if event == "return" else None
    return float(noisy(x, rng))


def profiled(x, rng):
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, value: None)
    try:
        y = noisy(x, rng)
    finally:
        sys.setprofile(before)
    return float(y) * 2


def inner(x, rng):
    return float(noisy(x, rng))


def of_a_helper(x, rng):
    y = inner(x, rng)
    return y if y < 40 else secret(x)


def packed(x, rng):
    return f"{float(noisy(x, rng)):.3f}"


def through_a_name(x, rng):
    float = lambda y: REAL(y) if REAL(y) < 1 else secret(x)  # noqa: E731
    return float(noisy(x, rng))


SEEN = [compared, other_float, on_the_way, by_a_list, picked, traced, profiled, of_a_helper, packed, through_a_name]


@pytest.mark.parametrize("mechanism", SEEN)
def test_what_somebody_else_sees_is_a_look(mechanism):
    assert decide(runner(mechanism, (0.0, 1.0), 3.0)).verdict != "explained"


def test_a_module_with_a_float_of_its_own(monkeypatch):
    monkeypatch.setitem(globals(), "float", _Shadow.float)
    assert decide(runner(after_a_name, (0.0, 1.0), 3.0)).verdict != "explained"


def test_what_comes_after_a_block_that_ends_in_between():
    assert decide(runner(caught, (0.0, 1.0), 3.0)).verdict in ("explained", "undecided")
