"""What a program keeps between its calls: a change is named and put back, and nothing is said where there is none."""

import abc
import array
import collections
import contextvars
import dataclasses
import functools
import gc
import importlib.util
import math
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

from dpspectra.audit import inside
from dpspectra.symbolic import state, stateless
from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.state import MOST, State
from dpspectra.symbolic.stateless import is_installed
from tests.support.noise_runs import runner

NUMBER = 0
TABLE: dict[str, Any] = {"n": 0}
COUNTS = collections.Counter("aab")
ORDERED = collections.OrderedDict(a=1, b=2)
ITEMS, LAST, MEMBERS = [1, 2], collections.deque([1, 2], maxlen=2), {1, 2}
BYTES, FLOATS, NUMBERS = bytearray(b"ab"), array.array("d", [1.0, float("nan")]), np.array([1.0, float("nan")])
NESTED = ({"inner": [1]}, frozenset())
ADD = ITEMS.append
CALLED: list[int] = []
ASKED: list[int] = []
STATIC: list[int] = []
REMEMBERED: list[int] = []


class Plain:
    shared = 0
    _items: ClassVar[list[int]] = []

    def __init__(self):
        self.n = 0

    def own(self, x):
        self.n += 1

    def of_the_class(self, x):
        type(self).shared += 1

    def in_the_class(self, x):
        self._items.append(x)

    def new_in_the_class(self, x):
        type(self).new = x  # type: ignore[attr-defined]

    def __call__(self, x):
        CALLED.append(x)

    @property
    def counted(self):
        ASKED.append(0)
        return 0

    @staticmethod
    def without_self(x):
        STATIC.append(x)

    @classmethod
    def with_class(cls, x):
        cls.shared += 1


class Heir(Plain):
    pass


class Slotted:
    __slots__ = ("empty", "n")

    def __init__(self):
        self.n = 0

    def changes(self, x):
        self.n += 1

    def fills(self, x):
        self.empty = x


class Settings(dict):
    calls = 0


SETTINGS, OBJECT, SLOTTED = Settings(a=1), Plain(), Slotted()


def global_(x):
    global NUMBER
    NUMBER += 1


def new_global(x):
    globals()["UNMADE"] = x
    return UNMADE  # type: ignore[name-defined] # noqa: F821


def in_an_inner_function(x):
    def inner():
        global NUMBER
        NUMBER += 1

    inner()


def by_a_helper(x):
    global_(x)


def closure():
    n = 0

    def counts(x):
        nonlocal n
        n += 1
        return n

    return counts


def captured():
    kept = []
    return lambda x: kept.append(x)


def default(x, kept=[]):  # noqa: B006
    kept.append(x)


def keyword(x, *, kept={}):  # noqa: B006
    kept[len(kept)] = x


def attribute(x):
    attribute.calls = getattr(attribute, "calls", 0) + 1  # type: ignore[attr-defined]


@functools.cache
def remembered(x):
    REMEMBERED.append(x)
    return x


@functools.lru_cache(maxsize=1)
def remembered_once(x):
    return x


def bound_first(kept, x):
    kept.append(x)


def settings(x):
    SETTINGS.calls += 1


def wrapped_installed(x):
    TABLE["n"] += 1


wrapped_installed.__module__ = "numpy"


def made_by_exec():
    place: dict[str, Any] = {}
    exec("N = 0\ndef f(x):\n    global N\n    N += 1", place)
    return place["f"]


OBJECT_OF = "an object of the class "
CHANGED = {
    "a global": (global_, "NUMBER"),
    "a global that was not there": (new_global, "UNMADE"),
    "a global of an inner function": (in_an_inner_function, "NUMBER"),
    "a global of a helper": (by_a_helper, "NUMBER"),
    "a global of a function made by exec": (made_by_exec(), "N"),
    "a global of a function that says it is numpy's": (wrapped_installed, "TABLE"),
    "a variable of an outer function": (closure(), "n"),
    "a list of an outer function": (captured(), "kept"),
    "a default": (default, "a default of default"),
    "a default of a keyword": (keyword, "a default of keyword"),
    "an attribute of a function": (attribute, "an attribute of attribute"),
    "an entry": (lambda x: TABLE.update(n=x), "TABLE"),
    "an entry more": (lambda x: TABLE.update(new=x), "TABLE"),
    "the order of a dictionary": (lambda x: ORDERED.move_to_end("a"), "ORDERED"),
    "a count": (lambda x: COUNTS.update("b"), "COUNTS"),
    "an item": (lambda x: ITEMS.__setitem__(0, x), "ITEMS"),
    "an item more": (lambda x: ITEMS.append(x), "ITEMS"),
    "an item of a deque": (lambda x: LAST.append(x), "LAST"),
    "a member": (lambda x: MEMBERS.add(x), "MEMBERS"),
    "a byte": (lambda x: BYTES.append(65), "BYTES"),
    "a number of an array of the standard library": (lambda x: FLOATS.__setitem__(0, 5.0), "FLOATS"),
    "a number of an array": (lambda x: NUMBERS.__setitem__(0, 5.0), "NUMBERS"),
    "a list in a dictionary in a tuple": (lambda x: NESTED[0]["inner"].append(x), "NESTED"),
    "a list by its method": (lambda x: ADD(x), "ADD"),
    "an attribute": (OBJECT.own, OBJECT_OF + "Plain"),
    "an attribute in a slot": (SLOTTED.changes, OBJECT_OF + "Slotted"),
    "an empty slot": (SLOTTED.fills, OBJECT_OF + "Slotted"),
    "an attribute of a dictionary of an own class": (settings, OBJECT_OF + "Settings"),
    "an attribute of a class": (OBJECT.of_the_class, "Plain.shared"),
    "a list of a class": (OBJECT.in_the_class, "Plain._items"),
    "a new attribute of a class": (OBJECT.new_in_the_class, "Plain.*"),
    "a list of the class above": (Heir().in_the_class, "Plain._items"),
    "an attribute by a class method": (Plain.with_class, "Plain.shared"),
    "a global by a static method": (lambda x: Plain.without_self(x), "STATIC"),
    "a global by an object that is called": (OBJECT, "CALLED"),
    "a global by a property": (lambda x: OBJECT.counted, "ASKED"),
    "a bound argument": (functools.partial(bound_first, [1]), "the mechanism"),
    "a bound keyword": (functools.partial(keyword, kept={1: 2}), "the mechanism"),
    "a bound function": (functools.partial(global_), "NUMBER"),
    "a cache": (lambda x: remembered(x), "remembered"),
    "a global of a function with a cache": (remembered, "REMEMBERED"),
}


@pytest.mark.parametrize("kind", CHANGED)
def test_what_changes_is_named_and_put_back(kind):
    """One call changes it, restoring says so, and a second look finds all as it was."""
    mechanism, name = CHANGED[kind]
    before, after = State(mechanism), State(mechanism)
    mechanism(9)
    assert name in before.restore()
    assert before.restore() == after.restore() == []


def contents():
    """All that the table above changes, in words."""
    several = NUMBER, TABLE, COUNTS, [*ORDERED], ITEMS, LAST, MEMBERS, BYTES, FLOATS, NUMBERS, NESTED, SETTINGS
    lists = CALLED, ASKED, STATIC, REMEMBERED
    owners = OBJECT, Plain, Heir, attribute
    own = [{k: v for k, v in vars(o).items() if not k.startswith("__")} for o in owners]
    return repr((several, lists, own, SLOTTED.n, hasattr(SLOTTED, "empty"), SETTINGS.calls, "UNMADE" in globals()))


CONTENTS = contents()


@pytest.mark.parametrize("kind", CHANGED)
def test_what_was_put_back_has_its_old_content(kind):
    mechanism, _ = CHANGED[kind]
    before = State(mechanism)
    mechanism(9)
    before.restore()
    assert contents() == CONTENTS


def test_a_full_cache_that_holds_another_result_has_changed():
    remembered_once(1)
    before = State(remembered_once)
    remembered_once(1)
    assert before.restore() == []
    remembered_once(2)
    assert before.restore() == ["the mechanism"]
    assert remembered_once.cache_info().currsize == 0


READ_ONLY = {
    "all of them": lambda x: (NUMBER, TABLE, COUNTS, ITEMS, LAST, MEMBERS, BYTES, FLOATS, NUMBERS, NESTED, SETTINGS),
    "a copy": lambda x: [*ITEMS, x],
    "an array that holds no number": lambda x: NUMBERS * x,
    "an empty slot": lambda x: SLOTTED,
    "a library": lambda x: np.add(x, np.pi),
    "a function of C": np.add,
    "no function": 3,
}


@pytest.mark.parametrize("kind", READ_ONLY)
def test_nothing_is_said_of_what_stays(kind):
    mechanism: Any = READ_ONLY[kind]
    before = State(mechanism)
    if isinstance(mechanism, types.FunctionType):
        mechanism(2)
    assert before.restore() == []


def test_an_empty_variable_of_an_outer_function_is_no_state():
    def counts(x):
        return later

    assert State(counts).restore() == []
    later = 1
    assert counts(0) == 1


# ---------------------------------------------------------------- modules


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of the user, ``kept_state``, with a module in it."""
    (tmp_path / "kept_state").mkdir()
    (tmp_path / "kept_state" / "__init__.py").write_text("N = 0\n")
    (tmp_path / "kept_state" / "inside.py").write_text("N = 0\nLIST = []\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("kept_state.inside")
    for name in ("kept_state", "kept_state.inside"):
        monkeypatch.delitem(sys.modules, name)


def imports(x):
    import kept_state.inside  # type: ignore[import-not-found]

    kept_state.inside.N += 1


def imports_the_package(x):
    import kept_state as named

    named.N += 1


def fills(x):
    from kept_state import inside

    inside.LIST.append(x)


@pytest.mark.parametrize(
    ("mechanism", "name"),
    [
        (imports, "kept_state.inside.N"),
        (imports_the_package, "kept_state.N"),
        (fills, "kept_state.inside.LIST"),
    ],
)
def test_modules_that_are_imported_by_the_function_are_read(package, mechanism, name):
    before = State(mechanism)
    mechanism(1)
    assert before.restore() == [name]
    assert (package.N, package.LIST, sys.modules["kept_state"].N) == (0, [], 0)


def test_modules_among_the_globals_are_read(package):
    place = {"kept": sys.modules["kept_state"], "__name__": "made"}
    exec("def f(x):\n    kept.inside.N += 1", place)
    before = State(place["f"])
    place["f"](1)  # type: ignore[operator]
    assert before.restore() == ["kept_state.inside.N"]
    assert package.N == 0


def test_a_module_that_is_not_registered_is_the_users(tmp_path):
    (tmp_path / "loose.py").write_text(
        "N = 0\nclass C:\n    n = 0\ndef f(x):\n    global N\n    N += 1\n    C.n += 1\n"
    )
    spec = importlib.util.spec_from_file_location("loose", tmp_path / "loose.py")
    assert spec is not None
    assert spec.loader is not None
    loose = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loose)
    before = State(loose.f)
    loose.f(1)
    assert before.restore() == ["C.n", "N"]


@pytest.mark.parametrize(
    ("module", "installed"),
    [
        ("numpy", True),
        ("numpy.linalg", True),
        ("functools", True),
        ("sys", True),
        ("builtins", True),
        ("dpspectra.symbolic.state", True),
        (__name__, False),
        ("__main__", False),
        ("no such module", False),
        (None, False),
    ],
)
def test_whose_module_it_is(module, installed, monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    assert is_installed(module) == installed


# ---------------------------------------------------------------- how much is read


@pytest.mark.parametrize(("objects", "names"), [(3, ["kept"]), (12, [])])
def test_no_more_objects_are_read_than_that(objects, names, monkeypatch):
    """Those that are nearest come first; what holds nothing does not count."""
    monkeypatch.setattr(state, "MOST", 10)
    several, kept = [*range(100, 1000), *([] for _ in range(objects))], []
    inner = [[kept]]
    before = State(lambda x: (several, inner))
    kept.append(1)
    assert [name.replace("inner", "kept") for name in before.restore()] == names


# ---------------------------------------------------------------- what an audit says of it


def test_an_audit_of_a_program_that_keeps_state_is_undecided():
    """It is explained as soon as it keeps nothing."""
    kept = []

    def mechanism(x, rng):
        kept.append(x)
        return x + rng.laplace()

    found = decide(runner(mechanism, (0.0, 1.0)))
    assert found.verdict == "undecided"
    assert "the program keeps state, which its calls changed and which was put back: kept" in found.sides[0].reasons[-1]
    assert kept == []
    assert decide(runner(lambda x, rng: x + rng.laplace(), (0.0, 1.0))).verdict == "explained"


# ------------------------------------------------------------------ where makers of randomness are held

MAKE = np.random.default_rng
REGISTRY: dict[str, Any] = {"make": MAKE}
MAKERS = [MAKE]


class Holding:
    """A class that holds makers in each way in which classes do."""

    __slots__ = ("slot",)
    variable = np.random.default_rng
    method = staticmethod(np.random.default_rng)

    def __init__(self):
        self.slot = np.random.default_rng


@dataclasses.dataclass
class WithFactory:
    """A field that is made anew for each object."""

    rng: Any = dataclasses.field(default_factory=np.random.default_rng)


def in_a_closure():
    make = np.random.default_rng
    return lambda: make()


HOLDING = Holding()
HELD: dict[str, Any] = {
    "a global": lambda: MAKE(),
    "a dictionary": lambda: REGISTRY["make"](),
    "a list": lambda: MAKERS[0](),
    "a default": lambda make=np.random.default_rng: make(),
    "a default by name": lambda *, make=np.random.default_rng: make(),
    "a closure": in_a_closure(),
    "a partial": functools.partial(np.random.default_rng),
    "an argument of a partial": functools.partial(lambda make: make(), np.random.default_rng),
    "a named argument of a partial": functools.partial(lambda make: make(), make=np.random.default_rng),
    "a class": lambda: Holding.variable(),
    "a static method": lambda: Holding.method(),
    "a slot": lambda: HOLDING.slot(),
    "a field": lambda: WithFactory().rng,
}


@pytest.mark.parametrize("name", HELD)
def test_a_maker_is_followed_wherever_the_program_holds_it_and_put_back(name):
    """The hidden flip is seen: with it the program is sound, without it the claim would be too small."""
    made = HELD[name]

    def program(x, rng):
        return bool(x) ^ bool(rng.random() < 0.1) ^ bool(made().random() < 0.02)

    state = State(program)
    found = inside(program, (0, 1), 2.1)
    assert found.verdict == "explained"
    assert found.loss == pytest.approx(math.log(0.884 / 0.116))
    assert state.restore() == []
    assert type(made()) is np.random.Generator


def test_more_objects_than_are_read_are_said():
    many = [[] for _ in range(MOST)]

    def program(x, rng):
        return x + rng.laplace() + len(many)

    assert any("more than 20000 objects" in why for why in State(program).unseen.values())
    assert inside(program, (0, 1), 1.0).verdict == "undecided"
    del many[: MOST // 2]
    assert not State(program).unseen
    assert inside(program, (0, 1), 1.0).verdict == "explained"


EMPTY: contextvars.ContextVar[int] = contextvars.ContextVar("empty")
DEFAULTED: contextvars.ContextVar[int] = contextvars.ContextVar("defaulted", default=3)
FILLED: contextvars.ContextVar[int] = contextvars.ContextVar("filled")


@pytest.mark.parametrize(("variable", "after"), [(EMPTY, 7), (DEFAULTED, 7), (FILLED, 1)])
def test_a_context_variable_is_put_back_if_it_had_a_value(variable, after):
    """One that had none keeps the new value, as none can be taken away; it never holds what stands for nothing."""

    def in_a_context():
        FILLED.set(1)
        before = State(lambda: variable.get())
        variable.set(7)
        changed = before.restore()
        return len(changed), variable.get()

    assert contextvars.copy_context().run(in_a_context) == (1, after)


class Abstract(abc.ABC):
    """Has a register, and a cache of what is asked of it."""

    @abc.abstractmethod
    def noise(self, rng):
        """Return a number."""


class Concrete(Abstract):
    def noise(self, rng):
        return rng.laplace()


class Late:
    """Is registered by a call."""


def test_an_abstract_class_is_no_state():
    def mechanism(x, rng):
        noise = Concrete()
        assert isinstance(noise, Abstract)
        return x + noise.noise(rng)

    assert inside(mechanism, (0.0, 1.0), 1.0).verdict == "explained"


def test_what_is_registered_is_state():
    def mechanism(x, rng):
        if x:
            Abstract.register(Late)
        return x + Concrete().noise(rng)

    found = inside(mechanism, (0.0, 1.0), 1.0)
    assert found.verdict == "undecided"
    assert any("Abstract.register" in text for text in (*found.findings, *found.reasons))


class Hooked(abc.ABC):  # noqa: B024 - what its hook says is kept
    """Says itself what its subclasses are, which its cache remembers."""

    count = 0

    @classmethod
    def __subclasshook__(cls, kind):
        return NotImplemented


def test_a_cache_of_a_hook_cannot_be_compared():
    def mechanism(x, rng):
        return x + rng.laplace() + isinstance(x, Hooked)

    found = inside(mechanism, (0.0, 1.0), 1.0)
    assert found.verdict == "undecided"
    assert any("_abc_data" in text for text in found.reasons)


# ------------------------------------------------------------------ what no event tells, and what goes with the output


class Shy:
    """Holds nothing by itself."""

    @property
    def value(self):
        return KEPT_BESIDE[self]


KEPT_BESIDE: weakref.WeakKeyDictionary[Shy, Any] = weakref.WeakKeyDictionary()


def keeps_beside(x, rng):
    output = Shy()
    KEPT_BESIDE[output] = x
    return rng.laplace(), output


def test_memory_that_goes_away_with_the_output_is_state():
    """After each call all is as it was before: the output alone leads to it."""
    found = inside(keeps_beside, (0.0, 1.0), 1.0)
    assert (found.verdict, len(KEPT_BESIDE)) == ("undecided", 0)
    assert any("an object of the class WeakKeyDictionary" in why for why in found.reasons)
    assert inside(lambda x, rng: (x + rng.laplace(), Shy()), (0.0, 1.0), 1.0).verdict == "explained"


ASKS: dict[str, Callable[[Any], object]] = {
    "the hash of an object": lambda rng: "a".__hash__(),
    "the frames of the run": lambda rng: sys._getframe(1),
    "how a function is made": lambda rng: hasattr(rng.laplace, "__func__"),
    "whether garbage is collected": lambda rng: gc.isenabled(),
    "the time": lambda rng: np.datetime64("now"),
}


@pytest.mark.parametrize("what", ASKS)
def test_what_no_event_tells_is_found_by_its_name(what):
    ask = ASKS[what]

    def program(x, rng):
        ask(rng)
        return x + rng.laplace()

    found = inside(program, (0.0, 1.0), 1.0)
    assert found.verdict == "undecided"
    assert any(f"it asks for {what}, in <lambda>" in why for why in found.reasons)


def test_all_that_is_asked_by_name_is_tried():
    assert set(stateless.ASKED.values()) == set(ASKS)


@pytest.mark.parametrize("part", ["__doc__", "__defaults__", "__code__"])
def test_what_a_function_is_made_of_is_state(part):
    def counter(x=0):
        return x

    def other(x=1):
        """Differ from it in all parts."""
        return -x

    before, was = State(lambda: counter()), getattr(counter, part)
    setattr(counter, part, getattr(other, part))
    assert before.restore() == ["an attribute of counter"]
    assert getattr(counter, part) == was
