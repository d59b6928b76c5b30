"""The state of an object is all that it holds, or it is said that it is not."""

import random

from dpspectra.contents import object_state


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
    assert object_state.state(Derived()) == [("b", 2), ("a", 1)]
    assert object_state.state(Open()) == [("a", 1), ("c", 3)]
    assert object_state.state(3) == object_state.state(object()) == []


def test_what_has_no_state_in_python_is_read_as_it_would_be_pickled():
    assert object_state.reduced(object()) == []
    assert (
        object_state.reduced(random.Random(1))
        == object_state.reduced(random.Random(1))
        != object_state.reduced(random.Random(2))
    )
    assert object_state.reduced(open) == []
