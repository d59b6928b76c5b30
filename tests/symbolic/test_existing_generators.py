"""Generators that exist before the run: followed if their seed is fresh, else the run ends with name, line and call."""

import dataclasses
import gc
import random
import re
import secrets
import weakref
from typing import Any

import numpy as np
import pytest

from dpspectra.symbolic import existing_generators
from dpspectra.symbolic.analysis import decide
from dpspectra.symbolic.existing_generators import (
    MOST_AHEAD,
    MOST_DRAWN,
    Earlier,
    _of_secrets_alone,
    _replaced,
    reason,
)
from dpspectra.symbolic.replaced_sources import followed_sources
from tests.support.noise_runs import real, runner

FRESH, OLD = np.random.default_rng(), np.random.RandomState()
SEEDED, TWISTED = np.random.default_rng(3), random.Random()
SYSTEM = random.SystemRandom()
WRITTEN = np.random.default_rng(0xABCDEF0123456789ABCDEF0123456789)
CHILD = np.random.default_rng().spawn(1)[0]
HELD: dict[str, Any] = {"rng": np.random.default_rng(), "several": [np.random.default_rng()]}
TAKEN = np.random.default_rng().laplace


def restored():
    rng = np.random.default_rng()
    rng.bit_generator.state = np.random.default_rng(4).bit_generator.state
    return rng


RESTORED = restored()


class Own(random.Random):
    pass


OWN = Own()


class Mechanism:
    shared = np.random.default_rng()

    def __init__(self):
        self.rng = np.random.default_rng()

    def __call__(self, x):
        return x + self.rng.laplace()

    def by_class(self, x):
        return x + self.shared.laplace()


class Slotted:
    __slots__ = ("rng",)

    def __init__(self):
        self.rng = np.random.default_rng()

    def __call__(self, x):
        return x + self.rng.laplace()


def captured():
    rng = np.random.default_rng()
    return lambda x: x + rng.laplace()


FOLLOWED = {
    "of a module": lambda x: x + FRESH.laplace(),
    "an old one": lambda x: x + OLD.laplace(),
    "of the system": lambda x: x + SYSTEM.expovariate(1.0) - SYSTEM.expovariate(1.0),
    "a child": lambda x: x + CHILD.laplace(),
    "of a dictionary": lambda x: x + HELD["rng"].laplace(),
    "of a list": lambda x: x + HELD["several"][0].laplace(),
    "of an object": Mechanism(),
    "of a class": Mechanism().by_class,
    "of a slot": Slotted(),
    "of an outer function": captured(),
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_fresh_ones_are_followed(name):
    found = decide(runner(FOLLOWED[name], (0.0, 1.0), 1.0))
    assert found.verdict == "explained"
    assert found.sides[0].bound == pytest.approx(1, abs=1e-6)
    assert ["was made before the run; its draws are taken for noise" in f for f in found.findings] == [True]
    assert decide(runner(FOLLOWED[name], (0.0, 1.0), 0.99)).verdict == "refuted"


ENDING = {
    "a small seed": (
        lambda x: x + SEEDED.laplace(),
        "laplace of .*test_existing_generators.SEEDED",
        "the seed 3",
    ),
    "of the standard library": (lambda x: x + TWISTED.gauss(), "gauss of .*TWISTED", "cannot be known"),
    "a written seed": (lambda x: x + WRITTEN.laplace(), "laplace of .*WRITTEN", "stands in a source"),
    "a state that was set": (lambda x: x + RESTORED.laplace(), "laplace of .*RESTORED", "state was set"),
    "a class of its own": (lambda x: x + OWN.gauss(), "gauss of .*OWN", "class of its own"),
}


@pytest.mark.parametrize("name", ENDING)
def test_others_end_the_run_with_name_line_and_call(name):
    mechanism, call, why = ENDING[name]
    found = decide(runner(mechanism, (0.0, 3.0)))
    assert found.verdict == "undecided"
    text = found.sides[0].reasons[0]

    assert re.search(rf"{call}, made before the run, at test_existing_generators\.py:\d+ \(<lambda>\).*{why}", text)


def test_a_method_that_was_taken_draws_outside():
    for width in (1.0, 3.0):
        found = decide(runner(lambda x, rng: x + rng.laplace() + 0 * TAKEN(), (0.0, width)))
        assert found.verdict == "undecided"
        assert "Generator" in found.sides[0].reasons[-1]


def found():
    return [id(thing) for thing in Earlier(real(1)).found]


@pytest.fixture(scope="module")
def frozen():
    """A heap that the program froze, and that was searched."""
    gc.freeze()
    found()


@pytest.mark.usefixtures("frozen")
def test_a_program_that_froze_its_objects_hides_none_and_keeps_them_frozen():
    assert {id(FRESH), id(OLD)} <= set(found())
    assert gc.get_freeze_count() > 10_000


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("again", [False, True])
def test_what_was_made_and_frozen_since_is_found(again):
    new = np.random.default_rng()
    if again:
        gc.freeze()
    assert id(new) in found()


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize("name", ["of a module", "of a dictionary", "of an object", "of a class", "of a slot"])
def test_frozen_ones_are_followed_in_one_audit_after_the_other(name):
    for _ in range(2):
        assert decide(runner(FOLLOWED[name], (0.0, 1.0), 1.0)).verdict == "explained"


@pytest.mark.usefixtures("frozen")
def test_what_is_held_elsewhere_since_the_search_is_not_written_over(monkeypatch):
    monkeypatch.setitem(HELD, "rng", None)
    earlier = Earlier(real(1))
    with followed_sources(), earlier.stand_ins():
        assert HELD["rng"] is None


def test_what_is_thrown_away_during_the_run_stays_away():
    held = {"rng": np.random.default_rng()}
    earlier = Earlier(real(1))
    with followed_sources(), earlier.stand_ins():
        del held["rng"]
    assert held == {}


def test_what_is_frozen_is_searched_once(monkeypatch):
    thaw, thaws = gc.unfreeze, []
    gc.freeze()
    monkeypatch.setattr(gc, "unfreeze", lambda: thaws.append(thaw()))
    for _ in range(3):
        found()
    assert thaws == [None]


def test_garbage_is_thrown_away_and_not_frozen():
    class Thing:
        itself: Any

    thing = Thing()
    thing.itself, gone = thing, weakref.ref(thing)
    gc.freeze()
    del thing
    assert gone() is not None
    found()
    assert gone() is None


@pytest.mark.usefixtures("frozen")
def test_all_is_searched_again_when_more_was_made_since_than_is_frozen(monkeypatch):
    found()
    thaw, thaws = gc.unfreeze, []
    monkeypatch.setattr(gc, "unfreeze", lambda: thaws.append(thaw()))
    found()
    assert thaws == []
    monkeypatch.setattr(existing_generators, "_frozen", dataclasses.replace(existing_generators._frozen, count=1))
    found()
    assert thaws == [None]


def test_all_is_as_before_after_the_run():
    keep = (FRESH, HELD["rng"], HELD["several"][0], Mechanism.shared)
    earlier = Earlier(real(1))
    with followed_sources(), earlier.stand_ins():
        assert FRESH is not keep[0]
        assert isinstance(FRESH, np.random.Generator)
        HELD["rng"] = None
    assert (FRESH, HELD["several"][0], Mechanism.shared) == (keep[0], *keep[2:])
    assert HELD["rng"] is None  # what the program put there stays
    HELD["rng"] = keep[1]


def test_seeds():
    assert reason(FRESH) is reason(OLD) is reason(CHILD) is None
    assert reason(np.random.Generator(np.random.Philox())) is None
    assert reason(np.random.Generator(np.random.MT19937())) is None
    for rng in (np.random.RandomState(3), np.random.Generator(np.random.Philox(key=5)), real(3)):
        assert "seed" in reason(rng)


BITS = tuple(getattr(np.random, name) for name in ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937"))


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("drawn", [0, 1, 5, 1_001, 30_000])
def test_one_that_drew_is_where_its_seed_leads(bits, drawn):
    rng = np.random.Generator(bits())
    for _ in range(min(drawn, 7)):
        rng.integers(10)  # which may keep half of a word
    rng.random(drawn)
    assert reason(rng) is None


@pytest.mark.parametrize("bits", BITS)
def test_a_state_that_was_set_is_none_of_its_seed(bits):
    rng = np.random.Generator(bits())
    rng.bit_generator.state = bits().state
    assert reason(rng) == "its state was set, or it drew more than 100,000 words"


@pytest.mark.parametrize("bits", [bits for bits in BITS if "has_uint32" in bits(0).state])
def test_half_of_a_word_that_was_set_is_told(bits):
    rng = np.random.Generator(bits())
    state = rng.bit_generator.state
    rng.bit_generator.state = {**state, "has_uint32": 1, "uinteger": 5}
    assert "state was set" in reason(rng)
    rng.bit_generator.state = {**state, "has_uint32": 0, "uinteger": 5}  # which nothing uses
    assert reason(rng) is None


def test_a_buffer_that_was_set_is_told():
    rng = np.random.Generator(np.random.Philox())
    state = rng.bit_generator.state
    rng.bit_generator.state = {**state, "buffer": np.arange(4, dtype=np.uint64), "buffer_pos": 0}
    assert "state was set" in reason(rng)


def test_how_far_one_may_be_ahead():
    for ahead, far in ((MOST_AHEAD - 1, False), (MOST_AHEAD, True)):
        rng = np.random.Generator(np.random.PCG64().advance(ahead))
        assert (reason(rng) is not None) == far
    for drawn, far in ((MOST_DRAWN, False), (MOST_DRAWN + 1, True)):
        rng = np.random.Generator(np.random.SFC64())
        rng.bit_generator.random_raw(drawn, output=False)
        assert (reason(rng) is not None) == far


def test_a_normal_draw_that_is_kept_is_told():
    rng = np.random.RandomState()
    rng.normal()
    assert reason(rng) == "it keeps a normal draw of before"
    rng.normal()
    assert reason(rng) is None


def test_generators_that_draw_are_noticed():
    mine, other, twisted = real(1), real(2), random.Random(3)
    earlier = Earlier(mine)
    mine.normal()
    SYSTEM.random()
    assert earlier.moved() == []
    other.normal()
    twisted.random()
    assert {name.split()[0] for name in earlier.moved()} == {"Generator", "PCG64", "Random"}


def test_what_libraries_share_is_followed_by_its_names_alone():
    """Else both would be replaced, and one draw followed twice."""
    assert _replaced((np.random.mtrand._rand, FRESH, random._inst, OLD)) == (FRESH, OLD)
    assert _replaced((FRESH, object())) == (FRESH,)


def renew(monkeypatch):
    """Give the module `secrets` a generator that nobody else holds, in place of its own."""
    made = random.SystemRandom()
    for name, value in {"_sysrand": made, "randbits": made.getrandbits, "choice": made.choice}.items():
        monkeypatch.setattr(secrets, name, value)
    return id(made)


def test_the_generator_of_secrets_is_sought_only_if_others_hold_it(monkeypatch):
    known = renew(monkeypatch)
    assert _of_secrets_alone() == {known}
    held = [vars(secrets)["_sysrand"]]
    assert _of_secrets_alone() == set()
    held.clear()
    assert _of_secrets_alone() == {known}
    monkeypatch.setattr(secrets, "choice", secrets.randbits)  # one method, and somebody else may be the third
    assert _of_secrets_alone() == set()
    monkeypatch.setattr(secrets, "choice", lambda several: several[0])
    assert _of_secrets_alone() == set()


def test_whoever_holds_the_generator_of_secrets_is_followed(monkeypatch):
    renew(monkeypatch)
    held = {"rng": vars(secrets)["_sysrand"]}
    found = decide(runner(lambda x: x + held["rng"].expovariate(1.0) - held["rng"].expovariate(1.0), (0.0, 1.0), 1.0))
    assert found.verdict == "explained"
    assert held["rng"] is vars(secrets)["_sysrand"]
