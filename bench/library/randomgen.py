"""randomgen 2.5.1: numpy's Generator over its bit generators, and noise by a generator of its own."""

import numpy as np
import randomgen

from bench.foreign import Mechanism
from dpspectra.audit import GDP


def fresh(kind):
    return lambda x: x + np.random.Generator(kind()).laplace()


def made_before(kind):
    made = np.random.Generator(kind())
    return lambda x: x + made.laplace()


def _correlated(x):
    made = randomgen.ExtendedGenerator(np.random.PCG64())
    return made.multivariate_normal([x, 0.0], [[1.0, 0.5], [0.5, 1.0]])


MECHANISMS = [
    Mechanism(f"{kind.__name__}, {made.__name__.replace('_', ' ')}", made(kind), (0.0, 1.0), loss=1.0)
    for kind in (randomgen.Xoshiro256, randomgen.PCG64, randomgen.ChaCha)
    for made in (fresh, made_before)
] + [
    Mechanism(
        "ExtendedGenerator.multivariate_normal",
        _correlated,
        (0.0, 1.0),
        GDP(2.0),
        mu=(4 / 3) ** 0.5,
        proof="correlation 1/2: a move of 1 in one place is 1.15 deviations",
    ),
]
