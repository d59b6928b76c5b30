"""Mechanisms that meet exactly what they claim, and hardly more: whoever refutes one raises a false alarm.

The first seven return rows that depend on each other, or that one row can change the look of. The others are at the
boundary of their claim in every event that an auditor would choose.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpspectra.audit import GDP, ZCDP, CurveClaim, Profile, PureDP, Renyi
from dpspectra.audit.claims import ApproxDP
from dpspectra.fast.gaussian_profile import profile
from tests.support.helpers import laplace, normal

NUMBERS = (0.0, 1.0)
POINTS = (0.0, 0.5, 1.0, 2.0)


ONE = PureDP(1.0)


@dataclass(frozen=True)
class Sound:
    """A mechanism, two data sets, a claim that it meets, and options of the audit."""

    mechanism: Any
    claim: CurveClaim = ONE
    options: dict[str, Any] = field(default_factory=dict)
    pair: tuple[Any, Any] = NUMBERS


def synthetic(x, *, size, rng):
    """Rows around one noisy mean: the call as a whole is private."""
    return rng.laplace(x) + 0.1 * rng.normal(size=size)


def equal(x, *, size, rng):
    """One randomised response of loss 1/2, ``size`` times."""
    return np.full(size, x if rng.random() < 1 / (1 + math.exp(-0.5)) else 1 - x)


def square_roots(x, *, size, rng):
    """One negative number makes the whole stack complex."""
    return np.emath.sqrt(rng.laplace(x, size=size))


def eigenvalues(x, *, size, rng):
    """Real for some matrices; the stack is complex if one of them is."""
    noisy = rng.laplace(size=(size, 2, 2))
    noisy[:, 0, 1] += x
    return np.linalg.eigvals(noisy)


def padded(x, *, size, rng):
    """One Laplace draw in each row, and zeros up to the length of the longest row."""
    lengths = rng.integers(1, 6, size)
    rows = np.zeros((size, lengths.max()))
    rows[:, 0] = rng.laplace(x, size=size)
    return rows


def raising(x, *, size, rng):
    """One row in 1,000 raises for all rows of its call."""
    if np.any(rng.random(size) < 1e-3):
        raise ArithmeticError("a row failed")
    return rng.laplace(x, size=size)


def signed_copies(x, *, size, rng):
    """One Laplace draw with ``size`` random signs."""
    return rng.laplace(x) * rng.choice([-1.0, 1.0], size)


def drawn(count, loss=1.0):
    """Function that draws an index below ``count``: for one data set half of them are likelier by ``exp(loss)``."""
    up = np.repeat([1.0, math.exp(-loss)], count // 2)
    levels = {0.0: np.cumsum(up / up.sum()), 1.0: np.cumsum(up[::-1] / up.sum())}
    return lambda x, rng, size=None: np.minimum(np.searchsorted(levels[x], rng.random(size)), count - 1)


DOZEN, SCORE, MANY, FOUR = map(drawn, (12, 20, 2000, 4))


def atoms(x, *, rng):
    """One of 12 integers."""
    return int(DOZEN(x, rng))


def labels(x, *, size, rng):
    """One of 20 strings."""
    return np.array([f"label {i}" for i in range(20)])[SCORE(x, rng, size)]


def many_labels(x, *, size, rng):
    """One of 2,000 strings."""
    return list(map(str, MANY(x, rng, size).tolist()))


def counts(x, *, rng):
    """A count with two-sided geometric noise, and sometimes a flag, which says nothing."""
    noise = rng.geometric(1 - math.exp(-1)) - rng.geometric(1 - math.exp(-1))
    return {"count": int(x + noise)} | ({"flag": True} if rng.random() < 0.1 else {})


def misbehaving(x, *, rng):
    """A failure, NaN, a text or a number."""
    kind = FOUR(x, rng)
    if kind == 0:
        raise ValueError("no value")
    return (math.nan, "a text", 1.5)[kind - 1]


def same(x, *, size, rng):
    """The data set plays no part."""
    return rng.normal(size=size)


def response(x, *, size, rng):
    """Randomised response of loss 1, independent from row to row."""
    return np.where(rng.random(size) < 1 / (1 + math.exp(-1)), x, 1 - x)


DEPENDENT = {
    "synthetic rows around one noisy mean": Sound(synthetic),
    "all rows of a call equal": Sound(equal, PureDP(0.5)),
    "signed copies of one draw": Sound(signed_copies),
}
"""Rows of a call depend on each other: to declare them independent is wrong."""
SOUND = DEPENDENT | {
    "square roots, complex if one is": Sound(square_roots),
    "eigenvalues, complex if one is": Sound(eigenvalues),
    "padded to the longest row": Sound(padded),
    "one row in 1,000 raises for all": Sound(raising),
    "12 integers": Sound(atoms),
    "20 labels": Sound(labels),
    "2,000 labels": Sound(many_labels),
    "dict of a count": Sound(counts),
    "Laplace noise": Sound(laplace(1.0)),
    "failures, NaN and text": Sound(misbehaving),
    "Gaussian noise, 1-GDP": Sound(normal(1.0), GDP(1.0)),
    "Laplace noise, (.98, .01)": Sound(laplace(1.0), ApproxDP(0.98, 0.01)),
    "identical laws, all bits": Sound(same, PureDP(0.0), {"bits": True}),
    "Gaussian noise, (2, 1)-Renyi": Sound(normal(1.0), Renyi(2.0, 1.0)),
    "Gaussian noise, .5-zCDP": Sound(normal(1.0), ZCDP(0.5)),
    "Gaussian noise, its profile": Sound(normal(1.0), Profile.of(lambda e: float(profile(e, 1.0)), POINTS)),
    "Laplace noise, declared independent": Sound(laplace(1.0), options={"independent": True}),
    "response, declared independent": Sound(response, options={"independent": True}),
}
