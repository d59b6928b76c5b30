"""Conversions to ordinary numbers that keep noise, and what stands for `int` and `float` meanwhile."""

import numpy as np
import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.converted_numbers import FollowedFloat, FollowedInt, conversions
from tests.support.noise_runs import recorded, runner

CONVERTED = {
    "int": (lambda x, rng: int(x + rng.laplace()), 1.0),
    "int of a rounded number": (lambda x, rng: round(x + rng.laplace()), 1.0),
    "float": (lambda x, rng: float(x + rng.laplace()), 1.0),
    "each of several": (lambda x, rng: list(map(int, x + rng.laplace(scale=3.0, size=3))), 1.0),
    "geometric noise": (lambda x, rng: x + int(rng.geometric(0.5)) - int(rng.geometric(0.5)), float(np.log(2))),
    "at least 0": (lambda x, rng: max(0, int(x + rng.laplace())), 1.0),
}


@pytest.mark.parametrize("name", CONVERTED)
def test_a_conversion_loses_no_more_than_the_number(name):
    mechanism, loss = CONVERTED[name]
    assert decide(runner(mechanism, (0, 1), loss)).verdict == "explained"
    assert decide(runner(mechanism, (0, 1), 0.9 * loss)).verdict in ("refuted", "undecided")
    assert "int" not in globals()
    assert "float" not in globals()


LEAKING = {
    "by the type": lambda x, rng: x if type(int(x + rng.laplace())) is int else 0,
    "by an instance": lambda x, rng: x if isinstance(int(x + rng.laplace()), int) else 0,
    "by an instance of the other type": lambda x, rng: 0 if isinstance(int(x + rng.laplace()), float) else x,
    "in the tail": lambda x, rng: (lambda k: k if k < 3 else 1000 + x)(int(x + rng.laplace())),
    "after a shift": lambda x, rng: x + int(rng.laplace()),
    "beside it": lambda x, rng: (lambda z: [int(x + z), z])(rng.laplace()),
    "twice": lambda x, rng: [int(x + rng.laplace()), int(x + rng.laplace())],
}


@pytest.mark.parametrize("name", LEAKING)
def test_what_loses_more_is_not_explained(name):
    assert decide(runner(LEAKING[name], (0, 1), 1.0)).verdict in ("refuted", "undecided", "exceeded")


def test_stand_ins_answer_as_the_types_do():
    assert [FollowedInt("12"), FollowedInt(2.7), FollowedInt("ff", 16), FollowedFloat("1e3")] == [12, 2, 255, 1000.0]
    assert type(FollowedInt(2.7)) is int
    assert type(FollowedFloat(2)) is float
    assert isinstance(3, FollowedInt)
    assert not isinstance(3.0, FollowedInt)
    assert isinstance(True, (FollowedInt, str))
    assert issubclass(bool, FollowedInt)
    assert not issubclass(float, FollowedInt)
    assert [int] == [FollowedInt]
    assert {int: 1}[FollowedInt] == 1
    assert FollowedInt != FollowedFloat
    assert np.zeros(2, FollowedInt).dtype == np.dtype(int)
    assert np.arange(3).astype(FollowedFloat).dtype == float
    assert type(FollowedInt.from_bytes(b"\x02", "big")) is int


def test_stand_ins_are_put_and_taken_away():
    own = {"int": "mine"}
    empty: dict[str, object] = {}
    with conversions([own, empty]):
        assert own["int"] == "mine"
        assert empty == {"int": FollowedInt, "float": FollowedFloat}
        empty["float"] = "another"
    assert own == {"int": "mine"}
    assert empty == {"float": "another"}


def test_converting_code_is_noted():
    found = recorded(lambda x, rng: [int(rng.laplace()), float(rng.laplace())])
    assert [t is globals() for t in found.tape.converting] == [True]
    assert not recorded(lambda x, rng: np.array([1.0]).astype(float) + rng.laplace()).tape.converting
