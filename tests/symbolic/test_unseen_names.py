"""Random names that nobody looks at are harmless; a look ends the run, and one by a back door explains nothing."""

import tempfile
import uuid
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from dpspectra.symbolic.analysis import decide
from tests.support.noise_runs import recorded, runner


def kept(scale):
    def mechanism(x, rng):
        names = {"run": uuid4(), "step": uuid.uuid4()}
        assert isinstance(names["run"], uuid.UUID)
        assert not isinstance(names["run"], str)
        assert names["run"] is not names["step"]
        return x + rng.laplace(scale=scale)

    return mechanism


@pytest.mark.parametrize(("scale", "verdict"), [(1.0, "explained"), (0.5, "refuted")])
def test_names_that_nobody_looks_at_are_harmless(scale, verdict):
    assert decide(runner(kept(scale), (0.0, 1.0))).verdict == verdict


LOOKS: dict[str, Callable[[Any], Any]] = {
    "text": str,
    "format": lambda u: f"{u}",
    "repr": repr,
    "number": int,
    "bytes": lambda u: u.bytes,
    "order": lambda u: u < uuid4(),
    "equality": lambda u: u == uuid.UUID(int=1),
    "equality, from the other side": lambda u: uuid.UUID(int=1) == u,
    "key": lambda u: {u: 1},
    "copy": lambda u: u.__reduce_ex__(2),
}


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_ends_the_run_with_its_line(name):
    found = decide(runner(lambda x, rng: (x + rng.laplace(), LOOKS[name](uuid4()) is None), (0.0, 1.0)))
    assert found.verdict == "undecided"
    assert "a name by uuid4 is looked at, at " in found.sides[0].reasons[0]
    assert "test_unseen_names.py:" in found.sides[0].reasons[0]


BACK_DOORS: dict[str, Callable[[Any], Any]] = {
    "output": lambda u: u,
    "attribute": lambda u: object.__getattribute__(u, "int") % 2,
    "slot": lambda u: vars(uuid.UUID)["int"].__get__(u) % 2,
}


@pytest.mark.parametrize("name", BACK_DOORS)
def test_by_a_back_door_each_run_sees_another_number(name):
    door = BACK_DOORS[name]
    found = decide(runner(lambda x, rng: (x + rng.laplace(), door(uuid4())), (0.0, 1.0)))
    assert found.verdict == "undecided"


def test_names_of_files_are_told():
    def named(x, rng):
        return x + rng.laplace() + len(tempfile.mktemp())

    found = decide(runner(named, (0.0, 1.0)))
    assert found.verdict == "undecided"
    assert "a temporary file gets a random name at tempfile.py:" in found.sides[0].reasons[0]


def test_outside_of_runs_names_are_what_they_are():
    recorded(lambda x, rng: uuid4() and rng.laplace())
    assert type(uuid.uuid4()) is uuid.UUID
    assert uuid.uuid4().version == 4
