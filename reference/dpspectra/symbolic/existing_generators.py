"""Generators that were made before the run: for its time others stand where they are held.

One whose seed is fresh is followed. One that has a seed of its own, or of which that cannot be known, ends the run
where it is asked for anything, with its name, the line and the reason. A generator that is held where nothing else can
be put, such as in a method that was taken from it, keeps drawing outside; `moved` tells that it did.
"""

import contextlib
import functools
import gc
import itertools
import linecache
import random
import secrets
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpspectra.symbolic import standard_sources, untraced_extensions
from dpspectra.symbolic.bit_generators import known_kinds
from dpspectra.symbolic.numpy_draws import PCG64, Drawing, RealGenerator
from dpspectra.symbolic.numpy_sources import FollowedGenerator, FollowedState, RealState
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.referrers import Held, Holder, holders
from dpspectra.symbolic.refused_draws import TRIAL
from dpspectra.symbolic.standard_sources import FollowedRandom, FollowedSystem, Standard
from dpspectra.symbolic.tape import current

STANDARD, SYSTEM = random.Random, random.SystemRandom
KINDS = (RealGenerator, RealState, STANDARD)
LINEAR = ("PCG64", "PCG64DXSM")
"""Kinds whose state is a number of which each bit repeats with those below it, so that it tells how much was drawn."""
MOST_DRAWN = 100_000
"""Words among which a state is sought, and the kept half of one; one that was set is there by a chance below 3e-5."""
MOST_AHEAD = 2**64
"""Words that one of `LINEAR` can have drawn; of states that somebody chose hardly any is as near to that of a seed."""
HALF = ("has_uint32", "uinteger")
"""Names of what is kept of a word of which one half was used."""
FRESH = 2**96
"""Seeds below this were chosen by somebody: those of the operating system have 128 bits."""


class Earlier:
    """Generators and bit generators that exist as an audit begins, without the auditor's own, and where they are.

    That of `secrets` is left out, too, if nobody else holds it.
    """

    def __init__(self, own: np.random.Generator) -> None:
        mine = {id(x) for g in (own, TRIAL) for x in (g, g.bit_generator)} | {id(standard_sources.TRIAL)}
        mine |= _of_secrets_alone()
        found, self.held = _search(mine)
        self.found = tuple(thing for thing in found if id(thing) not in mine)
        self.states = [_state(thing) for thing in self.found]

    @contextlib.contextmanager
    def stand_ins(self) -> Iterator[set[str]]:
        """Put stand-ins wherever the generators are held, and put them back; gives what was drawn from, in words."""
        used: set[str] = set()
        done: list[tuple[Holder, Any, Any]] = []
        try:
            for thing in self.found:
                places = [h for h in self.held.get(id(thing), ()) if h.get() is thing]
                stand_in = _stand_in(thing, places[0].name, used) if places else None
                for holder in places:
                    holder.put(stand_in)
                    done.append((holder, stand_in, thing))
            yield used
        finally:
            for holder, stand_in, thing in reversed(done):
                if holder.get() is stand_in:
                    holder.put(thing)

    def moved(self) -> list[str]:
        """Return generators that drew since then, in words: each by its kind, and a name that it is held under."""
        those = tuple(v for v, state in zip(self.found, self.states, strict=True) if _state(v) != state)
        held = self.held | holders(tuple(v for v in those if id(v) not in self.held))
        return sorted({" ".join([type(v).__name__, *(h.name for h in held[id(v)][:1])]) for v in those})


def _of_secrets_alone() -> set[int]:
    """Return the generator of the module `secrets`, by identity, if nobody else holds it.

    That module holds it by its name and in two methods, which are followed by their names. Who else holds it could be
    found by a look at all objects only.
    """
    own, alone = vars(secrets), {"_sysrand": object()}
    methods = own.get("randbits"), own.get("choice")
    held = [m.__self__ is own.get("_sysrand") for m in methods if type(m) is types.MethodType]
    both, single = (sys.getrefcount(table.get("_sysrand")) for table in (own, alone))  # with what counting itself holds
    known = held == [True, True] and methods[0] is not methods[1] and both - single == 2
    return {id(own["_sysrand"])} if known else set()


@dataclass(frozen=True)
class _Frozen:
    """Findings of a search among objects that a program keeps frozen (`gc.freeze`); they are frozen again at its end.

    They are not searched again while the mark, an object made since, is not frozen, too (then the program froze nothing
    else), and fewer objects were made since than are frozen. A generator that is put into a frozen container meanwhile
    draws outside, which `Earlier.moved` tells.
    """

    mark: object = None
    count: int = 0
    """Frozen objects; counting them takes a look at each."""
    found: tuple[Any, ...] = ()
    held: Held = field(default_factory=dict)


_frozen = _Frozen()


def _search(mine: set[int]) -> tuple[tuple[Any, ...], Held]:
    """Return generators that exist, and where those that others can stand in for are held."""
    global _frozen
    if (since := _since(mine)) is not None:
        found = (*_frozen.found, *since)
        held = holders(_replaced(found))
        return found, {key: [*_frozen.held.get(key, ()), *held[key]] for key in held}
    freezes = gc.get_freeze_count() > 0
    gc.unfreeze()
    if freezes:
        gc.collect()  # frozen garbage would keep alive all that it refers to
    found = tuple(_drawing(gc.get_objects()))
    held = holders(_replaced(found if freezes else tuple(thing for thing in found if id(thing) not in mine)))
    if freezes:
        gc.freeze()
        gc.collect()  # of nothing: garbage waits until there is a quarter as much as the last collection has left
        _frozen = _Frozen([], gc.get_freeze_count(), found, held)
    return found, held


def _since(mine: set[int]) -> list[Any] | None:
    """Return objects made since the last search that thawed, ``None`` if all is to be searched again."""
    if not _frozen.count:
        return None
    things = gc.get_objects()  # not kept while holders are looked for: it would be one itself
    if len(things) > _frozen.count or id(_frozen.mark) not in map(id, things):
        return None
    known = mine | set(map(id, _frozen.found))
    return [thing for thing in _drawing(things) if id(thing) not in known]


def _drawing(things: list[Any]) -> Iterator[Any]:
    """Return generators and bit generators among all objects."""
    known = (*KINDS, *known_kinds())
    kinds = {k for k in set(map(type, things)) if issubclass(k, known) and not issubclass(k, (Drawing, Standard))}
    return itertools.compress(things, map(kinds.__contains__, map(type, things)))


def _replaced(found: tuple[Any, ...]) -> tuple[Any, ...]:
    """Those that others can stand in for: what numpy and the standard library share is followed by its names."""
    shared = {id(np.random.mtrand._rand), id(getattr(random, "_inst", None))}
    return tuple(thing for thing in found if isinstance(thing, KINDS) and id(thing) not in shared)


def _state(thing: Any) -> str:
    if isinstance(thing, SYSTEM):
        return ""
    if isinstance(thing, STANDARD):
        return str(hash(thing.getstate())) if hasattr(thing, "gauss_next") else ""  # one that was never finished
    if isinstance(thing, RealState):
        return _words(thing.get_state(legacy=False))
    return _words(getattr(thing, "bit_generator", thing).state)


def _words(state: dict[str, Any], without: tuple[str, ...] = ()) -> str:
    kept = {name: value for name, value in state.items() if name not in without}
    return repr([(k, v.tobytes() if isinstance(v, np.ndarray) else v) for k, v in _flat(kept)])


def _flat(state: Any, path: str = "") -> list[tuple[str, Any]]:
    if isinstance(state, dict):
        return [pair for k, v in state.items() for pair in _flat(v, f"{path}.{k}")]
    return [(path, state)]


class Before:
    """Notes each request to a stand-in, or why it cannot be followed."""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_"):
            called, why, used = object.__getattribute__(self, "told")
            if why() is not None:
                raise current().stop(f"{name} of {called}, made before the run, at {place()}: {why()}")
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
    made.told = called, functools.cache(functools.partial(reason, thing)), used
    return made


@functools.cache
def _kind(of: Any) -> Any:
    drawing = Drawing if issubclass(of, Drawing) else Standard
    names = {name: value for name, value in vars(of).items() if name not in ("_made", "__dict__", "__weakref__")}
    real = of.__mro__[of.__mro__.index(drawing) + 1]
    return type(of.__name__, (Before, drawing, real), names)


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
    if type(bits) not in known_kinds():
        return "its bit generator is none of numpy's"
    sequence = bits.seed_seq
    entropy = getattr(sequence, "entropy", None)
    if not isinstance(entropy, int) or entropy < FRESH:
        return f"it has the seed {entropy}" if entropy is not None else "it was given a seed"
    if type(thing) is RealState and thing.get_state(legacy=False)["has_gauss"]:
        return "it keeps a normal draw of before"
    if _was_set(bits):
        return f"its state was set, or it drew more than {MOST_DRAWN:,} words"
    if _written(entropy):
        return "its seed stands in a source"
    return None


def _was_set(bits: Any) -> bool:
    """Whether a bit generator is not where its seed leads, or keeps half of a word that its seed did not give."""
    drawn = (_jumped if type(bits).__name__ in LINEAR else _sought)(bits, type(bits)(bits.seed_seq))
    state = bits.state
    return drawn is None or (bool(state.get("has_uint32")) and all(word >> 32 != state["uinteger"] for word in drawn))


def _jumped(bits: Any, new: Any) -> list[int] | None:
    """Return the last words that one of `LINEAR` drew; ``None`` if a new one of its seed does not come there."""
    wanted, ahead = bits.state["state"], 0
    for bit in (1 << power for power in range(128)):
        if (new.state["state"]["state"] ^ wanted["state"]) & bit:
            new.advance(bit)
            ahead += bit
    if ahead >= MOST_AHEAD or new.state["state"] != wanted:
        return None
    last = min(ahead, MOST_DRAWN)
    return list(type(bits)(bits.seed_seq).advance(ahead - last).random_raw(last).tolist())


def _sought(bits: Any, new: Any) -> list[int] | None:
    """Return the words that a bit generator drew; ``None`` if a new one of its seed does not come there in so many."""
    wanted, drawn, step = _words(bits.state, without=HALF), [], 1
    if bits.state["bit_generator"] == "MT19937":  # it makes 624 words at once, and changes all its state then
        first = (bits.state["state"]["pos"] - new.state["state"]["pos"]) % 624
        drawn, step = new.random_raw(first).tolist(), 624
    while _words(new.state, without=HALF) != wanted:
        if len(drawn) >= MOST_DRAWN:
            return None
        drawn += new.random_raw(step).tolist()
    return drawn


def _written(entropy: int) -> bool:
    """Whether a seed stands as a number in a module that is not installed."""
    files = {str(getattr(module, "__file__", None)) for module in list(sys.modules.values())}
    return any(
        str(entropy) in text or f"{entropy:x}" in text
        for text in (
            _text(file) for file in files if file.endswith(".py") and not file.startswith(untraced_extensions.INSTALLED)
        )
    )


@functools.cache
def _text(file: str) -> str:
    return "".join(linecache.getlines(file)).replace("_", "").lower()
