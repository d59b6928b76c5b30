"""A program that asks for the type of a number with noise is not taken to have been followed."""

import importlib.util
import random
from typing import Any

import numpy as np
import pytest

from dpspectra.audit import inside
from dpspectra.symbolic import untraced_extensions
from dpspectra.symbolic.asked_types import Types, lend, lent
from tests.support.noise_runs import recorded

PAIR = (0.0, 1.0)


def leaks_far_out(x, rng):
    y = x + rng.laplace()
    return x if type(y) is float and y > 12 else y


def leaks_by_a_name(x, rng):
    kind, y = type, x + rng.laplace()
    return x if kind(y).__name__ == "float" and y > 12 else y


def leaks_in_a_list(x, rng):
    ys = [x + rng.laplace(), 0.0]
    return x if set(map(type, ys)) == {float} and ys[0] > 12 else ys


def asks_of_arrays(x, rng):
    y = x + rng.laplace(size=2) / 2
    return y if type(y) is np.ndarray else x


def uses_classes(x, rng):
    class Meta(type):
        pass

    class Kind(metaclass=Meta):
        pass

    made = type("Made", (Kind,), {})
    assert type(Kind) is Meta
    assert type(int) is type
    assert isinstance(Kind, type)
    assert issubclass(Meta, type)
    assert isinstance(made(), Kind)
    assert type(x) is float
    return x + rng.laplace()


@pytest.mark.parametrize("leak", [leaks_far_out, leaks_by_a_name, leaks_in_a_list])
def test_the_type_of_a_number_with_noise_ends_the_run(leak):
    found = inside(leak, PAIR, 1.0)
    assert found.verdict == "undecided"
    assert "the type of a number that holds noise is asked for" in found.reasons[0]
    assert leak.__name__ in found.reasons[0]


def test_the_type_of_a_function_that_is_replaced_ends_the_run():
    def leak(x, rng):
        named = random.random.__name__ == "random"
        rare = named and type(random.random).__name__ == "builtin_function_or_method" and random.random() < 1e-3
        return float(x) if rare else x + rng.laplace()

    found = inside(leak, PAIR, 1.0)
    assert found.verdict == "undecided"
    assert "the type of a function that is replaced is asked for" in found.reasons[0]


@pytest.mark.parametrize(("mechanism", "epsilon"), [(asks_of_arrays, 4.0), (uses_classes, 1.0)])
def test_other_types_are_what_they_are(mechanism, epsilon):
    assert inside(mechanism, PAIR, epsilon).verdict == "explained"


def test_what_is_lent_is_taken_back():
    inside(uses_classes, PAIR, 1.0)
    assert "type" not in globals()


def test_an_installed_package_is_lent_conversions_and_no_type(tmp_path, monkeypatch):
    monkeypatch.setattr(untraced_extensions, "INSTALLED", (str(tmp_path),))
    path = tmp_path / "installed.py"
    path.write_text("def mechanism(x, rng):\n    assert type(x) is not str\n    return float(x + rng.laplace())\n")
    spec = importlib.util.spec_from_file_location("installed", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    found = recorded(lambda x, rng: (made.mechanism(x, rng), sorted({"type", "float"} & set(vars(made)))), 0.0)
    assert not found.hidden
    assert found.leaves["output[1][0]"] == ("str", "float")
    assert "output[1][1]" not in found.leaves


def test_a_module_with_a_type_of_its_own_keeps_it():
    names: dict[str, Any] = {"type": str, "__name__": "mine"}
    exec("def asked(frames):\n    import sys\n    frames.append(sys._getframe())\n    return type(3)", names)
    frames = []
    with lent():
        assert names["asked"](frames) == "3"
        lend(frames[0])
        assert names["type"] is str
    assert Types.__name__ == "Types"
