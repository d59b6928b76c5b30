"""The seed that a mechanism is handed: what is public is answered, whatever else is asked ends the run."""

import copy
import math
import pickle
import random
import sys

import numpy as np
import pytest

from dpspectra.symbolic.given_seed import ABOVE, GivenSeed, is_fresh
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import recorded

PUBLIC = {
    "it is a whole number": (lambda s: isinstance(s, int), True),
    "it is not 0": (bool, True),
    "not it": (lambda s: not s, False),
    "it is not None": (lambda s: s == None, False),  # noqa: E711
    "it is not the other None": (lambda s: s != None, True),  # noqa: E711
    "it is no text": (lambda s: s == "auto", False),
    "it is no bytes": (lambda s: s != b"7", True),
    "above 0": (lambda s: s > 0, True),
    "from 1 on": (lambda s: s >= 1, True),
    "below 1": (lambda s: s < 1, False),
    "up to 0": (lambda s: s <= 0, False),
    "below 2**31": (lambda s: s < 2**31, True),
    "up to the largest": (lambda s: s <= 2**31 - 1, True),
    "above the largest": (lambda s: s > 2**31 - 1, False),
    "from 2**31 on": (lambda s: s >= 2**31, False),
    "below a fraction": (lambda s: s < 0.5, False),
    "below infinity": (lambda s: s < math.inf, True),
    "below NaN": (lambda s: s < math.nan, False),
    "0": (lambda s: s == 0, False),
    "not 2**31": (lambda s: s != 2**31, True),
    "minus 1": (lambda s: s in (-1, None), False),
    "a copy": (lambda s: copy.copy(s) is s, True),
    "a deep copy": (lambda s: copy.deepcopy([s])[0] is s, True),
}
HIDDEN = {
    "above 1": lambda s: s > 1,
    "up to 1": lambda s: s <= 1,
    "below the largest": lambda s: s < 2**31 - 1,
    "from the largest on": lambda s: s >= 2**31 - 1,
    "1": lambda s: s == 1,
    "not the largest": lambda s: s != 2**31 - 1,
    "half way": lambda s: s < 2**30,
    "a fraction half way": lambda s: s > 1e9 + 0.5,
    "another number half way": lambda s: s < np.float64(1e9),
    "the largest of two": lambda s: max(s, 5),
    "int": int,
    "float": float,
    "str": str,
    "repr": repr,
    "format": lambda s: f"{s:d}",
    "hash": hash,
    "a key": lambda s: {s: 1},
    "size": sys.getsizeof,
    "pickle": pickle.dumps,
    "arguments of a new one": lambda s: s.__getnewargs__(),
    "negative": lambda s: -s,
    "positive": lambda s: +s,
    "absolute": abs,
    "inverted": lambda s: ~s,
    "rounded": round,
    "floor": math.floor,
    "ceil": math.ceil,
    "trunc": math.trunc,
    "root": math.sqrt,
    "plus": lambda s: s + 1,
    "plus from the left": lambda s: 1 + s,
    "minus": lambda s: s - 1,
    "minus from the left": lambda s: 1 - s,
    "times": lambda s: s * 0,
    "times from the left": lambda s: 0 * s,
    "over": lambda s: s / 2,
    "quotient": lambda s: s // 2,
    "remainder": lambda s: s % 2,
    "remainder from the left": lambda s: 3 % s,
    "both": lambda s: divmod(s, 2),
    "power": lambda s: s**2,
    "power modulo": lambda s: pow(s, 2, 7),
    "power from the left": lambda s: 1**s,
    "shifted": lambda s: s >> 3,
    "shifted to the left": lambda s: s << 3,
    "and": lambda s: s & 1,
    "or": lambda s: 1 | s,
    "exclusive or": lambda s: s ^ 1,
    "length": lambda s: s.bit_length(),
    "count of bits": lambda s: s.bit_count(),
    "bytes": lambda s: s.to_bytes(8, "big"),
    "conjugate": lambda s: s.conjugate(),
    "ratio": lambda s: s.as_integer_ratio(),
    "real": lambda s: s.real,
    "imaginary": lambda s: s.imag,
    "numerator": lambda s: s.numerator,
    "denominator": lambda s: s.denominator,
    "an array": np.array,
    "a number of numpy": np.int64,
    "a sum in numpy": lambda s: np.zeros(2) + s,
}


def answer(question):
    """What a followed run gets for a question about its seed."""
    found = []
    recorded(lambda x, seed: found.append(question(seed)))
    return found


@pytest.mark.parametrize("question", PUBLIC)
def test_what_is_public_is_answered(question):
    """And truly so: by the smallest seed, by the largest one, and in a run."""
    ask, right = PUBLIC[question]
    assert answer(ask) == [right]
    assert [ask(GivenSeed(number)) for number in (1, 12345, ABOVE - 1)] == [right] * 3


@pytest.mark.parametrize("question", HIDDEN)
def test_whatever_else_is_asked_ends_the_run_with_its_line(question):
    what = "hash of an object" if question == "hash" else "seed that was handed over"
    with pytest.raises(NotFollowed, match=rf"the {what} is looked at, .*test_given_seed\.py:\d+ \("):
        answer(HIDDEN[question])


def test_a_program_cannot_swallow_the_end_of_the_run():
    def swallows(seed):
        try:
            return int(seed)
        except BaseException:
            return 0

    with pytest.raises(NotFollowed, match="is looked at"):
        answer(swallows)


def test_an_order_with_a_text_fails_as_it_does_for_numbers():
    with pytest.raises(TypeError, match="not supported between"):
        GivenSeed(3) < "a"  # type: ignore[operator] # noqa: B015


def test_after_the_run_it_is_a_number_like_any_other():
    kept = answer(lambda s: s)[0]
    assert 1 <= int(kept) < ABOVE
    assert kept + 1 == int(kept) + 1
    assert (kept < 2**30) == (int(kept) < 2**30)
    assert GivenSeed(7).real == 7
    assert hash(GivenSeed(7)) == hash(7)
    assert pickle.loads(pickle.dumps(GivenSeed(7))) == 7


@pytest.mark.parametrize(
    ("seed", "fresh"), [(None, True), (GivenSeed(3), True), (3, False), (0, False), ([], False), ("a", False)]
)
def test_a_fresh_seed_is_none_or_the_one_handed_over(seed, fresh):
    assert [is_fresh(seed), is_fresh(seed)] == [fresh] * 2  # no run is under way, so that nothing is counted


MAKERS = {
    "numpy's new one": lambda s: np.random.default_rng(s),
    "numpy's old one": lambda s: np.random.RandomState(s),
    "the library's": lambda s: random.Random(s),
}


@pytest.mark.parametrize("second", MAKERS)
@pytest.mark.parametrize("first", MAKERS)
def test_a_seed_makes_one_generator_and_no_second(first, second):
    one, two = MAKERS[first], MAKERS[second]
    assert len(answer(one)) == 1
    assert len(answer(lambda s: (one(s), two(None)))) == 1
    with pytest.raises(NotFollowed, match=r"makes a second generator, at test_given_seed\.py:\d+"):
        answer(lambda s: (one(s), two(s)))
