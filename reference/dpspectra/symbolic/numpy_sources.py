"""Generators of numpy whose draws are followed, and what makes them.

A generator that is made with a seed is real: its numbers are the same in every run, so they are no noise. One that is
made without a seed, or given by the auditor, is followed.
"""

import contextlib
import functools
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpspectra.symbolic.bit_generators import OF_NUMPY, known_kinds
from dpspectra.symbolic.given_seed import is_fresh
from dpspectra.symbolic.noisy_numbers import seen
from dpspectra.symbolic.numpy_draws import PCG64, SPAWN, Drawing, RealGenerator
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.tape import current, following

REAL_SEED = np.random.seed
RealState = np.random.RandomState
REAL_MAKER = np.random.default_rng
SEQUENCE = np.random.SeedSequence
REAL_BITS = np.random.bit_generator.randbits  # type: ignore[attr-defined]
_SEEDED: list[None] = []
"""One entry for each seeded generator that is made right now; numpy asks for fresh bits while it makes some of them."""


@contextlib.contextmanager
def by_its_seed() -> Iterator[None]:
    """Let a generator with a seed be made."""
    _SEEDED.append(None)
    try:
        yield
    finally:
        _SEEDED.pop()


def _randbits(k: int) -> int:
    """Stand in for what numpy asks for each fresh seed: who arrives here made a generator under a name of his own."""
    copied = sys._getframe(1).f_globals.get("__name__") == "numpy.random._pickle"  # its state is set, then
    if not following():
        return int(REAL_BITS(k))
    if _SEEDED or copied:
        return 0  # thrown away
    raise current().stop(f"a generator with a fresh seed is made under a name that is not followed, at {place()}")


FOLLOWED = frozenset(name for name in vars(Drawing) if not name.startswith("_"))


def _unknown(name: str) -> Any:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        raise current().stop(f"{name} at {place()} is a source of randomness that is not followed")

    return method


def _complete(kind: type) -> dict[str, Any]:
    """Everything public that numpy's own class has, and that is not followed."""
    names = [n for n in dir(kind) if not n.startswith("_") and n not in FOLLOWED]
    members = {name: _unknown(name) for name in names if name != "bit_generator"}
    if "bit_generator" in names:
        members["bit_generator"] = property(_unknown("bit_generator"))
    for name in ("__getstate__", "__setstate__", "__reduce__", "__copy__", "__deepcopy__"):
        members[name] = _unknown("a copy of a generator")
    return members


class _Kind(type):
    """Generators made elsewhere count as generators."""

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, cls.__mro__[2])

    def __call__(cls, *args: Any, **options: Any) -> Any:
        return cls._made(*args, **options)  # type: ignore[attr-defined]


class FollowedGenerator(Drawing, np.random.Generator, metaclass=_Kind):
    """A numpy Generator whose draws are followed."""

    locals().update(_complete(RealGenerator))

    @staticmethod
    def _made(bit_generator: Any) -> Any:
        if not following() or isinstance(bit_generator, RealGenerator):
            return RealGenerator(bit_generator)
        if _unseeded(bit_generator):
            return followed_generator()
        note(type(bit_generator).__name__, getattr(bit_generator, "state", None))
        return RealGenerator(bit_generator)


class FollowedState(Drawing, RealState, metaclass=_Kind):
    """A numpy RandomState whose draws are followed."""

    locals().update(_complete(RealState))

    @staticmethod
    def _made(seed: Any = None) -> Any:
        if not following():
            return RealState(seed)
        if is_fresh(seed) or _unseeded(seed):
            return followed_state()
        note("RandomState", seed)
        with by_its_seed():
            return RealState(seen(seed))


def followed_generator() -> Any:
    """Return a new generator whose draws are followed."""
    return type.__call__(FollowedGenerator, PCG64(0))


SPAWN.append(followed_generator)


def followed_state() -> Any:
    """Return a new RandomState whose draws are followed."""
    with by_its_seed():
        return type.__call__(FollowedState, 0)


def _unseeded(thing: Any) -> bool:
    """Whether a bit generator or a seed sequence was made in this run without a seed.

    Two generators of one sequence draw the same numbers, so that a second one ends the run.
    """
    known = current().seeded.setdefault("unseeded", {})
    if id(thing) not in known:
        return False
    if isinstance(thing, SEQUENCE):
        if known[id(thing)][1]:
            raise current().stop(f"one seed sequence makes a second generator, at {place()}")
        known[id(thing)] = thing, True
    return True


def note(kind: str, seed: Any) -> None:
    """Write down that a generator was made with this seed."""
    shown = repr(getattr(seed, "entropy", seed))
    current().seeds.append(f"{kind}({shown}) at {place()}")


def default_rng(seed: Any = None) -> Any:
    """Stand in for `numpy.random.default_rng`."""
    if not following():
        return REAL_MAKER(seed)
    if is_fresh(seed) or _unseeded(seed):
        return followed_generator()
    if isinstance(seed, RealGenerator):
        return seed
    if isinstance(seed, np.random.BitGenerator):
        return FollowedGenerator._made(seed)
    note("default_rng", seed)
    return REAL_MAKER(seen(seed))


def _maker(kind: Any) -> Any:
    """Stand in for a bit generator or a seed sequence: one made without a seed is remembered."""

    class Kind(type(kind)):  # type: ignore[misc]
        def __instancecheck__(cls, thing: Any) -> bool:
            return isinstance(thing, kind)

        def __call__(cls, seed: Any = None, *args: Any, **options: Any) -> Any:
            if not following():
                return kind(seed, *args, **options)
            by_options = kind not in (*OF_NUMPY, SEQUENCE) and (args or options)  # such as a key, of randomgen's
            if (is_fresh(seed) or _unseeded(seed)) and not by_options:
                with by_its_seed():
                    thing = _opaque(kind)(0, *args, **options)
                current().seeded.setdefault("unseeded", {})[id(thing)] = thing, False
                return thing
            note(kind.__name__, seed)
            return kind(seed, *args, **options)

    return Kind(kind.__name__, (), {})


@functools.cache
def _opaque(kind: Any) -> Any:
    """Return the class of a bit generator or seed sequence without a seed: what is asked of it itself ends the run."""

    def hidden(name: str) -> Any:
        real = getattr(kind, name)

        def get(self: Any) -> Any:
            return _unknown(f"{name} of {kind.__name__}")(self) if following() and not _SEEDED else real.__get__(self)

        return property(get)

    names = [n for n in dir(kind) if not n.startswith("_")]
    return type(kind.__name__, (kind,), {name: hidden(name) for name in names})


class Legacy:
    """Functions of the module `numpy.random`: those of one state, until it is given a seed."""

    def __init__(self) -> None:
        self.state = followed_state()

    def function(self, name: str) -> Any:
        """Return the function of this name."""
        real = getattr(np.random, name)

        @functools.wraps(real)
        def called(*args: Any, **options: Any) -> Any:
            if not following():
                return real(*args, **options)
            state = current().seeded.get("numpy", self.state)
            return getattr(state, name)(*args, **options)

        return called

    @staticmethod
    def seed(seed: Any = None) -> None:
        """Stand in for `numpy.random.seed`."""
        if not following():
            return REAL_SEED(seed)
        if is_fresh(seed):
            current().seeded.pop("numpy", None)
            return None
        note("np.random.seed", seed)
        with by_its_seed():
            current().seeded["numpy"] = RealState(seen(seed))
        return None


def _home(kind: type) -> Any:
    """Return the module under whose name users know a bit generator or seed sequence."""
    return np.random if kind.__module__.startswith("numpy.") else sys.modules[kind.__module__.partition(".")[0]]


def replacements() -> list[tuple[Any, str, Any]]:
    """Return the replacements: owner, name, replacement."""
    legacy = Legacy()
    functions = [
        n
        for n in dir(np.random)
        if not n.startswith("_") and callable(getattr(np.random, n)) and hasattr(RealState, n) and n not in ("seed",)
    ]
    found = [(np.random, name, legacy.function(name)) for name in functions]
    found += [(np.random, "ranf", legacy.function("ranf")), (np.random, "sample", legacy.function("sample"))]
    found += [(np.random, "seed", legacy.seed), (np.random, "default_rng", default_rng)]
    found += [(np.random, "Generator", FollowedGenerator), (np.random, "RandomState", FollowedState)]
    found += [(_home(kind), kind.__name__, _maker(kind)) for kind in (*known_kinds(), np.random.SeedSequence)]
    found += [(np.random.mtrand, "_rand", legacy.state)]
    return [*found, (np.random.bit_generator, "randbits", _randbits)]
