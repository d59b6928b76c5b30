"""Conversions by `int` and `float` keep noise where the stand-ins cannot be told apart, and nowhere else."""

import importlib.util
import itertools
import math
from pathlib import Path

import pytest

from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.converted_numbers import FollowedFloat, FollowedInt
from tests.support.noise_runs import recorded, runner

COUNT = itertools.count()


@pytest.fixture
def module(tmp_path):
    """Return a maker of modules from their text."""

    def made(text):
        name = f"conversions_{next(COUNT)}"
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return found

    return made


CONVERTED = {
    "int": ("return int(x + rng.laplace())", 1.0),
    "int of a rounded number": ("return int(round(x + rng.laplace()))", 1.0),
    "float": ("return float(x + rng.laplace())", 1.0),
    "each of several": ("return [int(v) for v in x + rng.laplace(scale=3.0, size=3)]", 1.0),
    "geometric noise": ("return x + int(rng.geometric(0.5)) - int(rng.geometric(0.5))", math.log(2)),
    "at least 0": ("return max(0, int(x + rng.laplace()))", 1.0),
    "each by map": ("return list(map(int, x + rng.laplace(scale=3.0, size=3)))", 1.0),
    "if it is a number": ("return int(x + rng.laplace()) if isinstance(x, (int, float)) else None", 1.0),
}


@pytest.mark.parametrize("name", CONVERTED)
def test_a_conversion_loses_no_more_than_the_number(module, name):
    text, loss = CONVERTED[name]
    made = module(f"def mechanism(x: int, rng) -> object:\n    {text}\n")
    assert decide(runner(made.mechanism, (0, 1), loss)).verdict == "explained"
    assert decide(runner(made.mechanism, (0, 1), 0.9 * loss)).verdict in ("refuted", "undecided")
    assert not {"int", "float"} & set(vars(made))


@pytest.mark.parametrize("loss", [1.0, 0.9])
def test_it_is_refuted_with_its_line(module, loss):
    made = module("def mechanism(x, rng):\n    noise = rng.laplace()\n    return int(x + noise)\n")
    found = decide(runner(made.mechanism, (0, 1), loss))
    assert found.verdict == ("explained" if loss == 1.0 else "refuted")
    assert [place.partition(" ")[0] for place in found.calls] == [f"{made.__name__}.py:2"]


LEAKING = {
    "an instance": "y = int(x + rng.laplace()); return 1000 + x if isinstance(y, int) and y > 30 else y",
    "one of several": "y = int(x + rng.laplace()); return 1000 + x if isinstance(y, (str, int)) and y > 30 else y",
    "no instance": "y = int(x + rng.laplace()); return y if isinstance(y, float) or y < 30 else 1000 + x",
    "rounded": "y = round(x + rng.laplace()); return 1000 + x if isinstance(y, int) and y > 30 else y",
    "a float": "y = float(x + rng.laplace()); return 1000 + x if isinstance(y, float) and y > 30 else y",
    "a tail": "k = int(x + rng.laplace()); return k if k < 30 else 1000 + x",
    "a shift": "return x + int(rng.laplace())",
    "the draw beside it": "z = rng.laplace(); return [int(x + z), z]",
    "twice": "return [int(x + rng.laplace()), int(x + rng.laplace())]",
    "one draw twice": "z = rng.laplace(); return [int(x + z), int(z)]",
    "another scale": "return int((1 + x) * rng.laplace())",
}


@pytest.mark.parametrize("name", LEAKING)
def test_what_loses_more_is_not_explained(module, name):
    made = module(f"def mechanism(x, rng):\n    {LEAKING[name]}\n")
    assert decide(runner(made.mechanism, (0, 1), 1.0, seconds=4.0)).verdict != "explained"


def test_an_array_of_floats_keeps_its_noise(module):
    text = "np.array([x + rng.laplace(), 1], dtype=float)"
    made = module(f"import numpy as np\n\ndef mechanism(x, rng):\n    return {text}, float(x)\n")
    found = recorded(made.mechanism, 0)
    assert not found.hidden
    assert found.rows is not None


TYPES_OF_ARRAYS = {
    "converted entries": "np.array([1.5]).astype(int)",
    "entries by position": "np.zeros(2, int)",
    "entries by name": "np.full(2, 1.0, dtype=int)",
    "entries of a list": "np.asarray([1.5, 2.5], int)",
}


@pytest.mark.parametrize("name", TYPES_OF_ARRAYS)
def test_a_module_may_say_the_types_of_arrays(module, name):
    made = module(
        f"import numpy as np\n\ndef mechanism(x, rng):\n    return {TYPES_OF_ARRAYS[name]}, int(x + rng.laplace())\n"
    )
    found = recorded(made.mechanism, 0)
    assert not found.hidden
    assert found.leaves["output[0]"][:2] == ("array", "int64")


def test_a_module_may_say_the_types_of_options(module):
    parser = "import argparse\n\ndef main():\n    argparse.ArgumentParser().add_argument('--x', type=float)\n"
    made = module(f"{parser}\ndef mechanism(x, rng):\n    return float(x + rng.laplace())\n")
    assert not recorded(made.mechanism, 0).hidden


PLAIN = "    return int(x + rng.laplace())\n"
NOT_LENT = {
    "it is compared": f"def mechanism(x, rng):\n    if int is str:\n        return 0\n{PLAIN}",
    "it is passed on": f"def mechanism(x, rng):\n    list(filter(int, [x]))\n{PLAIN}",
    "what map is": f"def other(map):\n    return map(int, [3])\n\ndef mechanism(x, rng):\n{PLAIN}",
    "what is mapped": f"def mechanism(x, rng):\n    list(map(str, [int]))\n{PLAIN}",
    "it has an option": f"def mechanism(x, rng):\n    int('7', 8)\n{PLAIN}",
    "an attribute": f"def mechanism(x, rng):\n    int.from_bytes(b'1', 'big')\n{PLAIN}",
    "a pattern": f"def mechanism(x, rng):\n    match x:\n        case int():\n            pass\n{PLAIN}",
    "a class of it": f"class Own(int):\n    pass\n\ndef mechanism(x, rng):\n{PLAIN}",
    "another name": f"def mechanism(x, rng):\n    own = int\n{PLAIN}",
    "an argument": f"def other(int):\n    return int\n\ndef mechanism(x, rng):\n{PLAIN}",
    "all names of a module": f"from os.path import *\n\ndef mechanism(x, rng):\n{PLAIN}",
    "its own names": f"def mechanism(x, rng):\n    globals()\n{PLAIN}",
    "code that is made": f"def mechanism(x, rng):\n    eval('1')\n{PLAIN}",
    "what isinstance is": f"def other(isinstance):\n    return isinstance(3, int)\n\ndef mechanism(x, rng):\n{PLAIN}",
    "the name in a text": f"def mechanism(x, rng):\n    'int'\n    str('int')\n{PLAIN}",
    "a list of it": f"def mechanism(x, rng):\n    isinstance(x, [int][0])\n{PLAIN}",
    "a type of another function": f"def other(kind):\n    pass\n\ndef mechanism(x, rng):\n    other(int)\n{PLAIN}",
    "a type of another method": f"import numpy as np\n\ndef mechanism(x, rng):\n    np.vectorize(int)\n{PLAIN}",
    "another option": f"def other(p):\n    p.add_argument('x', const=int)\n\ndef mechanism(x, rng):\n{PLAIN}",
    "a type of something else": f"def other(p):\n    p.add(type=int)\n\ndef mechanism(x, rng):\n{PLAIN}",
    "a default": f"def other(kind=int):\n    return kind\n\ndef mechanism(x, rng):\n{PLAIN}",
}


@pytest.mark.parametrize("name", NOT_LENT)
def test_where_it_could_be_told_apart_it_is_decided_at_once(module, name):
    found = recorded(module(NOT_LENT[name]).mechanism, 0)
    assert [e.kind for e in found.hidden] == ["whole"]


def test_a_source_that_says_something_else_is_not_believed(module):
    made = module("def mechanism(x, rng):\n    kind = int\n    return kind(int(x + rng.laplace()))\n")
    Path(made.__file__).write_text("def mechanism(x, rng):\n    return int(x + rng.laplace())\n")
    assert recorded(made.mechanism, 0).hidden


def test_a_source_that_is_gone_is_not_lent(module, tmp_path):
    made = module(f"def mechanism(x, rng):\n{PLAIN}")
    (tmp_path / f"{made.__name__}.py").unlink()
    assert recorded(made.mechanism, 0).hidden


def test_stand_ins_answer_as_the_types_do():
    assert [FollowedInt("12"), FollowedInt(2.7), FollowedInt("ff", 16), FollowedFloat("1e3")] == [12, 2, 255, 1000.0]
    assert type(FollowedInt(2.7)) is int
    assert type(FollowedFloat(2)) is float
    for thing in (3, 3.0, True, "3", None, int, [3]):
        assert isinstance(thing, FollowedInt) == isinstance(thing, int)
        assert isinstance(thing, FollowedFloat) == isinstance(thing, float)
        assert isinstance(thing, (FollowedInt, str)) == isinstance(thing, (int, str))
    assert (FollowedInt.__name__, FollowedInt.__module__) == (int.__name__, int.__module__)
    for wrong in ("x", None, [3]):
        with pytest.raises((ValueError, TypeError)) as real:
            int(wrong)
        with pytest.raises(real.type, match="int"):
            FollowedInt(wrong)
