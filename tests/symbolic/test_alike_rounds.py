"""Loops that leave nothing of a rejected round behind, and all the ways in which others do."""

import contextlib
import math
import random
import sys
from functools import partial

import numpy as np
import pytest

from dpspectra.symbolic import alike_rounds
from dpspectra.symbolic.replaced_sources import followed_sources
from dpspectra.symbolic.rounds_of_run import WATCHERS
from dpspectra.symbolic.tape import FORCED, REPLAY, NotFollowed
from tests.support.noise_runs import runner

SCALE = 2.0


def redrawn(x, rng):
    while True:
        v = x + rng.laplace(scale=SCALE)
        if 0 <= v <= 10:
            return v


def left_by_a_break(x, rng):
    low = -math.pi
    while 1:
        u, v = rng.random(), np.random.normal(0.0, 1.0)  # noqa: NPY002 - as programs do
        w = math.exp(2.0) * u
        if w < 1.5 or (v < low and not u > 0.5):
            break
    return w + v + x


def with_branches(x, rng):
    while True:
        if rng.random() < 0.5:
            a = random.random()
            c = 1.0
        else:
            a = -random.gauss(0, 1)
            c = 2 * a
        if a > c + x:
            continue
        b = rng.laplace() if a > 0 else max(a, 0.5)
        if abs(b) < 1:
            return (a, b) if x < -5 else a


def of_an_object(x, rng):
    it = _Bounded(rng)
    return it.drawn(x)


class _Bounded:
    high = 5.0

    def __init__(self, rng):
        self.rng, self.low = rng, -1.0

    def drawn(self, x):
        while True:
            v = x + self.rng.laplace()
            if v > self.low:
                return v


def until_it_fits(x, rng):
    v = -1.0
    while not 0 <= v <= 10:
        if rng.random() < 0.25:
            v = rng.laplace()
            continue
        v = x + rng.laplace(scale=SCALE)
    return v


def drawn_before(x, rng):
    v = x + rng.laplace()
    while v < 0:
        v = x + rng.laplace()
    return v


ALIKE = [redrawn, left_by_a_break, with_branches, of_an_object, until_it_fits, drawn_before]


def known(mechanism, pair=(0.5, 1.0)):
    """Whether a forced run enters a loop with rounds that are alike."""
    it, entered, coins = runner(mechanism, pair), [], random.Random(1)

    def choose(tape, event, j):
        entered[:] = tape.rounds.entered
        return int(coins.random() < 0.5)

    with followed_sources(), contextlib.suppress(NotFollowed):
        it.run(0, mode=FORCED, chooser=choose)
    return any(one.alike for one in entered)


@pytest.mark.parametrize("mechanism", ALIKE)
def test_rounds_that_are_alike(mechanism):
    assert known(mechanism)


def counted(x, rng):
    n = 0
    while True:
        n = n + 1
        if rng.random() < 0.5:
            return n


def changed_at_round_7(x, rng):
    n = 0
    while True:
        n += 1
        if rng.laplace() > (x if n == 7 else 0):
            return n > 6


def listed(x, rng):
    met = []
    while True:
        met.append(rng.laplace())
        if met[-1] > 0:
            return len(met)


def read_before_it_is_written(x, rng):
    v = 0.0
    while True:
        if rng.random() < 0.5:
            return v
        v = x + rng.laplace()


def kept_on_one_way(x, rng):
    kept = 0.0
    while True:
        u = rng.random()
        if u < 0.25:
            kept = 1.0
        if u > 0.75:
            break
    return kept + x


def asks_what_some_rounds_write(x, rng):
    v = w = 1.0
    while w > 0.5:
        v = rng.random()
        if v < 0.25:
            w = x * v
    return v


def goes_on_before_all_is_written(x, rng):
    v = w = 1.0
    while v > 0.5:
        v = rng.random()
        if v > 0.75:
            continue
        w = x * v
    return w


def counted_by_its_condition(x, rng):
    n = 0
    while rng.random() < 0.5:
        n = n + 1
    return n


def with_an_end_of_its_own(x, rng):
    v = 1.0
    while v > 0.5:
        v = rng.random()
        if v > 0.75:
            break
    else:
        v = x
    return v


def asks_a_function(x, rng):
    v = 1.0
    while v > bumped():
        v = rng.laplace(scale=9)
    return v


def in_a_loop(x, rng):
    total = 0.0
    for k in range(2):
        while True:
            v = rng.laplace() + k * x
            if v > 0:
                break
        total = total + v
    return total


STATE = {"n": 0}


def bumped():
    STATE["n"] += 1
    return STATE["n"]


def called_out(x, rng):
    STATE["n"] = 0
    while True:
        v = bumped() + rng.laplace()
        if v > 3:
            return v


def by_a_global(x, rng):
    global COUNT
    COUNT = 0
    while True:
        COUNT = COUNT + 1
        if rng.random() < 0.5:
            return COUNT


COUNT = 0


def by_a_closure(x, rng):
    n = 0

    def more():
        nonlocal n
        n += 1
        return n

    while True:
        if rng.random() < 0.1 * more():
            return x


def seen_by_a_closure(x, rng):
    def last():
        return v

    while True:
        v = rng.laplace()
        if v > 0:
            return last()


def of_a_seeded_generator(x, rng):
    other = np.random.default_rng(1)
    while True:
        if rng.random() < other.random():
            return x


def of_a_seeded_module(x, rng):
    np.random.seed(3)  # noqa: NPY002 - as programs do
    while True:
        if rng.random() < np.random.random():  # noqa: NPY002 - as programs do
            return x


class Odd(float):
    def __add__(self, other):
        return bumped() + other


def of_odd_numbers(x, rng):
    y = Odd(x)
    while True:
        if y + rng.laplace() > 2:
            return x


class Property:
    n = 0

    @property
    def low(self):
        self.n += 1
        return self.n


def of_a_property(x, rng):
    it = Property()
    while True:
        if rng.laplace() > it.low:
            return x


class Hooked:
    def __init__(self):
        self.low = 1.0

    def __getattribute__(self, name):
        bumped()
        return object.__getattribute__(self, name)


def of_a_hook(x, rng):
    it = Hooked()
    while True:
        if rng.laplace() > it.low:
            return x


counting = np.frompyfunc(lambda v: v + bumped(), 1, 1)


def by_a_ufunc(x, rng):
    while True:
        if counting(rng.laplace()) > 3:
            return x


def into_an_array(x, rng):
    seen = np.zeros(1)
    while True:
        np.add(seen, 1.0, seen)
        if rng.random() < 0.5:
            return float(seen[0])


def partly(x, rng):
    draw = partial(rng.laplace, x)
    while True:
        if draw() > 0:
            return x


def caught(x, rng):
    n = 0
    while True:
        try:
            if rng.random() < 0.5:
                return n
        finally:
            n = n + 1


def walrus(x, rng):
    n = 0
    while True:
        if rng.random() < 0.1 * (n := n + 1):
            return n


def round(x):
    return x + bumped()


def shadowed(x, rng):
    while True:
        if round(rng.laplace()) > 3:
            return x


def traced(x, rng):
    sys.settrace(lambda *args: None)
    try:
        return redrawn(x, rng)
    finally:
        sys.settrace(None)


def generated(x, rng):
    def values():
        while True:
            v = rng.laplace()
            if v > 0:
                yield v

    return next(values())


made = {}
exec(
    "def of_no_source(x, rng):\n    while True:\n        v = rng.laplace()\n        if v > x:\n            return v",
    made,
)

UNLIKE = [
    counted,
    changed_at_round_7,
    listed,
    read_before_it_is_written,
    kept_on_one_way,
    asks_what_some_rounds_write,
    goes_on_before_all_is_written,
    counted_by_its_condition,
    with_an_end_of_its_own,
    asks_a_function,
    in_a_loop,
    called_out,
    by_a_global,
    by_a_closure,
    seen_by_a_closure,
    of_a_seeded_generator,
    of_a_seeded_module,
    of_odd_numbers,
    of_a_property,
    of_a_hook,
    by_a_ufunc,
    into_an_array,
    partly,
    caught,
    walrus,
    shadowed,
    traced,
    generated,
    made["of_no_source"],
]


@pytest.mark.parametrize("mechanism", UNLIKE, ids=lambda f: f.__name__)
def test_rounds_that_may_differ(mechanism):
    try:
        assert not known(mechanism)
    finally:
        STATE["n"] = 0


def test_of_equal_code_at_two_places_nothing_is_said(tmp_path):
    text = "def f(x, rng):\n    while True:\n        v = rng.laplace()\n        if v > x:\n            return v\n"
    for name, wanted in ((text, 1), (text.replace("v > x", "v >  x"), 1), ("if 0:\n  pass\n", 0)):
        file = tmp_path / f"{len(name)}.py"
        file.write_text(name)
        names = {}
        exec(compile(text, str(file), "exec"), names)
        found = alike_rounds.loops_of.__wrapped__(names["f"].__code__) if "f" in names else ()
        assert len(found) == (wanted if name == text else 0)


def test_the_watcher_is_told_of_forced_runs_and_replays_only():
    assert len(WATCHERS) == 1
    it = runner(redrawn, (0.5, 1.0))
    with followed_sources():
        record = it.record(0)
        assert record.tape.rounds.entered == []
        assert record.tape.mode not in (FORCED, REPLAY)
