"""Generators that are made without a seed, by whatever road, are followed; all others are real."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from dpspectra.symbolic.tape import NotFollowed
from tests.support.noise_runs import recorded, unseen

FOLLOWED: dict[str, Any] = {
    "default_rng": lambda: np.random.default_rng(),
    "default_rng of a followed one": lambda: np.random.default_rng(np.random.default_rng()),
    "a bit generator": lambda: np.random.Generator(np.random.PCG64()),
    "another bit generator": lambda: np.random.default_rng(np.random.Philox()),
    "a seed sequence": lambda: np.random.default_rng(np.random.SeedSequence()),
    "a bit generator of a seed sequence": lambda: np.random.Generator(np.random.MT19937(np.random.SeedSequence())),
    "RandomState": lambda: np.random.RandomState(),
    "RandomState of a bit generator": lambda: np.random.RandomState(np.random.MT19937()),
    "the module": lambda: np.random,
    "mtrand": lambda: np.random.mtrand._rand,
    "a module seeded with nothing": lambda: np.random.seed() or np.random,  # noqa: NPY002
}
REAL: dict[str, Any] = {
    "default_rng": lambda: np.random.default_rng(5),
    "a bit generator": lambda: np.random.Generator(np.random.PCG64(5)),
    "another bit generator": lambda: np.random.default_rng(np.random.Philox(5)),
    "a seed sequence": lambda: np.random.default_rng(np.random.SeedSequence(5)),
    "RandomState": lambda: np.random.RandomState(5),
    "the module": lambda: np.random.seed(5) or np.random,  # noqa: NPY002
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_without_a_seed(name):
    found = recorded(lambda data: FOLLOWED[name]().normal())
    assert found.tape.size == 1
    assert found.tape.seeds == []


@pytest.mark.parametrize("name", REAL)
def test_with_a_seed(name):
    found = recorded(lambda data: REAL[name]().normal())
    assert found.tape.size == 0
    assert "5" in found.tape.seeds[0]
    assert "test_numpy_sources.py:" in found.tape.seeds[0]
    assert found.leaves == recorded(lambda data: REAL[name]().normal()).leaves


@pytest.mark.parametrize("what", [copy.copy, copy.deepcopy, pickle.dumps, lambda rng: rng.bit_generator])
def test_copies_and_states_end_the_run(what):
    with pytest.raises(NotFollowed, match="not followed"):
        recorded(lambda data, rng: what(rng))


def test_a_module_that_forgets_its_seed():
    def mechanism(data):
        np.random.seed(5)  # noqa: NPY002
        first = np.random.normal()  # noqa: NPY002
        np.random.seed()  # noqa: NPY002
        return first, np.random.normal()  # noqa: NPY002

    found = recorded(mechanism)
    assert found.tape.size == 1
    assert found.leaves["output[0]"] == ("float", np.float64(np.random.RandomState(5).normal()).tobytes())


def test_kinds():
    def mechanism(data, rng):
        real, state = np.random.default_rng(3), np.random.RandomState(3)
        kinds = np.random.Generator, np.random.RandomState, np.random.BitGenerator
        made = np.random.PCG64(3)
        return (
            isinstance(rng, kinds[0]),
            isinstance(real, kinds[0]),
            isinstance(state, kinds[1]),
            isinstance(made, np.random.PCG64),
            isinstance(made, kinds[2]),
            isinstance(rng, kinds[1]),
        )

    leaves = recorded(mechanism).leaves
    assert [leaves[f"output[{k}]"][1] for k in range(6)] == [True] * 5 + [False]


ARGUMENTS = (
    (),
    (2,),
    (0.5,),
    (3, 0.5),
    (2.0, 1.0),
    (1.0, 2.0, 3.0),
    ([1.0, 2.0],),
    (10, [0.5, 0.5]),
    ([3, 4], 2),
    (3, 4, 2),
)
"""Tried in turn until one is accepted by the real method."""
NO_DRAWS = {"bit_generator", "get_state", "set_state", "seed", "spawn"}
"""What draws nothing by itself; asking for it ends a run, or what it gives is followed."""


def sampling(kind):
    return sorted(n for n in dir(kind) if not n.startswith("_") and n not in NO_DRAWS)


def accepted(kind, name):
    """Arguments that the real method accepts."""
    for arguments in (*ARGUMENTS, ([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])):
        try:
            getattr(kind(np.random.PCG64(0)) if kind is np.random.Generator else kind(0), name)(*arguments)
        except (TypeError, ValueError):
            continue
        return arguments
    raise AssertionError(f"no arguments for {name}")


@pytest.mark.filterwarnings("ignore:This function is deprecated")
@pytest.mark.parametrize(
    ("kind", "name"), [(k, n) for k in (np.random.Generator, np.random.RandomState) for n in sampling(k)]
)
def test_every_method_is_followed_or_ends_the_run(kind, name):
    arguments, of_generator = accepted(kind, name), kind is np.random.Generator

    def mechanism(data, rng):
        source = rng if of_generator else np.random.RandomState()
        values = [getattr(source, name)(*copy.deepcopy(arguments)) for _ in range(3)]
        return None if name == "shuffle" else values

    assert unseen(mechanism, (name, "has no law")) is None


@pytest.mark.filterwarnings("ignore:This function is deprecated")
@pytest.mark.parametrize("name", [n for n in sampling(np.random.RandomState) if hasattr(np.random, n)])
def test_every_function_of_the_module_is_followed_or_ends_the_run(name):
    arguments = accepted(np.random.RandomState, name)

    def mechanism(data, rng):
        values = [getattr(np.random, name)(*copy.deepcopy(arguments)) for _ in range(3)]
        return None if name == "shuffle" else values

    assert unseen(mechanism, (name, "has no law")) is None
