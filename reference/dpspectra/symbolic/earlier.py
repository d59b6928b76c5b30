"""Generators that were made before the run: for its time others stand where they are held.

One whose seed is fresh is followed. One that has a seed of its own, or of which that cannot be known, ends the run
where it is asked for anything, with its name, the line and the reason. A generator that is held where nothing else can
be put, such as in a method that was taken from it, keeps drawing outside; `moved` tells that it did.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import linecache
import random
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpspectra.symbolic import standard_sources
from dpspectra.symbolic.numpy_draws import PCG64, TRIAL, Drawing, RealGenerator
from dpspectra.symbolic.numpy_sources import BIT_GENERATORS, FollowedGenerator, FollowedState, RealState
from dpspectra.symbolic.replacing import holds_real_names
from dpspectra.symbolic.standard_sources import FollowedRandom, FollowedSystem, Standard
from dpspectra.symbolic.tape import current, place

STANDARD, SYSTEM = random.Random, random.SystemRandom
KINDS = (RealGenerator, RealState, STANDARD)
INSTALLED = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
"""Folders of modules in which no seeds of users stand."""
FRESH = 2**96
"""Seeds below this were chosen by somebody: those of the operating system have 128 bits."""


def generators(own: np.random.Generator) -> tuple[Any, ...]:
    """Return the generators and bit generators that exist, without the auditor's own."""
    gc.unfreeze()  # what a program froze is in none of the lists
    things = gc.get_objects()
    drawing = (*KINDS, *BIT_GENERATORS)
    kinds = {k for k in set(map(type, things)) if issubclass(k, drawing) and not issubclass(k, (Drawing, Standard))}
    mine = {id(x) for g in (own, TRIAL) for x in (g, g.bit_generator)} | {id(standard_sources.TRIAL)}
    return tuple(x for x in things if type(x) in kinds and id(x) not in mine)


def states(found: tuple[Any, ...]) -> list[str]:
    """Return the states of generators, by which draws since then show."""
    return [_state(thing) for thing in found]


def moved(found: tuple[Any, ...], before: list[str]) -> list[str]:
    """Name the generators that drew since then: each by its kind, and a name that it is held under."""
    those = tuple(thing for thing, state in zip(found, before, strict=True) if _state(thing) != state)
    held = _holders(those)
    return sorted({" ".join([type(v).__name__, *(h.name for h in held[id(v)][:1])]) for v in those})


def _state(thing: Any) -> str:
    if isinstance(thing, SYSTEM):
        return ""
    if isinstance(thing, STANDARD):
        return str(hash(thing.getstate()))
    if isinstance(thing, RealState):
        state: Any = thing.get_state(legacy=False)
    else:
        state = getattr(thing, "bit_generator", thing).state
    return repr([(k, v.tobytes() if isinstance(v, np.ndarray) else v) for k, v in _flat(state)])


def _flat(state: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(state, dict):
        return [pair for k, v in state.items() for pair in _flat(v, f"{path}.{k}")]
    return [(path, state)]


class _Earlier:
    """Says what is asked of a stand-in, or why it cannot be followed."""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_"):
            called, why, used = object.__getattribute__(self, "told")
            if why is not None:
                raise current().stop(f"{name} of {called}, made before the run, at {place()}: {why}")
            used.add(f"{called} was made before the run; its draws are taken for noise, as its seed looks fresh")
        return super().__getattribute__(name)


def _stand_in(thing: Any, called: str, used: set[str]) -> Any:
    """Return a stand-in for a generator."""
    if isinstance(thing, RealGenerator):
        made = _kind(FollowedGenerator)(PCG64(0))
    elif isinstance(thing, RealState):
        made = _kind(FollowedState)(0)
    else:
        made = _kind(FollowedSystem if isinstance(thing, SYSTEM) else FollowedRandom)()
    made.told = called, reason(thing), used
    return made


@functools.cache
def _kind(of: Any) -> Any:
    drawing = Drawing if issubclass(of, Drawing) else Standard
    names = {name: value for name, value in vars(of).items() if name not in ("_made", "__dict__", "__weakref__")}
    real = of.__mro__[of.__mro__.index(drawing) + 1]
    return type(of.__name__, (_Earlier, drawing, real), names)


def reason(thing: Any) -> str | None:
    """Why a generator cannot be followed; ``None`` if its seed is fresh."""
    if type(thing) is SYSTEM:
        return None
    if type(thing) is STANDARD:
        return "whether somebody gave it a seed cannot be known"
    if type(thing) not in (RealGenerator, RealState):
        return "it is of a class of its own"
    bits = getattr(thing, "_bit_generator", None)
    bits = thing.bit_generator if bits is None else bits
    sequence = bits.seed_seq
    entropy = getattr(sequence, "entropy", None)
    if not isinstance(entropy, int) or entropy < FRESH:
        return f"it has the seed {entropy}" if entropy is not None else "it was given a seed"
    if _constant(bits.state) != _constant(type(bits)(sequence).state):
        return "its state was set"
    if _written(entropy):
        return "its seed stands in a source"
    return None


def _constant(state: Any) -> Any:
    """Return the part of a state that draws do not change."""
    inner = state["state"]
    return (
        inner.get("inc") if "inc" in inner else inner["key"].tobytes() if state["bit_generator"] == "Philox" else None
    )


def _written(entropy: int) -> bool:
    """Whether a seed stands as a number in a module that is not installed."""
    files = {str(getattr(module, "__file__", None)) for module in list(sys.modules.values())}
    return any(
        str(entropy) in text or f"{entropy:x}" in text
        for text in (_text(file) for file in files if file.endswith(".py") and not file.startswith(INSTALLED))
    )


@functools.cache
def _text(file: str) -> str:
    return "".join(linecache.getlines(file)).replace("_", "").lower()


@contextlib.contextmanager
def stand_ins(found: tuple[Any, ...]) -> Iterator[set[str]]:
    """Put stand-ins wherever these generators are held, and put them back; gives what was drawn from, in words."""
    shared = {id(np.random.mtrand._rand), id(getattr(random, "_inst", None))}
    wanted = tuple(thing for thing in found if isinstance(thing, KINDS) and id(thing) not in shared)
    used: set[str] = set()
    done: list[tuple[Holder, Any, Any]] = []
    try:
        held = _holders(wanted)
        for thing in wanted:
            holders = held[id(thing)]
            stand_in = _stand_in(thing, holders[0].name, used) if holders else None
            for holder in holders:
                holder.put(stand_in)
                done.append((holder, stand_in, thing))
        yield used
    finally:
        for holder, stand_in, thing in reversed(done):
            if holder.get() is stand_in:
                holder.put(thing)


@dataclass(frozen=True)
class Holder:
    """Where a generator is held, and how something else is put there."""

    name: str
    get: Callable[[], Any]
    put: Callable[[Any], None]


def _holders(things: tuple[Any, ...]) -> dict[int, list[Holder]]:
    """Where generators are held, by identity, as far as others can be put there."""
    found: dict[int, list[Holder]] = {id(thing): [] for thing in things}
    wanted = frozenset(found)
    for holder in gc.get_referrers(*things) if things else ():
        if isinstance(holder, tuple):
            continue
        if isinstance(holder, dict):
            held = _in_dict(holder, wanted)
        elif isinstance(holder, list):
            held = [(id(v), _item(f"{k} of a list", holder, k)) for k, v in enumerate(holder) if id(v) in wanted]
        else:
            held = _in_object(holder, wanted)
        for key, where in held:
            found[key].append(where)
    return found


def _in_object(holder: Any, wanted: frozenset[int]) -> list[tuple[int, Holder]]:
    """In the attributes of an object, or in a variable that functions share."""
    slots = [vars(k).get("__slots__", ()) for k in type(holder).__mro__]
    names = [name for several in slots for name in ([several] if isinstance(several, str) else several)]
    names += [*getattr(holder, "__dict__", ()), "cell_contents"]
    kind = type(holder).__name__
    values = [(n, id(_value(holder, n))) for n in names]
    return [(key, _attribute(f"{kind}.{n}", holder, n)) for n, key in values if key in wanted]


def _in_dict(holder: dict[Any, Any], wanted: frozenset[int]) -> list[tuple[int, Holder]]:
    """In a module, a class, an object or a dictionary of other things."""
    keys = [(k, id(v)) for k, v in holder.items() if id(v) in wanted]
    module = holder.get("__name__")
    if isinstance(module, str) and getattr(sys.modules.get(module), "__dict__", None) is holder:
        return [] if holds_real_names(module) else [(i, _item(f"{module}.{k}", holder, k)) for k, i in keys]
    for owner in gc.get_referrers(holder) if "__module__" in holder else ():
        if isinstance(owner, type):
            return [(i, _attribute(f"{owner.__name__}.{k}", owner, k)) for k, i in keys]
    return [(i, _item(f"{k!s:.40}", holder, k)) for k, i in keys]


def _item(name: str, holder: Any, key: Any) -> Holder:
    return Holder(name, lambda: holder[key], lambda thing: holder.__setitem__(key, thing))


def _attribute(name: str, holder: Any, attribute: str) -> Holder:
    put = type.__setattr__ if isinstance(holder, type) else object.__setattr__
    return Holder(name, lambda: _value(holder, attribute), lambda thing: put(holder, attribute, thing))


def _value(holder: Any, attribute: str) -> Any:
    if isinstance(holder, type):
        return vars(holder).get(attribute)
    try:
        return object.__getattribute__(holder, attribute)
    except (AttributeError, ValueError):  # an empty cell
        return None
