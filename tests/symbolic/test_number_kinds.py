"""Numbers that hold noise are of the type that they would be, to whoever asks, and show nothing that this has not."""

import collections.abc
import contextlib
import json
import math
import numbers
from typing import Any

import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.canonical_output import opened
from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import followed_nearby, real, recorded, runner

MADE = {
    "a draw": lambda rng: rng.laplace(),
    "a whole draw": lambda rng: rng.geometric(0.3),
    "one of an array": lambda rng: rng.laplace(size=2)[0],
    "a whole one of an array": lambda rng: rng.geometric(0.3, size=2)[0],
    "rounded": lambda rng: round(5 * rng.laplace()),
    "rounded by numpy": lambda rng: np.round(5 * rng.laplace()),
    "rounded to digits": lambda rng: round(rng.laplace(), 2),
    "an entry rounded": lambda rng: round(rng.laplace(size=2)[0]),
    "an entry rounded to digits": lambda rng: round(rng.laplace(size=2)[0], 2),
    "down": lambda rng: math.floor(rng.laplace()),
    "down by numpy": lambda rng: np.floor(rng.laplace()),
    "up": lambda rng: math.ceil(rng.laplace()),
    "to 0": lambda rng: math.trunc(rng.laplace(size=2)[0]),
    "whole and whole": lambda rng: 2 * round(rng.laplace()) - 3 + round(rng.normal()),
    "a difference": lambda rng: 4 + rng.geometric(0.5) - rng.geometric(0.5),
    "an opposite": lambda rng: -round(rng.laplace()),
    "a size": lambda rng: abs(round(rng.laplace())),
    "a half": lambda rng: round(rng.laplace()) / 2,
    "whole and another": lambda rng: round(rng.laplace()) + 0.5,
    "times a float": lambda rng: 2.0 * round(rng.laplace()),
    "whole and one of numpy": lambda rng: round(rng.laplace()) + np.int64(2),
    "one of numpy and whole": lambda rng: np.int64(2) * round(rng.laplace()),
    "numpy's sum": lambda rng: np.add(round(rng.laplace()), 1),
    "a float of numpy": lambda rng: rng.laplace() * np.float64(2),
    "by an array": lambda rng: (np.arange(3) + rng.geometric(0.5, size=3))[1],
    "a mean": lambda rng: rng.geometric(0.5, size=3).mean(),
    "a sum of an array": lambda rng: rng.geometric(0.5, size=3).sum(),
    "an item": lambda rng: rng.laplace(size=2)[0].item(),
    "of a list": lambda rng: rng.geometric(0.5, size=2).tolist()[0],
    "a sum of a list": lambda rng: sum(rng.laplace(size=2)),
    "a logarithm": lambda rng: math.log(rng.random()),
    "numpy's logarithm": lambda rng: np.log(rng.random()),
    "looked at": lambda rng: (lambda w: (str(w), w)[1])(round(rng.laplace())),
    "divided": lambda rng: round(9 * rng.laplace()) // 2,
    "a rest": lambda rng: round(9 * rng.laplace()) % 4,
    "a power": lambda rng: round(rng.laplace()) ** 2,
    "shifted": lambda rng: round(rng.laplace()) << 2,
    "bits": lambda rng: round(rng.laplace()) & 3,
    "both": lambda rng: divmod(round(9 * rng.laplace()), 4)[0],
    "a float's power": lambda rng: abs(rng.laplace()) ** 0.5,
    "no less": lambda rng: max(0, round(rng.laplace())),
    "in a range": lambda rng: np.clip(round(rng.laplace()), 0, 9),
    "an array": lambda rng: np.array([round(rng.laplace()), 2])[0],
    "an array with floats": lambda rng: np.array([round(rng.laplace()), 2.5])[0],
    "converted": lambda rng: np.rint(3 * rng.laplace(size=2)).astype(int)[0],
    "converted back": lambda rng: rng.geometric(0.5, size=2).astype(float)[0],
    "a wide difference": lambda rng: np.diff(rng.geometric(0.5, size=2))[0],
    "an absolute one": lambda rng: np.abs(rng.geometric(0.5, size=2) - 3)[0],
    "the real part": lambda rng: round(rng.laplace()).real,
    "changed in place": lambda rng: _added(round(rng.laplace()), 2),
    "changed in place by a float": lambda rng: _added(round(rng.laplace()), 2.5),
}
CLASSES = (int, float, complex, np.floating, np.integer, np.generic, np.float64, np.int64, str, object)
_NAMES = """
dtype shape ndim size T real imag item tolist astype is_integer bit_length numerator as_integer_ratio hex sum round
__len__ __iter__ __getitem__ __index__ __iadd__ __lshift__ __matmul__ __array__ __floor__ __round__ __trunc__
conjugate conj flat nbytes reshape copy clip __copy__ to_bytes __dict__ nothing
"""
NAMES = _NAMES.split()


def _added(x, y):
    x += y
    return x


def _answers(y):
    """What a program learns of a number by its type, in all ways."""
    kind = y.__class__
    has = [name for name in NAMES if hasattr(y, name)]
    return [
        [isinstance(y, k) for k in CLASSES],
        isinstance(y, (bool, int)),
        [isinstance(y, k) for k in (numbers.Number, numbers.Real, numbers.Integral)],
        isinstance(y, collections.abc.Hashable),
        kind.__name__,
        kind is int,
        has,
        hasattr(y, "__array__"),
        hasattr(y, "__iadd__"),
    ]


@pytest.mark.parametrize("name", MADE)
def test_a_number_is_what_it_would_be(name):
    found = recorded(lambda x, rng: _answers(MADE[name](rng)))
    assert found.leaves == opened(_answers(MADE[name](real(1))))[0]


@pytest.mark.parametrize("name", MADE)
def test_an_output_says_of_what_kind_it_is(name):
    """The leaf is that of a plain run with the same draws."""
    it = runner(lambda x, rng: MADE[name](rng), (0, 0))
    with followed_nearby():
        for _ in range(4):
            it.check(0, it.record(0))


@pytest.mark.parametrize("kind", [collections.abc.Iterable, collections.abc.Sized, collections.abc.Container])
def test_what_an_abstract_class_asks_of_a_number_is_true_or_ends_the_run(kind):
    with contextlib.suppress(NotFollowed):
        found = recorded(lambda x, rng: [isinstance(rng.laplace(), kind), isinstance(rng.geometric(0.5), kind)])
        assert found.leaves["output[0]"] == found.leaves["output[1]"] == ("bool", False)


def test_what_a_number_has_not_is_no_exception_of_another_kind():
    def mechanism(x, rng):
        said = []
        for y in (rng.laplace(), round(rng.laplace())):
            for call in (len, lambda y: y[0], lambda y: y.shape, lambda y: range(y) and 0):
                try:
                    call(y)
                except (TypeError, AttributeError) as problem:
                    said.append(isinstance(problem, TypeError))
        return said

    assert opened(mechanism(0, real(1)))[0]["output"] == ("list", 7)
    assert recorded(mechanism).leaves["output"] == ("list", 7)


def test_looked_at_they_are_written_as_whole_numbers():
    def mechanism(x, rng):
        w = round(5 * rng.laplace())
        match w:
            case int():
                said = "int"
            case float():
                said = "float"
        return [str(w), f"{w:d}", f"{w}", json.dumps([w]), "%d" % w, {w: 1}, list(range(abs(w))), said, [w, w / 2]]  # noqa: UP031

    found = recorded(mechanism)
    w = found.leaves["output[8][0]"][1]
    plain = [str(w), str(w), str(w), f"[{w}]", str(w)]
    assert [found.leaves[f"output[{k}]"] for k in range(5)] == [("str", text) for text in plain]
    assert found.leaves["output[5].key0"] == ("int", w)
    assert found.leaves["output[7]"] == ("str", "int")
    assert found.leaves["output[8][0]"][0] == "int"
    assert found.leaves["output[8][1]"][0] == "float"


def test_whole_numbers_too_large_for_floats_end_the_run():
    with pytest.raises(NotFollowed, match="too large"):
        recorded(lambda x, rng: 2**53 + round(rng.laplace()))


def test_an_array_of_whole_numbers_takes_no_others():
    def mechanism(x, rng):
        v = rng.geometric(0.5, size=3)
        v[0] = 7
        v[1] = 2.5
        return v

    with pytest.raises(NotFollowed, match="overwritten"):
        recorded(mechanism)


def _said(call):
    try:
        call()
    except (TypeError, AttributeError) as problem:
        return str(problem)
    return "nothing"


def _kind_of(call):
    try:
        call()
    except (TypeError, AttributeError) as problem:
        return problem.__class__.__name__
    return "nothing"


SAID = {
    "an attribute": lambda y: y.nothing,
    "one of numpy": lambda y: y.dtype,
    "a length": len,
    "an entry": lambda y: y[0],
    "a sum": lambda y: y + "",
    "a sum from the right": lambda y: "" + y,
    "a bound": lambda y: y < "",
}


@pytest.mark.parametrize("name", SAID)
@pytest.mark.parametrize("kind", [float, round])
def test_what_a_number_cannot_do_is_said_as_of_others(name, kind):
    found = recorded(lambda x, rng: _said(lambda: SAID[name](rng.laplace() if kind is float else round(rng.laplace()))))
    assert found.leaves["output"] == ("str", _said(lambda: SAID[name](kind(2.0))))


FAR = 30
LEAKING: dict[str, Any] = {
    "a whole one": lambda y, x: x if isinstance(y, int) and y > FAR else y,
    "no float": lambda y, x: y if isinstance(y, float) or y < FAR else x,
    "its class": lambda y, x: x if y.__class__ is int and y > FAR else y,
    "an abstract class": lambda y, x: x if isinstance(y, numbers.Integral) and y > FAR else y,  # type: ignore[operator]
    "no attribute": lambda y, x: x if not hasattr(y, "dtype") and y > FAR else y,
    "an attribute": lambda y, x: x if hasattr(y, "bit_length") and y > FAR else y,
    "an index": lambda y, x: x if hasattr(y, "__index__") and y > FAR else y,
    "not iterable": lambda y, x: x if not isinstance(y, collections.abc.Iterable) and y > FAR else y,
    "a key": lambda y, x: x if y > FAR and "." not in str(y) else y,
    "a text": lambda y, x: x if y > FAR and f"{y}".isdigit() else y,
    "a sum": lambda y, x: x if isinstance(y + 1, int) and y > FAR else y,
    "a half": lambda y, x: x if isinstance(y / 2, float) and y > FAR else y,
    "a rest": lambda y, x: x if y > FAR and isinstance(y % 2, int) else y,
    "what it says that it has not": lambda y, x: x if "int" in _said(lambda: y.nothing) and y > FAR else y,
    "what it says that it cannot do": lambda y, x: x if "int" in _said(lambda: len(y)) and y > FAR else y,
    "what it says of its sum": lambda y, x: x if "'int'" in _said(lambda: y + "") and y > FAR else y,
    "an exception": lambda y, x: x if _kind_of(lambda: y.shape) == "AttributeError" and y > FAR else y,
    "a list": lambda y, x: x if y > FAR and isinstance(y * [1], list) else y,
}


@pytest.mark.parametrize("name", LEAKING)
def test_nothing_is_hidden_by_a_type(name):
    """What is shown of the data is a number that noise does not give."""
    leak = LEAKING[name]
    found = decide(runner(lambda x, rng: leak(round(x + rng.laplace()), 1000 + x), (0, 1), 1.0, seconds=4.0))
    assert found.verdict in ("refuted", "undecided", "exceeded")


OF_NUMPY = {
    "a floating one": lambda y, x: x if isinstance(y, np.floating) and y > FAR else y,
    "its class": lambda y, x: x if y.__class__ is np.float64 and y > FAR else y,
    "an attribute": lambda y, x: x if hasattr(y, "dtype") and y > FAR else y,
}


@pytest.mark.parametrize("name", OF_NUMPY)
def test_nothing_is_hidden_by_a_type_of_numpy(name):
    leak = OF_NUMPY[name]
    found = decide(runner(lambda x, rng: leak((x + rng.laplace(size=1))[0], x), (0.0, 1.0), 1.0, seconds=4.0))
    assert found.verdict != "explained"
