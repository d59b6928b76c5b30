"""A value is what its known type holds, its attributes and its class; what else there may be is said."""

import ctypes
import enum
import fractions
import random
import re
import threading
import types
import zoneinfo

import numpy as np
import pytest

from dpspectra.contents.whole import beside, contents


class Base:
    __slots__ = ("__secret", "a")

    def __init__(self, secret):
        self.__secret = secret


class Twice(Base):
    __slots__ = ("a",)

    def __init__(self, secret):
        super().__init__(secret)
        vars(Base)["a"].__set__(self, 1)
        self.a = 2


class Concealed:
    __dict__ = property(lambda self: {})

    def __init__(self, x):
        self.x = x


class Level(enum.IntEnum):
    LOW = 1


class Structure(ctypes.Structure):
    _fields_ = (("n", ctypes.c_int),)


class Lazy(random.Random):
    pass


def test_slots_are_read_of_all_classes_and_under_any_name():
    assert sorted(contents(Twice(3)).parts, key=repr) == [("_Base__secret", 3), ("a", 1), ("a", 2)]


def test_what_may_hide_something_is_not_whole():
    for hidden in (Concealed(1), object(), threading.Lock(), np.longdouble(1), np.zeros(1, "i,f")[0]):
        assert not contents(hidden).whole
    assert not beside(Concealed(1)).whole


def test_members_of_enumerations_are_number_name_and_value():
    assert [value for name, value in contents(Level.LOW).parts if name in ("(value)", "_name_")] == [1, "LOW"]
    assert not [name for name, _ in contents(Level.LOW).parts if name == "__objclass__"]


@pytest.mark.parametrize(
    "make",
    [
        lambda b: fractions.Fraction(1, 2 + b),
        lambda b: re.compile("ab"[b]),
        Structure,
        random.Random,
        Lazy,
        np.random.default_rng,
        lambda b: zoneinfo.ZoneInfo(("Europe/Berlin", "Europe/Paris")[b]),
        lambda b: types.SimpleNamespace(a=b),
        lambda b: np.ma.masked_array([b], mask=[True]),
        lambda b: OSError(1 + b, "text"),
        lambda b: ExceptionGroup("text", [ValueError(b)]),
        lambda b: UnicodeDecodeError("utf-8", b"ab", b, 2, "text"),
    ],
)
def test_values_are_whole_and_a_bit_shows(make):
    found = [contents(make(bit)) for bit in (0, 1)]
    assert all(each.whole for each in found)
    assert repr(found[0].parts) != repr(found[1].parts)


def test_the_cause_of_an_exception_is_a_part():
    problem = ValueError("text")
    problem.__cause__ = KeyError(1)
    problem.add_note("a note")
    found = dict(contents(problem).parts)
    assert found["__cause__"] is problem.__cause__
    assert found["__notes__"] == ["a note"]


def test_a_module_that_is_not_what_its_name_says_is_read():
    strange = types.ModuleType("math")
    vars(strange)["secret"] = 1
    assert ("secret", 1) in contents(strange).parts
    assert len(contents(types).parts) == 1
