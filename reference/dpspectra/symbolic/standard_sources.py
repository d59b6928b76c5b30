"""Randomness and functions of the standard library: modules `random`, `secrets` and `math`."""

import functools
import math
import os
import random
import secrets
from typing import Any

import numpy as np

from dpspectra.symbolic.few_outcomes import one_byte
from dpspectra.symbolic.given_draws import affine, chosen, ordered, symbols, whole_numbers
from dpspectra.symbolic.given_seed import GivenSeed, is_fresh
from dpspectra.symbolic.laws import EXPONENTIAL, NORMAL, UNIFORM
from dpspectra.symbolic.noisy_numbers import seen
from dpspectra.symbolic.numpy_sources import note
from dpspectra.symbolic.program_lines import place
from dpspectra.symbolic.refused_draws import shaped
from dpspectra.symbolic.tape import current, following

REAL = random.Random
TRIAL = REAL(0)
"""Refuses what the library refuses; its draws are thrown away."""


def _positive(shape: Any, name: str) -> Any:
    """Return a number; of one that is not positive the library has its own opinion."""
    if not 0 < seen(shape) < math.inf:
        raise current().stop(f"{name} at {place()} has no law with this number")
    return seen(shape)


class Standard:
    """Methods of `random.Random`."""

    def random(self) -> Any:
        """Return a uniform number of [0, 1)."""
        return symbols(UNIFORM, ())

    def uniform(self, a: Any, b: Any) -> Any:
        """Return a uniform number between two."""
        return affine(UNIFORM, a, b - a)

    def gauss(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """Return a normal number."""
        return affine(NORMAL, mu, sigma)

    normalvariate = gauss

    def expovariate(self, lambd: Any = 1.0) -> Any:
        """Return an exponential number of this rate."""
        return affine(EXPONENTIAL, 0.0, 1.0 / seen(lambd))

    def gammavariate(self, alpha: Any, beta: Any) -> Any:
        """Return a gamma number."""
        TRIAL.gammavariate(seen(alpha), seen(beta))
        return shaped("gamma", (alpha,), None, "standard_gamma") * beta

    def betavariate(self, alpha: Any, beta: Any) -> Any:
        """Return a beta number."""
        TRIAL.betavariate(seen(alpha), seen(beta))
        return shaped("beta", (alpha, beta), None)

    def lognormvariate(self, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
        """Return the exponential of a normal number."""
        return np.exp(affine(NORMAL, mu, sigma))

    def paretovariate(self, alpha: Any) -> Any:
        """Return a Pareto number, from 1 on."""
        TRIAL.paretovariate(_positive(alpha, "paretovariate"))
        return shaped("lomax", (alpha,), None, "pareto") + 1.0

    def weibullvariate(self, alpha: Any, beta: Any) -> Any:
        """Return a Weibull number of this scale and shape."""
        TRIAL.weibullvariate(seen(alpha), _positive(beta, "weibullvariate"))
        return shaped("weibull_min", (beta,), None, "weibull") * alpha

    def randbytes(self, n: Any) -> bytes:
        """Return one byte, looked at."""
        TRIAL.randbytes(seen(n))
        return one_byte(seen(n), "randbytes")

    def getrandbits(self, k: int) -> int:
        """So many bits, looked at."""
        return int(whole_numbers(0, 2 ** seen(k), None, "getrandbits"))

    def randrange(self, start: Any, stop: Any = None, step: Any = 1) -> int:
        """Return a number of a range, looked at."""
        start, stop, step = seen(start), seen(stop), seen(step)
        TRIAL.randrange(start, stop, step)
        first, last = (0, start) if stop is None else (start, stop)
        count = -((first - last) // step)  # ranges longer than a list may be have no length
        return int(first + step * whole_numbers(0, count, None, "randrange"))

    def randint(self, a: Any, b: Any) -> int:
        """Return a whole number of both ends or between, looked at."""
        return self.randrange(a, b + 1)

    def choice(self, seq: Any) -> Any:
        """Return a member of a sequence."""
        TRIAL.choice(seq)
        return seq[int(whole_numbers(0, len(seq), None, "choice of random"))]

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> Any:
        """Members with replacement."""
        if cum_weights is not None:
            weights = np.diff(np.concatenate([[0.0], np.asarray(seen(cum_weights), dtype=float)]))
        p = None if weights is None else np.asarray(seen(weights), dtype=float) / np.sum(seen(weights))
        return [population[chosen(len(population), p, None, True, "choices")] for _ in range(k)]

    def sample(self, population: Any, k: int, *, counts: Any = None) -> Any:
        """Members without replacement."""
        if counts is not None:
            raise current().stop(f"sample with counts at {place()} is not followed")
        TRIAL.sample(population, k)
        return [population[i] for i in chosen(len(population), None, k, False, "sample")]

    def shuffle(self, x: Any) -> None:
        """Shuffle a list in place."""
        x[:] = [x[i] for i in ordered(len(x), "shuffle")]


STANDARD = frozenset(name for name in vars(Standard) if not name.startswith("_"))
PASSIVE = frozenset(("VERSION",))


def _unknown(name: str) -> Any:
    def method(self: Any, *args: Any, **options: Any) -> Any:
        raise current().stop(f"{name} at {place()} is a source of randomness that is not followed")

    return method


class _Kind(type):
    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, cls.__mro__[2])

    def __call__(cls, seed: Any = None) -> Any:
        if not following():
            return cls.__mro__[2](seed)
        if cls.__mro__[2] is REAL and not is_fresh(seed):
            note("random.Random", seed)
            return REAL(seed)
        return type.__call__(cls)


def _members(kind: type) -> dict[str, Any]:
    names = [n for n in dir(kind) if not n.startswith("_") and n not in STANDARD | PASSIVE]
    found = {name: _unknown(name) for name in names}
    return found | {name: _unknown("a copy of a generator") for name in ("__getstate__", "__setstate__", "__reduce__")}


class FollowedRandom(Standard, random.Random, metaclass=_Kind):
    """A `random.Random` whose draws are followed."""

    def __init__(self) -> None:
        pass

    locals().update(_members(random.Random))


class FollowedSystem(Standard, random.SystemRandom, metaclass=_Kind):
    """A `random.SystemRandom` whose draws are followed."""

    def __init__(self) -> None:
        pass

    locals().update(_members(random.SystemRandom))


_REAL_SEED, _REAL_URANDOM, _REAL_SEEDED = random.seed, os.urandom, REAL.seed


def replacements() -> list[tuple[Any, str, Any]]:
    """Return the replacements: owner, name, replacement."""
    shared = type.__call__(FollowedRandom)

    def function(name: str) -> Any:
        real = getattr(random, name)

        @functools.wraps(real)
        def called(*args: Any, **options: Any) -> Any:
            if not following():
                return real(*args, **options)
            return getattr(current().seeded.get("random", shared), name)(*args, **options)

        return called

    def seed(a: Any = None, version: int = 2) -> None:
        if not following():
            return _REAL_SEED(a, version)
        current().seeded.pop("random", None)
        if not is_fresh(a):
            note("random.seed", a)
            current().seeded["random"] = REAL(seen(a))
        return None

    def urandom(size: int) -> bytes:
        """Stand in for whatever stands there now, which need not be the system's own (`choke_points` knows that)."""
        if not following():
            return _REAL_URANDOM(size)
        raise current().stop(f"os.urandom at {place()} is a source of randomness that is not followed")

    def seeded(self: Any, a: Any = None, version: int = 2) -> None:
        """Stand in for what each generator is seeded by: only makers under names of their own come here unseeded."""
        if following() and (a is None or type(a) is GivenSeed):
            _REAL_SEEDED(self, 0, version)  # an object that is not half made
            raise current().stop(
                f"a generator with a fresh seed is made under a name that is not followed, at {place()}"
            )
        return _REAL_SEEDED(self, a, version)

    names = [n for n in random.__all__ if n not in ("Random", "SystemRandom", "seed") and callable(getattr(random, n))]
    found: list[tuple[Any, str, Any]] = [(random, name, function(name)) for name in names]
    found += [(random, "Random", FollowedRandom), (random, "SystemRandom", FollowedSystem), (random, "seed", seed)]
    system = type.__call__(FollowedSystem)

    def secret(name: str, method: Any) -> Any:
        real = getattr(secrets, name)
        return lambda *args, **options: (method if following() else real)(*args, **options)

    found += [
        (secrets, "SystemRandom", FollowedSystem),
        (secrets, "randbelow", secret("randbelow", lambda n: system.randrange(_positive(n, "randbelow")))),
        (secrets, "randbits", secret("randbits", system.getrandbits)),
        (secrets, "choice", secret("choice", system.choice)),
        (secrets, "token_bytes", secret("token_bytes", _token_bytes)),
        (secrets, "token_hex", secret("token_hex", lambda nbytes=None: _token_bytes(nbytes, "token_hex").hex())),
        (secrets, "token_urlsafe", secret("token_urlsafe", functools.partial(_unknown("token_urlsafe"), system))),
        (os, "urandom", urandom),
        (random, "_urandom", urandom),
        (REAL, "seed", seeded),
    ]
    return found


def _token_bytes(nbytes: Any = None, name: str = "token_bytes") -> bytes:
    return one_byte(secrets.DEFAULT_ENTROPY if nbytes is None else seen(nbytes), name)


__all__ = ["STANDARD", "FollowedRandom", "FollowedSystem", "replacements"]
