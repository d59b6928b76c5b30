"""A program whose calls count in modules and settings is undecided; one whose calls leave them as they are is not."""

import builtins
import collections
import decimal
import linecache
import locale
import logging
import math
import os
import sys
import types

import numpy as np
import pytest

from dpspectra.audit import inside
from dpspectra.symbolic.whole_modules import SETTINGS


def counted(owner):
    owner.calls_so_far = getattr(owner, "calls_so_far", 0) + 1


def by_a_built_name():
    globals()["CALLS_" + "SO_FAR"] = globals().get("CALLS_" + "SO_FAR", 0) + 1


def with_another_precision():
    decimal.getcontext().prec += 1


def with_another_locale():
    locale.setlocale(locale.LC_ALL, "C" if locale.setlocale(locale.LC_ALL) != "C" else "C.UTF-8")


def with_another_threshold():
    np.set_printoptions(threshold=np.get_printoptions()["threshold"] + 1)


CHANGES = {
    "math": lambda: counted(math),
    "builtins": lambda: counted(builtins),
    "collections": lambda: counted(collections.Counter),
    "linecache": lambda: linecache.cache.setdefault(f"<no file {len(linecache.cache)}>", (1, None, ["x"], "x")),
    "made_by_the_program": lambda: counted(sys.modules["made_by_" + "the_program"]),
    __name__: by_a_built_name,
    "the environment": lambda: vars(os.environ)["_data"].update({b"A": b"a" + os.environb[b"A"]}),
    "the context of decimal": with_another_precision,
    "how numpy prints": with_another_threshold,
    "the locale": with_another_locale,
    "levels of loggers": lambda: logging.getLogger("a").setLevel(logging.getLogger("a").level + 1),
}


@pytest.fixture
def put_back(monkeypatch):
    """All that these programs change, as it was before."""
    for owner in (math, builtins, collections.Counter):
        monkeypatch.setattr(owner, "calls_so_far", 0, raising=False)
    monkeypatch.setitem(sys.modules, "made_by_the_program", types.ModuleType("made_by_the_program"))
    monkeypatch.setattr(linecache, "cache", dict(linecache.cache))
    monkeypatch.setenv("A", "")
    before = locale.setlocale(locale.LC_ALL)
    with decimal.localcontext(), np.printoptions():
        yield
    locale.setlocale(locale.LC_ALL, before)
    logging.getLogger("a").setLevel(logging.NOTSET)
    globals().pop("CALLS_SO_FAR", None)


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.usefixtures("put_back")
def test_what_each_call_changes_is_told(name):
    def program(x, rng):
        CHANGES[name]()
        return x + rng.laplace()

    found = inside(program, (0, 1), 1.0)
    assert found.verdict == "undecided"
    assert any(f"each of its calls changes something in {name}" in why for why in found.reasons)


def test_all_settings_are_tried():
    assert CHANGES.keys() > SETTINGS.keys()


def test_what_is_filled_once_is_no_count():
    def program(x, rng):
        linecache.getline(__file__, 1)
        return x + rng.laplace() + len(logging.getLogger("b").handlers)

    assert inside(program, (0, 1), 1.0).verdict == "explained"
