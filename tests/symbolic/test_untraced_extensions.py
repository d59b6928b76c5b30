"""Compiled code of libraries whose draws nobody can see ends a followed run; that of known libraries does not."""

import ctypes
import importlib
import json
import math
import sys
import types

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpspectra.audit import inside
from dpspectra.symbolic import untraced_extensions

SYSTEM = ctypes.CDLL(None)
RANDOM = SYSTEM.rand


def by_attribute(x, rng):
    return bool(x) ^ bool(rng.random() < 0.1) ^ (SYSTEM.rand() % 50 == 0)


def by_a_pointer(x, rng):
    return bool(x) ^ bool(rng.random() < 0.1) ^ (RANDOM() % 50 == 0)


def by_a_default(x, rng, draw=RANDOM):
    return bool(x) ^ bool(rng.random() < 0.1) ^ (draw() % 50 == 0)


def loaded_in_the_run(x, rng):
    return bool(x) ^ bool(rng.random() < 0.1) ^ (ctypes.CDLL(None).rand() % 50 == 0)


def alone(x):
    return RANDOM() % 100 < (3 if x else 0)


@pytest.mark.parametrize("program", [by_attribute, by_a_pointer, by_a_default, loaded_in_the_run, alone])
def test_noise_of_ctypes_is_neither_explained_nor_refuted(program):
    found = inside(program, (0, 1), 2.1)
    assert found.verdict == "undecided"
    assert any("a library that ctypes loads" in why for why in found.reasons)


def test_noise_of_cffi_is_neither_explained_nor_refuted():
    ffi = pytest.importorskip("cffi").FFI()
    ffi.cdef("int rand(void);")
    system = ffi.dlopen(None)
    draw = system.rand
    for program in (
        lambda x, rng: bool(x) ^ bool(rng.random() < 0.1) ^ (system.rand() % 50 == 0),
        lambda x, rng: bool(x) ^ bool(rng.random() < 0.1) ^ (draw() % 50 == 0),
    ):
        found = inside(program, (0, 1), 2.1)
        assert found.verdict == "undecided"
        assert any(untraced_extensions.BY_CFFI in why for why in found.reasons)


def test_what_can_be_called_is_named_even_if_no_event_tells():
    """Arrow's functions are called without an event of Python; here the program only holds one."""
    one = pytest.importorskip("pyarrow").array([1])

    def program(x, rng, table=one):
        return x + rng.laplace(), len(table)

    found = inside(program, (0, 1), 1.0)
    assert found.verdict == "undecided"
    assert "it can call compiled code of pyarrow (a default of program)" in found.reasons[0]


def as_a_module(x, rng):
    import flint

    return float(flint.arb(x).mid()) + rng.laplace()


def by_name(x, rng):
    from flint import arb

    return float(arb(x).mid()) + rng.laplace()


def by_importlib(x, rng):
    return float(importlib.import_module("flint.types.arb").arb(x).mid()) + rng.laplace()


@pytest.mark.parametrize("program", [as_a_module, by_name, by_importlib])
def test_what_is_imported_in_the_run_can_be_called_too(program):
    found = inside(program, (0.0, 1.0), 1.0)
    assert found.verdict == "undecided"
    assert "compiled code of flint" in found.reasons[0]


def test_known_modules_may_be_imported_in_the_run():
    def program(x, rng):
        import json
        from math import tau

        return json.loads(str(x)) + tau + rng.laplace()

    assert inside(program, (0.0, 1.0), 1.0).verdict == "explained"


def test_a_run_that_is_itself_part_of_an_import_is_watched(tmp_path, monkeypatch):
    """What began before the run says nothing of who is called in it."""
    (tmp_path / "audits_as_it_is_imported.py").write_text(
        "import ctypes\n"
        "from dpspectra.audit import inside\n"
        "def load():\n"
        "    return ctypes.CDLL(None).rand()\n"
        "found = inside(lambda x, rng: bool(x) ^ bool(rng.random() < 0.1) ^ (load() % 50 == 0), (0, 1), 2.1)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    found = importlib.import_module("audits_as_it_is_imported").found
    assert found.verdict == "undecided"
    assert any("a library that ctypes loads" in why for why in found.reasons)


def test_known_libraries_need_no_follower():
    def program(x, rng):
        table = pd.DataFrame({"a": [x, 1.0]})
        return float(table["a"].sum()) + stats.norm.cdf(0.0) + json.loads("[1]")[0] + math.pi + rng.laplace()

    assert inside(program, (0.0, 1.0), 1.0).verdict == "explained"


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("numpy.linalg", None),
        ("json", None),
        ("scipy.stats", None),
        ("dpspectra.audit", None),
        (__name__, None),
        ("__main__", None),
        ("a name of no module", None),
        (None, None),
        ("pytest", None),  # Python code only
        ("pyarrow", "pyarrow"),
        ("pyarrow.compute", "pyarrow"),
        ("jax.random", "jax"),
    ],
)
def test_a_package_that_ships_compiled_code_is_named(module, package, monkeypatch):
    if package == "pyarrow":
        pytest.importorskip("pyarrow")
    if package == "jax":  # its compiled code has a package of its own
        monkeypatch.setitem(sys.modules, "jax", types.ModuleType("jax"))
    assert untraced_extensions.library(module) == package


def test_a_package_is_asked_again_after_another_one_stood_for_it(monkeypatch):
    pytest.importorskip("matplotlib")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "matplotlib", types.ModuleType("matplotlib"))
        assert untraced_extensions.library("matplotlib") is None
    assert untraced_extensions.library("matplotlib") == "matplotlib"


def test_a_module_of_the_user_that_is_compiled_is_named(monkeypatch):
    own = types.ModuleType("own_extension")
    own.__file__ = "own_extension.abi3.so"
    monkeypatch.setitem(sys.modules, "own_extension", own)
    assert untraced_extensions.library("own_extension") == "own_extension"


class Ours(list):
    """A class of Python that inherits functions written in C."""


@pytest.mark.parametrize("function", [len, [].append, Ours().append, dict.fromkeys, np.array, math.exp, "".join])
def test_functions_of_the_interpreter_and_of_known_libraries_are_behind_nothing(function):
    assert untraced_extensions.behind(function) is None


def test_functions_of_other_libraries_are_behind_them():
    polars = pytest.importorskip("polars")
    own = [v for v in vars(sys.modules["polars._plr"]).values() if type(v) is type(len)]
    assert own
    assert {untraced_extensions.behind(v) for v in own} == {untraced_extensions.NAMELESS}
    assert untraced_extensions.behind(polars.Series([1])._s.len) == untraced_extensions.NAMELESS


def test_a_library_of_python_code_is_followed_to_where_it_calls_compiled_code():
    polars = pytest.importorskip("polars")
    found = inside(lambda x, rng: (rng.laplace(), polars.Series([x]).sample(1).to_list()), (0, 1), 1.0)
    assert found.verdict == "undecided"
    assert "compiled code of" in found.reasons[0]


@pytest.mark.parametrize(
    ("thing", "what"),
    [
        (SYSTEM, untraced_extensions.BY_CTYPES),
        (RANDOM, untraced_extensions.BY_CTYPES),
        (type(RANDOM), untraced_extensions.BY_CTYPES),
        (np, None),
        (np.random.default_rng, None),
        (pd.DataFrame({"a": [1]}), None),
        (3.0, None),
        (len, None),
        (Ours(), None),
    ],
)
def test_things_tell_what_they_can_call(thing, what):
    assert untraced_extensions.of_thing(thing) == what


def test_ctypes_and_numba_work_as_before_after_an_audit():
    before = vars(type(RANDOM)).get("__call__")
    inside(by_a_pointer, (0, 1), 2.1)
    assert vars(type(RANDOM)).get("__call__") is before
    assert isinstance(RANDOM(), int)
    numba = pytest.importorskip("numba")
    twice = numba.njit(lambda x: 2 * x)
    assert twice(2) == 4
    assert inside(lambda x, rng: twice(x) + rng.laplace(), (0, 1), 2.0).verdict == "undecided"
    assert twice(3) == 6
    assert twice(1.5) == 3.0  # compiled after it
