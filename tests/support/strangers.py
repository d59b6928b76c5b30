"""Forty small programs by a stranger to the auditors, half of them sound and half of them leaking, in unusual dress.

Each was written from the docstrings and the guides alone, before any audit of it. ``truth`` is about the pair, and
``proof`` says the true loss in one line. A sound one must not be refuted. One that leaks must not be explained from
inside; from outside, each leaks by a single event that a report with 20000 draws says it would have seen: of a part,
type, order, text or number of an output, or, where impossible on one data set, of a probability of 0.0067 at least.
"""

import bisect
import collections
import contextlib
import contextvars
import ctypes
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import heapq
import itertools
import json
import math
import pickle
import random
import secrets
import statistics
import struct
import threading
import types
import uuid
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats
from sklearn.utils import resample

from dpspectra.audit import GDP, ApproxDP, CurveClaim, PureDP

SOUND_INSIDE = ("explained", "exceeded", "undecided")
LEAK_INSIDE = ("refuted", "exceeded", "undecided")
SOUND_OUTSIDE = ("not refuted", "undecided")
LEAK_OUTSIDE = ("refuted", "undecided")

ONE = PureDP(1.0)
TRUE = math.e / (1 + math.e)  # an answer that is true this often loses 1
ORDERED = ([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])


@dataclasses.dataclass(frozen=True)
class Stranger:
    """A program, who looks at it, its pair and claim, the truth with its proof, and the verdicts that are not wrong."""

    mechanism: Callable[..., Any]
    auditor: str
    truth: str
    proof: str
    pair: tuple[Any, Any]
    claim: CurveClaim
    allowed: tuple[str, ...]

    def __str__(self) -> str:
        return self.mechanism.__name__


STRANGERS: list[Stranger] = []


def stranger(auditor, truth, proof, pair=(0.0, 1.0), claim=ONE):
    allowed = {
        ("inside", "sound"): SOUND_INSIDE,
        ("inside", "leak"): LEAK_INSIDE,
        ("audit", "sound"): SOUND_OUTSIDE,
        ("audit", "leak"): LEAK_OUTSIDE,
    }[auditor, truth]

    def enter(mechanism):
        STRANGERS.append(Stranger(mechanism, auditor, truth, proof, pair, claim, allowed))
        return mechanism

    return enter


# From inside, sound


@stranger("inside", "sound", "one of three noisy scores moves by 1 at scale 1: loss 1, and the rest is post-processing")
def largest_of_a_heap(x, rng):
    heap = [(-(score + rng.laplace()), name) for name, score in (("a", x), ("b", 1.0), ("c", 0.5))]
    heapq.heapify(heap)
    return heapq.heappop(heap)[1]


@stranger("inside", "sound", "one number moves by 1 at scale 1: loss 1")
def ufunc_of_python(x, rng):
    noisy = np.frompyfunc(lambda v: v + rng.laplace(), 1, 1)
    return noisy(np.array([x, 5.0]))


SOURCE: contextvars.ContextVar[Any] = contextvars.ContextVar("source")


@stranger("inside", "sound", "one number moves by 1 at scale 1: loss 1")
def noise_of_a_context(x, rng):
    def within():
        SOURCE.set(rng)
        return x + SOURCE.get().laplace()

    return contextvars.copy_context().run(within)


@stranger("inside", "sound", "what is sent moves by 1 at scale 1, and twice of it is post-processing: loss 1")
def sent_to_a_generator(x, rng):
    def echo():
        value = yield
        while True:
            value = yield value + rng.laplace()

    noisy = echo()
    next(noisy)
    return noisy.send(x) * 2


@stranger("inside", "sound", "a uniformly random order of the same three numbers: loss 0", ORDERED, PureDP(0.1))
def permuted_rows(rows, rng):
    return rng.permuted(np.array(rows))


@stranger("inside", "sound", "the answer is true with probability e / (1 + e): loss 1", (0, 1))
def weighted_choice(x):
    return random.choices([x, 1 - x], weights=[TRUE, 1 - TRUE])[0]


@stranger(
    "inside", "sound", "the difference of two geometric counts has ratio e of neighbouring values: loss 1", (0, 1)
)
def retries_both_ways(x, rng):
    def failures():
        return next(k for k in itertools.count() if rng.random() >= math.exp(-1))

    return x + failures() - failures()


@stranger("inside", "sound", "AboveThreshold with scales 2 and 4, one answer: loss at most 1", ([0, 1, 1], [1, 0, 2]))
def sparse_vector_right(queries, rng):
    threshold = 1.5 + rng.laplace(scale=2.0)
    for i, query in enumerate(queries):
        if query + rng.laplace(scale=4.0) >= threshold:
            return i
    return None


@stranger("inside", "sound", "the first noise cancels exactly, the second has scale 1: loss 1")
def cancelled_and_renewed(x, rng):
    module = types.ModuleType("lazy")
    module.__getattr__ = lambda name: {"first": first, "second": rng.laplace()}[name]  # type: ignore[method-assign]
    first = rng.laplace()
    noisy = x + first
    return noisy - module.first + module.second


@stranger("inside", "sound", "an answer in 3 with probabilities (e, 1, 1) / (e + 2): loss 1", (0, 1))
def discrete_law(x, rng):
    p = np.where(np.arange(3) == x, math.e, 1.0)
    law = scipy.stats.rv_discrete(values=(np.arange(3), p / p.sum()))
    return bisect.bisect([0.5, 1.5], law.rvs(random_state=rng))


# From inside, leaking


@stranger("inside", "leak", "the same cached noise hides x and -x: their difference is 2 x, infinite loss")
def cached_noise(x, rng):
    @functools.lru_cache
    def noise(key):
        return rng.laplace(scale=4.0)

    return [x + noise("n"), noise("n") - x]


@stranger("inside", "leak", "one draw in 50 of an urn returns x itself: infinite loss with probability 0.02")
def urn_with_one_black_ball(x, rng):
    return x if rng.hypergeometric(1, 49, 1) else x + rng.laplace()


class Noisy:
    """A descriptor that adds noise of half the scale."""

    def __get__(self, owner, kind=None):
        return owner.__dict__["x"] + owner.rng.laplace(scale=0.5)

    def __set__(self, owner, value):
        owner.__dict__["x"] = value


@stranger("inside", "leak", "a number moves by 1 at scale 0.5: loss 2")
def descriptor(x, rng):
    holder = type("Holder", (), {"x": Noisy()})
    made = holder()
    made.rng = rng
    local = threading.local()
    local.alive = made
    made.x = x
    return weakref.ref(local.alive)().x


@stranger("inside", "leak", "four answers 'below' have 0.5**4 and (0.5 / e)**4: loss 4")
def sparse_vector_wrong(x, rng):
    return [bool(x + rng.laplace() > 0) for _ in range(4)]


@stranger("inside", "leak", "at y > 1 the ratio of densities is e y / 2, without bound: infinite loss")
def as_many_draws_as_rows(x, rng):
    return x + sum(rng.laplace() for _ in range(int(x) + 1))


@stranger("inside", "leak", "the payload of the NaN is x: infinite loss", (0, 1))
def payload_of_nan(x, rng):
    (nothing,) = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000000 | x))
    return [x + rng.laplace(), nothing]


@stranger("inside", "leak", "with probability 0.05 an exception has a note that says x: infinite loss")
def note_of_an_exception(x, rng):
    noisy = x + rng.laplace()
    if rng.random() < 0.05:
        error = ValueError("no result")
        error.add_note(f"row {x}")
        raise error
    return noisy


@stranger("inside", "leak", "the order of the keys is that of x: infinite loss")
def order_of_keys(x, rng):
    first, second = rng.laplace(size=2)
    return {"a": first, "b": second} if x else {"b": second, "a": first}


@stranger(
    "inside", "leak", "both numbers are the same noise by a stride of 0, one plus x and one minus x: infinite loss"
)
def stride_of_zero(x, rng):
    noise = np.lib.stride_tricks.as_strided(rng.laplace(size=1), shape=(2,), strides=(0,))
    return np.array([x, -x]) + noise


@stranger(
    "inside",
    "leak",
    "at y = 0 the ratio is e**0.5 (1 - e**-0.5) / (1 - 1 / e) * 2 = 2.05: loss 0.72",
    (0.0, 0.5),
    PureDP(0.5),
)
def clamped_by_redrawing(x, rng):
    while True:
        noisy = x + rng.laplace()
        if 0 <= noisy <= 1:
            return noisy


# From outside, sound


@stranger("audit", "sound", "a uniformly random order of the same bytes: loss 0", (b"abc", b"cab"), PureDP(0.1))
def shuffled_bytes(x, rng):
    letters = bytearray(x)
    with memoryview(letters) as view:
        rng.shuffle(np.asarray(view))
    return bytes(letters)


@stranger("audit", "sound", "normal noise of scale 1 on a number that moves by 1: exactly 1-GDP", claim=GDP(1.0))
def samples_of_a_normal(x, seed):
    return statistics.NormalDist(x, 1.0).samples(1, seed=seed)[0]


class Answer(enum.Flag):
    NO = 0
    YES = 1
    SURE = 2


@stranger(
    "audit", "sound", "the answer is true with probability 0.73105: loss 0.99995; the flag SURE is always set", (0, 1)
)
def answer_by_secrets(x):
    return Answer((x if secrets.randbelow(100000) < 73105 else 1 - x) | 2)


@stranger(
    "audit", "sound", "three noisy scores, one moves by 1 at scale 1; the order is post-processing: loss at most 1"
)
def order_of_noisy_scores(x, rng):
    scores = {"a": x, "b": 0.5, "c": 0.0}
    noisy = {name: score + rng.laplace() for name, score in scores.items()}
    return {"best": dict.fromkeys(sorted(noisy, key=noisy.get, reverse=True)[:2], "*")}


@stranger("audit", "sound", "a number moves by 1 at scale 1, and text with few digits is post-processing: loss 1")
def few_digits(x, rng):
    return json.dumps({"mean": f"{x + rng.laplace():.1g}", "unit": "kg"})


@stranger("audit", "sound", "a uniformly random order of the same rows: loss 0", ORDERED, PureDP(0.1))
def sampled_table(rows, random_state):
    return pd.DataFrame({"x": rows}).sample(frac=1.0, random_state=random_state, ignore_index=True)


@stranger("audit", "sound", "the answer, told by what is raised, is true with probability e / (1 + e): loss 1", (0, 1))
def group_of_exceptions(x, rng):
    told = x if rng.random() < TRUE else 1 - x
    error = KeyError("b")
    error.add_note(f"told {told}")
    raise ExceptionGroup("some", [ValueError("a"), *([error] if told else [])])


@stranger(
    "audit",
    "sound",
    "one of ten rows is returned, and one row is replaced: (0, 0.1)-DP",
    (list(range(10)), [*range(9), 77]),
    ApproxDP(0.01, 0.1),
)
def one_row_of_ten(rows, random_state):
    return fractions.Fraction(resample(rows, n_samples=1, random_state=random_state)[0], 7)


@stranger("audit", "sound", "a number moves by 1 at scale 1, and the clamp is post-processing: loss 1")
def clamped_complex(x, rng):
    noisy = min(max(x + rng.laplace(), 0.0), 1.0)
    return complex(round(noisy, 2), -0.0) if rng.random() < 0.5 else decimal.Decimal(noisy)


@stranger("audit", "sound", "the difference of two geometric counts, on large integers: loss 1", (0, 1))
def large_integers(x, rng):
    noise = int(rng.geometric(1 - math.exp(-1)) - rng.geometric(1 - math.exp(-1)))
    return 10**40 + (x + noise) * 10**20


# From outside, leaking


@stranger("audit", "leak", "the same instant, in a zone that is x: infinite loss, on all outputs", (0, 1))
def zone_of_an_instant(x, rng):
    instant = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(seconds=float(rng.laplace()))
    return instant.astimezone(datetime.timezone(datetime.timedelta(hours=x)))


@dataclasses.dataclass
class Told:
    value: float
    hidden: float = dataclasses.field(repr=False, compare=False, default=0.0)


@stranger("audit", "leak", "a field that neither repr nor == looks at is x in half of the outputs: infinite loss")
def hidden_field(x, rng):
    return Told(x + rng.laplace(), x if rng.random() < 0.5 else 7.0)


@stranger("audit", "leak", "the order of the inner keys is that of x: infinite loss, on all outputs")
def order_of_inner_keys(x, rng):
    first, second = rng.laplace(size=2).tolist()
    return [{"in": {"a": first, "b": second} if x else {"b": second, "a": first}}]


@stranger("audit", "leak", "the same exception, and a note that is x: infinite loss, on half of the outputs")
def note_outside(x, rng):
    if rng.random() < 0.5:
        error = ValueError("no result")
        error.add_note("late" if x else "early")
        raise error
    return rng.laplace()


@stranger("audit", "leak", "one byte of the record is x, beside eight of noise: infinite loss, on all outputs", (0, 1))
def pickled(x, rng):
    return pickle.dumps((float(rng.laplace()), x))


@stranger("audit", "leak", "a byte between the fields of a record is x: infinite loss, on all outputs", (0, 1))
def padding_of_a_record(x, rng):
    record = np.zeros(1, dtype=np.dtype([("flag", "u1"), ("value", "f8")], align=True))
    record["value"] = rng.laplace()
    raw = (ctypes.c_uint8 * record.nbytes).from_buffer(record)
    raw[3] = x
    return record


@stranger("audit", "leak", "the last bit of a large integer is x: infinite loss, on all outputs", (0, 1))
def last_bit(x, rng):
    return (int(rng.integers(2**62)) << 60) + 2 * int(rng.integers(2**50)) + x


Row = collections.namedtuple("Row", "a b")
Line = collections.namedtuple("Line", "a b")


@stranger(
    "audit", "leak", "on one data set alone, one output in 50 is of another type: infinite loss, probability 0.02"
)
def rare_type(x, rng):
    with contextlib.ExitStack() as stack:
        stack.callback(rng.random)
        kind = Line if x and rng.random() < 0.02 else Row
        return kind(*rng.laplace(size=2).tolist())


@stranger("audit", "leak", "at most 2 of 6 are above: probability 0.344 and 0.0126, loss 3.3")
def count_of_noisy_bits(x, rng):
    return sum(x + rng.laplace() > 0 for _ in range(6))


@stranger("audit", "leak", "the last bit of a random identifier is x: infinite loss, on all outputs", (0, 1))
def last_bit_of_an_identifier(x):
    return uuid.UUID(int=uuid.uuid4().int & ~1 | x)


assert len(STRANGERS) == 40
