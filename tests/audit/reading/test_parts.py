"""Objects are taken apart into named parts."""

import collections
import random

from dpspectra.audit.reading import memory, parts


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
    assert memory.state(Derived()) == [("b", 2), ("a", 1)]
    assert memory.state(Open()) == [("a", 1), ("c", 3)]
    assert memory.state(3) == memory.state(object()) == []


def test_what_has_no_state_in_python_is_read_as_it_would_be_pickled():
    assert memory.reduced(object()) == []
    assert memory.reduced(random.Random(1)) == memory.reduced(random.Random(1)) != memory.reduced(random.Random(2))
    assert memory.reduced(open) == []


def test_containers_are_taken_apart_of_the_standard_library():
    assert parts.of_container(collections.deque([1], 3)) == [("items", [1]), ("maxlen", 3)]
    assert parts.of_container({"a": 1}.keys()) == [("items", ["a"]), ("mapping", {"a": 1})]
    assert parts.of_container("text") is None
