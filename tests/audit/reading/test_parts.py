"""Objects are taken apart into named parts."""

import collections
import random

from dpspectra.audit.reading import parts


class Base:
    __slots__ = ("a",)


class Derived(Base):
    __slots__ = ("b", "unset")

    def __init__(self):
        self.a, self.b = 1, 2


class Open(Base):
    def __init__(self):
        self.a = 1
        self.c = 3


def test_state_is_slots_of_all_classes_and_the_dictionary():
    assert parts.state(Derived()) == [("b", 2), ("a", 1)]
    assert parts.state(Open()) == [("a", 1), ("c", 3)]
    assert parts.state(3) == parts.state(object()) == []


def test_what_has_no_state_in_python_is_read_as_it_would_be_pickled():
    assert parts.reduced(object()) == []
    assert parts.reduced(random.Random(1)) == parts.reduced(random.Random(1)) != parts.reduced(random.Random(2))
    assert parts.reduced(open) == []


def test_plain_values_stand_for_containers_of_the_standard_library():
    assert parts.simpler(collections.deque([1])) == [1]
    assert parts.simpler({"a": 1}.keys()) == ["a"]
    assert parts.simpler("text") is None
