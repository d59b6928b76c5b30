"""Bit generators of randomgen behind numpy's own generator: followed if their seed is fresh, and nothing else is asked.

Where randomgen is not installed, classes of numpy bear its names.
"""

import contextlib
import importlib
import importlib.util
import sys
import types
from unittest import mock

import numpy as np
import pytest

from dpspectra.symbolic import bit_generators
from dpspectra.symbolic.analysis import decide
from tests.support.noise_runs import runner

CONSTANT = ("PCG64", "PCG64DXSM", "Philox", "ChaCha", "ThreeFry")
"""Those that keep a part of their state."""


@pytest.fixture(autouse=True)
def randomgen():
    """The package, or one that looks like it."""
    with contextlib.ExitStack() as stack:
        if importlib.util.find_spec("randomgen") is None:
            stand_in = types.ModuleType("randomgen")
            for name in bit_generators.OF_RANDOMGEN:
                kind = np.random.PCG64 if name in CONSTANT else np.random.SFC64
                setattr(stand_in, name, type(name, (kind,), {"__module__": "randomgen"}))
            stack.enter_context(mock.patch.dict(sys.modules, {"randomgen": stand_in}))
        else:
            importlib.import_module("randomgen")
        bit_generators._known.cache_clear()
        yield sys.modules["randomgen"]
    bit_generators._known.cache_clear()


def fresh(kind, scale=1.0, **options):
    return lambda x: x + np.random.Generator(kind(**options)).laplace(scale=scale)


def made_before(kind, scale=1.0, state=None, **options):
    bits = kind(**options)
    made = np.random.Generator(bits)
    made.random(5)
    if state is not None:
        bits.state = state
    return lambda x: x + made.laplace(scale=scale)


def verdict(mechanism):
    return decide(runner(mechanism, (0.0, 1.0))).verdict


@pytest.mark.parametrize("name", ["Xoshiro256", "PCG64", "ChaCha"])
@pytest.mark.parametrize("made", [fresh, made_before])
@pytest.mark.parametrize(("scale", "expected"), [(1.0, "explained"), (0.5, "refuted")])
def test_their_stream_is_replaced(randomgen, name, made, scale, expected):
    assert verdict(made(getattr(randomgen, name), scale)) == expected


@pytest.mark.parametrize("name", ["Xoshiro256", "PCG64"])
def test_a_seed_is_no_noise(randomgen, name):
    kind = getattr(randomgen, name)
    assert verdict(fresh(kind, seed=5)) != "explained"
    assert verdict(made_before(kind, seed=5)) == "undecided"
    assert verdict(made_before(kind, state=kind(5).state)) == "undecided"


def test_a_key_is_no_fresh_seed(randomgen):
    def keyed(x):
        return x + np.random.Generator(randomgen.ChaCha(None, 5)).laplace()

    assert verdict(keyed) == "undecided"


ASKED = {
    "raw numbers": lambda bits: bits.random_raw() % 2,
    "state": lambda bits: len(str(bits.state)) % 2,
    "seed": lambda bits: bits.seed_seq.entropy % 2,
}


@pytest.mark.parametrize("name", ASKED)
def test_what_else_is_asked_ends_the_run(randomgen, name):
    kind = randomgen.Xoshiro256
    found = decide(runner(lambda x, rng: x + rng.laplace() * ASKED[name](kind()), (0.0, 1.0)))
    assert found.verdict == "undecided"
    assert "of Xoshiro256 at test_bit_generators.py:" in found.sides[0].reasons[0]


def test_one_that_has_drawn_too_much_is_not_sought_for_ever(randomgen, monkeypatch):
    from dpspectra.symbolic import existing_generators

    monkeypatch.setattr(existing_generators, "MOST_DRAWN", 5)
    assert verdict(made_before(randomgen.Xoshiro256)) == "undecided"
    assert verdict(made_before(randomgen.PCG64)) == "explained"


def test_other_classes_are_not_known(randomgen):
    class Own(np.random.PCG64):
        pass

    assert Own not in bit_generators.known_kinds()
    assert verdict(fresh(Own)) == "undecided"
    assert verdict(made_before(Own)) == "undecided"
