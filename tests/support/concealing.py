"""Programs that conceal noise, paths or parts of their output from an auditor from inside, with the verdicts allowed.

Written before they were run. `composed` draws others: hidden randomness x a rare path x a kind of output.
"""

from __future__ import annotations

import collections
import ctypes
import datetime
import enum
import functools
import os
import random
import secrets
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A program, its pair, its claim, and the verdicts that it may get."""

    mechanism: Callable[..., Any]
    pair: tuple[Any, Any]
    epsilon: float
    allowed: frozenset[str]

    def __str__(self) -> str:
        return self.mechanism.__name__


CASES: list[Case] = []
LEAK, SOUND = frozenset(("refuted", "undecided", "exceeded")), frozenset(("explained", "undecided", "exceeded"))


def case(allowed, pair=(0, 1), epsilon=1.0):
    """Note a program."""
    return lambda f: CASES.append(Case(f, pair, epsilon, allowed)) or f


# ---------------------------------------------------------------- makers of randomness under names of their own

MAKERS: dict[str, Any] = {
    "generator": np.random.default_rng,
    "state": np.random.RandomState,
    "python": random.Random,
    "bits": np.random.SFC64,
    "system": os.urandom,
    "clock": time.time_ns,
}
LATER = functools.partial(np.random.default_rng)


@dataclass
class Holder:
    make: Any = np.random.default_rng
    bits: Any = field(default_factory=lambda: np.random.PCG64)


@case(LEAK)
def maker_in_a_field(x):
    return x if Holder().make().random() < 0.1 else 0


@case(LEAK)
def bits_in_a_field(x, rng):
    return (x if Holder().bits().random_raw() % 20 == 0 else 0), rng.laplace()


@case(LEAK)
def maker_in_keyword_defaults(x, *, make=random.Random):
    return x if make().random() < 0.1 else 0


@case(LEAK)
def maker_in_a_nested_table(x):
    return x if MAKERS["state"]().rand() < 0.1 else 0


@case(LEAK)
def maker_in_a_partial(x, rng):
    return x if LATER().random() < 0.05 else 0, rng.laplace()


@case(LEAK)
def system_bytes_in_a_default(x, rng, draw=os.urandom):
    return (x if draw(1)[0] < 13 else 0), rng.laplace()


@case(LEAK)
def secret_bytes(x, rng):
    return (x if secrets.token_bytes(1)[0] < 13 else 0), rng.laplace()


@case(LEAK)
def counter_in_a_default(x, rng, clock=time.perf_counter_ns):
    return (x if clock() // 1000 % 20 == 0 else 0), rng.laplace()


@case(LEAK)
def time_of_day(x, rng):
    return (x if datetime.datetime.now().microsecond % 20 == 0 else 0), rng.laplace()


@case(LEAK)
def children_of_a_sequence(x):
    (child,) = np.random.SeedSequence().spawn(1)
    return x if np.random.default_rng(child).random() < 0.05 else 0


@case(LEAK, (3.0, 4.0))
def seed_that_was_given(x, seed):
    return bool(x + np.random.default_rng(seed).laplace(scale=0.1) > 3.5)


@case(LEAK)
def number_of_the_seed(x, seed):
    return x if seed % 20 == 7 else 0


@case(LEAK)
def text_of_the_seed(x, random_state):
    return x if f"{random_state}".endswith("7") else 0


@case(LEAK, (0.0, 1.0))
def one_seed_twice(x, seed):
    return x + np.random.default_rng(seed).laplace(), np.random.default_rng(seed).laplace()


@case(SOUND, (0.0, 1.0))
def seed_once(x, seed):
    return x + np.random.default_rng(seed).laplace()


@case(SOUND, (0.0, 1.0))
def seed_of_a_state(x, random_state=None):
    return x + np.random.RandomState(random_state).laplace()


@case(SOUND, epsilon=2.1)
def hidden_flip_beside_a_followed_one(x, rng):
    return bool(x) ^ bool(rng.random() < 0.1) ^ bool(MAKERS["generator"]().random() < 0.02)


# ---------------------------------------------------------------- parts of outputs


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


class Word(str):
    __slots__ = ("__secret",)

    def __new__(cls, x):
        made = super().__new__(cls, "word")
        made.__secret = x  # type: ignore[attr-defined]
        return made


class Deep(Exception):
    pass


@case(LEAK)
def member_of_an_enum(x, rng):
    return rng.laplace(), Level(x)


@case(LEAK)
def private_slot_of_a_text(x, rng):
    return rng.laplace(), Word(x)


@case(LEAK)
def group_of_exceptions(x, rng):
    if rng.random() < 0.5:
        raise ExceptionGroup("several", [ValueError(x)])
    return rng.laplace()


@case(LEAK)
def note_of_an_exception(x, rng):
    problem = Deep("no luck")
    problem.add_note(str(x))
    if rng.random() < 0.5:
        raise problem
    return rng.laplace()


@case(LEAK)
def leaves_by_its_status(x, rng):
    if rng.random() < 0.5:
        sys.exit(x)
    return rng.laplace()


@case(LEAK)
def leaves_the_process(x, rng):
    if rng.random() < 0.5:
        os._exit(x)
    return rng.laplace()


@case(LEAK)
def fold_of_a_date(x, rng):
    return rng.laplace(), datetime.datetime(2020, 10, 25, 2, fold=x)


@case(LEAK)
def payload_of_a_complex_nan(x, rng):
    (nan,) = struct.unpack("d", struct.pack("Q", 0x7FF8000000000001 + x))
    return rng.laplace(), complex(0.0, nan)


@case(LEAK)
def length_of_a_queue(x, rng):
    return collections.deque([rng.laplace()], maxlen=5 + x)


@case(LEAK)
def metadata_of_a_dtype(x, rng):
    return rng.laplace(), np.zeros(1, dtype=np.dtype(float, metadata={"x": x}))


@case(LEAK)
def column_major(x, rng):
    return rng.laplace(), np.asarray(np.eye(2), order="F" if x else "C")


@case(LEAK)
def attribute_of_a_class(x, rng):
    return rng.laplace(), type("Made", (), {"v": x})


# ---------------------------------------------------------------- rare paths, tolerances, state


@case(LEAK, (0.0, 1.0))
def type_on_a_rare_path(x, rng):
    v = x + rng.laplace(size=2)
    return x if rng.random() < 0.01 and type(v) is np.ndarray else v[0]


@case(LEAK, (0.0, 1.0))
def flatness_on_a_rare_path(x, rng):
    m = x + rng.laplace(size=(2, 2)) * np.array([[1.0, 1e-3], [1.0, 1.0]])
    return m.flatten("F")[2] if rng.random() < 0.01 else m[0, 0]


@case(SOUND, (0.0, 1.0))
def overwritten_on_a_rare_path(x, rng):
    v = x + rng.laplace(size=2)
    if rng.random() < 0.02:
        kept = v[[0]]
        v[0] = x
        return kept[0]
    return v[1]


@case(LEAK, (0.0, 1.0))
def difference_of_large_numbers(x, rng):
    z = rng.laplace(scale=1e11)
    return z, z + x, rng.laplace()


MEMORY: dict[float, float] = {}


@case(LEAK, (0.0, 1.0), 0.01)
def remembered(x, rng):
    if x not in MEMORY:
        MEMORY[x] = float(x + rng.laplace())
    return MEMORY[x]


@case(SOUND, ([1, 2], [1, 2, 3]), 1.1)
def choice_of_more(x, rng):
    rng.permutation(len(x))
    return [rng.choice(len(x)), rng.laplace()][1]


# ---------------------------------------------------------------- composed programs

SYSTEM = ctypes.CDLL(None)
DRAW = SYSTEM.rand


class Held:
    """Holds a maker in its class."""

    kept = staticmethod(np.random.RandomState)


def _closed(make: Any) -> Callable[[float], bool]:
    return lambda p: make().random() < p


HIDDEN: dict[str, Callable[[float], bool]] = {
    "compiled": lambda p: SYSTEM.rand() / 2**31 < p,
    "pointer": lambda p, draw=DRAW: draw() / 2**31 < p,  # type: ignore[misc]
    "static": lambda p: Held.kept().rand() < p,
    "closure": _closed(np.random.default_rng),
    "partial": lambda p: functools.partial(time.monotonic_ns)() // 1000 % 100 < 100 * p,
    "generator": lambda p: MAKERS["generator"]().random() < p,
    "state": lambda p: MAKERS["state"]().rand() < p,
    "python": lambda p: MAKERS["python"]().random() < p,
    "bits": lambda p: MAKERS["bits"]().random_raw() / 2**64 < p,
    "system": lambda p: MAKERS["system"](1)[0] < 256 * p,
    "clock": lambda p: MAKERS["clock"]() // 1000 % 100 < 100 * p,
}
OUTPUTS: dict[str, Callable[[Any, Any], Any]] = {
    "pair": lambda x, z: (x, z),
    "table": lambda x, z: {"x": x, "z": z},
    "text": lambda x, z: [Word(x), z],
    "error": lambda x, z: (Deep(x), z),
    "array": lambda x, z: [np.array([x]), z],
    "queue": lambda x, z: (collections.deque([0], maxlen=int(x) + 1), z),
}


def composed(seed: int, count: int) -> list[Case]:
    """Programs that show their data with a probability from .02 to .1, by hidden noise or on a followed rare path."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        source, kind = rng.choice([*HIDDEN, "followed"]), rng.choice(list(OUTPUTS))
        chance = rng.uniform(0.02, 0.1)

        def mechanism(x, rng, source=source, kind=kind, chance=chance):
            shows = rng.random() < chance if source == "followed" else HIDDEN[source](chance)
            return OUTPUTS[kind](x if shows else 0, rng.laplace())

        mechanism.__name__ = f"{number}_{source}_{kind}"
        found.append(Case(mechanism, (0, 1), 1.0, LEAK))
    return found
