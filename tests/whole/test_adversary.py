"""Programs made to deceive: a leak is refuted or undecided wherever it hides, and what is sound is not refuted.

The standing ones are one for each way to hide; others are composed by seed, of a place to hide and of what is around.
"""

import collections
import datetime
import io
import json
import math
import os
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpspectra.audit import audit

Hide = Callable[[int, np.random.Generator], Any]


def class_made_in_the_run(b, rng):
    return type("Result", (), {"value": b})


def shared(b, rng):
    inner = [rng.laplace()]
    return [inner, inner if b else list(inner)]


def bits_of_nan(b, rng):
    return struct.unpack("d", struct.pack("Q", 0x7FF8000000000001 + b))[0]


def text_of_numbers(b, rng):
    numbers = rng.normal(size=60)
    numbers[30] = 5 * b + rng.random()
    return json.dumps(numbers.tolist())


def late_byte(b, rng):
    found = bytearray(rng.bytes(6000))
    found[5000] = b
    return bytes(found)


def late_date(b, rng):
    moved = datetime.timedelta(seconds=int(rng.integers(10**8)), microseconds=int(rng.integers(1000)) + 5000 * b)
    return datetime.datetime(2020, 1, 1) + moved


def position(b, rng):
    found = io.StringIO("a text")
    found.seek(2 + b)
    return found


HIDDEN: dict[str, Hide] = {
    "under a mask": lambda b, rng: np.ma.masked_array([rng.laplace(), float(b)], mask=[False, True]),
    "memory of a view": lambda b, rng: np.array([float(b), rng.laplace()])[1:],
    "order of memory": lambda b, rng: np.asarray(rng.laplace(size=(2, 2)), order="F" if b else "C"),
    "order of bytes": lambda b, rng: np.array([rng.laplace()], dtype=">f8" if b else "<f8"),
    "kind of float": lambda b, rng: np.float64(1.5) if b else 1.5,
    "most members of a deque": lambda b, rng: collections.deque([rng.laplace()], maxlen=5 + b),
    "default of a dictionary": lambda b, rng: collections.defaultdict(int if b else float, v=rng.laplace()),
    "type of a key": lambda b, rng: {(1 if b else "1"): rng.laplace()},
    "position in a text": position,
    "class": class_made_in_the_run,
    "identity": shared,
    "bits of NaN": bits_of_nan,
    "number 30 of a text": text_of_numbers,
    "byte 5000": late_byte,
    "microseconds": late_date,
    "seconds since 1970": lambda b, rng: 1.7e9 + 0.5 * b + rng.laplace(scale=0.01),
    "large identifier": lambda b, rng: 5550000001 + b,
    "bit 5": lambda b, rng: (int(rng.integers(2**20)) & ~32) | 32 * b,
}
AROUND: dict[str, Callable[[Any, np.random.Generator], Any]] = {
    "alone": lambda x, rng: x,
    "in a list": lambda x, rng: [rng.laplace(), x],
    "in a dictionary": lambda x, rng: {"noise": rng.normal(size=3), "result": x},
    "in a tuple with a text": lambda x, rng: ("done", x, None),
}


@pytest.mark.parametrize("place", HIDDEN)
def test_a_leak_is_never_green_wherever_it_hides(place):
    assert audit(HIDDEN[place], (0, 1), 1.0, draws=3000).verdict == "refuted"


@pytest.mark.parametrize("place", HIDDEN)
def test_randomised_response_that_is_hidden_alike_is_sound(place):
    """A bit of loss 1 exactly: at most one alarm in a thousand."""

    def mechanism(x, rng):
        bit = int(x) if rng.random() < math.e / (1 + math.e) else 1 - int(x)
        return HIDDEN[place](bit, rng)

    assert audit(mechanism, (0, 1), 1.0, draws=400).verdict != "refuted"


@pytest.mark.parametrize("seed", range(12))
def test_composed_leaks_are_never_green(seed):
    """On a path of probability 1/5 to 1, in one container or another."""
    rng = np.random.default_rng(seed)
    place, around = rng.choice(list(HIDDEN)), rng.choice(list(AROUND))
    often = rng.uniform(0.2, 1.0)

    def mechanism(x, rng):
        return AROUND[around](HIDDEN[place](int(x) if rng.random() < often else 0, rng), rng)

    found = audit(mechanism, (0, 1), 1.0, draws=3000, rng=seed)
    assert found.verdict in ("refuted", "undecided"), (place, around, often)


def test_what_is_not_read_is_undecided_and_says_what_to_do():
    def opaque(x, rng):
        return rng.laplace(), memoryview(bytearray([int(x), 1]))[1:]

    found = audit(opaque, (0, 1), 1.0, draws=1000)
    assert found.verdict == "undecided"
    assert "memoryview" in found.reason
    assert found.next_step.startswith("return numbers")


def test_an_exit_of_the_process_is_an_outcome():
    def leaving(x, rng):
        if x:
            os._exit(0)
        return rng.laplace()

    before = os._exit
    assert audit(leaving, (0, 1), 1.0, draws=1000).verdict == "refuted"
    assert os._exit is before
