"""Places in which an object is held: each kind is found, and something else can be put there."""

import sys
import types
from typing import Any

import pytest

from dpspectra.symbolic import referrers


class Thing:
    kept: Any


class Slotted:
    __slots__ = ("kept",)
    kept: Any


def attribute(thing):
    owner = Thing()
    owner.kept = thing
    return owner, lambda: owner.kept


def slot(thing):
    owner = Slotted()
    owner.kept = thing
    return owner, lambda: owner.kept


def class_variable(thing):
    owner: Any = type("Owner", (), {"kept": thing})
    return owner, lambda: owner.kept


def entry(thing):
    owner = {"kept": thing}
    return owner, lambda: owner["kept"]


def item(thing):
    owner = [None, thing]
    return owner, lambda: owner[1]


def closure(thing):
    def kept():
        return thing

    return kept, kept


PLACES = [attribute, slot, class_variable, entry, item, closure]


@pytest.mark.parametrize("many", [1, referrers.MANY], ids=["one pass in Python", "one in C"])
@pytest.mark.parametrize("place", PLACES)
def test_a_place_is_found_and_takes_something_else(place, many, monkeypatch):
    monkeypatch.setattr(referrers, "MANY", many)
    first, other = Thing(), Thing()
    owner, kept = place(first)
    places = [p for p in referrers.holders((first,))[id(first)] if p.get() is first]
    for held in places:
        held.put(other)
    now = kept()
    for held in places:
        held.put(first)
    assert owner is not None
    assert now is other
    assert kept() is first


def test_a_module_is_named_with_the_variable(monkeypatch):
    module: Any = types.ModuleType("a_module_of_a_test")
    module.kept = thing = Thing()
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert "a_module_of_a_test.kept" in [place.name for place in referrers.holders((thing,))[id(thing)]]


def test_nothing_is_held_nowhere():
    assert referrers.holders(()) == {}
