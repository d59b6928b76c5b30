"""diffpriv-pure 0.1.0: noise by the module `random`."""

import math

import diffpriv_pure as library

from bench.foreign import Mechanism
from dpspectra.audit import ApproxDP

ROWS = ([0.5, 0.0], [0.5, 1.0])
MECHANISMS = [
    Mechanism("private_sum", lambda x: library.private_sum(x, (0.0, 1.0), 1.0), ROWS, loss=1.0),
    Mechanism("private_sum clamped", lambda x: library.private_sum(x, (0.0, 1.0), 1.0), ([2.0], [-3.0]), loss=1.0),
    Mechanism("private_mean", lambda x: library.private_mean(x, (0.0, 1.0), 1.0), ROWS, loss=1.0),
    Mechanism(
        "private_sum with delta",
        lambda x: library.private_sum(x, (0.0, 1.0), 1.0, 0.01),
        ROWS,
        ApproxDP(1.0, 0.01),
        mu=1 / math.sqrt(2 * math.log(125)),
        proof="normal noise by Box and Muller",
    ),
    Mechanism("laplace_noise", lambda x: x + library.laplace_noise(1.0, 1.0), (0.0, 1.0), loss=1.0),
]
